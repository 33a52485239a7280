// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/idle_timer.hpp"

#include <string>

namespace tidemark::core {

Result<IdleTimer> IdleTimer::create(Micros timeout_us) {
  if (timeout_us <= 0) {
    return Status(Code::config, "an idle timeout must be longer than 0, not " + std::to_string(timeout_us) +
                                    "us; leave idle_timeout out for none");
  }
  return IdleTimer(timeout_us);
}

bool IdleTimer::probe(Micros now) noexcept {
  if (count_ != seen_) {
    seen_ = count_;
    since_ = 0;
    return false;
  }
  if (since_ == 0) {
    since_ = now;
    return false;
  }
  return now - since_ > timeout_us_;
}

Micros IdleTimer::silent_us(Micros now) const noexcept {
  return since_ == 0 || count_ != seen_ ? 0 : now - since_;
}

void IdleTimer::restore(Micros now, Micros silent_us) noexcept {
  seen_ = count_;
  since_ = silent_us <= 0 ? 0 : saturating_sub(now, silent_us);
  if (silent_us > 0 && since_ == 0) since_ = -1;
}

}  // namespace tidemark::core
