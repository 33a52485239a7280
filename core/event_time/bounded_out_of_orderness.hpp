// SPDX-License-Identifier: Apache-2.0
//
// BoundedOutOfOrderness: watermark = largest event time - bound - 1 unit (semantics 1.4.4, as Flink's DataStream
// API; its SQL leaves the 1 out). Bound 0 is the ascending strategy. Saturates at both ends. Core thread of the
// split only.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/time.hpp"
#include "core/event_time/watermark_generator.hpp"

namespace tidemark::core {

class BoundedOutOfOrderness final : public WatermarkGenerator {
 public:
  /// `bound_us` >= 0.
  explicit BoundedOutOfOrderness(Micros bound_us) : behind_us_(saturating_add(bound_us, 1)) {}

  void on_event(Micros event_time) override { max_ = std::max(max_, event_time); }
  void on_batch(std::span<const Micros> event_times) override;
  Micros periodic() const override { return saturating_sub(max_, behind_us_); }
  /// The largest event time seen.
  Micros snapshot() const override { return max_; }
  void restore(Micros state) override { max_ = state; }

 private:
  Micros behind_us_;
  Micros max_ = kNoTime;
};

}  // namespace tidemark::core
