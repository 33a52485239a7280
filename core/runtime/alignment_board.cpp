// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/alignment_board.hpp"

#include <algorithm>

namespace tidemark::core {

uint32_t AlignmentBoard::group(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&name](const Group& group) { return group.name == name; });
  if (found != groups_.end()) return static_cast<uint32_t>(found - groups_.begin());
  groups_.push_back({name, {}, {}});
  return static_cast<uint32_t>(groups_.size() - 1);
}

void AlignmentBoard::join(uint32_t group, uint32_t split, const AlignmentTerms& terms) {
  const std::lock_guard lock(mutex_);
  if (!groups_[group].members.add(split, terms)) return;
  if (split >= group_of_.size()) group_of_.resize(size_t{split} + 1, kNoGroup);
  group_of_[split] = group;
}

void AlignmentBoard::report(uint32_t split, Micros watermark, SplitState state, Micros now) {
  std::vector<uint32_t> cores;
  {
    const std::lock_guard lock(mutex_);
    if (group_of(split) == kNoGroup) return;
    Group& group = groups_[group_of(split)];
    group.members.report(split, watermark, state, now);
    cores = take_due(group, now);
  }
  wake(cores);
}

void AlignmentBoard::await(uint32_t group, uint32_t core, uint32_t source, Micros watermark, Micros max_drift_us,
                           Micros now) {
  std::vector<uint32_t> cores;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Wait>& waits = groups_[group].waits;
    std::erase_if(waits, [&](const Wait& wait) { return wait.core == core && wait.source == source; });
    if (watermark == kEndOfTime) return;
    waits.push_back({core, source, watermark, max_drift_us});
    cores = take_due(groups_[group], now);
  }
  wake(cores);
}

Micros AlignmentBoard::minimum(uint32_t group, Micros now) const {
  const std::lock_guard lock(mutex_);
  return groups_[group].members.minimum(now);
}

size_t AlignmentBoard::size(uint32_t group) const {
  const std::lock_guard lock(mutex_);
  return groups_[group].members.size();
}

std::optional<AlignmentView> AlignmentBoard::view(uint32_t split, Micros now) const {
  const std::lock_guard lock(mutex_);
  if (group_of(split) == kNoGroup) return std::nullopt;
  const Group& group = groups_[group_of(split)];
  return AlignmentView{.group = group.name,
                       .minimum = group.members.minimum(now),
                       .holder = group.members.holder(now),
                       .ceiling = group.members.ceiling(split, now),
                       .drift_us = group.members.drift_us(split, now)};
}

std::vector<uint32_t> AlignmentBoard::take_due(Group& group, Micros now) {
  std::vector<uint32_t> cores;
  if (group.waits.empty()) return cores;
  const Micros minimum = group.members.minimum(now);
  std::erase_if(group.waits, [&](const Wait& wait) {
    if (wait.watermark > AlignmentGroup::ceiling_over(minimum, wait.max_drift_us)) return false;
    cores.push_back(wait.core);
    return true;
  });
  return cores;
}

void AlignmentBoard::wake(const std::vector<uint32_t>& cores) const {
  for (const uint32_t core : cores) wake_core_(core);
}

}  // namespace tidemark::core
