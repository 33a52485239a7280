// SPDX-License-Identifier: Apache-2.0
//
// What a seal sees of one (pane, key group): a view on its table, valid during the visit. TableEntries: the entries of
// a table as a stream.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/window/pane.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class TableChange final : public PaneChange {
 public:
  /// Of key group `key_group` of `pane`, which has a table for it. `layout` is the pane's.
  TableChange(const AccumulatorLayout& layout, Pane& pane, uint32_t key_group);

  Micros pane_end() const override { return pane_end_; }
  uint32_t key_group() const override { return key_group_; }
  size_t dirty_count() const override { return dirty_.size(); }
  size_t entry_count() const override { return entry_count_; }
  void visit_dirty(const std::function<void(const EntryView&)>& visit) const override;
  void visit_all(const std::function<void(const EntryView&)>& visit) const override;
  bool is_addend() const override { return is_addend_; }
  Status visit_merged(std::vector<StoredRun>&& runs, const std::function<void(const EntryView&)>& visit) const override;

 private:
  const AccumulatorLayout& layout_;
  Micros pane_end_;
  uint32_t key_group_;
  bool is_addend_;
  PaneTable& table_;
  std::vector<EntryRef> dirty_;  // by key
  size_t entry_count_ = 0;
};

}  // namespace tidemark::core
