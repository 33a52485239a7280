// SPDX-License-Identifier: Apache-2.0
//
// Waker: lets one thread sleep until somebody has work for it or a deadline comes. A wake() before the wait is
// not lost. wake() from any thread; wait() from one.
#pragma once

#include <condition_variable>
#include <mutex>

#include "core/base/time.hpp"

namespace tidemark::core {

class Waker {
 public:
  void wake();
  /// Returns after wake() (also an earlier one) or `timeout_us`.
  void wait(Micros timeout_us);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
};

}  // namespace tidemark::core
