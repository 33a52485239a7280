// SPDX-License-Identifier: Apache-2.0
//
// WatermarkGenerator: makes the watermark of one split out of its rows (semantics 1.4); one instance per split. A
// generator may repeat itself or step back; whoever receives keeps the watermark monotone. The settings are
// validated where the job is read. A generator whose code may fail (a plugin's) keeps its first failure, says
// nothing new from then on, and whoever feeds it asks for failure() after each call.
//
// Strategies: bounded_out_of_orderness, ascending (bound 0), none, the source's own watermarks, punctuated, and
// generators of plugins (core/plugin_host). Core thread of the split only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

/// kNoTime when none of them is a time.
Micros latest_of(std::span<const Micros> event_times) noexcept;

/// What a generator sees of a batch, row by row and in order.
struct RowTimes {
  RowTimes(std::span<const Micros> times, std::span<const uint8_t> marks = {})
      : event_times(times), markers(marks), latest(latest_of(times)) {}

  std::span<const Micros> event_times;  ///< kNoTime: a row without one
  std::span<const uint8_t> markers;     ///< 1: the row is a marker; as long as event_times, or empty: no row is one
  Micros latest;                        ///< of event_times
};

class WatermarkGenerator {
 public:
  WatermarkGenerator() = default;
  WatermarkGenerator(const WatermarkGenerator&) = delete;
  WatermarkGenerator& operator=(const WatermarkGenerator&) = delete;
  virtual ~WatermarkGenerator() = default;

  virtual void on_batch(const RowTimes& rows) = 0;
  /// Time passes: `now` is the split's own monotonic clock, which stands still while the split has unread data, is
  /// paused or is blocked. Not called while the split is idle.
  virtual void on_tick(Micros now);
  /// What the source itself calls its watermark. Strategies that judge by rows ignore it.
  virtual void on_source_watermark(Micros watermark);
  /// The watermark now, kNoTime when there is none yet.
  virtual Micros periodic() const = 0;

  /// All that a checkpoint keeps of it, with the kind of generator that wrote it.
  virtual std::string snapshot() const = 0;
  /// Takes what snapshot() of the same kind gave. State of another kind (the job's strategy has changed) is left
  /// alone: the generator starts anew, behind the split's watermark.
  virtual void restore(std::string_view state) = 0;

  /// The first failure of a call, OK as long as there is none.
  virtual Status failure() const;
};

enum class WatermarkStrategyKind : uint8_t {
  bounded_out_of_orderness,
  ascending,
  none,
  source_watermarks,
  punctuated,
  plugin,
};

/// A strategy as the job names it.
struct WatermarkStrategy {
  WatermarkStrategyKind kind = WatermarkStrategyKind::bounded_out_of_orderness;
  Micros max_out_of_orderness_us = 0;  ///< >= 0; bounded_out_of_orderness only
};

/// Makes the generator of the named split; the error says why there is none.
using GeneratorFactory = std::function<Result<std::unique_ptr<WatermarkGenerator>>(std::string_view split)>;

/// A fresh generator for one split. Not for the kind `plugin`: its generators come from a GeneratorFactory.
std::unique_ptr<WatermarkGenerator> make_watermark_generator(const WatermarkStrategy& strategy);

/// State of generators that remember one time: a byte for the kind, then the time.
enum class GeneratorState : char { rows = 'r', source = 's', punctuated = 'm', plugin = 'p' };
std::string encode_time(GeneratorState kind, Micros time);
/// kNoTime where `state` is not of this kind.
Micros decode_time(GeneratorState kind, std::string_view state);

/// Never a watermark: nothing fires before the input ends (unless the source proves progress).
class NoWatermarks final : public WatermarkGenerator {
 public:
  void on_batch(const RowTimes&) override {}
  Micros periodic() const override { return kNoTime; }
  std::string snapshot() const override { return {}; }
  void restore(std::string_view) override {}
};

/// The source's word is the watermark; rows are not looked at.
class SourceWatermarks final : public WatermarkGenerator {
 public:
  void on_batch(const RowTimes&) override {}
  void on_source_watermark(Micros watermark) override { latest_ = watermark; }
  Micros periodic() const override { return latest_; }
  std::string snapshot() const override { return encode_time(GeneratorState::source, latest_); }
  void restore(std::string_view state) override { latest_ = decode_time(GeneratorState::source, state); }

 private:
  Micros latest_ = kNoTime;
};

}  // namespace tidemark::core
