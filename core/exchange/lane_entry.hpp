// SPDX-License-Identifier: Apache-2.0
//
// What travels in lanes. Ingest to worker: rows, changes of splits, barriers, the end. Each entry is ordered
// after the rows it covers. Worker and ingest to the committer live in core/runtime, since they carry state.
// Values; moved, never copied.
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

using LaneEntry = std::variant<GroupedRows, SplitChange, Barrier, EndOfInput>;

}  // namespace tidemark::core
