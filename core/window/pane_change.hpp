// SPDX-License-Identifier: Apache-2.0
//
// What a seal sees of one (pane, key group): a view on its table, valid during the visit.
#pragma once

#include "core/window/pane.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class TableChange final : public PaneChange {
 public:
  TableChange(Micros pane_end, uint32_t key_group, PaneTable& table);

  Micros pane_end() const override { return pane_end_; }
  uint32_t key_group() const override { return key_group_; }
  size_t dirty_count() const override { return dirty_.size(); }
  size_t entry_count() const override { return entry_count_; }
  void visit_dirty(const std::function<void(const EntryView&)>& visit) const override;
  void visit_all(const std::function<void(const EntryView&)>& visit) const override;

 private:
  static void visit_entry(const EntryRef& entry, std::string& buffer,
                          const std::function<void(const EntryView&)>& visit);

  Micros pane_end_;
  uint32_t key_group_;
  PaneTable& table_;
  std::vector<EntryRef> dirty_;  // by key
  size_t entry_count_ = 0;
};

}  // namespace tidemark::core
