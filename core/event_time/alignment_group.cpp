// SPDX-License-Identifier: Apache-2.0
//
// See the header. K numbers are those of semantics section 0.
#include "core/event_time/alignment_group.hpp"

#include <algorithm>

namespace tidemark::core {

bool AlignmentGroup::Member::counts(Micros now) const noexcept {
  if (watermark == kNoTime || state == SplitState::idle || state == SplitState::finished) return false;
  return state != SplitState::disconnected || saturating_sub(now, disconnected_at) <= terms.timeout_us;
}

const AlignmentGroup::Member* AlignmentGroup::find(uint32_t split) const noexcept {
  const auto at = std::lower_bound(members_.begin(), members_.end(), split,
                                   [](const Member& member, uint32_t number) { return member.split < number; });
  return at != members_.end() && at->split == split ? &*at : nullptr;
}

bool AlignmentGroup::add(uint32_t split, const AlignmentTerms& terms) {
  if (find(split) != nullptr) return false;
  const auto at = std::upper_bound(members_.begin(), members_.end(), split,
                                   [](uint32_t number, const Member& member) { return number < member.split; });
  Member member;
  member.split = split;
  member.terms = terms;
  members_.insert(at, member);
  return true;
}

bool AlignmentGroup::remove(uint32_t split) {
  return std::erase_if(members_, [split](const Member& member) { return member.split == split; }) > 0;
}

void AlignmentGroup::report(uint32_t split, Micros watermark, SplitState state, Micros now) {
  const Member* found = find(split);
  if (found == nullptr) return;
  Member& member = members_[static_cast<size_t>(found - members_.data())];
  if (state == SplitState::disconnected && member.state != state) member.disconnected_at = now;
  member.watermark = watermark;
  member.state = state;
}

const AlignmentGroup::Member* AlignmentGroup::lowest(Micros now) const noexcept {
  const Member* out = nullptr;
  for (const Member& member : members_) {
    if (member.counts(now) && (out == nullptr || member.watermark < out->watermark)) out = &member;
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
