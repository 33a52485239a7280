// SPDX-License-Identifier: Apache-2.0
//
// IdlenessGenerator: wraps any WatermarkGenerator with an idle timeout (semantics 1.5, Flink's withIdleness). It
// says "idle" once per silence and asks the inner generator for nothing while idle. Without a timeout it is the
// inner generator alone. Time is passed in. Core thread of the split only.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/time.hpp"
#include "core/event_time/idle_timer.hpp"
#include "core/event_time/watermark_generator.hpp"

namespace tidemark::core {

class IdlenessGenerator {
 public:
  /// What one periodic call says: `mark_idle` at the start of a silence, a watermark when not idle.
  struct Probe {
    bool mark_idle = false;
    std::optional<Micros> watermark;
  };

  explicit IdlenessGenerator(std::unique_ptr<WatermarkGenerator> inner, std::optional<IdleTimer> timer = std::nullopt)
      : inner_(std::move(inner)), timer_(timer) {}

  void on_batch(const RowTimes& rows) {
    inner_->on_batch(rows);
    on_activity();
  }
  /// Something other than rows that proves the split alive.
  void on_activity() noexcept {
    if (timer_) timer_->on_activity();
    announced_ = false;
  }
  /// There may be something to read: no longer idle, but the silence goes on, so that the next probe says idle again
  /// unless there was.
  void reconsider() noexcept { announced_ = false; }
  Probe periodic(Micros now);
  /// True from mark_idle to the next activity.
  bool is_idle() const noexcept { return announced_; }

  WatermarkGenerator& inner() noexcept { return *inner_; }
  const WatermarkGenerator& inner() const noexcept { return *inner_; }
  const std::optional<IdleTimer>& timer() const noexcept { return timer_; }
  void restore(Micros now, std::string_view inner_state, Micros silent_us, bool idle);

 private:
  std::unique_ptr<WatermarkGenerator> inner_;
  std::optional<IdleTimer> timer_;
  bool announced_ = false;
};

}  // namespace tidemark::core
