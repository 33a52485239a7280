// SPDX-License-Identifier: Apache-2.0
//
// The one place that reads the machine's clocks (tests/lint enforces it). Everything else takes a Clock.
// Thread-safe.
#include "core/base/clock.hpp"

#include <chrono>

namespace tidemark::core {

Micros SystemClock::monotonic_us() const noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Micros SystemClock::wall_us() const noexcept {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace tidemark::core
