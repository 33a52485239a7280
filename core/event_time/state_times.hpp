// SPDX-License-Identifier: Apache-2.0
//
// StateTimes: the life of one split in states: which one it is in and since when, how long it was in each, how
// often it went idle and came back, and whether it flaps.
//
// Invariants: the times in all states add up exactly to the life of the split, which is the time that its job ran
// since the split began (monotonic microseconds, over restarts; time in which no process ran is in no state). Time
// is passed in and counts as no time where it steps back. Core thread of the split only.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/time.hpp"
#include "core/event_time/split_change.hpp"

namespace tidemark::core {

/// A split flaps when its last so many returns from idle...
inline constexpr size_t kFlapReturns = 3;
/// ...all lie within so many idle timeouts: the timeout is shorter than its usual silence.
inline constexpr int64_t kFlapTimeouts = 20;

/// All that a checkpoint keeps. Points are on the split's life: 0 is its beginning.
struct StateTimesState {
  std::array<Micros, kSplitStates> ended_us{};  ///< in each state, without the stay in the present one
  Micros stay_us = 0;                           ///< in the present state so far
  SplitState state = SplitState::active;
  uint64_t idle_count = 0;                          ///< how often it went idle
  uint64_t return_count = 0;                        ///< how often it was idle and is not any more
  std::array<Micros, kFlapReturns> last_returns{};  ///< points of the last returns, oldest first

  Micros life_us() const noexcept;
  Micros in_us(SplitState state) const noexcept;
  /// True when the last kFlapReturns returns lie within kFlapTimeouts idle timeouts (0 = no timeout, no flapping).
  bool flaps(Micros idle_timeout_us) const noexcept;

  friend bool operator==(const StateTimesState&, const StateTimesState&) = default;
};

class StateTimes {
 public:
  explicit StateTimes(Micros now) noexcept : at_(now) {}

  /// The split is in `state` from `now` on; nothing changes when it was before.
  void enter(SplitState state, Micros now) noexcept;
  StateTimesState snapshot(Micros now) const noexcept;
  /// Continues an earlier run at `now`, in the state in which it stopped.
  void restore(const StateTimesState& state, Micros now) noexcept;

 private:
  StateTimesState times_;  ///< up to at_
  Micros at_;
};

}  // namespace tidemark::core
