// SPDX-License-Identifier: Apache-2.0
//
// AlignmentBoard: the alignment groups of a job, shared by its ingest cores. Each core writes down how its splits
// stand and works out from the board by itself what they may do: there is no coordinator and no announcement that
// could be lost (FLINK-37670, FLINK-32362). A core whose splits wait is woken when one of them may go on; the
// update interval of its ticks covers what only time changes.
//
// Any thread: one lock for the board, held for a look over a group's members. Wakers are called without it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/event_time/alignment_group.hpp"

namespace tidemark::core {

/// How a member stands, for metrics and pages.
struct AlignmentView {
  std::string group;
  Micros minimum = kEndOfTime;  ///< of the group; kEndOfTime: nobody counts
  uint32_t holder = AlignmentGroup::kNobody;
  Micros ceiling = kEndOfTime;
  Micros drift_us = 0;  ///< the member's watermark less the minimum
};

class AlignmentBoard {
 public:
  explicit AlignmentBoard(std::function<void(uint32_t core)> wake_core) : wake_core_(std::move(wake_core)) {}

  /// The number of the group of this name, new or not.
  uint32_t group(const std::string& name);
  void join(uint32_t group, uint32_t split, const AlignmentTerms& terms);
  void report(uint32_t split, Micros watermark, SplitState state, Micros now);
  Micros minimum(uint32_t group, Micros now) const;
  size_t size(uint32_t group) const;

  /// One reader's wait: its core is woken as soon as `watermark` is no longer above the group's minimum plus
  /// `max_drift_us` (also at once). kEndOfTime: it waits for nothing. One wake-up per call.
  void await(uint32_t group, uint32_t core, uint32_t source, Micros watermark, Micros max_drift_us, Micros now);

  /// Empty for a split in no group.
  std::optional<AlignmentView> view(uint32_t split, Micros now) const;

 private:
  struct Wait {
    uint32_t core;
    uint32_t source;
    Micros watermark;
    Micros max_drift_us;
  };
  struct Group {
    std::string name;
    AlignmentGroup members;
    std::vector<Wait> waits;
  };

  static constexpr uint32_t kNoGroup = UINT32_MAX;

  uint32_t group_of(uint32_t split) const noexcept { return split < group_of_.size() ? group_of_[split] : kNoGroup; }
  /// The cores to wake; their waits are over.
  std::vector<uint32_t> take_due(Group& group, Micros now);
  void wake(const std::vector<uint32_t>& cores) const;

  std::function<void(uint32_t core)> wake_core_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by split; kNoGroup: in none
};

}  // namespace tidemark::core
