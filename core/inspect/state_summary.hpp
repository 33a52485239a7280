// SPDX-License-Identifier: Apache-2.0
//
// What is in a state, without what its values mean: the epoch, how far each split was read, the panes of each
// aggregate, late rows, what sinks have, and how much room all of it takes. Needs no job file: records and keys of
// pages say it. Reads the store, changes nothing; one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/inspect/page_groups.hpp"
#include "core/late/late_reader.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

struct SplitSummary {
  SplitRecord record;
  bool is_left_out = false;  ///< not there when the job last started; windows still have its rows
};

struct PaneSummary {
  Micros end = 0;  ///< of sessions: of all that end up to here
  uint32_t key_groups = 0;
  PageTotals base;
  PageTotals delta;
  PageTotals addend;      ///< to be added: groups that were not in memory
  bool is_fired = false;  ///< the result at its end was given; it is kept for late rows
};

struct AggregateSummary {
  OperatorRecord record;
  std::vector<PaneSummary> panes;  ///< ascending by end
};

/// What an epoch has of a sink, or of results that wait for slower workers.
struct SinkSummary {
  std::string name;
  std::string kind;  ///< "file or stdout", "mysql"; "" where results wait
  uint64_t rows = 0;
  uint64_t file_bytes = 0;    ///< committed length
  uint64_t epoch = 0;         ///< mysql: the last one that had results
  uint64_t stored_bytes = 0;  ///< of the entry
};

struct StateSummary {
  std::string job;
  EpochRecord epoch;
  std::vector<SplitSummary> splits;
  std::vector<AggregateSummary> aggregates;
  LateSummary late;
  std::vector<SinkSummary> sinks;
};

/// Code::state when there is no epoch yet, Code::damage when something is damaged.
Result<EpochRecord> read_epoch(EpochStore& store);
/// Ascending by source and split, with those that the job goes on without.
Result<std::vector<SplitSummary>> read_splits(EpochStore& store);
/// Ascending by operator.
Result<std::vector<OperatorRecord>> read_operators(EpochStore& store);
Result<StateSummary> summarise(EpochStore& store);

struct FamilySize {
  Family family = Family::meta;
  uint64_t entries = 0;
  uint64_t bytes = 0;  ///< keys and values as they were given, before the store packs them
};

struct AggregateSize {
  std::string aggregate;
  uint64_t panes = 0;
  uint64_t page_groups = 0;  ///< (pane, key group)
  uint64_t entries = 0;      ///< groups that are left when deltas are applied; of sessions, pieces and results too
  PageTotals base;
  PageTotals delta;
  PageTotals addend;
};

/// Files of one kind on disk.
struct FileTotals {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

struct StateSize {
  std::vector<FamilySize> families;
  std::vector<AggregateSize> aggregates;
  std::map<std::string, FileTotals> files;  ///< "tables", "write-ahead logs", "other"
};

/// Reads all of it. `folder`: the store's files.
Result<StateSize> measure(EpochStore& store, const std::filesystem::path& folder);

}  // namespace tidemark::core
