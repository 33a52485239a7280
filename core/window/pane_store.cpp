// SPDX-License-Identifier: Apache-2.0
//
// An ordered map by end. Last windows go up with the ends, so that what can be dropped stands in front.
#include "core/window/pane_store.hpp"

#include "core/window/pane_change.hpp"

namespace tidemark::core {

Pane* PaneStore::find(Micros end) const {
  const auto found = panes_.find(end);
  return found == panes_.end() ? nullptr : found->second.get();
}

Pane& PaneStore::at(Micros end, Micros last_window) {
  std::unique_ptr<Pane>& pane = panes_[end];
  if (pane == nullptr) pane = std::make_unique<Pane>(layout_, end, last_window, kept_);
  return *pane;
}

std::vector<Pane*> PaneStore::range(Micros after, Micros up_to) const {
  std::vector<Pane*> out;
  for (auto at = panes_.upper_bound(after); at != panes_.end() && at->first <= up_to; ++at) {
    out.push_back(at->second.get());
  }
  return out;
}

Status PaneStore::restore(Pane& pane, uint64_t hash, const EntryView& entry) {
  PaneTable& table = pane.table(key_group_of(hash));
  Status status;
  const auto owned_before = static_cast<int64_t>(table.owned_bytes(hash, entry.key));
  if (entry.removed) {
    table.erase(hash, entry.key);
  } else {
    status = table.restore(hash, entry.key, entry.accumulators);
  }
  owned_bytes_ += static_cast<int64_t>(table.owned_bytes(hash, entry.key)) - owned_before;
  return status;
}

void PaneStore::seal(const std::function<void(const PaneChange&)>& visit) {
  for (auto& [end, pane] : panes_) {
    if (pane->dirty.none()) continue;
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      if (!pane->dirty.test(group)) continue;
      PaneTable* table = pane->find_table(group);
      if (table == nullptr) continue;
      const TableChange change(end, group, *table);
      if (change.dirty_count() > 0) visit(change);
      table->forget_changes();
      if (table->size() == 0) pane->drop_table(group);
    }
    pane->dirty.reset();
  }
}

void PaneStore::drop_closed(const std::function<bool(Micros window_end)>& is_closed) {
  for (auto at = panes_.begin(); at != panes_.end() && is_closed(at->second->last_window());) {
    owned_bytes_ -= static_cast<int64_t>(at->second->owned_bytes());
    dropped_.push_back(at->first);
    at = panes_.erase(at);
  }
}

size_t PaneStore::memory_bytes() const {
  auto bytes = static_cast<size_t>(owned_bytes_);
  for (const auto& [end, pane] : panes_) bytes += pane->memory_bytes();
  return bytes;
}

}  // namespace tidemark::core
