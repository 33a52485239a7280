// SPDX-License-Identifier: Apache-2.0
//
// Intervals of the firing rules: results come at multiples of the interval since 1970, and only when something has
// changed. In event time they begin with the first row that changed; once a window has had a result, every multiple
// that the watermark passes counts (semantics 1.16, the continuous triggers). Pure functions.
#pragma once

#include <algorithm>

#include "core/base/time.hpp"

namespace tidemark::core {

/// The first multiple after `time`; kEndOfTime when it lies beyond the range.
constexpr Micros next_multiple(Micros time, Micros interval) noexcept {
  return saturating_add(floor_to(time, interval), interval);
}

/// The watermark at which a change is shown. `first_changed`: the event time of the first row since the last result,
/// `had_result`: there was one.
constexpr Micros next_event_firing(Micros watermark, Micros first_changed, bool had_result, Micros interval) noexcept {
  const bool goes_on = had_result && watermark != kNoTime;
  return next_multiple(goes_on ? watermark : std::max(watermark, first_changed), interval);
}

}  // namespace tidemark::core
