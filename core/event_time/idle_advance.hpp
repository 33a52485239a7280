// SPDX-License-Identifier: Apache-2.0
//
// IdleAdvance: all_idle = { advance_after, lag } (decision 6): while every split is idle for longer than
// `advance_after`, the watermark follows the clock at a distance of `lag`. The wall clock is read once, when the
// output turns idle; from there on monotonic time counts, so that steps of the wall clock neither stop nor jump it.
// The age of the idle phase is part of the checkpoint. Owned by the worker that owns the valve; one thread.
#pragma once

#include <optional>

#include "core/base/time.hpp"

namespace tidemark::core {

struct IdleAdvanceOptions {
  Micros after_us = 0;  ///< > 0
  Micros lag_us = 0;    ///< >= 0
  Micros emit_interval_us = 200 * kMicrosPerMilli;
};

class IdleAdvance {
 public:
  explicit IdleAdvance(const IdleAdvanceOptions& options) : options_(options) {}

  /// To be told whether the valve's output is idle, after every change of it. `now` is monotonic.
  void observe(bool idle, Micros now, Micros wall_now);
  /// Where the watermark should be, at most once per emit interval; empty while there is nothing to do.
  std::optional<Micros> poll(Micros now);
  /// When poll() has something to do next; kEndOfTime while not idle.
  Micros next_us() const noexcept { return next_us_; }

  /// How long the output has been idle; 0 when it is not.
  Micros idle_age_us(Micros now) const noexcept { return idle_ ? now - since_us_ : 0; }
  /// Continues an idle phase of an earlier run, which is `age` old.
  void restore(Micros age, Micros now, Micros wall_now);

 private:
  void begin(Micros since, Micros wall);

  IdleAdvanceOptions options_;
  bool idle_ = false;
  Micros since_us_ = 0;       // monotonic
  Micros wall_at_since_ = 0;  // wall time at since_us_
  Micros next_us_ = kEndOfTime;
  Micros grace_until_us_ = kNoTime;  // an interruption that is over by then was the look for data after a restart
};

}  // namespace tidemark::core
