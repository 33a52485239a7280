// SPDX-License-Identifier: Apache-2.0
//
// The small records of an epoch: where each split stands, what each operator has counted, which job this is, and
// the epoch itself. Binary, with kind, version and checksum, so that damage and records of a newer program are
// errors and never other values. Values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/event_time/split_progress.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

/// A TRUNCATE that takes kept rows out of a split: what its deletes have of it.
struct Truncation {
  std::string database;  ///< empty: of all
  std::string table;     ///< empty: all of the database
  std::string gtid;
  std::string file;
  uint64_t position = 0;
  uint64_t schema_version = 0;
  Micros commit_time_us = kNoTime;
  Micros event_time_us = kNoTime;  ///< the source's own
  uint64_t sequence = 0;           ///< of each of its deletes: they have no number of their own
  uint64_t rows = 0;               ///< taken out so far

  bool operator==(const Truncation&) const = default;
};

/// Family::sources: one split of a source.
struct SplitRecord {
  std::string split;
  std::string source;
  std::string position;         ///< the plugin's, opaque
  SplitProgressState progress;  ///< watermark, idleness and their ages (decision 9 of the semantics)
  uint64_t rows_read = 0;
  uint64_t rows_set_aside = 0;
  uint64_t rows_filtered = 0;
  uint64_t rows_truncated = 0;             ///< of rows_read: deletes that TRUNCATEs stand for
  std::optional<Truncation> truncation{};  ///< under way: it goes on before the split is read further

  bool operator==(const SplitRecord&) const = default;
};

/// What became of an aggregate's rows before they were grouped. Every row that its sources delivered is filtered, set
/// aside, or in one of WindowCounters' numbers.
struct InputCounters {
  uint64_t rows_in = 0;
  uint64_t rows_filtered = 0;        ///< by the source's mode, by conditions, or in no window
  uint64_t rows_set_aside = 0;       ///< by the source or the aggregate
  uint64_t rows_not_computable = 0;  ///< of these, those that the aggregate could not compute

  void add(const InputCounters& other) noexcept {
    rows_in += other.rows_in;
    rows_filtered += other.rows_filtered;
    rows_set_aside += other.rows_set_aside;
    rows_not_computable += other.rows_not_computable;
  }
};

/// Up to where the worker that owned key groups [first, last] had fired.
struct FiredRange {
  uint16_t first = 0;
  uint16_t last = 0;
  Micros fired = kNoTime;

  bool operator==(const FiredRange&) const = default;
};

/// Family::meta, operator_key(): one aggregate, all its workers together.
struct OperatorRecord {
  uint16_t operator_id = 0;
  std::string aggregate;
  Micros watermark = kNoTime;  ///< of event time
  WindowCounters counters;
  InputCounters input{};
  Micros idle_age_us = 0;       ///< how long all input had been idle (all_idle = advance)
  Micros fired = kNoTime;       ///< every worker had fired up to here; behind `watermark` where one was behind, and the
                                ///< wall clock where windows go by processing time
  std::string holder_source{};  ///< of the split that held the watermark back, or the aggregate; empty = none
  std::string holder_split{};
  Micros holder_us = 0;                    ///< for how long it had
  std::vector<FiredRange> fired_ranges{};  ///< of the workers that owned key groups; empty in earlier versions' states
};

/// Family::meta, kMetaJob: what the state belongs to.
struct JobRecord {
  std::string job;
  std::vector<std::pair<std::string, std::string>> fingerprints;  ///< component -> what its state depends on
  uint32_t format_version = 1;
  uint64_t hash_seed = 0;

  bool operator==(const JobRecord&) const = default;
};

/// Family::meta, kMetaEpoch: the epoch that is in the store.
struct EpochRecord {
  uint64_t epoch = 0;
  Micros wall_us = kNoTime;
  bool finished = false;  ///< all input had ended
  uint64_t rows_read = 0;
  uint64_t rows_aggregated = 0;  ///< over all aggregates, as rows_late and the next
  uint64_t rows_late = 0;
  uint64_t rows_set_aside = 0;
  uint64_t rows_filtered = 0;
  uint64_t results = 0;
  uint64_t groups_without_base = 0;

  bool operator==(const EpochRecord&) const = default;
};

std::string encode(const SplitRecord& record);
std::string encode(const OperatorRecord& record);
std::string encode(const JobRecord& record);
std::string encode(const EpochRecord& record);

Result<SplitRecord> decode_split_record(std::string_view bytes);
Result<OperatorRecord> decode_operator_record(std::string_view bytes);
Result<JobRecord> decode_job_record(std::string_view bytes);
Result<EpochRecord> decode_epoch_record(std::string_view bytes);

}  // namespace tidemark::core
