// SPDX-License-Identifier: Apache-2.0
//
// ThreadedSplit: runs a SplitReader that blocks on a thread of its own. The thread fills host batches through
// acquire_async; poll_next only hands pointers over, all rows of one fetch() at once together with the position
// after them, so that a snapshot never falls inside a fetch(). At most kGroupsAhead fetches run ahead. A fetch() that
// waits for its first row holds no batch: blocked splits must not use up the credit of the others.
// The destructor stops the thread: it calls wake_up() until fetch() returns, and after kJoinDeadline leaves the
// thread behind with what it holds and says so in the log, rather than hang the job.
#pragma once

#include <tidemark/split_reader.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {
namespace detail {

/// What the two sides share; it outlives a thread that is left behind.
class SplitThread {
 public:
  enum class Kind : uint8_t { batch, watermark, progress, idle, connection };
  struct Item {
    Kind kind;
    tidemark_batch* batch;
    int64_t value;
    std::string text{};
  };
  /// One fetch(): its output in order, its result, and the position after it.
  struct Group {
    std::vector<Item> items;
    Status status = Status::more;
    tidemark_error error{sizeof(tidemark_error), 0, 0, UINT32_MAX, {}};
    std::string position;
    uint64_t next_sequence = 1;
  };
  static constexpr size_t kGroupsAhead = 2;
  static constexpr uint32_t kCreditWaitUs = 10'000;
  static constexpr std::chrono::milliseconds kNothingWait{5};

  SplitThread(std::unique_ptr<SplitReader> reader, const Layout& layout, Host host, const Split& split,
              uint64_t next_sequence)
      : reader_(std::move(reader)),
        layout_(layout),
        host_(host.raw()),
        split_(split),
        next_sequence_(next_sequence),
        position_(split.position) {
    output_.struct_size = sizeof output_;
    output_.self = this;
    output_.acquire = [](void* self, uint32_t split_number) { return of(self).acquire(split_number); };
    output_.submit = [](void* self, tidemark_batch* batch) { of(self).submit(batch); };
    output_.grow_heap = [](void* self, tidemark_batch* batch, uint64_t bytes) {
      return of(self).grow_heap(batch, bytes);
    };
    output_.watermark = [](void* self, uint32_t, int64_t time_us) { of(self).note(Kind::watermark, time_us); };
    output_.progress = [](void* self, uint32_t, int64_t time_us) { of(self).note(Kind::progress, time_us); };
    output_.set_idle = [](void* self, uint32_t, uint32_t idle) { of(self).note(Kind::idle, idle); };
    output_.finished = [](void*, uint32_t) {};  // the group's status says it
    output_.connection = [](void* self, uint32_t, uint32_t connected, tidemark_str reason) {
      of(self).note(Kind::connection, connected, {reason.data == nullptr ? "" : reason.data, reason.size});
    };
  }

  /// The thread's loop: one fetch() per turn.
  void run() noexcept {
    bool after_error = false;
    while (wait_for_space(after_error)) {
      after_error = fetch_one();
      if (ended_) break;
    }
    for (const Item& item : group_.items) release(item.batch);
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  /// Poll side: no further fetch() begins while paused; what was read before waits for take().
  void set_paused(bool paused) noexcept {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    changed_.notify_all();
  }

  /// Poll side: the oldest finished fetch(); false when there is none.
  bool take(Group& out) {
    const std::lock_guard lock(mutex_);
    if (groups_.empty()) return false;
    out = std::move(groups_.front());
    groups_.pop_front();
    changed_.notify_all();
    return true;
  }

  /// Stops the thread and gives the waiting batches back. True when it ended, false when it was left behind.
  bool stop(std::chrono::milliseconds deadline) noexcept {
    constexpr std::chrono::milliseconds kStep{20};
    std::unique_lock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
    for (auto waited = std::chrono::milliseconds{0}; !done_ && waited < deadline; waited += kStep) {
      lock.unlock();
      reader_->wake_up();
      lock.lock();
      changed_.wait_for(lock, kStep, [this] { return done_; });
    }
    if (!done_) {
      abandoned_ = true;
      changed_.wait(lock, [this] { return !in_host_; });
    }
    for (const Group& group : groups_) {
      for (const Item& item : group.items) {
        if (item.batch != nullptr) host_->release_async(host_->self, item.batch);
      }
    }
    groups_.clear();
    return done_;
  }

 private:
  static SplitThread& of(void* self) noexcept { return *static_cast<SplitThread*>(self); }

  /// Waits until another fetch() may run ahead: not while paused; after an error, until the host has seen it. False:
  /// stop.
  bool wait_for_space(bool after_error) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || (!paused_ && groups_.size() < (after_error ? 1 : kGroupsAhead)); });
    return !stop_;
  }

  /// Runs fetch() once and queues what it gave; true after an error.
  bool fetch_one() noexcept {
    const int32_t code = guard(&group_.error, TIDEMARK_E_DATA, [this] {
      if (ends_) return static_cast<int32_t>(Status::end);
      SplitOutput out(output_, layout_, split_.number, next_sequence_, SplitOutput::Acquire::with_first_row);
      const Status status = fetch_with_context(*reader_, out, split_);
      ends_ = out.is_truncated() && status == Status::end;
      if (ends_) return static_cast<int32_t>(Status::more);
      return static_cast<int32_t>(out.is_finished() ? Status::end : status);
    });
    const int32_t position_code = guard(&group_.error, TIDEMARK_E_INTERNAL, [this] {
      group_.position = reader_->position();
      return TIDEMARK_OK;
    });
    const int32_t result = code < 0 ? code : position_code < 0 ? position_code : code;
    group_.status = result < 0 ? Status::failed : static_cast<Status>(result);
    group_.error.code = result;
    group_.next_sequence = next_sequence_;
    ended_ = group_.status == Status::end;
    if (!group_.items.empty() || result < 0 || ended_ || group_.position != position_) {
      push();
    } else if (group_.status == Status::nothing) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kNothingWait, [this] { return stop_; });
    }
    return result < 0;
  }

  void push() noexcept {
    position_ = group_.position;
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;  // run() gives the batches back
      groups_.push_back(std::exchange(group_, Group{}));
    }
    if (!enter_host()) return;
    host_->notify(host_->self);
    leave_host();
  }

  // The host may be called until the reader is closed; a thread that was left behind must not.
  bool enter_host() noexcept {
    const std::lock_guard lock(mutex_);
    in_host_ = !abandoned_;
    return in_host_;
  }
  void leave_host() noexcept {
    const std::lock_guard lock(mutex_);
    in_host_ = false;
    changed_.notify_all();
  }

  /// Waits for credit until stop while the fetch() holds no batch: append() relies on it. One that holds batches
  /// waits kCreditWaitUs only, since those come back when it ends.
  tidemark_batch* acquire(uint32_t split_number) noexcept {
    const bool holds_none = std::none_of(group_.items.begin(), group_.items.end(),
                                         [](const Item& item) { return item.kind == Kind::batch; });
    tidemark_batch* batch = nullptr;
    do {
      {
        const std::lock_guard lock(mutex_);
        if (stop_) return nullptr;
        in_host_ = true;
      }
      batch = host_->acquire_async(host_->self, split_number, kCreditWaitUs);
      leave_host();
    } while (batch == nullptr && holds_none);
    return batch;
  }
  void submit(tidemark_batch* batch) noexcept {
    if (batch->rows == 0) return release(batch);
    group_.items.push_back({Kind::batch, batch, 0});
  }
  int32_t grow_heap(tidemark_batch* batch, uint64_t bytes) noexcept {
    if (!enter_host()) return TIDEMARK_E_NO_MEMORY;
    const int32_t code = host_->grow_heap_async(host_->self, batch, bytes);
    leave_host();
    return code;
  }
  void release(tidemark_batch* batch) noexcept {
    if (batch == nullptr || !enter_host()) return;
    host_->release_async(host_->self, batch);
    leave_host();
  }
  void note(Kind kind, int64_t value, std::string text = {}) {
    group_.items.push_back({kind, nullptr, value, std::move(text)});
  }

  const std::unique_ptr<SplitReader> reader_;
  const Layout layout_;
  const tidemark_host* const host_;
  const Split split_;
  tidemark_output output_{};
  uint64_t next_sequence_;
  std::string position_;  // after the last group that was queued
  Group group_;           // the fetch() under way
  bool ends_ = false;     // the end was said with a truncate(), and is told after it
  bool ended_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Group> groups_;
  bool paused_ = false;
  bool stop_ = false;
  bool done_ = false;
  bool abandoned_ = false;
  bool in_host_ = false;
};

/// Poll side of a split with a thread. Used on the reader's thread.
class ThreadedSplit {
 public:
  static constexpr std::chrono::milliseconds kJoinDeadline{10'000};

  ThreadedSplit(std::unique_ptr<SplitReader> reader, const Layout& layout, Host host, const Split& split,
                uint64_t next_sequence, std::chrono::milliseconds join_deadline = kJoinDeadline)
      : join_deadline_(join_deadline),
        host_(host),
        split_id_(split.id),
        split_(split.number),
        position_(split.position),
        next_sequence_(next_sequence),
        shared_(std::make_shared<SplitThread>(std::move(reader), layout, host, split, next_sequence)),
        thread_([shared = shared_] { shared->run(); }) {}
  ThreadedSplit(const ThreadedSplit&) = delete;
  ThreadedSplit& operator=(const ThreadedSplit&) = delete;
  ~ThreadedSplit() {
    if (shared_->stop(join_deadline_)) {
      thread_.join();
      return;
    }
    host_.log(LogLevel::error, "split " + split_id_ + ": fetch() did not return within " +
                                   std::to_string(join_deadline_.count()) + " ms of wake_up(); its thread " +
                                   "is left behind. Make wake_up() end the wait inside fetch().");
    thread_.detach();
  }

  /// While paused no fetch() begins. One that is under way ends, and its rows are still handed over: they hold credit.
  void set_paused(bool paused) noexcept { shared_->set_paused(paused); }

  /// Submits the rows of one fetch(), if there is one.
  Status hand_over(ReaderOutput& output) {
    SplitThread::Group group;
    if (!shared_->take(group)) return Status::nothing;
    const tidemark_output& host = output.raw();
    for (const SplitThread::Item& item : group.items) {
      if (item.kind == SplitThread::Kind::batch) host.submit(host.self, item.batch);
      if (item.kind == SplitThread::Kind::watermark) host.watermark(host.self, split_, item.value);
      if (item.kind == SplitThread::Kind::progress) host.progress(host.self, split_, item.value);
      if (item.kind == SplitThread::Kind::idle) host.set_idle(host.self, split_, static_cast<uint32_t>(item.value));
      if (item.kind == SplitThread::Kind::connection) say_connection(host, split_, item.value != 0, item.text);
    }
    position_ = std::move(group.position);
    next_sequence_ = group.next_sequence;
    if (group.status == Status::failed) {
      SourceError error = SourceError(group.error.message).kind(static_cast<ErrorKind>(group.error.code)).split(split_);
      return fail(group.error.retryable != 0 ? std::move(error).retryable() : std::move(error));
    }
    if (group.status != Status::end) return Status::more;
    host.finished(host.self, split_);
    return Status::end;
  }
  /// After the last row handed over.
  const std::string& position() const noexcept { return position_; }
  uint64_t next_sequence() const noexcept { return next_sequence_; }

 private:
  std::chrono::milliseconds join_deadline_;
  Host host_;
  std::string split_id_;
  uint32_t split_;
  std::string position_;
  uint64_t next_sequence_;
  std::shared_ptr<SplitThread> shared_;
  std::thread thread_;
};

}  // namespace detail
}  // namespace v1
}  // namespace tidemark
