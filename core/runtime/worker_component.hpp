// SPDX-License-Identifier: Apache-2.0
//
// WorkerComponent: one core's share of every aggregate. Takes lane entries in order, keeps one valve per aggregate
// over its splits, applies rows, fires panes when a valve moves on, and at a barrier (once it came through every
// lane) seals what changed into its part of the epoch. Lanes whose barrier has come wait for the others, so that
// an epoch is one cut through all input. Runs on its core's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/event_time/idle_advance.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "core/exchange/lane.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/commit_entry.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/job_counters.hpp"
#include "core/runtime/shared_watermarks.hpp"
#include "core/runtime/split_table.hpp"
#include "core/runtime/status_board.hpp"
#include "core/state/pane_writer.hpp"
#include "core/state/records.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

/// Key groups [first, last] that a worker owns; empty when first > last.
struct KeyGroupRange {
  uint32_t first = 1;
  uint32_t last = 0;

  bool is_empty() const noexcept { return first > last; }
};

class WorkerComponent final : public Component {
 public:
  struct Wiring {
    uint32_t index = 0;
    KeyGroupRange key_groups;
    std::vector<Lane<LaneEntry>*> inputs{};  ///< one per ingest core
    Lane<CommitEntry>* output = nullptr;
    EpochCoordinator* coordinator = nullptr;
    JobCounters* counters = nullptr;
    const Clock* clock = nullptr;
    const SplitTable* splits = nullptr;
    SharedWatermarks* shared = nullptr;
    StatusBoard* board = nullptr;
    std::vector<std::string> source_ids{};  ///< by plan index
    bool more_splits = false;               ///< sources may find splits while running
    uint32_t late_writer = 0;               ///< number of this component's late pages
  };

  explicit WorkerComponent(Wiring wiring)
      : wiring_(std::move(wiring)), name_("worker " + std::to_string(wiring_.index)) {}

  /// Operators of all aggregates, their valves with a channel per split.
  static Result<std::unique_ptr<WorkerComponent>> create(const JobPlan& plan, Wiring wiring);
  /// Loads this worker's key groups, its operators' watermarks and counters and the splits' watermarks from the
  /// last epoch. Before the first step.
  Status restore(EpochStore& store, const std::vector<OperatorRecord>& operators,
                 const std::vector<SplitChange>& splits);

  /// The layout of one aggregate's results.
  const std::shared_ptr<const BatchLayout>& output_layout(size_t aggregate) const {
    return stages_[aggregate]->window->output_layout();
  }

  Result<Progress> step() override;
  Micros next_wake_us() const override;
  const std::string& name() const override { return name_; }

 private:
  struct Stage {  // one aggregate
    std::unique_ptr<WindowOperator> window;
    std::unique_ptr<PaneWriter> pages;
    StatusWatermarkValve valve;
    Micros furthest = kNoTime;                // of all workers, when last looked at
    bool settled = false;                     // nothing changed since the valve was asked what all_idle makes of it
    std::optional<IdleAdvance> idle_advance;  // with AllIdlePolicy::advance
    std::vector<uint32_t> sources;            // by plan index
    std::vector<bool> has_split;              // by split number
    std::optional<uint32_t> holder;           // of the valve's minimum
    Micros holder_since_us = 0;
    LengthHistogram late_by;
    LateRule late = LateRule::store;
  };

  bool take_entry(Status& status);
  Status process(size_t lane, LaneEntry entry);
  Status on_rows(const GroupedRows& rows);
  /// Rows that the operator did not apply, or not to all of their windows: by the aggregate's rule.
  Status take_late(Stage& stage, const LateGroup& group);
  Status late_failure(const Stage& stage, const LateGroup& group, const SplitInfo& split) const;
  Status on_change(const SplitChange& change);
  /// Gives splits that this stage did not know a channel, where they are of one of its sources.
  void meet_split(Stage& stage, SplitId split);
  Status on_end_of_input();
  /// Moves the watermarks of stages that have been idle for long enough.
  Status advance_idle(bool& advanced);
  /// Once all that stands in the lanes has been read: lets all_idle decide about outputs that are idle, and follows
  /// the worker that has come furthest.
  Status settle(bool& advanced);
  Status tick(bool& advanced);
  Status follow(Stage& stage, const WatermarkOutput& output, bool& advanced);
  void observe_idle(Stage& stage);
  Status advance(Stage& stage, Micros watermark, bool tell_others = false);
  /// Of event time: windows by processing time have another.
  static Micros watermark_of(const Stage& stage);
  void note_clock_back(const Stage& stage, Micros now);
  void send(std::vector<FiredRows> fired);
  void send_passed(const Stage& stage);
  void restore_valve(Stage& stage, Micros watermark, const std::vector<SplitChange>& splits);
  void note_holder(Stage& stage, Micros age_us = 0) const;
  void restore_holder(Stage& stage, const OperatorRecord& saved) const;
  OperatorSeal seal_of(const Stage& stage) const;
  Status seal(uint64_t epoch);
  void answer_status();

  Wiring wiring_;
  std::string name_;
  std::vector<std::unique_ptr<Stage>> stages_;  // by operator number
  std::vector<bool> at_barrier_;                // by lane
  size_t lanes_at_barrier_ = 0;
  uint64_t barrier_epoch_ = 0;
  size_t ended_inputs_ = 0;
  size_t next_lane_ = 0;
  uint64_t last_answered_ = 0;  // of the status board
  Applied applied_;             // scratch of on_rows()
  std::unique_ptr<LatePageWriter> late_pages_;
};

}  // namespace tidemark::core
