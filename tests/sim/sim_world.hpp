// SPDX-License-Identifier: Apache-2.0
//
// SimWorld: a job of production components in virtual time on one thread: scripted sources, the real ingest,
// worker and committer components over a JobGraph, a memory store, sinks that outlive crashes. A crash destroys
// the graph at any step (or inside a commit) and starts it anew from the store and from what is left of the
// sinks, perhaps on another number of cores. Invariants are checked after every step and every epoch; the first
// breach ends the run and is in failure(). Everything follows from the seed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/job_counters.hpp"
#include "core/runtime/job_graph.hpp"
#include "tests/sim/epoch_audit.hpp"
#include "tests/sim/script_facts.hpp"
#include "tests/sim/scripted_source.hpp"
#include "tests/sim/sim_clock.hpp"
#include "tests/sim/sim_job.hpp"
#include "tests/sim/sim_random.hpp"
#include "tests/sim/sim_scheduler.hpp"
#include "tests/sim/sim_sink.hpp"
#include "tests/sim/sim_store.hpp"
#include "tests/sim/valve_watch.hpp"

namespace tidemark::test {

struct SimOptions {
  uint64_t seed = 1;
  std::vector<uint32_t> cores{1};     ///< by process; the last one for all further
  uint32_t crashes = 0;               ///< at random moments
  uint32_t stops = 0;                 ///< asked for at random moments; the job is resumed
  uint32_t steps_to_restart = 300;    ///< about how many steps lie between two restarts
  core::Micros step_cost_us_max = 0;  ///< virtual time that a step takes at most
  bool stalls = false;                ///< random components are held for up to 5 s now and then
  uint32_t batch_rows_max = 16;
  bool one_batch_per_poll = false;
  core::GraphLimits limits{};
  uint64_t panes_bytes_max = 0;  ///< each process has up to this for its groups; 0 = more than they ever need
  std::optional<core::Family> store_forgets{};  ///< a planted fault
};

class SimWorld {
 public:
  SimWorld(SimJob job, SimOptions options);
  ~SimWorld();

  /// Runs until all input has ended and is committed (or until the first failure).
  void run_to_end();
  /// Runs until virtual time `until`.
  void run_until(core::Micros until);
  /// The process dies now; the next step starts another one.
  void crash();
  /// Asks the job to stop and runs until it has; the next step resumes it.
  void stop();

  bool ended() const noexcept { return ended_; }
  /// The first breach of an invariant, with the seed; empty = none.
  const std::string& failure() const noexcept { return failure_; }
  const std::vector<std::string>& lines(size_t sink) const { return contents_[sink]->lines; }
  /// Rows in the late store.
  std::vector<core::LateItem> late() const { return late_items(*store_); }
  const core::JobCounters& counters() const { return *counters_; }
  const EpochAudit& audit() const noexcept { return audit_; }
  const ValveWatch& watch() const noexcept { return watch_; }
  uint64_t steps() const noexcept { return steps_; }
  SimScheduler& scheduler() noexcept { return scheduler_; }
  /// Of the process that runs; start() it before.
  const core::JobGraph& graph() const { return *graph_; }
  core::JobGraph& graph() { return *graph_; }
  /// How far each split was read.
  std::string describe_sources() const;
  SimClock& clock() noexcept { return clock_; }
  const SimJob& job() const noexcept { return job_; }
  /// Processes that continued from a committed epoch.
  uint32_t resumes() const noexcept { return resumes_; }
  /// Pages that went to the store ahead of their epoch.
  uint64_t written_ahead() const noexcept { return written_ahead_ + store_->written_ahead; }
  /// Starts the process if none runs: for looks at what a restart restored.
  void start();

 private:
  bool step();  // one step, or a move of the clock; false: nothing will ever happen again
  void run_component(core::Component& component);
  bool sleep_until(core::Micros until);
  void disturb();
  void destroy();
  void end_process();
  void check_step();
  void begin_watch();
  void fail(const std::string& what);

  SimJob job_;
  SimOptions options_;
  SimRandom random_;
  SimClock clock_;
  SimScheduler scheduler_;
  EpochAudit audit_;
  ScriptFacts facts_;
  ValveWatch watch_;
  bool watched_ = false;
  std::unique_ptr<SimStore> store_;
  std::vector<std::shared_ptr<SinkContent>> contents_;
  std::vector<std::unique_ptr<ScriptedSource>> sources_;
  std::unique_ptr<core::JobCounters> counters_;
  std::unique_ptr<core::JobGraph> graph_;
  core::Micros watermark_ = core::kNoTime;  // of this process
  uint32_t processes_ = 0;
  uint32_t resumes_ = 0;
  uint64_t written_ahead_ = 0;  // by earlier processes
  uint64_t steps_at_this_time_ = 0;
  uint64_t sleeps_in_vain_ = 0;  // in a row, with nothing left that time could bring
  uint64_t rows_at_sleep_ = 0;
  uint64_t steps_ = 0;
  bool ended_ = false;
  std::string failure_;
};

}  // namespace tidemark::test
