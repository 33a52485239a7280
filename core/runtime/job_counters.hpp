// SPDX-License-Identifier: Apache-2.0
//
// JobCounters: figures of the running job for the progress line and the closing summary. Every component adds to
// its own; readers only look. Relaxed atomics from any thread: the figures that decide anything are in the epochs.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/time.hpp"

namespace tidemark::core {

struct JobCounters {
  std::atomic<uint64_t> rows_read{0};
  std::atomic<uint64_t> rows_filtered{0};
  std::atomic<uint64_t> rows_set_aside{0};
  std::atomic<uint64_t> rows_late{0};
  std::atomic<uint64_t> rows_ahead{0};  ///< further in the future than max_future, whatever became of them
  std::atomic<uint64_t> results{0};
  std::atomic<uint64_t> epochs{0};
  std::atomic<Micros> watermark{kNoTime};
  std::atomic<bool> clock_back_told{false};  ///< the log says that windows went back with the wall clock
};

}  // namespace tidemark::core
