// SPDX-License-Identifier: Apache-2.0
//
// JobStatus: the one status model of a job, running or stopped, from which metrics, the API, commands and pages all
// draw: every split with its state and why, every aggregate with who holds it back and what waits for that, sinks,
// epochs. A plain value taken at one moment; made from what the components publish (status_board.hpp), or from a
// stopped job's records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/event_time/split_status.hpp"
#include "core/runtime/length_histogram.hpp"

namespace tidemark::core {

/// What the job file says of the watermarks of a split's source, as far as a status has to explain them.
struct WatermarkTerms {
  std::string strategy;  ///< "bounded_out_of_orderness", ..., "plugin"; empty = not known
  Micros emit_interval_us = 0;
  Micros max_future_us = kEndOfTime;  ///< kEndOfTime = no limit
  bool catch_up = false;              ///< on_resume
  Micros advance_after_us = 0;        ///< with AllIdlePolicy::advance, as the next
  Micros advance_lag_us = 0;
};

struct SplitView {
  std::string source;
  std::string name;   ///< the shard
  uint32_t core = 0;  ///< that reads it
  SplitStatus status;
  uint64_t rows_read = 0;  ///< since the job began, as the next two
  uint64_t rows_set_aside = 0;
  uint64_t rows_filtered = 0;
  uint64_t rows_truncated = 0;     ///< of rows_read: deletes that TRUNCATEs stand for
  uint64_t rows_ahead = 0;         ///< further ahead of the clock than max_future allows, by this process
  std::string alignment_group;     ///< empty = none
  std::optional<Micros> drift_us;  ///< ahead of the group's slowest member
  WatermarkTerms terms{};
};

struct AggregateView {
  std::string id;
  std::vector<std::string> sources;
  std::vector<std::string> upstream;  ///< aggregates whose results it reads; then it has no sources
  Micros watermark = kNoTime;
  bool all_idle = false;           ///< no split takes part in the minimum
  std::optional<uint32_t> holder;  ///< number of the split that sets the minimum
  std::string held_by;             ///< the aggregate that does, of upstream; empty = none
  Micros holder_us = 0;            ///< for how long it has been the one
  uint32_t catching_up = 0;        ///< splits behind the watermark that it does not wait for (on_resume = catch_up)
  AllIdlePolicy all_idle_policy = AllIdlePolicy::hold;
  uint64_t open_windows = 0;         ///< that hold rows and have not fired
  Micros next_window_end = kNoTime;  ///< of the first of them
  uint64_t state_bytes = 0;          ///< in memory; of a stopped job: stored
  uint64_t rows_in = 0;              ///< that its inputs delivered since the job began; each is in one of the next five
  uint64_t rows_aggregated = 0;
  uint64_t rows_late = 0;
  bool drops_late = false;     ///< late rows are counted alone (late = "drop"), and not stored
  uint64_t rows_filtered = 0;  ///< by mode and conditions, or in no window
  uint64_t rows_set_aside = 0;
  uint64_t rows_in_flight = 0;  ///< delivered, and not judged yet
  uint64_t results = 0;
  LengthHistogram late_by;  ///< of this process's late rows

  /// True when the source is one of its inputs.
  bool reads(std::string_view source) const noexcept;
};

struct SinkView {
  std::string id;
  std::string aggregate;
  uint64_t results = 0;   ///< written by this process
  uint64_t refused = 0;   ///< of them: by the target, and set aside
  std::string failure{};  ///< why it is being tried again, and no epoch completes; empty: it is not
};

struct EpochView {
  uint64_t last = 0;  ///< 0 = none yet
  Micros committed_wall_us = kNoTime;
  Micros duration_us = 0;  ///< of the last one: from the request to its being durable
  uint64_t committed = 0;  ///< by this process
  LengthHistogram durations;
  Micros held_us = 0;                ///< for which the last one held back the rows of a worker, of all the longest
  LengthHistogram holds;             ///< the same of each
  uint64_t checkpoint_failures = 0;  ///< of retained ones, in this process
};

struct JobStatus {
  std::string job;
  std::string version;  ///< of the program
  bool running = false;
  bool as_of_epoch = false;  ///< read from the last epoch, and not the running job's own word
  bool finished = false;     ///< all input had ended
  int64_t pid = 0;           ///< of a running job
  Micros wall_us = kNoTime;
  Micros started_wall_us = kNoTime;  ///< the process
  Micros uptime_us = 0;              ///< of the process
  Micros watermark = kNoTime;        ///< how far the results of every aggregate are complete
  uint64_t rows_read = 0;            ///< since the job began, over all splits
  std::vector<SplitView> splits;     ///< by number
  std::vector<AggregateView> aggregates;
  std::vector<SinkView> sinks;
  EpochView epochs;

  /// True when it is not of this moment: lengths in it count up to wall_us, and not up to now.
  bool is_past() const noexcept { return as_of_epoch || !running; }
  /// The split of that number; null when there is none.
  const SplitView* find_split(uint32_t number) const noexcept;
  /// True when the split holds back any aggregate.
  bool is_holding(uint32_t number) const noexcept;
};

/// How far the wall clock is ahead of `watermark`; nothing before the first watermark and at the end of input.
std::optional<Micros> watermark_lag(Micros watermark, Micros wall_us) noexcept;

}  // namespace tidemark::core
