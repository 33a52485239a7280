// SPDX-License-Identifier: Apache-2.0
//
// An ordered map by end. Last windows go up with the ends, so that what can be dropped stands in front.
#include "core/window/pane_store.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/window/entry_merge.hpp"
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
      const TableChange change(layout_, *pane, group);
      if (change.dirty_count() > 0) visit(change);
      if (!change.is_addend()) table->forget_changes();
      if (change.is_addend() || table->size() == 0) drop_table(*pane, group);
    }
    pane->dirty.reset();
  }
}

void PaneStore::drop_table(Pane& pane, uint32_t key_group) {
  owned_bytes_ -= static_cast<int64_t>(pane.find_table(key_group)->owned_bytes());
  pane.drop_table(key_group);
}

Status PaneStore::leave(Pane& pane, uint32_t key_group) {
  const TableChange change(layout_, pane, key_group);
  if (Status taken = stored_->take(change); !taken) return taken;
  if (change.entry_count() > 0) pane.absent.set(key_group);
  pane.dirty.reset(key_group);
  drop_table(pane, key_group);
  return {};
}

Status PaneStore::leave(Pane& pane) {
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    if (pane.find_table(group) == nullptr) continue;
    if (Status left = leave(pane, group); !left) return left;
  }
  return {};
}

Status PaneStore::leave(size_t bytes) {
  struct Candidate {
    Pane* pane;
    uint32_t key_group;
    size_t bytes;
  };
  std::vector<Candidate> candidates;
  for (auto& [end, pane] : panes_) {
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      const PaneTable* table = pane->find_table(group);
      if (table != nullptr) candidates.push_back({pane.get(), group, table->memory_bytes() + table->owned_bytes()});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.bytes > b.bytes; });
  size_t used = memory_bytes();
  for (const Candidate& candidate : candidates) {
    if (used <= bytes) break;
    if (Status left = leave(*candidate.pane, candidate.key_group); !left) return left;
    used -= std::min(used, candidate.bytes);
  }
  return {};
}

void PaneStore::leave_in_state(Pane& pane, uint32_t key_group) {
  if (pane.find_table(key_group) != nullptr) drop_table(pane, key_group);
  pane.absent.set(key_group);
}

Status PaneStore::open(const Pane& pane, uint32_t key_group, std::vector<StoredRun>& runs) const {
  return stored_->open(pane.end(), key_group, runs);
}

Status PaneStore::load(Pane& pane, uint32_t key_group) {
  TIDEMARK_DCHECK(pane.find_table(key_group) == nullptr);
  std::vector<StoredRun> runs;
  if (Status opened = open(pane, key_group, runs); !opened) return opened;
  EntryMerge merge;
  merge.add(std::move(runs));
  for (auto more = merge.next();; more = merge.next()) {
    if (!more) return more.status();
    if (!*more) break;
    TIDEMARK_DCHECK(merge.accumulators().size() == 1);
    const EntryView entry{merge.key(), merge.accumulators().back(), false};
    if (Status restored = restore(pane, hash_bytes(entry.key), entry); !restored) return restored;
  }
  pane.absent.reset(key_group);
  return {};
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
