// SPDX-License-Identifier: Apache-2.0
//
// The file sink with roll: results in numbered parts, "revenue-000001.csv", … A part has its name once an epoch has all
// of it; until then it is "….open". Exactly once as the plain file sink: the epoch stores the number and the length of
// the last part, and a start cuts it to that, removes parts behind it, and gives those before it their names. Parts end
// behind the row that brings them to the size, wherever epochs are, or, by time, with the first epoch after it.
// Invariant: files of other names, and parts that were there before a first start, are never touched.
#include <fmt/format.h>

#include <charconv>
#include <map>
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
constexpr std::string_view kOpen = ".open";

class RolledFileSink final : public Sink {
 public:
  RolledFileSink(std::filesystem::path path, FileFormat format, FileRoll roll, const Clock& clock)
      : path_(std::move(path)), format_(format), roll_(roll), clock_(clock) {}

  Status open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) override;
  Status write(const Batch& rows, uint32_t row) override;
  Result<std::string> flush(uint64_t epoch) override;
  Status committed() override;
  Status finish() override;
  uint64_t rows_written() const override { return at_.rows; }

 private:
  enum class Name : uint8_t { finished, open };
  struct Files {
    bool finished = false;
    bool open = false;
  };

  std::filesystem::path folder() const { return path_.has_parent_path() ? path_.parent_path() : "."; }
  std::filesystem::path marker() const { return path_.string() + ".uncommitted"; }
  std::filesystem::path part(uint32_t number, Name name) const;
  Result<std::map<uint32_t, Files>> parts() const;
  std::optional<uint32_t> number_of(std::string_view name) const;
  Status claim_first_start();
  Status take_over(std::string_view progress);
  Status settle_parts();
  Status rename_part(uint32_t number, Name from, Name to) const;
  Status open_part();
  Status end_part();
  Status write_out();
  Status flush_parts();

  std::filesystem::path path_;
  FileFormat format_;
  FileRoll roll_;
  const Clock& clock_;
  std::shared_ptr<const BatchLayout> layout_;
  std::optional<LineWriter> lines_;
  AppendFile file_;
  bool is_open_ = false;  // the last part's file
  std::string buffer_;
  RollProgress at_;          // bytes: of the last part, as far as it is in its file
  uint32_t flushed_to_ = 1;  // the last part at the last flush
  Micros part_since_us_ = 0;
  bool marked_ = false;
  Status failed_;
};

std::filesystem::path RolledFileSink::part(uint32_t number, Name name) const {
  std::filesystem::path out = path_;
  out.replace_filename(fmt::format("{}-{:06}{}{}", path_.stem().string(), number, path_.extension().string(),
                                   name == Name::open ? kOpen : ""));
  return out;
}

std::optional<uint32_t> RolledFileSink::number_of(std::string_view name) const {
  const std::string begin = path_.stem().string() + "-";
  const std::string end = path_.extension().string();
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size() + 6) return {};
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  uint32_t number = 0;
  const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_ours =
      error == std::errc() && last == name.data() + name.size() && fmt::format("{:06}", number) == name;
  return is_ours ? std::optional(number) : std::nullopt;
}

Result<std::map<uint32_t, RolledFileSink::Files>> RolledFileSink::parts() const {
  std::map<uint32_t, Files> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder(), error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    const bool is_open = name.ends_with(kOpen);
    if (is_open) name.resize(name.size() - kOpen.size());
    if (const auto number = number_of(name)) (is_open ? out[*number].open : out[*number].finished) = true;
  }
  if (error) return Status(Code::io, folder().string() + ": cannot be read: " + error.message());
  return out;
}

Status RolledFileSink::rename_part(uint32_t number, Name from, Name to) const {
  std::error_code error;
  std::filesystem::rename(part(number, from), part(number, to), error);
  if (!error) return {};
  return {Code::io, part(number, from).string() + ": cannot be renamed to " + part(number, to).filename().string() +
                        ": " + error.message()};
}

Status RolledFileSink::claim_first_start() {
  if (Status made = make_directories(folder()); !made) return made;
  const auto ours = file_exists(marker());
  if (!ours) return ours.status();
  const auto there = parts();
  if (!there) return there.status();
  if (!there->empty() && !*ours) {
    return {Code::state, part(there->begin()->first, Name::finished).string() +
                             " or its open part is there already, and this job's state knows nothing of it; move the "
                             "parts away, choose another path, or start with the state that belongs to them"};
  }
  marked_ = true;
  return replace_file(marker(), "parts of " + path_.filename().string() +
                                    " hold rows that no checkpoint covers yet; the next start removes them.\n");
}

// Of a job that did not roll before: its file stays as it is, and parts begin.
Status RolledFileSink::take_over(std::string_view progress) {
  const auto before = decode_sink_progress(progress);
  if (!before) return before.status();
  at_.rows = before->rows;
  auto file = AppendFile::open(path_, before->bytes);
  return file ? claim_first_start() : file.status();
}

Status RolledFileSink::settle_parts() {
  const auto there = parts();
  if (!there) return there.status();
  bool has_last = false;
  bool is_finished = false;  // the last part: by a job that has ended
  for (const auto& [number, files] : *there) {
    has_last = has_last || number == at_.part;
    if (number > at_.part || (number == at_.part && at_.bytes == 0)) {
      if (Status gone = remove_file(part(number, Name::open)); !gone) return gone;
      if (Status gone = remove_file(part(number, Name::finished)); !gone) return gone;
    } else if (number < at_.part && number >= at_.first_open && files.open) {
      if (Status named = rename_part(number, Name::open, Name::finished); !named) return named;
    } else if (number == at_.part && files.finished && !files.open) {  // or of what is restored
      const auto size = file_size_or_zero(part(number, Name::finished));
      if (!size) return size.status();
      is_finished = *size == at_.bytes;
      if (is_finished) continue;
      if (Status named = rename_part(number, Name::finished, Name::open); !named) return named;
    }
  }
  if (at_.bytes > 0 && !has_last) {
    return {Code::state, part(at_.part, Name::open).string() +
                             " is missing, with results that an epoch has; put it back, or start over with an empty "
                             "state path and another path for results"};
  }
  if (at_.bytes > 0 && !is_finished) {
    if (Status opened = open_part(); !opened) return opened;
  }
  return sync_folder(folder());
}

Status RolledFileSink::open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) {
  layout_ = std::move(layout);
  lines_.emplace(format_, *layout_);
  Status ready;
  if (progress.empty()) {
    ready = claim_first_start();
  } else if (is_roll_progress(progress)) {
    auto decoded = decode_roll_progress(progress);
    if (decoded) at_ = *decoded;
    ready = decoded.status();
  } else {
    ready = take_over(progress);
  }
  if (!ready) return ready.with_context(path_.string());
  flushed_to_ = at_.part;
  part_since_us_ = clock_.monotonic_us() - at_.age_us;
  if (Status settled = settle_parts(); !settled) return settled;
  at_.first_open = at_.part;
  if (Status passed = fail_point("sink_after_truncate"); !passed) return passed;
  if (marked_) return {};
  const auto left = file_exists(marker());
  if (!left) return left.status();
  return *left ? remove_file(marker()) : Status();
}

Status RolledFileSink::open_part() {
  if (is_open_) return {};
  const auto there = file_exists(part(at_.part, Name::open));
  if (!there) return there.status();
  if (at_.bytes > 0 && !*there) {
    if (Status named = rename_part(at_.part, Name::finished, Name::open); !named) return named;
  }
  auto file = AppendFile::open(part(at_.part, Name::open), at_.bytes);
  if (!file) return file.status();
  file_ = std::move(*file);
  is_open_ = true;
  return {};
}

Status RolledFileSink::write_out() {
  if (buffer_.empty()) return {};
  if (Status opened = open_part(); !opened) return opened;
  if (Status written = file_.append(buffer_); !written) return written;
  buffer_.clear();
  at_.bytes = file_.length();
  return {};
}

Status RolledFileSink::end_part() {
  if (Status written = write_out(); !written) return written;
  if (Status synced = file_.sync(); !synced) return synced;
  file_ = AppendFile();
  is_open_ = false;
  ++at_.part;
  at_.bytes = 0;
  part_since_us_ = clock_.monotonic_us();
  return {};
}

Status RolledFileSink::write(const Batch& rows, uint32_t row) {
  if (!failed_) return failed_;
  if (at_.bytes == 0 && buffer_.empty()) lines_->append_header(buffer_);
  lines_->append_row(rows, row, buffer_);
  ++at_.rows;
  if (roll_.size_bytes > 0 && at_.bytes + buffer_.size() >= roll_.size_bytes) return failed_ = end_part();
  return buffer_.size() >= kBufferBytes ? failed_ = write_out() : Status();
}

Status RolledFileSink::flush_parts() {
  if (Status passed = fail_point("sink_before_flush"); !passed) return passed;
  if (Status written = write_out(); !written) return written;
  const Micros age = clock_.monotonic_us() - part_since_us_;
  if (roll_.every_us > 0 && age >= roll_.every_us && at_.bytes > 0) {
    if (Status opened = open_part(); !opened) return opened;
    if (Status ended = end_part(); !ended) return ended;
  }
  if (is_open_) {
    if (Status synced = file_.sync(); !synced) return synced;
  }
  if (Status synced = sync_folder(folder()); !synced) return synced;
  return fail_point("sink_after_flush");
}

Result<std::string> RolledFileSink::flush(uint64_t) {
  if (failed_) failed_ = flush_parts();
  if (!failed_) return failed_;
  flushed_to_ = at_.part;
  at_.age_us = clock_.monotonic_us() - part_since_us_;
  return encode(at_);
}

Status RolledFileSink::committed() {
  if (!failed_) return failed_;
  if (std::exchange(marked_, false)) {
    if (Status gone = remove_file(marker()); !gone) return gone;
  }
  if (at_.first_open == flushed_to_) return {};
  if (Status passed = fail_point("sink_before_rename"); !passed) return failed_ = passed;
  for (; at_.first_open < flushed_to_; ++at_.first_open) {
    if (Status named = rename_part(at_.first_open, Name::open, Name::finished); !named) return failed_ = named;
  }
  if (Status synced = sync_folder(folder()); !synced) return failed_ = synced;
  return failed_ = fail_point("sink_after_rename");
}

// The last part has its name too.
Status RolledFileSink::finish() {
  if (!failed_) return failed_;
  if (!is_open_) return {};
  file_ = AppendFile();
  is_open_ = false;
  if (Status named = rename_part(at_.part, Name::open, Name::finished); !named) return named;
  return sync_folder(folder());
}

}  // namespace

std::unique_ptr<Sink> make_rolled_file_sink(std::filesystem::path path, FileFormat format, FileRoll roll,
                                            const Clock& clock) {
  return std::make_unique<RolledFileSink>(std::move(path), format, roll, clock);
}

}  // namespace tidemark::core
