// SPDX-License-Identifier: Apache-2.0
//
// What travels in lanes. Ingest to worker: rows, changes of splits, barriers, the end. Worker to worker, where
// aggregates read aggregates: rows, how far their results are, barriers. Each entry is ordered after the rows it
// covers. Worker and ingest to the committer live in core/runtime, since they carry state. Values; moved, never copied.
#pragma once

#include <cstdint>
#include <variant>

#include "core/base/time.hpp"
#include "core/event_time/split_change.hpp"
#include "core/window/grouped_rows.hpp"

namespace tidemark::core {

/// Everything before it belongs to epoch `epoch`, everything after it to the next.
struct Barrier {
  uint64_t epoch = 0;
};

/// No more entries of this ingest core but barriers: all its splits are finished.
struct EndOfInput {};

/// The sending worker has given all results of an aggregate for windows whose last instant is not after `watermark`.
struct ResultsProgress {
  uint16_t operator_id = 0;
  Micros watermark = kNoTime;
  bool idle = false;  ///< nothing that comes to it holds its watermark back

  bool operator==(const ResultsProgress&) const = default;
};

using LaneEntry = std::variant<GroupedRows, SplitChange, Barrier, EndOfInput, ResultsProgress>;

}  // namespace tidemark::core
