// SPDX-License-Identifier: Apache-2.0
//
// CommitterComponent: the end of the dataflow. Merges the workers' results into their final order, writes them to
// the sinks, starts epochs, and makes an epoch durable: once every part has come, sinks are flushed, then
// positions, state, late rows and sink progress are one atomic write, then the sinks hear of it. A lane whose part of
// the epoch has come waits for the others, so nothing of the next epoch reaches a sink before this one is through. A
// sink that fails is tried again by its own terms; until it succeeds the epoch stays open, and no position moves.
// Runs on the committer's thread; it may block on disks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/exchange/lane.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/checkpoint_keeper.hpp"
#include "core/runtime/commit_entry.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/job_counters.hpp"
#include "core/runtime/result_merger.hpp"
#include "core/runtime/sink_attempts.hpp"
#include "core/runtime/status_board.hpp"
#include "core/sink/sink.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

class CommitterComponent final : public Component {
 public:
  struct OpenSink {
    std::string id;
    uint16_t operator_id = 0;
    std::unique_ptr<Sink> sink;
    uint64_t results = 0;  ///< written by this run
    uint64_t refused = 0;  ///< of them: by the target, and set aside
    SinkAttempts attempts{{}};
    std::string failure{};  ///< why it is being tried again; empty: it is not
    bool is_done = false;   ///< with the step of the epoch that all sinks have to take
  };
  struct Wiring {
    std::vector<Lane<CommitEntry>*> ingest{};   ///< one per ingest core
    std::vector<Lane<CommitEntry>*> workers{};  ///< one per worker
    EpochCoordinator* coordinator = nullptr;
    JobCounters* counters = nullptr;
    const Clock* clock = nullptr;
    EpochStore* store = nullptr;
    StatusBoard* board = nullptr;
    CheckpointKeeper* keeper = nullptr;  ///< null: nothing is retained
    size_t rows_ahead_max = SIZE_MAX;    ///< results of one worker that wait for others
  };

  CommitterComponent(const JobPlan& plan, Wiring wiring, std::vector<OpenSink> sinks);

  /// Opens the sinks at their last committed progress. `layouts`: of the results, by operator.
  Status open_sinks(const std::vector<std::shared_ptr<const BatchLayout>>& layouts);
  /// Of a job that has ended: what its last process may not have come to.
  Status finish_sinks();

  Result<Progress> step() override;
  Micros next_wake_us() const override;
  const std::string& name() const override { return name_; }

  /// The last epoch that this run made durable, with the job's totals. Read it when the job has ended.
  const EpochRecord& last_epoch() const noexcept { return committed_; }

  /// True once every input ended and its results are durable.
  bool finished() const noexcept { return finished_; }

 private:
  struct Input {
    Lane<CommitEntry>* lane;
    bool is_worker;
    uint32_t index;
    bool sealed = false;  // its part of the current epoch has come
  };

  bool is_far_ahead(const Input& input) const;
  bool take_entry(Input& input, Status& status);
  Status process(Input& input, CommitEntry entry);
  Status write_results();
  void show_watermark();
  void answer_status();
  void request_epoch_when_due();
  bool has_full_sink() const;
  void tell_of_slow_epoch();
  std::string what_epoch_waits_for() const;
  Status advance_epoch();
  Result<bool> take_sink_step(OpenSink& open);
  Result<bool> take_sink_steps();
  Status fail_sink(OpenSink& open, const Status& status);
  void store_refused(OpenSink& open);
  void record_operators();
  Status store_epoch();
  Status close_epoch();

  const JobPlan& plan_;
  Wiring wiring_;
  std::string name_ = "committer";
  Micros interval_us_;
  std::vector<OpenSink> sinks_;
  std::vector<ResultMerger> mergers_;    // by operator number
  std::vector<std::string> aggregates_;  // ids by operator number
  std::vector<Input> inputs_;
  size_t sealed_ = 0;
  size_t ended_workers_ = 0;
  uint64_t workers_ = 0;
  EpochWrites writes_;  // of the current epoch
  Micros held_us_ = 0;  // of the epoch in hand
  EpochRecord record_;  // of the current epoch
  EpochRecord committed_;
  std::vector<std::vector<OperatorSeal>> operators_;  // of the current epoch, by worker
  std::vector<InputCounters> inputs_counted_;         // of the current epoch, by operator number
  Micros last_epoch_us_;
  Micros requested_us_ = 0;  // when the open epoch was asked for
  EpochView epochs_;
  uint64_t last_answered_ = 0;  // of the status board
  LatePageWriter refused_;      // results that sinks refused
  enum class Step : uint8_t { flush, store, confirm, close };
  Step step_ = Step::flush;  // of the open epoch, once all parts have come
  bool epoch_open_ = false;
  bool slow_told_ = false;   // that it takes longer than it should
  bool last_epoch_ = false;  // the open epoch is the job's last
  bool finished_ = false;
};

}  // namespace tidemark::core
