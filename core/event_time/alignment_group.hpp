// SPDX-License-Identifier: Apache-2.0
//
// AlignmentGroup: how far ahead the splits of one alignment group may read (semantics 1.8, 1.9; decision 8). The
// members are splits, of one source or of several, told apart by number. Each reports its watermark and state; the
// ceiling of a source is the smallest watermark that counts plus that source's max_drift. Current watermarks are
// compared (Flink's sample ring has size 0 here), and a split at the ceiling may read.
//
// Counts: who has given a watermark and is neither idle, finished nor disconnected for longer than its timeout.
// Nobody counts: no ceiling. So the holder of the minimum is never above its own ceiling, and somebody can read.
// Pure logic: times `now` are monotonic and passed in. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/time.hpp"
#include "core/event_time/minimum_heap.hpp"
#include "core/event_time/split_change.hpp"

namespace tidemark::core {

/// A source's settings for the group that it is in.
struct AlignmentTerms {
  Micros max_drift_us = 0;                       ///< >= 0
  Micros update_interval_us = kMicrosPerSecond;  ///< > 0; longest time between two looks at the ceiling
  Micros timeout_us = 10 * kMicrosPerSecond;     ///< > 0; a split disconnected for longer does not count
};

/// What a split is to do.
enum class AlignmentVerdict : uint8_t { keep, pause, resume };

class AlignmentGroup {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX;

  /// The split becomes a member; it does not count before its first watermark. False: it is one already.
  bool add(uint32_t split, const AlignmentTerms& terms);
  /// Forgets the split, also that it was paused. False: there is no such member.
  bool remove(uint32_t split);
  /// The split's state now; ignored for splits that are no members. The watermark may fall.
  void report(uint32_t split, Micros watermark, SplitState state, Micros now);

  /// The smallest watermark that counts; kEndOfTime when none does.
  Micros minimum(Micros now) const noexcept;
  /// The member that holds it, the lowest number of several; kNobody when none counts.
  uint32_t holder(Micros now) const noexcept;
  /// How far this member may read; kEndOfTime: as far as it likes (also for a split that is no member).
  Micros ceiling(uint32_t split, Micros now) const noexcept;
  /// The member's watermark less the minimum; 0 without a watermark, or when nobody counts.
  Micros drift_us(uint32_t split, Micros now) const noexcept;
  size_t size() const noexcept { return size_; }

  /// How far a member with `max_drift_us` may read over `minimum`.
  static Micros ceiling_over(Micros minimum, Micros max_drift_us) noexcept;
  /// Pauses above the ceiling, but never a split that is idle (K8) or finished; resumes at or below it, idle or not
  /// (K9). `paused`: what was decided last.
  static AlignmentVerdict judge(Micros watermark, SplitState state, bool paused, Micros ceiling) noexcept;

 private:
  struct Member {
    uint32_t split = 0;
    AlignmentTerms terms;
    Micros watermark = kNoTime;
    SplitState state = SplitState::active;
    Micros disconnected_at = 0;  // while state == disconnected
    bool present = false;

    bool counts(Micros now) const noexcept;
  };

  const Member* find(uint32_t split) const noexcept;
  const Member* lowest(Micros now) const noexcept;

  std::vector<Member> members_;         // by split number
  size_t size_ = 0;                     // of those present
  MinimumHeap connected_;               // splits that count, but for the disconnected ones
  std::vector<uint32_t> disconnected_;  // splits with a watermark; whether they count depends on the time
};

}  // namespace tidemark::core
