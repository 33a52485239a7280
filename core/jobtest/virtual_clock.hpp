// SPDX-License-Identifier: Apache-2.0
//
// VirtualClock: time that moves only when the test says so. The wall clock goes with it. One thread.
#pragma once

#include "core/base/clock.hpp"

namespace tidemark::core {

class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Micros wall_start) : wall_start_(wall_start) {}

  Micros monotonic_us() const noexcept override { return now_; }
  Micros wall_us() const noexcept override { return saturating_add(wall_start_, now_); }
  void advance_to(Micros now) noexcept { now_ = now; }

 private:
  Micros wall_start_;
  Micros now_ = 0;
};

}  // namespace tidemark::core
