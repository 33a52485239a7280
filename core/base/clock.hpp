// SPDX-License-Identifier: Apache-2.0
//
// Time as a parameter: every component that needs the time is handed a Clock, so that the simulator can own it.
// Elapsed time (idleness, intervals, timeouts) is monotonic; wall time serves arrival times, guards against
// dates in the future and display. The only reader of the machine's clocks is SystemClock (clock.cpp).
#pragma once

#include "core/base/time.hpp"

namespace tidemark::core {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  /// Microseconds since an arbitrary start; never steps back. Any thread.
  virtual Micros monotonic_us() const noexcept = 0;
  /// Microseconds since the epoch by the machine's clock; may step. Any thread.
  virtual Micros wall_us() const noexcept = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  Micros monotonic_us() const noexcept override;
  Micros wall_us() const noexcept override;
};

}  // namespace tidemark::core
