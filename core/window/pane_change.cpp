// SPDX-License-Identifier: Apache-2.0
//
// Entries of a table in key order. Rows of fixed size are shown as they stand, without a copy.
#include "core/window/pane_change.hpp"

namespace tidemark::core {

TableChange::TableChange(const AccumulatorLayout& layout, Micros pane_end, uint32_t key_group, PaneTable& table)
    : layout_(layout), pane_end_(pane_end), key_group_(key_group), table_(table), entry_count_(table.size()) {
  dirty_.reserve(table.dirty().size());
  for (const uint32_t entry : table.dirty()) {
    if (layout.is_neutral(table.accumulators(entry))) --entry_count_;
    if (!table.is_unknown_to_state(entry)) dirty_.emplace_back(table, entry);
  }
  sort_by_key(dirty_);
}

void TableChange::visit_entry(const EntryRef& entry, std::string& buffer,
                              const std::function<void(const EntryView&)>& visit) const {
  EntryView view;
  view.key = entry.key;
  const std::byte* row = entry.accumulators();
  if (layout_.is_neutral(row)) {
    view.removed = true;
  } else if (layout_.fixed_size()) {
    view.accumulators = {reinterpret_cast<const char*>(row), layout_.width()};
  } else {
    buffer.clear();
    layout_.encode(row, buffer);
    view.accumulators = buffer;
  }
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
    if (!layout_.is_neutral(table_.accumulators(entry))) live.emplace_back(table_, entry);
  }
  sort_by_key(live);
  std::string buffer;
  for (const EntryRef& entry : live) visit_entry(entry, buffer, visit);
}

}  // namespace tidemark::core
