// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/pausable_clock.hpp"

namespace tidemark::core {

Micros PausableClock::now(Micros base_now) const noexcept {
  return (pauses_ > 0 ? paused_at_ : base_now) - excluded_us_;
}

void PausableClock::pause(Micros base_now) noexcept {
  if (pauses_++ == 0) paused_at_ = base_now;
}

Status PausableClock::unpause(Micros base_now) {
  if (pauses_ == 0) return {Code::internal, "the idle clock was resumed more often than it was paused"};
  if (--pauses_ == 0) exclude(base_now - paused_at_);
  return Status::ok();
}

void PausableClock::exclude(Micros span_us) noexcept {
  if (span_us > 0) excluded_us_ += span_us;
}

}  // namespace tidemark::core
