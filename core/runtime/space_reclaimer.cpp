// SPDX-License-Identifier: Apache-2.0
//
// A failure is told once: the job goes on, and its next write meets what is wrong with the disk.
#include "core/runtime/space_reclaimer.hpp"

#include "core/base/log.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kInterval = 30 * kMicrosPerSecond;

}  // namespace

void SpaceReclaimer::start(EpochStore& store) {
  thread_.start([this, &store] { serve(store); });
}

void SpaceReclaimer::stop() {
  thread_.stop([this] {
    stop_.store(true);
    waker_.wake();
  });
}

void SpaceReclaimer::serve(EpochStore& store) {
  bool is_told = false;
  while (true) {
    waker_.wait(kInterval);
    if (stop_.load()) return;
    const Status reclaimed = store.reclaim(stop_);
    if (!reclaimed && !is_told) log_warn("disk space of closed windows does not come back: " + reclaimed.message());
    is_told = !reclaimed;
  }
}

}  // namespace tidemark::core
