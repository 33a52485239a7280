// SPDX-License-Identifier: Apache-2.0
//
// TimeRange: a half-open piece of the time line, and the floor arithmetic that cuts the line into equal ones, right
// also before 1970 and without overflow at the ends of the range (semantics decision 11). Pure functions.
#pragma once

#include "core/base/time.hpp"

namespace tidemark::core {

/// [start, end). One that touches kNoTime or kEndOfTime was cut off there.
struct TimeRange {
  Micros start = 0;
  Micros end = 0;

  bool operator==(const TimeRange&) const = default;
};

/// How far `time` lies behind the last multiple of `length` (> 0) plus `offset`: 0 to length - 1.
constexpr Micros position_in(Micros time, Micros length, Micros offset) noexcept {
  const Micros position = time % length - offset % length;  // above -2 and below 2 lengths
  if (position < 0) return position + length < 0 ? position + 2 * length : position + length;
  return position < length ? position : position - length;
}

}  // namespace tidemark::core
