// SPDX-License-Identifier: Apache-2.0
//
// Sources are numbered by place and then run, so that equal keys leave the heap in the order in which they count.
#include "core/window/entry_merge.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark::core {

void EntryMerge::add(std::vector<StoredRun> runs) {
  for (StoredRun& run : runs) {
    shown_.push_back(static_cast<uint32_t>(sources_.size()));
    sources_.push_back({std::move(run), places_});
  }
  ++places_;
}

bool EntryMerge::is_later(const Head& a, const Head& b) noexcept {
  const int order = a.key.compare(b.key);
  return order != 0 ? order > 0 : a.source > b.source;
}

Status EntryMerge::advance(uint32_t source) {
  EntryStream& entries = *sources_[source].run.entries;
  const auto more = entries.next();
  if (!more) return more.status();
  if (!*more) {
    sources_[source].run.entries.reset();
    return {};
  }
  heap_.push_back({entries.entry().key, source});
  std::push_heap(heap_.begin(), heap_.end(), is_later);
  return {};
}

void EntryMerge::take(const Head& head) {
  const Source& source = sources_[head.source];
  if (source.place != last_place_) {
    last_place_ = source.place;
    place_begin_ = accumulators_.size();
  }
  if (!source.run.adds) accumulators_.resize(place_begin_);
  const EntryView& entry = source.run.entries->entry();
  if (!entry.removed) accumulators_.push_back(entry.accumulators);
}

Result<bool> EntryMerge::next() {
  do {
    for (const uint32_t source : shown_) {
      if (Status advanced = advance(source); !advanced) return advanced;
    }
    shown_.clear();
    accumulators_.clear();
    last_place_ = UINT32_MAX;
    if (heap_.empty()) return false;
    key_ = heap_.front().key;
    while (!heap_.empty() && heap_.front().key == key_) {
      std::pop_heap(heap_.begin(), heap_.end(), is_later);
      shown_.push_back(heap_.back().source);
      take(heap_.back());
      heap_.pop_back();
    }
  } while (accumulators_.empty());
  return true;
}

Status merge_encoded(const AccumulatorLayout& layout, std::span<const std::string_view> accumulators,
                     std::byte* scratch, std::byte* row) {
  if (accumulators.empty()) return {};
  if (Status decoded = layout.decode(accumulators.front(), row); !decoded) return decoded;
  for (const std::string_view more : accumulators.subspan(1)) {
    if (Status decoded = layout.decode(more, scratch); !decoded) return decoded;
    layout.merge(row, scratch);
    layout.destroy(scratch);
  }
  return {};
}

}  // namespace tidemark::core
