// SPDX-License-Identifier: Apache-2.0
//
// BatchPool: lends batches to one reader within a byte budget (its credit). A batch that is in use anywhere (in
// a lane, at a worker, in the late store) counts; when the budget is used up acquire() gives nothing, and the
// host stops polling: that is the backpressure. One batch may always be out, so that nothing deadlocks.
// Thread-safe: plugins' own threads acquire, workers let go.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/batch/batch.hpp"

namespace tidemark::core {

class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  BatchPool(BatchLayout layout, size_t budget_bytes, std::function<void()> on_release);
  /// Pools live in shared_ptrs, since batches find their way back to them. `on_release` is called without locks
  /// whenever credit comes back (to wake the reader's core); may be empty.
  static std::shared_ptr<BatchPool> create(BatchLayout layout, size_t budget_bytes,
                                           std::function<void()> on_release = {});

  /// An empty batch, or null when the budget is used up. The caller fills it and turns it into a BatchRef by
  /// share(), or gives it back by recycle().
  std::unique_ptr<Batch> acquire();
  /// As acquire, but waits up to `wait_us` for credit. For plugins' own threads only.
  std::unique_ptr<Batch> acquire_wait(Micros wait_us);
  /// Hands a filled batch on; it comes back by itself.
  BatchRef share(std::unique_ptr<Batch> batch);
  /// Takes a batch back unused.
  void recycle(std::unique_ptr<Batch> batch);

  const BatchLayout& layout() const noexcept { return *layout_; }
  const std::shared_ptr<const BatchLayout>& layout_ptr() const noexcept { return layout_; }
  /// False while acquire() would give nothing.
  bool has_credit() const;
  size_t bytes_in_use() const;

 private:
  std::unique_ptr<Batch> acquire_locked();

  std::shared_ptr<const BatchLayout> layout_;
  size_t budget_bytes_;
  std::function<void()> on_release_;
  mutable std::mutex mutex_;
  std::condition_variable credit_back_;
  std::vector<std::unique_ptr<Batch>> free_;
  size_t in_use_bytes_ = 0;
  size_t in_use_ = 0;
};

}  // namespace tidemark::core
