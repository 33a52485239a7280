// SPDX-License-Identifier: Apache-2.0
//
// RetryBackoff: when what failed is tried again: after 100 ms, then twice as long each time, up to 10 s. What fails
// again soon after it came back goes on where it was, so that a source that flaps is not hammered. Times are
// monotonic and passed in. A value.
#pragma once

#include <algorithm>

#include "core/base/time.hpp"

namespace tidemark::core {

class RetryBackoff {
 public:
  static constexpr Micros kFirstWait = 100 * kMicrosPerMilli;
  static constexpr Micros kLongestWait = 10 * kMicrosPerSecond;

  /// True for the first failure since it last worked.
  bool fail(Micros now) noexcept {
    const bool first = !failing_;
    const bool anew = wait_ == 0 || (first && now - back_at_ > kLongestWait);
    wait_ = anew ? kFirstWait : std::min(2 * wait_, kLongestWait);
    retry_at_ = saturating_add(now, wait_);
    failing_ = true;
    return first;
  }
  void succeed(Micros now) noexcept {
    failing_ = false;
    back_at_ = now;
  }

  bool failing() const noexcept { return failing_; }
  /// It failed and is not to be tried yet.
  bool waits(Micros now) const noexcept { return failing_ && now < retry_at_; }
  Micros wait_us() const noexcept { return wait_; }
  Micros retry_at_us() const noexcept { return retry_at_; }

 private:
  bool failing_ = false;
  Micros wait_ = 0;
  Micros retry_at_ = 0;
  Micros back_at_ = 0;
};

}  // namespace tidemark::core
