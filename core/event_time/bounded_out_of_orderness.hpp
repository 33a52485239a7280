// SPDX-License-Identifier: Apache-2.0
//
// BoundedOutOfOrderness: watermark = largest event time - bound - 1 unit (semantics 1.4.4, as Flink's DataStream
// API; its SQL leaves the 1 out). Bound 0 is the ascending strategy. Saturates at both ends. Core thread of the
// split only.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/event_time/watermark_generator.hpp"

namespace tidemark::core {

class BoundedOutOfOrderness final : public WatermarkGenerator {
 public:
  /// `bound_us` >= 0.
  explicit BoundedOutOfOrderness(Micros bound_us) : behind_us_(saturating_add(bound_us, 1)) {}

  void on_batch(const RowTimes& rows) override { max_ = std::max(max_, rows.latest); }
  Micros periodic() const override { return saturating_sub(max_, behind_us_); }
  /// The largest event time seen.
  std::string snapshot() const override { return encode_time(GeneratorState::rows, max_); }
  void restore(std::string_view state) override { max_ = decode_time(GeneratorState::rows, state); }

 private:
  Micros behind_us_;
  Micros max_ = kNoTime;
};

}  // namespace tidemark::core
