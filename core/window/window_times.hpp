// SPDX-License-Identifier: Apache-2.0
//
// When a window's result is complete and when the window is forgotten, saturating at the ends of the range (semantics
// decision 11). A window is named by its end. Pure functions.
#pragma once

#include "core/base/time.hpp"

namespace tidemark::core {

/// When the window's result is complete: its last microsecond has passed.
constexpr Micros fire_time(Micros end) noexcept {
  return saturating_sub(end, 1);
}

/// When a window is forgotten: rows for it are late from this watermark on (semantics 1.14.1).
constexpr Micros cleanup_time(Micros end, Micros allowed_lateness) noexcept {
  return saturating_add(fire_time(end), allowed_lateness);
}

}  // namespace tidemark::core
