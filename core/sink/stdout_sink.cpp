// SPDX-License-Identifier: Apache-2.0
//
// Standard output: a table for people, NDJSON for pipes. What was printed cannot be taken back, so rows after
// the last epoch are printed again after a crash: at least once. Output is handed on at every flush and when
// enough is waiting.
#include <optional>
#include <utility>

#include "core/sink/json_writer.hpp"
#include "core/sink/sink.hpp"
#include "core/sink/sink_progress.hpp"
#include "core/sink/table_writer.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kBufferBytes = size_t{64} * 1024;
constexpr size_t kBlockRows = 1024;

class StdoutSink final : public Sink {
 public:
  StdoutSink(bool is_terminal, std::function<Status(std::string_view)> write)
      : is_terminal_(is_terminal), write_(std::move(write)) {}

  Status open(std::shared_ptr<const BatchLayout> layout, std::string_view progress) override {
    if (!progress.empty()) {
      const auto committed = decode_sink_progress(progress);
      if (!committed) return committed.status().with_context("standard output");
      rows_ = committed->rows;
    }
    if (is_terminal_) {
      table_.emplace(*layout);
    } else {
      json_.emplace(*layout);
    }
    return {};
  }

  Status write(const Batch& rows, uint32_t row) override {
    ++rows_;
    if (table_) {
      table_->add(rows, row);
      return table_->rows_waiting() >= kBlockRows ? write_out() : Status();
    }
    json_->append_row(rows, row, buffer_);
    return buffer_.size() >= kBufferBytes ? write_out() : Status();
  }

  Result<std::string> flush(uint64_t) override {
    if (Status written = write_out(); !written) return written;
    return encode(SinkProgress{0, rows_});
  }

  Status finish() override { return write_out(); }
  uint64_t rows_written() const override { return rows_; }

 private:
  Status write_out() {
    if (table_) table_->render(buffer_);
    if (buffer_.empty()) return {};
    Status written = write_(buffer_);
    buffer_.clear();
    return written;
  }

  bool is_terminal_;
  std::function<Status(std::string_view)> write_;
  std::optional<TableWriter> table_;
  std::optional<JsonWriter> json_;
  std::string buffer_;
  uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_stdout_sink(bool is_terminal, std::function<Status(std::string_view)> write) {
  return std::make_unique<StdoutSink>(is_terminal, std::move(write));
}

}  // namespace tidemark::core
