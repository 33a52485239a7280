// SPDX-License-Identifier: Apache-2.0
//
// SplitProgress: all that decides the watermark and state of one split, on the core that reads it: its generator,
// its idle timer, the source's own word (watermark, idle, known progress) and the end. Each call gives at most
// one change, which goes into the lanes after the rows it covers.
//
// Invariants: the watermark never falls and reaches kEndOfTime never (finishing is a state); rows and advancing
// progress beat idleness; a split with unread data, paused, blocked or disconnected is never declared idle
// (decision 7), nor does time count in which nobody polled (more than probe_interval_us() between two ticks:
// FLINK-40234). Times `now` are monotonic microseconds and never step back. Core thread of the split only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "core/event_time/arrival_gaps.hpp"
#include "core/event_time/idleness_generator.hpp"
#include "core/event_time/pausable_clock.hpp"
#include "core/event_time/split_change.hpp"
#include "core/event_time/split_status.hpp"
#include "core/event_time/state_times.hpp"
#include "core/event_time/watermark_generator.hpp"

namespace tidemark::core {

struct SplitProgressOptions {
  WatermarkStrategy strategy;
  Micros idle_timeout_us = 0;                       ///< 0 = never idle by silence
  Micros emit_interval_us = 200 * kMicrosPerMilli;  ///< rows after a longer silence begin a burst
};

/// All that a checkpoint keeps (decision 9). `silent_us`: how long the idle timer has been running.
struct SplitProgressState {
  Micros watermark = kNoTime;
  std::string generator;  ///< WatermarkGenerator::snapshot()
  Micros progress = kNoTime;
  Micros max_event_time = kNoTime;
  Micros silent_us = 0;
  Micros activity_age_us = 0;
  bool idle = false;
  bool idle_by_source = false;
  bool finished = false;
  StateTimesState times{};
  ArrivalGapsState arrivals{};

  friend bool operator==(const SplitProgressState&, const SplitProgressState&) = default;
};

/// What the reader knows of this split (not of its neighbours) at a tick.
struct SplitReading {
  bool has_unread = false;  ///< data is there that was not yet handed on; true also before the first poll
  bool paused = false;      ///< by alignment
  bool blocked = false;     ///< no credit, or waiting for something downstream
  /// The reader has not looked at the split since idle_is_due(): what came before then may still wait for its turn.
  bool turn_pending = false;

  bool held() const noexcept { return has_unread || paused || blocked; }
};

class SplitProgress {
 public:
  SplitProgress(uint32_t split, const SplitProgressOptions& options, Micros now);
  /// With a generator of one's own in place of options.strategy.
  SplitProgress(uint32_t split, const SplitProgressOptions& options, std::unique_ptr<WatermarkGenerator> generator,
                Micros now);

  /// Before the rows of a batch are handed on: makes an idle split active with its old watermark, so that it
  /// holds the job (on_resume = hold) before its rows are judged. Optional: on_batch does it afterwards.
  std::optional<SplitChange> before_batch(Micros now);
  /// After the rows were handed on.
  std::optional<SplitChange> on_batch(const RowTimes& rows, Micros now);
  /// The source's emit_watermark; counts with the strategy `source_watermarks` alone.
  std::optional<SplitChange> on_source_watermark(Micros watermark, Micros now);
  /// Known progress: nothing before `time` is still to come, a watermark of time - 1, with any strategy.
  std::optional<SplitChange> on_progress(Micros time, Micros now);
  /// The source's mark_idle and mark_active: at once; idle holds until rows, advancing progress or mark_active.
  std::optional<SplitChange> set_idle(bool idle, Micros now);
  /// The source has lost the split and tries again, for `reason` (in words). Until set_connected() or rows it holds
  /// the watermark like an active one and its idle clock stands; after that its silence counts from anew.
  std::optional<SplitChange> set_disconnected(std::string reason, Micros now);
  std::optional<SplitChange> set_connected(Micros now);
  /// To be called at least every probe_interval_us(), also when nothing happens.
  std::optional<SplitChange> tick(Micros now, SplitReading reading);
  /// A tick now would make it idle by its timeout.
  bool idle_is_due(Micros now) const noexcept;
  /// No more rows, ever. Everything later is ignored.
  std::optional<SplitChange> finish(Micros now);

  /// Longest time between ticks; kEndOfTime without an idle timeout.
  Micros probe_interval_us() const noexcept;
  /// What was last said: what a lane that opens later has to hear first.
  SplitChange current() const noexcept { return {split_, watermark_, state_, looks_again_}; }
  bool is_disconnected() const noexcept { return disconnected_ && !finished_; }
  SplitStatus status(Micros now) const;
  /// The generator's first failure: to be asked for after on_batch, tick, snapshot and restore.
  Status failure() const { return generator_.inner().failure(); }

  SplitProgressState snapshot(Micros now) const;
  /// Continues an earlier run at `now`. Does not speak; current() is what there is to say.
  void restore(const SplitProgressState& state, Micros now);

 private:
  Micros clock_now(Micros now) const noexcept;
  void touch(Micros now);
  SplitState derived_state() const noexcept;
  SplitState shown_state() const noexcept;
  std::optional<SplitChange> publish(Micros now);
  bool held() const noexcept { return reading_.held() || lost_since_tick_; }
  std::string reason(const SplitStatus& status) const;

  uint32_t split_;
  IdlenessGenerator generator_;
  PausableClock clock_;
  SplitReading reading_;
  Micros last_tick_;
  Micros last_activity_;  ///< on the pausable clock
  Micros max_event_time_ = kNoTime;
  Micros progress_ = kNoTime;
  Micros watermark_ = kNoTime;
  SplitState state_ = SplitState::active;
  bool idle_by_source_ = false;
  bool finished_ = false;
  bool rows_came_ = false;
  bool said_tentative_ = false;
  bool looks_again_ = false;  ///< it was idle and may have something to read: active, until a round of polls tells
  bool disconnected_ = false;
  bool lost_since_tick_ = false;  ///< it was disconnected at some time since the last tick
  std::string disconnected_reason_;
  StateTimes times_;
  ArrivalGaps arrivals_;
};

}  // namespace tidemark::core
