// SPDX-License-Identifier: Apache-2.0
//
// SimClock: virtual time. It moves only when the simulator says so. The monotonic clock begins at an arbitrary
// value in every process (a restart may put it anywhere, also back), the wall clock may jump. Reads are plain, so
// a clock that nobody moves may be shared by threads.
#pragma once

#include "core/base/clock.hpp"

namespace tidemark::test {

class SimClock final : public core::Clock {
 public:
  core::Micros monotonic_us() const noexcept override { return now_ + monotonic_base_; }
  core::Micros wall_us() const noexcept override { return now_ + wall_base_; }

  /// Virtual time since the simulation began.
  core::Micros now() const noexcept { return now_; }
  /// The virtual time at which monotonic_us() will be `monotonic`.
  core::Micros virtual_of(core::Micros monotonic) const noexcept {
    return core::saturating_sub(monotonic, monotonic_base_);
  }
  void advance(core::Micros by) noexcept { now_ += by; }
  void jump_wall(core::Micros by) noexcept { wall_base_ += by; }
  /// A new process: monotonic time goes on from `monotonic`.
  void restart_monotonic_at(core::Micros monotonic) noexcept { monotonic_base_ = monotonic - now_; }

 private:
  core::Micros now_ = 0;
  core::Micros monotonic_base_ = 1'000'000;
  core::Micros wall_base_ = 1'790'000'000'000'000;
};

}  // namespace tidemark::test
