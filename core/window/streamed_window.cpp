// SPDX-License-Identifier: Apache-2.0
//
// A table for each batch. What rows and retractions have made nothing of is no group.
#include "core/window/streamed_window.hpp"

#include "core/base/hash.hpp"

namespace tidemark::core {

Status StreamedWindow::next(std::vector<EntryRef>& entries) {
  entries.clear();
  table_ = std::make_unique<PaneTable>(layout_, KeptResult::none);
  while (table_->size() < kBatchRows) {
    const auto more = merge_.next();
    if (!more) return more.status();
    if (!*more) break;
    std::byte* row = table_->accumulators(table_->touch(hash_bytes(merge_.key()), merge_.key()));
    if (Status merged = merge_encoded(layout_, merge_.accumulators(), scratch_.data(), row); !merged) return merged;
  }
  for (uint32_t entry = 0; entry < table_->size(); ++entry) {
    if (!table_->is_gone(entry)) entries.emplace_back(*table_, entry);
  }
  return {};
}

}  // namespace tidemark::core
