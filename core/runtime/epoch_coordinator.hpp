// SPDX-License-Identifier: Apache-2.0
//
// EpochCoordinator: the few numbers that all cores share. The committer asks for an epoch; every ingest core sees
// it between two polls and sends its barrier; when all parts are durable the committer announces it. Stopping is
// one more epoch. Lock-free reads from any thread; requests and announcements come from the committer alone,
// request_stop() from anywhere (also a signal handler's helper).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace tidemark::core {

class EpochCoordinator {
 public:
  explicit EpochCoordinator(uint64_t last_committed) : requested_(last_committed), committed_(last_committed) {}

  /// Called after every change, to wake sleeping cores. Set before anything runs.
  void set_on_change(std::function<void()> on_change) { on_change_ = std::move(on_change); }

  /// The newest epoch whose barrier should be sent.
  uint64_t requested() const noexcept { return requested_.load(std::memory_order_acquire); }
  /// The newest durable epoch.
  uint64_t committed() const noexcept { return committed_.load(std::memory_order_acquire); }
  void request(uint64_t epoch) {
    requested_.store(epoch, std::memory_order_release);
    changed();
  }
  void announce_committed(uint64_t epoch) {
    committed_.store(epoch, std::memory_order_release);
    changed();
  }

  /// Asks the committer not to wait for the interval: something waits in memory for an epoch. Any thread.
  void ask_early() {
    if (!early_.exchange(true, std::memory_order_acq_rel)) changed();
  }
  /// True once per ask; the committer's.
  bool take_early() noexcept { return early_.exchange(false, std::memory_order_acq_rel); }

  /// No more polling; the committer makes one last epoch and ends the job.
  void request_stop() {
    stop_.store(true, std::memory_order_release);
    changed();
  }
  bool stop_requested() const noexcept { return stop_.load(std::memory_order_acquire); }
  /// The last epoch is durable: every component may end.
  void announce_ended() {
    ended_.store(true, std::memory_order_release);
    changed();
  }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }

 private:
  void changed() const {
    if (on_change_) on_change_();
  }

  std::function<void()> on_change_;
  std::atomic<uint64_t> requested_;
  std::atomic<uint64_t> committed_;
  std::atomic<bool> early_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace tidemark::core
