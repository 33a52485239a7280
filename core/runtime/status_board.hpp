// SPDX-License-Identifier: Apache-2.0
//
// StatusBoard: where the components of a running job put their figures for whoever asks. Nothing is written unless
// somebody asked: a request raises a number that each component compares at its steps (one relaxed load), and a
// component that sees a new one publishes its part.
//
// Publishing: each component its own part, on its thread. Asking: any thread, also several at once. One lock, held
// for moving a part in and for copying all of them out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "core/plan/job_plan.hpp"
#include "core/runtime/job_status.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

/// One ingest core's part.
struct IngestFigures {
  std::vector<SplitView> splits;
  std::vector<InputCounters> inputs;  ///< by operator
};

/// One worker's part of one aggregate.
struct WorkerFigures {
  Micros watermark = kNoTime;  ///< of its input
  bool all_idle = false;
  std::optional<uint32_t> holder;   ///< a split
  std::optional<uint32_t> held_by;  ///< an aggregate
  Micros holder_us = 0;
  InputCounters fed{};  ///< rows that this worker's results of other aggregates were, by this process
  uint32_t catching_up = 0;
  std::vector<Micros> open_windows;  ///< ends of panes that have not fired, ascending
  bool waits_for_sinks = false;      ///< its results are not taken: the committer is behind
  uint64_t state_bytes = 0;
  uint64_t rows_aggregated = 0;
  uint64_t rows_late = 0;
  uint64_t rows_set_aside = 0;  ///< by the worker
  uint64_t results = 0;
  LengthHistogram late_by;
};

struct SinkFigures {
  uint64_t results = 0;
  uint64_t refused = 0;
  std::string failure;
};

struct CommitterFigures {
  EpochView epochs;
  std::vector<SinkFigures> sinks;  ///< by plan index
};

class StatusBoard {
 public:
  struct Figures {
    std::vector<IngestFigures> ingest;                ///< by core
    std::vector<std::vector<WorkerFigures>> workers;  ///< by core, then operator
    CommitterFigures committer;
  };

  explicit StatusBoard(uint32_t cores);

  /// The newest request; 0 = nobody has asked yet.
  uint64_t requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  /// The answer to `request`.
  void publish_ingest(uint32_t core, uint64_t request, IngestFigures figures);
  void publish_worker(uint32_t core, uint64_t request, std::vector<WorkerFigures> aggregates);
  void publish_committer(uint64_t request, CommitterFigures figures);

  /// Asks, wakes the components with `wake` and waits for all of them, at most `patience_us`: a component that is
  /// busy that long shows what it said last.
  Figures take(const std::function<void()>& wake, Micros patience_us);

 private:
  template <typename Place, typename Value>
  void publish(size_t part, uint64_t request, Place place, Value value);

  std::atomic<uint64_t> requested_{0};
  std::mutex mutex_;
  std::condition_variable answered_all_;
  std::vector<uint64_t> answered_;  // by part: ingest cores, workers, the committer
  Figures figures_;
};

/// A running job out of its components' figures at wall time `wall_us`.
JobStatus assemble_status(const JobPlan& plan, StatusBoard::Figures figures, Micros wall_us);

}  // namespace tidemark::core
