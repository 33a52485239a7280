// SPDX-License-Identifier: Apache-2.0
//
// PausableClock: elapsed time without the spans in which its owner could not read (semantics 1.5, FLIP-471). It
// owns no clock: the base time (monotonic, microseconds) is passed in and must not step back. Pauses nest. One
// thread at a time.
#pragma once

#include <cstdint>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

class PausableClock {
 public:
  /// Base time minus all that was paused or excluded.
  Micros now(Micros base_now) const noexcept;
  void pause(Micros base_now) noexcept;
  /// Fails (a bug of the caller) when it is not paused.
  Status unpause(Micros base_now);
  /// Takes out a span that is already over; ignored for spans <= 0.
  void exclude(Micros span_us) noexcept;
  bool is_paused() const noexcept { return pauses_ > 0; }

 private:
  uint32_t pauses_ = 0;
  Micros paused_at_ = 0;
  Micros excluded_us_ = 0;
};

}  // namespace tidemark::core
