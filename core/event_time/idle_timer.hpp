// SPDX-License-Identifier: Apache-2.0
//
// IdleTimer: decides from probes at intervals whether a split has been silent for longer than a timeout
// (semantics 1.5). After the last activity one probe notices it, the next starts the timer, a later one answers
// "idle": with probes every P the answer comes after more than T + P and at most T + 3P, so P <= T/10
// (decision 7). Time is passed in (a PausableClock's). One thread at a time.
#pragma once

#include <cstdint>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

class IdleTimer {
 public:
  /// Fails unless timeout_us > 0.
  static Result<IdleTimer> create(Micros timeout_us);

  void on_activity() noexcept { ++count_; }
  /// True when nothing happened for more than the timeout.
  bool probe(Micros now) noexcept;

  Micros timeout_us() const noexcept { return timeout_us_; }
  /// Longest time between probes that decision 7 allows.
  Micros probe_interval_us() const noexcept { return timeout_us_ < 10 ? 1 : timeout_us_ / 10; }
  /// How long the timer has been running; 0 while it is not. Kept in checkpoints.
  Micros silent_us(Micros now) const noexcept;
  /// Continues a silence of an earlier run.
  void restore(Micros now, Micros silent_us) noexcept;

 private:
  explicit IdleTimer(Micros timeout_us) : timeout_us_(timeout_us) {}

  Micros timeout_us_;
  uint64_t count_ = 0;
  uint64_t seen_ = 0;
  Micros since_ = 0;  ///< 0 = not running, as in Flink: a clock that reads exactly 0 needs one probe more
};

}  // namespace tidemark::core
