// SPDX-License-Identifier: Apache-2.0
//
// A binary heap with back references from slots to places. See the header.
#include "core/event_time/minimum_heap.hpp"

namespace tidemark::core {

void MinimumHeap::put(uint32_t place, const Entry& entry) {
  heap_[place] = entry;
  places_[entry.slot] = place;
}

void MinimumHeap::settle(uint32_t place) {
  const Entry moving = heap_[place];
  while (place > 0) {
    const uint32_t parent = (place - 1) / 2;
    if (!moving.before(heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  const auto size = static_cast<uint32_t>(heap_.size());
  for (;;) {
    uint32_t child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(moving)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, moving);
}

void MinimumHeap::set(uint32_t slot, Micros time) {
  if (slot >= places_.size()) places_.resize(slot + 1, kNowhere);
  if (places_[slot] == kNowhere) {
    places_[slot] = static_cast<uint32_t>(heap_.size());
    heap_.push_back({time, slot});
  } else {
    heap_[places_[slot]].time = time;
  }
  settle(places_[slot]);
}

void MinimumHeap::erase(uint32_t slot) {
  if (!contains(slot)) return;
  const uint32_t place = places_[slot];
  const Entry last = heap_.back();
  heap_.pop_back();
  places_[slot] = kNowhere;
  if (last.slot == slot) return;
  put(place, last);
  settle(place);
}

void MinimumHeap::clear() {
  heap_.clear();
  places_.clear();
}

}  // namespace tidemark::core
