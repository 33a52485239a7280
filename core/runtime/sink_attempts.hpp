// SPDX-License-Identifier: Apache-2.0
//
// SinkAttempts: when a step of a sink that failed is tried again, and when that is given up. Times are monotonic and
// passed in. A value.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/time.hpp"
#include "core/sink/sink.hpp"

namespace tidemark::core {

class SinkAttempts {
 public:
  explicit SinkAttempts(SinkRetry terms) : terms_(terms) {}

  /// True when it is to be tried again, at retry_at_us(); false when it was tried often enough.
  bool fail(Micros now) noexcept {
    ++failures_;
    if (terms_.max_attempts != 0 && failures_ >= terms_.max_attempts) return false;
    wait_us_ = failures_ == 1 ? terms_.initial_us : std::min(2 * wait_us_, terms_.max_us);
    retry_at_us_ = saturating_add(now, wait_us_);
    return true;
  }
  void succeed() noexcept { failures_ = 0; }

  uint32_t failures() const noexcept { return failures_; }
  bool waits(Micros now) const noexcept { return failures_ > 0 && now < retry_at_us_; }
  Micros wait_us() const noexcept { return wait_us_; }
  Micros retry_at_us() const noexcept { return retry_at_us_; }

 private:
  SinkRetry terms_;
  uint32_t failures_ = 0;
  Micros wait_us_ = 0;
  Micros retry_at_us_ = 0;
};

}  // namespace tidemark::core
