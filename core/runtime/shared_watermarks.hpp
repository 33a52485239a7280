// SPDX-License-Identifier: Apache-2.0
//
// SharedWatermarks: how far the valves of each aggregate have come, over all workers. Workers hear of splits that
// turn idle in different orders, so one valve may go further than another; a worker that has read all that stands in
// its lanes follows the furthest. Any thread.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/time.hpp"

namespace tidemark::core {

class SharedWatermarks {
 public:
  /// `wake_workers`: makes every worker step.
  SharedWatermarks(size_t aggregates, std::function<void()> wake_workers)
      : watermarks_(aggregates), wake_workers_(std::move(wake_workers)) {
    for (auto& watermark : watermarks_) watermark.store(kNoTime);
  }

  Micros furthest(size_t aggregate) const noexcept { return watermarks_[aggregate].load(std::memory_order_acquire); }
  /// A valve has come to `watermark`. `tell`: the others have to look, since nothing else may come to wake them.
  void reached(size_t aggregate, Micros watermark, bool tell) {
    Micros before = watermarks_[aggregate].load(std::memory_order_relaxed);
    while (before < watermark &&
           !watermarks_[aggregate].compare_exchange_weak(before, watermark, std::memory_order_acq_rel)) {
    }
    if (tell && before < watermark) wake_workers_();
  }

 private:
  std::vector<std::atomic<Micros>> watermarks_;
  std::function<void()> wake_workers_;
};

}  // namespace tidemark::core
