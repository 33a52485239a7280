// SPDX-License-Identifier: Apache-2.0
//
// Entries of a table in key order. An entry of an addend that comes to nothing is none.
#include "core/window/pane_change.hpp"

#include <utility>

#include "core/window/accumulator_row.hpp"
#include "core/window/entry_merge.hpp"

namespace tidemark::core {
namespace {

EntryView view_of(const EntryRef& entry, std::string& buffer) {
  EntryView view;
  view.key = entry.key;
  view.removed = entry.table->is_gone(entry.entry);
  if (!view.removed) view.accumulators = entry.table->encode(entry.entry, buffer);
  return view;
}

/// Over entries in key order, which outlive it.
class TableEntries final : public EntryStream {
 public:
  explicit TableEntries(const std::vector<EntryRef>& entries) : entries_(entries) {}

  Result<bool> next() override {
    if (next_ == entries_.size()) return false;
    view_ = view_of(entries_[next_++], buffer_);
    return true;
  }
  const EntryView& entry() const override { return view_; }

 private:
  const std::vector<EntryRef>& entries_;
  size_t next_ = 0;
  EntryView view_;
  std::string buffer_;
};

}  // namespace

TableChange::TableChange(const AccumulatorLayout& layout, Pane& pane, uint32_t key_group)
    : layout_(layout),
      pane_end_(pane.end()),
      key_group_(key_group),
      is_addend_(pane.absent.test(key_group)),
      table_(*pane.find_table(key_group)),
      entry_count_(table_.size()) {
  dirty_.reserve(table_.dirty().size());
  for (const uint32_t entry : table_.dirty()) {
    const bool is_gone = table_.is_gone(entry);
    if (is_gone) --entry_count_;
    const bool is_told = is_addend_ ? !is_gone : !table_.is_unknown_to_state(entry);
    if (is_told) dirty_.emplace_back(table_, entry);
  }
  sort_by_key(dirty_);
}

void TableChange::visit_dirty(const std::function<void(const EntryView&)>& visit) const {
  std::string buffer;
  for (const EntryRef& entry : dirty_) visit(view_of(entry, buffer));
}

void TableChange::visit_all(const std::function<void(const EntryView&)>& visit) const {
  std::vector<EntryRef> live;
  live.reserve(table_.size());
  for (uint32_t entry = 0; entry < table_.size(); ++entry) {
    if (!table_.is_gone(entry)) live.emplace_back(table_, entry);
  }
  sort_by_key(live);
  std::string buffer;
  for (const EntryRef& entry : live) visit(view_of(entry, buffer));
}

Status TableChange::visit_merged(std::vector<StoredRun>&& runs,
                                 const std::function<void(const EntryView&)>& visit) const {
  EntryMerge merge;
  runs.push_back({std::make_unique<TableEntries>(dirty_), true});
  merge.add(std::move(runs));
  AccumulatorRow row(layout_);
  AccumulatorRow scratch(layout_);
  std::string buffer;
  for (auto more = merge.next();; more = merge.next()) {
    if (!more) return more.status();
    if (!*more) return {};
    Status merged = merge_encoded(layout_, merge.accumulators(), scratch.data(), row.data());
    if (merged && !layout_.is_neutral(row.data())) {
      buffer.clear();
      layout_.encode(row.data(), buffer);
      visit({merge.key(), buffer, false});
    }
    row.clear();
    if (!merged) return merged;
  }
}

}  // namespace tidemark::core
