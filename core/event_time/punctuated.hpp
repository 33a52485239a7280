// SPDX-License-Identifier: Apache-2.0
//
// Punctuated: rows that the job marks (`marker = "<expression>"`) carry the watermark. A marker with event time T
// says that nothing before T is to come, a watermark of T - 1, the most over all markers so far; rows without a
// mark and markers without an event time say nothing. A job that marks every row has a watermark per row. Core
// thread of the split only.
#pragma once

#include "core/event_time/watermark_generator.hpp"

namespace tidemark::core {

class Punctuated final : public WatermarkGenerator {
 public:
  void on_batch(const RowTimes& rows) override;
  Micros periodic() const override { return saturating_sub(max_, 1); }
  /// The largest marker seen.
  std::string snapshot() const override { return encode_time(GeneratorState::punctuated, max_); }
  void restore(std::string_view state) override { max_ = decode_time(GeneratorState::punctuated, state); }

 private:
  Micros max_ = kNoTime;
};

}  // namespace tidemark::core
