// SPDX-License-Identifier: Apache-2.0
//
// WatermarkGenerator: makes the watermark of one split out of its event times (semantics 1.4); one instance per
// split. A generator may repeat itself or step back; whoever receives keeps the watermark monotone. The settings
// are validated where the job is read.
//
// Strategies: bounded_out_of_orderness, ascending (bound 0), none, and the source's own watermarks. Core thread
// of the split only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/time.hpp"

namespace tidemark::core {

class WatermarkGenerator {
 public:
  WatermarkGenerator() = default;
  WatermarkGenerator(const WatermarkGenerator&) = delete;
  WatermarkGenerator& operator=(const WatermarkGenerator&) = delete;
  virtual ~WatermarkGenerator() = default;

  /// One row's event time; kNoTime (a row without one) says nothing.
  virtual void on_event(Micros event_time) = 0;
  /// The event times of a batch, in order.
  virtual void on_batch(std::span<const Micros> event_times);
  /// What the source itself calls its watermark. Strategies that judge by rows ignore it.
  virtual void on_source_watermark(Micros watermark);
  /// The watermark now, kNoTime when there is none yet.
  virtual Micros periodic() const = 0;

  /// All that a checkpoint keeps of it; restore() takes what snapshot() gave.
  virtual Micros snapshot() const = 0;
  virtual void restore(Micros state) = 0;
};

enum class WatermarkStrategyKind : uint8_t { bounded_out_of_orderness, ascending, none, source_watermarks };

/// A strategy as the job names it.
struct WatermarkStrategy {
  WatermarkStrategyKind kind = WatermarkStrategyKind::bounded_out_of_orderness;
  Micros max_out_of_orderness_us = 0;  ///< >= 0; bounded_out_of_orderness only
};

/// A fresh generator for one split.
std::unique_ptr<WatermarkGenerator> make_watermark_generator(const WatermarkStrategy& strategy);

/// Never a watermark: nothing fires before the input ends (unless the source proves progress).
class NoWatermarks final : public WatermarkGenerator {
 public:
  void on_event(Micros) override {}
  void on_batch(std::span<const Micros>) override {}
  Micros periodic() const override { return kNoTime; }
  Micros snapshot() const override { return kNoTime; }
  void restore(Micros) override {}
};

/// The source's word is the watermark; rows are not looked at.
class SourceWatermarks final : public WatermarkGenerator {
 public:
  void on_event(Micros) override {}
  void on_batch(std::span<const Micros>) override {}
  void on_source_watermark(Micros watermark) override { latest_ = watermark; }
  Micros periodic() const override { return latest_; }
  Micros snapshot() const override { return latest_; }
  void restore(Micros state) override { latest_ = state; }

 private:
  Micros latest_ = kNoTime;
};

}  // namespace tidemark::core
