// SPDX-License-Identifier: Apache-2.0
//
// SimSink: a sink whose content outlives crashes, with the file sink's contract: flush() makes what was written
// durable, open() cuts to the committed progress. What a crash takes of the rest is up to the simulator. A line
// is the row's cells joined by `|`, NULL as `\N`. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sink/sink.hpp"

namespace tidemark::test {

/// What is on the simulated disk.
struct SinkContent {
  std::vector<std::string> lines;
  size_t durable = 0;       ///< lines that no crash takes
  size_t committed = 0;     ///< lines that open() was last told of
  bool finished = false;    ///< finish() was called
  std::string violation{};  ///< first breach of the contract by the runtime

  /// A crash: of the lines that were not flushed, `kept` survive.
  void lose_tail(size_t kept);
};

class SimSink final : public core::Sink {
 public:
  /// `fails_at_row`: write() of that row (from 1) gives an error; 0 = never.
  explicit SimSink(std::shared_ptr<SinkContent> content, uint64_t fails_at_row = 0)
      : content_(std::move(content)), fails_at_row_(fails_at_row) {}

  core::Status open(std::shared_ptr<const core::BatchLayout> layout, std::string_view progress) override;
  core::Status write(const core::Batch& rows, uint32_t row) override;
  core::Result<std::string> flush(uint64_t) override;
  core::Status finish() override;
  uint64_t rows_written() const override { return content_->lines.size(); }

 private:
  std::shared_ptr<SinkContent> content_;
  uint64_t fails_at_row_;
  size_t columns_ = 0;
};

}  // namespace tidemark::test
