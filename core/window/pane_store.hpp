// SPDX-License-Identifier: Apache-2.0
//
// PaneStore: the panes of one operator, ordered by their ends: making, restoring, sealing and dropping them, and what
// they hold together. A pane is one slice of time; which windows are made of it is the operator's business.
// Groups may leave memory: state has them then, and what comes for them stands in a table of its own until the next
// seal, as something to be added. Owned by a window operator, on its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/pane.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class PaneStore {
 public:
  /// `layout` outlives it.
  PaneStore(const AccumulatorLayout& layout, KeptResult kept) : layout_(layout), kept_(kept) {}

  /// Null when there is none.
  Pane* find(Micros end) const;
  /// Made when it is not there; last_window: see Pane.
  Pane& at(Micros end, Micros last_window);
  /// Those with ends in (after, up_to], ascending.
  std::vector<Pane*> range(Micros after, Micros up_to) const;
  bool empty() const noexcept { return panes_.empty(); }
  size_t size() const noexcept { return panes_.size(); }

  /// The key is valid; errors are about the bytes.
  Status restore(Pane& pane, uint64_t hash, const EntryView& entry);
  void seal(const std::function<void(const PaneChange&)>& visit);

  /// Where groups that leave go; it outlives the panes. Before any of the next.
  void let_groups_leave(StoredGroups& stored) noexcept { stored_ = &stored; }
  bool may_leave() const noexcept { return stored_ != nullptr; }
  /// Lets groups leave, those with the most memory first, until at most `bytes` are used.
  Status leave(size_t bytes);
  /// Lets all groups of a pane leave.
  Status leave(Pane& pane);
  /// State alone has the group, whatever has been restored of it.
  void leave_in_state(Pane& pane, uint32_t key_group);
  /// Brings a group back that nothing has been added to since it left.
  Status load(Pane& pane, uint32_t key_group);
  /// Appends what is stored of a group that is not in memory.
  Status open(const Pane& pane, uint32_t key_group, std::vector<StoredRun>& runs) const;
  /// Drops panes from the first on while their last window is closed.
  void drop_closed(const std::function<bool(Micros window_end)>& is_closed);
  /// Ends of the panes that were dropped since the last call.
  std::vector<Micros> take_dropped() { return std::exchange(dropped_, {}); }

  /// Memory that accumulators own beside their rows has grown.
  void note_growth(int64_t bytes) noexcept { owned_bytes_ += bytes; }
  size_t memory_bytes() const;

 private:
  Status leave(Pane& pane, uint32_t key_group);
  void drop_table(Pane& pane, uint32_t key_group);

  const AccumulatorLayout& layout_;
  KeptResult kept_;
  StoredGroups* stored_ = nullptr;
  std::map<Micros, std::unique_ptr<Pane>> panes_;
  std::vector<Micros> dropped_;
  int64_t owned_bytes_ = 0;
};

}  // namespace tidemark::core
