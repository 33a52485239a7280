// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/sim_sink.hpp"

#include <algorithm>
#include <utility>

#include "core/batch/cell_text.hpp"
#include "core/sink/sink_progress.hpp"

namespace tidemark::test {

void SinkContent::lose_tail(size_t kept) {
  if (lines.size() > durable) lines.resize(std::min(lines.size(), durable + kept));
}

core::Status SimSink::open(std::shared_ptr<const core::BatchLayout> layout, std::string_view progress) {
  columns_ = layout->columns.size();
  core::SinkProgress committed;
  if (!progress.empty()) {
    auto decoded = core::decode_sink_progress(progress);
    if (!decoded) return decoded.status();
    committed = *decoded;
  }
  if (committed.rows > content_->lines.size()) content_->violation = "an epoch counts rows that were never durable";
  if (committed.rows < content_->committed) content_->violation = "the committed progress went back";
  content_->lines.resize(std::min<size_t>(content_->lines.size(), committed.rows));
  content_->durable = content_->committed = content_->lines.size();
  return {};
}

core::Status SimSink::write(const core::Batch& rows, uint32_t row) {
  if (fails_at_row_ != 0 && content_->lines.size() + 1 >= fails_at_row_) {
    return {core::Code::io, "the simulated disk is full"};
  }
  if (rows.columns().size() != columns_) content_->violation = "a row of another layout than open() was given";
  std::string line;
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    if (column > 0) line += '|';
    if (rows.column(column).is_valid(row)) {
      core::append_cell_text(rows, column, row, line);
    } else {
      line += "\\N";
    }
  }
  content_->lines.push_back(std::move(line));
  return {};
}

core::Result<std::string> SimSink::flush(uint64_t) {
  content_->durable = content_->lines.size();
  return core::encode(core::SinkProgress{content_->lines.size(), content_->lines.size()});
}

core::Status SimSink::finish() {
  content_->finished = true;
  return {};
}

}  // namespace tidemark::test
