// SPDX-License-Identifier: Apache-2.0
//
// LentBatches: the core batches that one reader's plugin holds at the moment, seen by it as tidemark_batch over
// the same memory. A pointer that comes back is looked up before it is touched, so that a plugin's stray pointer
// is an error and not a crash. Thread-safe: plugins' own threads acquire and release.
#pragma once

#include <tidemark/abi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

class LentBatches {
 public:
  /// One batch with the ABI's view of it.
  struct Loan {
    tidemark_batch view{};
    std::unique_ptr<Batch> batch;
  };

  LentBatches() = default;
  LentBatches(const LentBatches&) = delete;
  LentBatches& operator=(const LentBatches&) = delete;
  ~LentBatches();

  /// Lends an empty batch; the view is valid until it is taken back.
  tidemark_batch* lend(std::unique_ptr<Batch> batch, uint32_t split);
  /// Ends a loan; null when the pointer is not on loan. view holds what the plugin left there.
  std::unique_ptr<Loan> take_back(tidemark_batch* view);
  /// Room for `bytes` more in the heap. A TIDEMARK_ code.
  int32_t grow_heap(tidemark_batch* view, uint64_t bytes);
  /// Batches that the plugin holds.
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Loan>> loans_;  // few: at most the reader's credit
};

}  // namespace tidemark::core
