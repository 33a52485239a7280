// SPDX-License-Identifier: Apache-2.0
//
// JobGraph: all components of a job and the lanes between them, built from a plan, opened sources, sinks and a
// store; restored from the last epoch. It has no threads: the job runner turns it with core threads, the
// simulator by itself. Owns everything but the sources, the store, the clock
// and the counters, which outlive it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/base/clock.hpp"
#include "core/exchange/lane.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/ingest/reader.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/alignment_board.hpp"
#include "core/runtime/committer_component.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/enumerator_component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/ingest_component.hpp"
#include "core/runtime/job_counters.hpp"
#include "core/runtime/split_table.hpp"
#include "core/runtime/status_board.hpp"
#include "core/runtime/worker_component.hpp"

namespace tidemark::core {

/// How much may be in flight between components, at most: less where the job's memory says so.
struct GraphLimits {
  size_t lane_rows = size_t{32} * kBatchRows;         ///< an ingest core's rows to one worker
  size_t result_lane_rows = size_t{64} * kBatchRows;  ///< one worker's results, and as many that wait for other workers
  size_t pool_bytes_min = 8 << 20;                    ///< a reader's batches, where the job's memory would give less
};

class JobGraph {
 public:
  struct Inputs {
    std::vector<Source*> sources;              ///< by plan index
    std::vector<std::unique_ptr<Sink>> sinks;  ///< by plan index
    EpochStore* store = nullptr;
    const Clock* clock = nullptr;
    JobCounters* counters = nullptr;
    std::function<void(uint32_t core)> wake_core;  ///< may be empty, as the next
    std::function<void()> wake_committer;
    std::function<void()> wake_enumerator;
    std::function<void(uint32_t reader, std::string_view name, double value)> metric;  ///< a figure of a reader
    bool leave_out_missing = false;      ///< splits that were read before and are not there any more
    CheckpointKeeper* keeper = nullptr;  ///< null: no checkpoints are retained
    GraphLimits limits{};
  };

  /// An empty graph; use create().
  JobGraph(const JobPlan& plan, Inputs inputs);
  /// Discovers splits, opens readers and sinks and restores state. `plan` must outlive the graph.
  static Result<std::unique_ptr<JobGraph>> create(const JobPlan& plan, Inputs inputs);
  ~JobGraph();

  uint32_t cores() const noexcept { return plan_.cores; }
  /// Makes waits inside readers return soon. Any thread.
  void wake_readers() noexcept;
  /// The components of one core, in the order of the data.
  std::vector<Component*> components_of(uint32_t core);
  CommitterComponent& committer() { return *committer_; }
  /// Looks for new splits while the job runs; null where no source has any. Has a thread of its own.
  EnumeratorComponent* enumerator() { return enumerator_.get(); }
  EpochCoordinator& coordinator() { return *coordinator_; }
  const SplitTable& splits() const noexcept { return splits_; }
  /// How the running job stands: asks every component and waits at most `patience_us` for the busy ones. What only
  /// the process knows (pid, version, start) is left to the caller. Any thread, while the graph lives.
  JobStatus status(Micros patience_us);
  /// How splits stand in their alignment groups.
  const AlignmentBoard& alignment() const { return *alignment_; }
  /// The epoch that the job was restored from; 0 = it began anew.
  uint64_t restored_epoch() const noexcept { return restored_.epoch; }
  /// All input had ended by then: there is nothing left to do.
  bool was_finished() const noexcept { return restored_.finished; }

 private:
  Status check_job_record();
  Status discover_splits();
  void place();
  size_t owning_cores() const;
  size_t lane_rows() const;
  size_t result_rows() const;
  void build_lanes();
  Status build_components();
  Status open_readers();
  Result<OpenedReader> open_reader(uint32_t source, uint32_t core);
  void build_enumerator(std::vector<std::vector<bool>> readers);
  void explain_alignment() const;
  Status restore();
  bool has_more_splits() const;
  bool has_split(const std::function<bool(const SplitInfo&)>& is_wanted) const;
  void wake_core(uint32_t core) const;
  void wake_cores() const;

  const JobPlan& plan_;
  Inputs inputs_;
  EpochRecord restored_;
  LeftOutSplits left_out_;
  SplitTable splits_;
  std::vector<std::optional<SplitRecord>> saved_splits_;  // by split; of those found at the start
  std::vector<InputCounters> saved_inputs_;               // by operator; empty at a first start
  std::vector<bool> complete_;                            // by source: no splits will come later
  size_t pool_bytes_ = 0;                                 // of each reader
  std::vector<KeyGroupRange> ranges_;                     // by worker
  KeyGroupOwners owners_{};
  std::unique_ptr<StatusBoard> board_;
  std::unique_ptr<SharedWatermarks> shared_watermarks_;
  std::unique_ptr<EpochCoordinator> coordinator_;
  std::unique_ptr<AlignmentBoard> alignment_;
  std::vector<std::unique_ptr<Lane<LaneEntry>>> lanes_;        // [ingest * cores + worker]
  std::vector<std::unique_ptr<Lane<LaneEntry>>> stage_lanes_;  // [from worker * cores + to worker]; may be empty
  std::vector<std::unique_ptr<Lane<CommitEntry>>> ingest_lanes_;
  std::vector<std::unique_ptr<Lane<CommitEntry>>> worker_lanes_;
  std::vector<std::unique_ptr<WorkerComponent>> workers_;
  std::unique_ptr<CommitterComponent> committer_;
  std::vector<std::unique_ptr<Lane<SplitNews>>> news_lanes_;  // by core; empty without an enumerator
  std::vector<std::unique_ptr<IngestComponent>> ingests_;     // last: readers go first
  std::unique_ptr<EnumeratorComponent> enumerator_;
};

}  // namespace tidemark::core
