// SPDX-License-Identifier: Apache-2.0
//
// Lane: a queue from one component to one other, in order. It carries rows, watermarks, barriers and results in
// band. push() never blocks and never refuses, so that control entries always get through; a producer asks
// has_room() before it makes more rows: that is the backpressure. A plain mutex is as fast as a lock-free ring
// here, since an entry is a batch. One producer, one consumer, each on any thread.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace tidemark::core {

/// Weight of entries that carry no rows, so that a lane of them is bounded too.
inline constexpr size_t kControlWeight = 16;

template <typename Entry>
class Lane {
 public:
  /// `weight_max`: has_room() is false from this total weight on. `wake_consumer` is called after a push, without
  /// the lock; `wake_producer` when a full lane has room again. Either may be empty.
  explicit Lane(size_t weight_max) : weight_max_(weight_max) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void set_wakers(std::function<void()> wake_consumer, std::function<void()> wake_producer) {
    wake_consumer_ = std::move(wake_consumer);
    wake_producer_ = std::move(wake_producer);
  }

  void push(Entry entry, size_t weight = 0) {
    {
      const std::lock_guard lock(mutex_);
      weight_ += weight;
      entries_.emplace_back(std::move(entry), weight);
    }
    if (wake_consumer_) wake_consumer_();
  }

  std::optional<Entry> pop() {
    std::optional<Entry> out;
    bool freed = false;
    {
      const std::lock_guard lock(mutex_);
      if (entries_.empty()) return out;
      out.emplace(std::move(entries_.front().first));
      const size_t weight = entries_.front().second;
      entries_.pop_front();
      freed = weight_ >= weight_max_ && weight_ - weight < weight_max_;
      weight_ -= weight;
    }
    if (freed && wake_producer_) wake_producer_();
    return out;
  }

  bool has_room() const {
    const std::lock_guard lock(mutex_);
    return weight_ < weight_max_;
  }
  bool is_empty() const {
    const std::lock_guard lock(mutex_);
    return entries_.empty();
  }

 private:
  const size_t weight_max_;
  std::function<void()> wake_consumer_;
  std::function<void()> wake_producer_;
  mutable std::mutex mutex_;
  std::deque<std::pair<Entry, size_t>> entries_;
  size_t weight_ = 0;
};

}  // namespace tidemark::core
