// SPDX-License-Identifier: Apache-2.0
//
// Credit accounting of batches. A batch is charged what it weighs when it is handed out and again when it is
// shared, since its heap may have grown. Batches with an unusually large heap are freed, not kept.
#include "core/batch/batch_pool.hpp"

#include <chrono>
#include <utility>

namespace tidemark::core {
namespace {

constexpr size_t kHeapBytesAtStart = size_t{64} * 1024;
constexpr size_t kHeapBytesKept = size_t{4} * 1024 * 1024;
constexpr size_t kBatchesKept = 64;

}  // namespace

BatchPool::BatchPool(BatchLayout layout, size_t budget_bytes, std::function<void()> on_release)
    : layout_(std::make_shared<const BatchLayout>(std::move(layout))),
      budget_bytes_(budget_bytes),
      on_release_(std::move(on_release)) {}

std::shared_ptr<BatchPool> BatchPool::create(BatchLayout layout, size_t budget_bytes,
                                             std::function<void()> on_release) {
  return std::make_shared<BatchPool>(std::move(layout), budget_bytes, std::move(on_release));
}

std::unique_ptr<Batch> BatchPool::acquire_locked() {
  if (in_use_ > 0 && in_use_bytes_ >= budget_bytes_) return nullptr;
  std::unique_ptr<Batch> batch;
  if (!free_.empty()) {
    batch = std::move(free_.back());
    free_.pop_back();
  } else {
    batch = std::make_unique<Batch>(layout_, kBatchRows, kHeapBytesAtStart);
  }
  batch->clear();
  ++in_use_;
  in_use_bytes_ += batch->memory_bytes();
  batch->charged_bytes = batch->memory_bytes();
  return batch;
}

std::unique_ptr<Batch> BatchPool::acquire() {
  const std::lock_guard lock(mutex_);
  return acquire_locked();
}

std::unique_ptr<Batch> BatchPool::acquire_wait(Micros wait_us) {
  std::unique_lock lock(mutex_);
  if (auto batch = acquire_locked()) return batch;
  credit_back_.wait_for(lock, std::chrono::microseconds(wait_us));
  return acquire_locked();
}

BatchRef BatchPool::share(std::unique_ptr<Batch> batch) {
  {
    const std::lock_guard lock(mutex_);
    in_use_bytes_ += batch->memory_bytes() - batch->charged_bytes;
    batch->charged_bytes = batch->memory_bytes();
  }
  return {batch.release(), [pool = shared_from_this()](const Batch* done) {
            pool->recycle(std::unique_ptr<Batch>(const_cast<Batch*>(done)));
          }};
}

void BatchPool::recycle(std::unique_ptr<Batch> batch) {
  bool credit_is_back = false;
  {
    const std::lock_guard lock(mutex_);
    const bool was_exhausted = in_use_bytes_ >= budget_bytes_;
    --in_use_;
    in_use_bytes_ -= batch->charged_bytes;
    credit_is_back = was_exhausted && (in_use_ == 0 || in_use_bytes_ < budget_bytes_);
    if (free_.size() < kBatchesKept && batch->heap_capacity() <= kHeapBytesKept) free_.push_back(std::move(batch));
  }
  if (!credit_is_back) return;
  credit_back_.notify_all();
  if (on_release_) on_release_();
}

bool BatchPool::has_credit() const {
  const std::lock_guard lock(mutex_);
  return in_use_ == 0 || in_use_bytes_ < budget_bytes_;
}

size_t BatchPool::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_bytes_;
}

}  // namespace tidemark::core
