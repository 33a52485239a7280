// SPDX-License-Identifier: Apache-2.0
//
// What travels to the committer: results and watermarks from workers, and both sides' parts of an epoch. Lanes
// keep the order, so everything in front of a Sealed entry belongs to its epoch. Values; moved, never copied.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

/// All results of `operator_id` for windows that end at or before `watermark` + 1 have been sent by this worker.
struct ResultsPassed {
  uint16_t operator_id = 0;
  Micros watermark = kNoTime;
};

/// The worker has fired everything: its input has ended.
struct WorkerEnded {};

/// One operator's figures at a barrier.
struct OperatorSeal {
  uint16_t operator_id = 0;
  Micros watermark = kNoTime;  ///< of event time
  Micros fired = kNoTime;      ///< windows have fired up to here: the wall clock where they go by processing time
  uint32_t first_group = 1;    ///< key groups [first, last] are the worker's; none when first > last
  uint32_t last_group = 0;
  Micros idle_age_us = 0;  ///< how long its input has been idle, where the watermark then follows the clock
  WindowCounters counters;
  InputCounters fed{};          ///< rows that the worker's results were for this operator, by this process
  std::string holder_source{};  ///< of the split that holds the watermark back, or the aggregate; empty = none
  std::string holder_split{};
  Micros holder_us = 0;  ///< for how long it has
};

/// A worker's part of an epoch.
struct WorkerSealed {
  uint64_t epoch = 0;
  EpochWrites writes;
  std::vector<OperatorSeal> operators;
  Micros held_us = 0;  ///< for which making it held back the worker's rows
};

/// An ingest core's part of an epoch: positions and set-aside rows.
struct IngestSealed {
  uint64_t epoch = 0;
  EpochWrites writes;
  uint64_t rows_read = 0;  ///< of this core's splits since the job's beginning, as the next two
  uint64_t rows_set_aside = 0;
  uint64_t rows_filtered = 0;
  std::vector<InputCounters> inputs{};  ///< by operator
};

using CommitEntry = std::variant<FiredRows, ResultsPassed, WorkerEnded, WorkerSealed, IngestSealed>;

}  // namespace tidemark::core
