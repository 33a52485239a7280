// SPDX-License-Identifier: Apache-2.0
//
// MinimumHeap: slots (small numbers) with a time each; the least time is at hand, any slot's time changes or
// leaves in O(log n). Ties go to the lower slot, so the holder of the minimum does not depend on history. A slot
// is in the heap at most once (FLINK-31628). One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.hpp"

namespace tidemark::core {

class MinimumHeap {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  bool contains(uint32_t slot) const noexcept { return slot < places_.size() && places_[slot] != kNowhere; }
  /// Slot and time of the minimum. The heap must not be empty.
  uint32_t top_slot() const noexcept { return heap_.front().slot; }
  Micros top_time() const noexcept { return heap_.front().time; }

  /// Adds the slot or changes its time.
  void set(uint32_t slot, Micros time);
  /// Takes the slot out; nothing happens when it is not there.
  void erase(uint32_t slot);
  void clear();

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;
  struct Entry {
    Micros time;
    uint32_t slot;
    bool before(const Entry& other) const noexcept {
      return time != other.time ? time < other.time : slot < other.slot;
    }
  };

  void put(uint32_t place, const Entry& entry);
  void settle(uint32_t place);

  std::vector<Entry> heap_;
  std::vector<uint32_t> places_;  ///< slot -> place in heap_
};

}  // namespace tidemark::core
