// SPDX-License-Identifier: Apache-2.0
//
// WorkerComponent: one core's share of every aggregate. Takes lane entries in order, keeps one valve per aggregate
// over its splits, applies rows, fires panes when a valve moves on, and at a barrier (once it came through every
// lane) seals what changed into its part of the epoch. Lanes whose barrier has come wait for the others, so that
// an epoch is one cut through all input. Where aggregates read aggregates, workers send each other rows of results and
// how far these are. Runs on its core's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.hpp"
#include "core/exchange/lane.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/commit_entry.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/job_counters.hpp"
#include "core/runtime/result_barriers.hpp"
#include "core/runtime/shared_watermarks.hpp"
#include "core/runtime/split_table.hpp"
#include "core/runtime/status_board.hpp"
#include "core/runtime/worker_stage.hpp"
#include "core/state/records.hpp"

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
    std::vector<Lane<LaneEntry>*> inputs{};        ///< one per ingest core
    std::vector<Lane<LaneEntry>*> from_workers{};  ///< by worker; none where no aggregate reads another, as the next
    std::vector<Lane<LaneEntry>*> to_workers{};
    KeyGroupOwners owners{};
    Lane<CommitEntry>* output = nullptr;
    EpochCoordinator* coordinator = nullptr;
    JobCounters* counters = nullptr;
    const Clock* clock = nullptr;
    const SplitTable* splits = nullptr;
    SharedWatermarks* shared = nullptr;
    StatusBoard* board = nullptr;
    bool more_splits = false;  ///< sources may find splits while running
    EpochStore* store = nullptr;
    size_t memory_bytes = 0;   ///< for groups of all aggregates; where they may, they leave for the store beyond it
    uint32_t late_writer = 0;  ///< number of this component's late pages
  };

  /// For create() alone.
  WorkerComponent(const JobPlan& plan, Wiring wiring)
      : plan_(plan), wiring_(std::move(wiring)), name_("worker " + std::to_string(wiring_.index)) {}

  /// Operators of all aggregates, their valves with a channel per split. `plan` outlives it.
  static Result<std::unique_ptr<WorkerComponent>> create(const JobPlan& plan, Wiring wiring);
  /// Loads this worker's key groups, its operators' watermarks and counters and the splits' watermarks from the
  /// last epoch; groups behind the first 16 MiB stay in the store, where they may. Before the first step.
  Status restore(const std::vector<OperatorRecord>& operators, const std::vector<SplitChange>& splits);

  /// The layout of one aggregate's results.
  const std::shared_ptr<const BatchLayout>& output_layout(size_t aggregate) const {
    return stages_[aggregate]->window->output_layout();
  }

  Result<Progress> step() override;
  Micros next_wake_us() const override;
  const std::string& name() const override { return name_; }

 private:
  Status add_stage(const AggregatePlan& aggregate);
  enum class Stages : uint8_t { all, chained };
  bool owes_results(Stages which) const;
  Status give_due();
  bool take_any(Status& status);
  bool take_entry(Status& status);
  Status process(size_t lane, LaneEntry entry);
  bool workers_have_room() const;
  /// The same of what workers send each other.
  bool take_result(Status& status);
  Status process_result(size_t lane, LaneEntry entry);
  Status pass_barriers();
  void on_progress(size_t worker, const ResultsProgress& progress);
  Status on_rows(const GroupedRows& rows);
  /// Rows that the operator did not apply, or not to all of their windows: by the aggregate's rule.
  Status take_late(WorkerStage& stage, const LateGroup& group);
  Status late_failure(const WorkerStage& stage, const LateGroup& group) const;
  void on_change(const SplitChange& change);
  /// Gives splits that this stage did not know a channel, where they are of one of its sources.
  void meet_split(WorkerStage& stage, SplitId split);
  void on_end_of_input();
  void end_when_done();
  /// Moves the watermarks of stages that have been idle for long enough.
  void advance_idle(bool& advanced);
  /// Once all that stands in the lanes has been read: lets all_idle decide about outputs that are idle, and follows
  /// the worker that has come furthest.
  void settle(bool& advanced);
  void tick(bool& advanced);
  void follow(WorkerStage& stage, std::optional<Micros> watermark, bool& advanced);
  void observe_idle(WorkerStage& stage);
  /// Its results are due from then on.
  void advance(WorkerStage& stage, Micros watermark, bool tell_others);
  void note_clock_back(const WorkerStage& stage, Micros now);
  Status send(WorkerStage& stage, std::vector<FiredRows> fired);
  void tell_readers(WorkerStage& stage);
  void restore_valve(WorkerStage& stage, Micros watermark, const std::vector<SplitChange>& splits);
  void note_holder(WorkerStage& stage, Micros age_us = 0) const;
  void restore_holder(WorkerStage& stage, const OperatorRecord& saved) const;
  std::pair<std::string, std::string> holder_name(const WorkerStage& stage) const;
  OperatorSeal seal_of(const WorkerStage& stage) const;
  Status restore_panes(WorkerStage& stage);
  bool is_memory_due() const noexcept;
  Status make_room();
  Status seal(uint64_t epoch);
  void answer_status();

  const JobPlan& plan_;
  Wiring wiring_;
  std::string name_;
  std::vector<std::unique_ptr<WorkerStage>> stages_;  // by operator number
  std::vector<bool> at_barrier_;                      // by ingest lane
  size_t lanes_at_barrier_ = 0;
  uint64_t barrier_epoch_ = 0;
  ResultBarriers barriers_;
  bool has_begun_ = false;
  int portions_ = 0;  // given in this step
  size_t ended_inputs_ = 0;
  bool has_ended_ = false;
  size_t next_lane_ = 0;
  size_t next_result_lane_ = 0;
  size_t rows_unmeasured_ = 0;      // that came since memory was looked at
  bool has_left_ = false;           // memory was short, and groups have left it
  std::vector<InputCounters> fed_;  // by operator: rows that results gave
  uint64_t last_answered_ = 0;      // of the status board
  Applied applied_;                 // scratch of on_rows()
  std::unique_ptr<LatePageWriter> late_pages_;
};

}  // namespace tidemark::core
