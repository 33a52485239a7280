// SPDX-License-Identifier: Apache-2.0
//
// WorkerStage: one aggregate at one worker: its window operator, where its watermark comes from (a valve over splits,
// or the aggregates whose results it reads), and what its own results are sent on to. Parts only; the worker moves
// them, on its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/event_time/idle_advance.hpp"
#include "core/event_time/upstream_watermark.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/length_histogram.hpp"
#include "core/runtime/result_feed.hpp"
#include "core/state/pane_writer.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

struct WorkerStage {
  std::unique_ptr<PaneWriter> pages;  // outlives the window
  std::unique_ptr<WindowOperator> window;
  bool may_leave = false;     // groups, for the store
  bool owes_results = false;  // time has moved: what it made due is not all given, or how far that is not told
  LengthHistogram late_by;
  LateRule late = LateRule::store;

  // Of an aggregate that reads sources
  std::vector<uint32_t> sources;  // by plan index
  StatusWatermarkValve valve;
  std::vector<bool> has_split;              // by split number
  bool settled = false;                     // nothing changed since the valve was asked what all_idle makes of it
  std::optional<IdleAdvance> idle_advance;  // with AllIdlePolicy::advance

  // Of an aggregate that reads aggregates
  std::vector<uint32_t> upstream;              // by plan index
  std::optional<UpstreamWatermark> from_them;  // one input for each

  // Of an aggregate that others read
  std::unique_ptr<ResultFeed> feed;
  ResultsProgress told;  // what they heard last

  std::optional<uint32_t> holder;  // of the minimum: a split, or the number of an aggregate
  Micros holder_since_us = 0;
  Micros furthest = kNoTime;  // of all workers, when last looked at

  const AggregateSpec& spec() const { return window->spec(); }
  /// Of event time, as its input says.
  Micros input_watermark() const noexcept { return from_them ? from_them->watermark() : valve.watermark(); }
  bool is_idle() const noexcept { return from_them ? from_them->is_idle() : valve.status() == StreamStatus::idle; }
  /// No split of its sources has been found yet.
  bool has_no_input() const noexcept {
    return !from_them && std::find(has_split.begin(), has_split.end(), true) == has_split.end();
  }
  /// Of event time: windows by processing time have another.
  Micros watermark() const {
    const Micros fired = window->watermark();
    return spec().window.processing_time && fired != kEndOfTime ? input_watermark() : fired;
  }
  /// Results up to here have been given. Windows by processing time are not waited for (their results are immediate),
  /// and tell event time.
  Micros passed() const { return spec().window.processing_time ? watermark() : window->complete(); }
  std::optional<uint32_t> input_holder() const noexcept {
    if (!from_them) return valve.holder();
    const auto input = from_them->holder();
    return input ? std::optional(upstream[*input]) : std::nullopt;
  }
};

}  // namespace tidemark::core
