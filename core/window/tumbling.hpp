// SPDX-License-Identifier: Apache-2.0
//
// Tumbling windows aligned to the epoch: [start, start + size), floor division also before 1970, saturating at the
// ends of the range (semantics 1.13 and decision 11). A window is named by its end. Pure functions.
#pragma once

#include "core/base/time.hpp"

namespace tidemark::core {

/// Position of `time` in its window, 0 to size - 1; size > 0.
constexpr Micros offset_in_window(Micros time, Micros size) noexcept {
  const Micros remainder = time % size;
  return remainder < 0 ? remainder + size : remainder;
}

/// End (exclusive) of the window that holds `time`; kEndOfTime when it lies beyond the range.
constexpr Micros tumbling_end(Micros time, Micros size) noexcept {
  return saturating_add(time, size - offset_in_window(time, size));
}

/// Start of the window with this end; kNoTime when it lies before the range.
constexpr Micros tumbling_start(Micros end, Micros size) noexcept {
  const Micros beyond = offset_in_window(end, size);  // not 0 only when the end was clamped
  return beyond == 0 ? saturating_sub(end, size) : end - beyond;
}

/// When the window's result is complete: its last microsecond has passed.
constexpr Micros fire_time(Micros end) noexcept {
  return saturating_sub(end, 1);
}

/// When a window is forgotten: rows for it are late from this watermark on (semantics 1.14.1).
constexpr Micros cleanup_time(Micros end, Micros allowed_lateness) noexcept {
  return saturating_add(fire_time(end), allowed_lateness);
}

}  // namespace tidemark::core
