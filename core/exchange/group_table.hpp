// SPDX-License-Identifier: Apache-2.0
//
// GroupTable: numbers the distinct (key, pane) pairs of one batch in order of first appearance. Slots carry the
// batch's stamp, so that starting a new batch costs nothing; the keys themselves stay where they were encoded.
// Reused from batch to batch without allocation. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

class GroupTable {
 public:
  struct Group {
    uint64_t hash = 0;
    Micros pane_end = 0;
    std::string_view key;  ///< as given to add_row()
    uint32_t rows = 0;
  };

  GroupTable() : slots_(kSlots) { groups_.reserve(kBatchRows); }

  void start_batch() {
    groups_.clear();
    if (++stamp_ == 0) {  // wrapped: old stamps could look new
      slots_.assign(kSlots, Slot{});
      stamp_ = 1;
    }
  }

  /// Number of the row's group; counts the row.
  uint32_t add_row(uint64_t hash, Micros pane_end, std::string_view key) {
    const uint64_t mixed = hash ^ static_cast<uint64_t>(pane_end) * 0x9e3779b97f4a7c15ULL;
    const auto tag = static_cast<uint32_t>(mixed >> 32);
    for (size_t at = mixed & kMask;; at = (at + 1) & kMask) {
      Slot& slot = slots_[at];
      if (slot.stamp != stamp_) {
        slot = Slot{tag, stamp_, static_cast<uint16_t>(groups_.size())};
        groups_.push_back(Group{hash, pane_end, key, 1});
        return slot.group;
      }
      if (slot.tag != tag) continue;
      Group& group = groups_[slot.group];
      if (group.hash == hash && group.pane_end == pane_end && group.key == key) {
        ++group.rows;
        return slot.group;
      }
    }
  }

  const std::vector<Group>& groups() const noexcept { return groups_; }

 private:
  static constexpr size_t kSlots = size_t{2} * kBatchRows;  // at most half full
  static constexpr size_t kMask = kSlots - 1;
  static_assert((kSlots & kMask) == 0 && kBatchRows <= UINT16_MAX);
  struct Slot {
    uint32_t tag = 0;
    uint16_t stamp = 0;
    uint16_t group = 0;
  };

  std::vector<Slot> slots_;
  std::vector<Group> groups_;
  uint16_t stamp_ = 0;
};

}  // namespace tidemark::core
