// SPDX-License-Identifier: Apache-2.0
//
// FutureGuard: which event times are too far ahead of the wall clock to be believed (`max_future`, `on_future`). Such
// a row never moves the watermark, whatever the rule: one wrong clock must not close every window. Wall time is
// passed in, and steps of it change nothing but the limit. A value; any thread.
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace tidemark::core {

enum class FutureRule : uint8_t {
  clamp,      ///< the row counts in the window of its own time; the watermark ignores it
  set_aside,  ///< the row is kept in the late store with its reason
  fail,       ///< the job fails
};

struct FutureGuard {
  Micros max_future_us = kEndOfTime;  ///< >= 0; kEndOfTime: no guard
  FutureRule rule = FutureRule::clamp;

  bool is_on() const noexcept { return max_future_us != kEndOfTime; }
  /// The latest event time that is believed.
  Micros limit(Micros wall_now) const noexcept { return saturating_add(wall_now, max_future_us); }
};

}  // namespace tidemark::core
