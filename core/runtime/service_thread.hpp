// SPDX-License-Identifier: Apache-2.0
//
// ServiceThread: one thread for a service beside the job (the HTTP server). Signals of the process are not
// delivered to it nor to the threads that it starts. Owned, started and stopped by one thread.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "core/base/time.hpp"
#include "core/runtime/waker.hpp"

namespace tidemark::core {

class ServiceThread {
 public:
  ServiceThread() = default;
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;
  /// It must have been stopped.
  ~ServiceThread() = default;

  /// `serve` runs on the new thread until it returns. Once only.
  void start(std::function<void()> serve);
  /// Calls `ask` (from this thread) until `serve` has returned: a service may not yet hear the first time.
  void stop(const std::function<void()>& ask);

 private:
  std::thread thread_;
  std::atomic<bool> ended_{false};
  Waker ended_waker_;
};

}  // namespace tidemark::core
