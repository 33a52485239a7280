// SPDX-License-Identifier: Apache-2.0
//
// FakeHost: a host for tests of the SDK, with batches of its own memory. It records what a source submits and
// says, in order, as text. Credit can be withheld or limited. Thread-safe, since readers may bring threads.
#pragma once

#include <tidemark/abi.h>
#include <tidemark/source.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tidemark::test {

/// One batch and its memory; values are 32 bytes per cell at most.
struct FakeBatch {
  tidemark_batch view{};
  std::vector<int64_t> event_times;
  std::vector<uint8_t> ops;
  std::vector<uint64_t> sequences;
  std::vector<uint32_t> origin_of_row;
  std::vector<tidemark_origin> origins;
  std::vector<tidemark_problem> problems;
  std::vector<tidemark_column> columns;
  std::vector<std::vector<std::byte>> values;
  std::vector<std::vector<uint8_t>> validity;
  std::vector<std::vector<uint8_t>> absent;  ///< where FakeHost::partial
  std::vector<uint8_t*> absent_bits;
  std::vector<char> heap;
};

class FakeHost {
 public:
  explicit FakeHost(uint32_t column_count, uint32_t row_capacity = 8, uint64_t heap_capacity = 16)
      : column_count_(column_count), row_capacity_(row_capacity), heap_capacity_(heap_capacity) {
    host.struct_size = sizeof host;
    host.self = this;
    host.notify = [](void* self) {
      FakeHost& fake = of(self);
      const std::lock_guard lock(fake.mutex_);
      ++fake.notified_;
      fake.changed_.notify_all();
    };
    host.acquire_async = [](void* self, uint32_t split, uint32_t) { return of(self).acquire(split); };
    host.grow_heap_async = [](void* self, tidemark_batch* batch, uint64_t bytes) {
      return of(self).grow(batch, bytes);
    };
    host.release_async = [](void* self, tidemark_batch* batch) { of(self).release(batch); };
    host.log = [](void* self, int32_t, tidemark_str text) { of(self).note({text.data, text.size}); };
    host.metric = [](void*, tidemark_str, double) {};
    output.struct_size = sizeof output;
    output.self = this;
    output.acquire = [](void* self, uint32_t split) { return of(self).acquire(split); };
    output.submit = [](void* self, tidemark_batch* batch) { of(self).submit(batch); };
    output.grow_heap = host.grow_heap_async;
    output.watermark = [](void* self, uint32_t split, int64_t t) { of(self).say(split, "W" + std::to_string(t)); };
    output.progress = [](void* self, uint32_t split, int64_t t) { of(self).say(split, "P" + std::to_string(t)); };
    output.set_idle = [](void* self, uint32_t split, uint32_t idle) { of(self).say(split, idle != 0 ? "I" : "A"); };
    output.connection = [](void* self, uint32_t split, uint32_t connected, tidemark_str reason) {
      of(self).say(split, connected != 0 ? "C" : "D(" + std::string(reason.data, reason.size) + ")");
    };
    output.finished = [](void* self, uint32_t split) { of(self).say(split, "F"); };
  }

  /// What the split's output did so far, such as "[10 11]W5F": batches of sequence numbers, signals.
  std::string said(uint32_t split) const {
    const std::lock_guard lock(mutex_);
    const auto found = said_.find(split);
    return found == said_.end() ? "" : found->second;
  }
  size_t batches_out() const {
    const std::lock_guard lock(mutex_);
    return out_.size();
  }
  void set_credit(bool credit) {
    const std::lock_guard lock(mutex_);
    credit_ = credit;
  }
  /// At most so many batches are out at a time.
  void set_batches_max(size_t batches_max) {
    const std::lock_guard lock(mutex_);
    batches_max_ = batches_max;
  }
  /// Batches that were handed out so far.
  size_t batches_acquired() const {
    const std::lock_guard lock(mutex_);
    return acquired_;
  }
  /// Calls of acquire that met no credit.
  size_t batches_refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }
  /// Waits (at most 10 s) for a call of notify beyond the first `count`.
  bool wait_notified(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return notified_ > count; });
  }
  std::vector<std::string> notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  tidemark_host host{};
  tidemark_output output{};
  bool partial = false;                               ///< batches have absent bits
  std::vector<std::unique_ptr<FakeBatch>> submitted;  ///< poll thread's

 private:
  static FakeHost& of(void* self) { return *static_cast<FakeHost*>(self); }

  tidemark_batch* acquire(uint32_t split) {
    const std::lock_guard lock(mutex_);
    if (!credit_ || out_.size() >= batches_max_) {
      ++refused_;
      return nullptr;
    }
    ++acquired_;
    auto batch = std::make_unique<FakeBatch>();
    const size_t n = row_capacity_;
    batch->event_times.resize(n);
    batch->ops.resize(n);
    batch->sequences.resize(n);
    batch->origin_of_row.resize(n);
    batch->origins.resize(n);
    batch->problems.resize(2);
    batch->columns.resize(column_count_);
    batch->values.assign(column_count_, std::vector<std::byte>(n * 32));
    batch->validity.assign(column_count_, std::vector<uint8_t>((n + 7) / 8));
    batch->heap.resize(heap_capacity_);
    for (uint32_t i = 0; i < column_count_; ++i) {
      batch->columns[i] = {batch->values[i].data(), batch->validity[i].data()};
    }
    tidemark_batch& view = batch->view;
    if (partial) {
      batch->absent = batch->validity;
      for (auto& bits : batch->absent) batch->absent_bits.push_back(bits.data());
      view.absent = batch->absent_bits.data();
    }
    view.struct_size = sizeof view;
    view.split = split;
    view.row_capacity = row_capacity_;
    view.event_time_us = batch->event_times.data();
    view.op = batch->ops.data();
    view.sequence = batch->sequences.data();
    view.origin = batch->origin_of_row.data();
    view.origins = batch->origins.data();
    view.origin_capacity = row_capacity_;
    view.problems = batch->problems.data();
    view.problem_capacity = static_cast<uint32_t>(batch->problems.size());
    view.columns = batch->columns.data();
    view.column_count = column_count_;
    view.heap = batch->heap.data();
    view.heap_capacity = heap_capacity_;
    out_.push_back(std::move(batch));
    return &view;
  }

  std::unique_ptr<FakeBatch> take(tidemark_batch* view) {
    for (auto it = out_.begin(); it != out_.end(); ++it) {
      if (&(*it)->view != view) continue;
      auto batch = std::move(*it);
      out_.erase(it);
      return batch;
    }
    return nullptr;
  }
  void submit(tidemark_batch* view) {
    const std::lock_guard lock(mutex_);
    auto batch = take(view);
    if (batch == nullptr) {
      said_[UINT32_MAX] += "a batch came back twice";
      return;
    }
    if (view->rows == 0) return;
    std::string text = "[";
    for (uint32_t i = 0; i < view->rows; ++i) text += (i == 0 ? "" : " ") + std::to_string(view->sequence[i]);
    said_[view->split] += text + "]";
    submitted.push_back(std::move(batch));
  }
  void release(tidemark_batch* view) {
    const std::lock_guard lock(mutex_);
    if (take(view) == nullptr) said_[UINT32_MAX] += "a batch came back twice";
  }
  int32_t grow(tidemark_batch* view, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (view->heap_used + bytes > kHeapMax) return TIDEMARK_E_NO_MEMORY;
    for (auto& batch : out_) {
      if (&batch->view != view) continue;
      batch->heap.resize(view->heap_used + bytes);
      view->heap = batch->heap.data();
      view->heap_capacity = batch->heap.size();
    }
    return TIDEMARK_OK;
  }
  void say(uint32_t split, const std::string& text) {
    const std::lock_guard lock(mutex_);
    said_[split] += text;
  }
  void note(std::string text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(text));
  }

  static constexpr uint64_t kHeapMax = 4096;
  uint32_t column_count_;
  uint32_t row_capacity_;
  uint64_t heap_capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<FakeBatch>> out_;
  std::map<uint32_t, std::string> said_;
  std::vector<std::string> notes_;
  size_t notified_ = 0;
  bool credit_ = true;
  size_t batches_max_ = SIZE_MAX;
  size_t acquired_ = 0;
  size_t refused_ = 0;
};

/// A value of a submitted batch's column.
template <typename T>
T cell(const FakeBatch& batch, uint32_t column, uint32_t row) {
  T out;
  std::memcpy(&out, static_cast<const char*>(batch.columns[column].values) + size_t{row} * sizeof(T), sizeof out);
  return out;
}
inline bool is_set(const FakeBatch& batch, uint32_t column, uint32_t row) {
  return (batch.columns[column].validity[row >> 3] >> (row & 7) & 1) != 0;
}
inline std::string_view text_cell(const FakeBatch& batch, uint32_t column, uint32_t row) {
  const auto slice = cell<tidemark_slice>(batch, column, row);
  return {batch.view.heap + slice.offset, slice.size};
}

}  // namespace tidemark::test
