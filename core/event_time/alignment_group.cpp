// SPDX-License-Identifier: Apache-2.0
//
// See the header. K numbers are those of semantics section 0.
#include "core/event_time/alignment_group.hpp"

#include <algorithm>

namespace tidemark::core {

bool AlignmentGroup::Member::counts(Micros now) const noexcept {
  if (watermark == kNoTime || !takes_part(state)) return false;
  return state != SplitState::disconnected || saturating_sub(now, disconnected_at) <= terms.timeout_us;
}

const AlignmentGroup::Member* AlignmentGroup::find(uint32_t split) const noexcept {
  return split < members_.size() && members_[split].present ? &members_[split] : nullptr;
}

bool AlignmentGroup::add(uint32_t split, const AlignmentTerms& terms) {
  if (find(split) != nullptr) return false;
  if (split >= members_.size()) members_.resize(size_t{split} + 1);
  Member& member = members_[split];
  member = {};
  member.split = split;
  member.terms = terms;
  member.present = true;
  ++size_;
  return true;
}

bool AlignmentGroup::remove(uint32_t split) {
  if (find(split) == nullptr) return false;
  members_[split].present = false;
  --size_;
  connected_.erase(split);
  std::erase(disconnected_, split);
  return true;
}

void AlignmentGroup::report(uint32_t split, Micros watermark, SplitState state, Micros now) {
  if (find(split) == nullptr) return;
  Member& member = members_[split];
  if (state == SplitState::disconnected && member.state != state) member.disconnected_at = now;
  member.watermark = watermark;
  member.state = state;
  const bool counted = member.counts(now);
  if (counted && state != SplitState::disconnected) {
    connected_.set(split, watermark);
  } else {
    connected_.erase(split);
  }
  std::erase(disconnected_, split);
  if (counted && state == SplitState::disconnected) disconnected_.push_back(split);
}

// Several with the same watermark: the lowest number.
const AlignmentGroup::Member* AlignmentGroup::lowest(Micros now) const noexcept {
  const Member* out = connected_.empty() ? nullptr : find(connected_.top_slot());
  for (const uint32_t split : disconnected_) {
    const Member* member = find(split);
    if (!member->counts(now)) continue;
    const bool lower = out == nullptr || member->watermark < out->watermark ||
                       (member->watermark == out->watermark && split < out->split);
    if (lower) out = member;
  }
  return out;
}

Micros AlignmentGroup::minimum(Micros now) const noexcept {
  const Member* member = lowest(now);
  return member == nullptr ? kEndOfTime : member->watermark;
}

uint32_t AlignmentGroup::holder(Micros now) const noexcept {
  const Member* member = lowest(now);
  return member == nullptr ? kNobody : member->split;
}

Micros AlignmentGroup::ceiling(uint32_t split, Micros now) const noexcept {
  const Member* member = find(split);
  return member == nullptr ? kEndOfTime : ceiling_over(minimum(now), member->terms.max_drift_us);
}

Micros AlignmentGroup::drift_us(uint32_t split, Micros now) const noexcept {
  const Member* member = find(split);
  const Member* least = lowest(now);
  if (member == nullptr || least == nullptr || member->watermark == kNoTime) return 0;
  return saturating_sub(member->watermark, least->watermark);
}

Micros AlignmentGroup::ceiling_over(Micros minimum, Micros max_drift_us) noexcept {
  return saturating_add(minimum, max_drift_us);
}

AlignmentVerdict AlignmentGroup::judge(Micros watermark, SplitState state, bool paused, Micros ceiling) noexcept {
  if (state == SplitState::finished) return AlignmentVerdict::keep;
  if (watermark <= ceiling) return paused ? AlignmentVerdict::resume : AlignmentVerdict::keep;
  return paused || state == SplitState::idle ? AlignmentVerdict::keep : AlignmentVerdict::pause;
}

}  // namespace tidemark::core
