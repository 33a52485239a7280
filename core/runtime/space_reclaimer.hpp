// SPDX-License-Identifier: Apache-2.0
//
// SpaceReclaimer: while a job runs, has its store give back the disk space of closed windows, every half minute, on a
// thread of its own: it may take seconds, and nothing waits for it. Started and stopped by one thread; the store
// outlives it.
#pragma once

#include <atomic>

#include "core/runtime/service_thread.hpp"
#include "core/runtime/waker.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

class SpaceReclaimer {
 public:
  SpaceReclaimer() = default;
  SpaceReclaimer(const SpaceReclaimer&) = delete;
  SpaceReclaimer& operator=(const SpaceReclaimer&) = delete;
  ~SpaceReclaimer() { stop(); }

  void start(EpochStore& store);
  /// Breaks off what it is at.
  void stop();

 private:
  void serve(EpochStore& store);

  ServiceThread thread_;
  Waker waker_;
  std::atomic<bool> stop_{false};
};

}  // namespace tidemark::core
