// SPDX-License-Identifier: Apache-2.0
//
// One flag under a mutex; long waits are cut to a second, so that a clock that steps cannot park a thread.
#include "core/runtime/waker.hpp"

#include <algorithm>
#include <chrono>

namespace tidemark::core {

void Waker::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (woken_) return;
    woken_ = true;
  }
  changed_.notify_one();
}

void Waker::wait(Micros timeout_us) {
  std::unique_lock lock(mutex_);
  const Micros bounded = std::clamp<Micros>(timeout_us, 0, kMicrosPerSecond);
  changed_.wait_for(lock, std::chrono::microseconds(bounded), [this] { return woken_; });
  woken_ = false;
}

}  // namespace tidemark::core
