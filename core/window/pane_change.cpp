// SPDX-License-Identifier: Apache-2.0
//
// Entries of a table in key order.
#include "core/window/pane_change.hpp"

namespace tidemark::core {

TableChange::TableChange(Micros pane_end, uint32_t key_group, PaneTable& table)
    : pane_end_(pane_end), key_group_(key_group), table_(table), entry_count_(table.size()) {
  dirty_.reserve(table.dirty().size());
  for (const uint32_t entry : table.dirty()) {
    if (table.is_gone(entry)) --entry_count_;
    if (!table.is_unknown_to_state(entry)) dirty_.emplace_back(table, entry);
  }
  sort_by_key(dirty_);
}

void TableChange::visit_entry(const EntryRef& entry, std::string& buffer,
                              const std::function<void(const EntryView&)>& visit) {
  EntryView view;
  view.key = entry.key;
  view.removed = entry.table->is_gone(entry.entry);
  if (!view.removed) view.accumulators = entry.table->encode(entry.entry, buffer);
  visit(view);
}

void TableChange::visit_dirty(const std::function<void(const EntryView&)>& visit) const {
  std::string buffer;
  for (const EntryRef& entry : dirty_) visit_entry(entry, buffer, visit);
}

void TableChange::visit_all(const std::function<void(const EntryView&)>& visit) const {
  std::vector<EntryRef> live;
  live.reserve(table_.size());
  for (uint32_t entry = 0; entry < table_.size(); ++entry) {
    if (!table_.is_gone(entry)) live.emplace_back(table_, entry);
  }
  sort_by_key(live);
  std::string buffer;
  for (const EntryRef& entry : live) visit_entry(entry, buffer, visit);
}

}  // namespace tidemark::core
