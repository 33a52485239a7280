// SPDX-License-Identifier: Apache-2.0
//
// SplitState and SplitChange: the states of a split, and what a lane carries when a split's watermark or state
// moved (at most one per split and batch, after the rows it covers). Values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/time.hpp"

namespace tidemark::core {

/// A split is in exactly one state at a time, so that times in states add up to wall time.
enum class SplitState : uint8_t {
  active,        ///< being read, or waited for
  idle,          ///< caught up, nothing received for the timeout or marked by the source; out of the minimum
  paused,        ///< held back by alignment
  blocked,       ///< waiting for what is downstream
  finished,      ///< no more rows, ever
  disconnected,  ///< the source has lost it and tries again
};
inline constexpr size_t kSplitStates = 6;

/// True when the minimum of watermarks counts a split in that state.
constexpr bool takes_part(SplitState state) noexcept {
  return state != SplitState::idle && state != SplitState::finished;
}

/// The new watermark and state of one split. `state` is active, idle or finished: the other states are matters of
/// the reader and count as active for the merge.
struct SplitChange {
  uint32_t split = 0;
  Micros watermark = kNoTime;
  SplitState state = SplitState::active;
  /// Active only since it was idle and may have something to read (after a restart): it holds the watermark, and
  /// never lifts it when it turns out to be idle still.
  bool tentative = false;

  friend bool operator==(const SplitChange&, const SplitChange&) = default;
};

}  // namespace tidemark::core
