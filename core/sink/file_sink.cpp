// SPDX-License-Identifier: Apache-2.0
//
// The file sink. Exactly once by committed length: the epoch stores how long the file was when it was synced,
// and a restart cuts it back to that. Until the first epoch is known to be stored, a small file
// "<path>.uncommitted" stands beside it, so that a killed first run is told from somebody else's file, which is
// never overwritten. Only whole lines are written; after an error nothing more is, since the end of the file is
// then unknown until it is cut.
#include <memory>
#include <optional>
#include <utility>

#include "core/base/fail_point.hpp"
#include "core/base/files.hpp"
#include "core/base/folders.hpp"
#include "core/sink/line_writer.hpp"
#include "core/sink/sink.hpp"
#include "core/sink/sink_progress.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kBufferBytes = size_t{256} * 1024;

class FileSink final : public Sink {
 public:
  FileSink(std::filesystem::path path, FileFormat format) : path_(std::move(path)), format_(format) {}

  Status open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) override;
  Status write(const Batch& rows, uint32_t row) override;
  Result<std::string> flush(uint64_t) override;
  Status finish() override;
  uint64_t rows_written() const override { return rows_; }

 private:
  std::filesystem::path marker() const { return path_.string() + ".uncommitted"; }
  Status claim_first_start();
  Status release_marker();
  Status write_out();
  Status flush_to_disk();

  std::filesystem::path path_;
  FileFormat format_;
  std::shared_ptr<const BatchLayout> layout_;
  std::optional<LineWriter> lines_;
  AppendFile file_;
  std::string buffer_;
  uint64_t rows_ = 0;
  bool marked_ = false;   // the marker stands
  bool flushed_ = false;  // one flush was given to an epoch
  Status failed_;
};

Status FileSink::claim_first_start() {
  const auto ours = file_exists(marker());
  if (!ours) return ours.status();
  const auto size = file_size_or_zero(path_);
  if (!size) return size.status();
  if (*size > 0 && !*ours) {
    return {Code::state, path_.string() + " already has " + std::to_string(*size) +
                             " bytes, and this job's state knows nothing of them; move the file away, choose another "
                             "path, or start with the state that belongs to it"};
  }
  if (path_.has_parent_path()) {
    if (Status made = make_directories(path_.parent_path()); !made) return made;
  }
  marked_ = true;
  return replace_file(
      marker(), path_.filename().string() + " holds rows that no checkpoint covers yet; the next start cuts them.\n");
}

Status FileSink::release_marker() {
  if (!marked_) return {};
  marked_ = false;
  return remove_file(marker());
}

Status FileSink::open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) {
  SinkProgress committed;
  if (progress.empty()) {
    if (Status claimed = claim_first_start(); !claimed) return claimed;
  } else {
    auto decoded = decode_sink_progress(progress);
    if (!decoded) return decoded.status().with_context(path_.string());
    committed = *decoded;
    const auto left = file_exists(marker());
    if (!left) return left.status();
    marked_ = *left;
  }
  auto file = AppendFile::open(path_, committed.bytes);
  if (!file) return file.status();
  file_ = std::move(*file);
  if (Status passed = fail_point("sink_after_truncate"); !passed) return passed;
  rows_ = committed.rows;
  layout_ = std::move(layout);
  lines_.emplace(format_, *layout_);
  if (committed.bytes == 0) lines_->append_header(buffer_);
  return progress.empty() ? Status() : release_marker();
}

Status FileSink::write(const Batch& rows, uint32_t row) {
  if (!failed_) return failed_;
  lines_->append_row(rows, row, buffer_);
  ++rows_;
  return buffer_.size() >= kBufferBytes ? write_out() : Status();
}

Status FileSink::write_out() {
  if (Status written = file_.append(buffer_); !written) return failed_ = std::move(written);
  buffer_.clear();
  return {};
}

Status FileSink::flush_to_disk() {
  if (flushed_) {  // asked again, so the epoch of the flush before is stored
    if (Status released = release_marker(); !released) return released;
  }
  if (Status passed = fail_point("sink_before_flush"); !passed) return passed;
  if (Status written = write_out(); !written) return written;
  if (Status synced = file_.sync(); !synced) return synced;
  flushed_ = true;
  return fail_point("sink_after_flush");
}

Result<std::string> FileSink::flush(uint64_t) {
  if (failed_) failed_ = flush_to_disk();
  if (!failed_) return failed_;
  return encode(SinkProgress{file_.length(), rows_});
}

Status FileSink::finish() {
  return failed_ ? release_marker() : failed_;
}

}  // namespace

std::unique_ptr<Sink> make_file_sink(std::filesystem::path path, FileFormat format) {
  return std::make_unique<FileSink>(std::move(path), format);
}

}  // namespace tidemark::core
