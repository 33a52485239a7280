// SPDX-License-Identifier: Apache-2.0
//
// The naive reference: event-time windows with fixed bounds, groups and exact aggregates over rows in memory, written
// from the semantics text alone and sharing no code with core/window or core/exchange. One entry point computes what is
// left at the end; the other takes rows and job watermarks in order and says which rows are late and which results fire
// when. Slow on purpose; throws std::invalid_argument on a bad test. One thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::test {

/// NULL or a text. Numbers are decimal texts ("-12.50"), never floating point.
using OracleCell = std::optional<std::string>;

enum class OracleOp : uint8_t { insert, erase, update_before, update_after };

struct OracleRow {
  uint32_t split = 0;
  uint64_t sequence = 0;
  int64_t event_time = 0;  ///< microseconds; INT64_MIN = none: the row is set aside
  OracleOp op = OracleOp::insert;
  std::vector<OracleCell> keys;
  std::vector<OracleCell> measures;
  int64_t missed_until = INT64_MIN;  ///< it does not count in windows that end at or before this
};

enum class OracleFunction : uint8_t { count_all, count, sum, min, max, avg, count_distinct };

/// `scale` of the measure's column; kOracleText for texts (count, min, max and count_distinct only).
inline constexpr int kOracleText = -1;
struct OracleColumn {
  OracleFunction function = OracleFunction::count_all;
  size_t measure = 0;
  int scale = 0;
};

struct OracleJob {
  int64_t window_size_us = 60'000'000;
  int64_t window_slide_us = 0;  ///< from window to window; 0: as long as they are
  bool cumulative = false;      ///< windows of one size begin together and end a slide apart
  int64_t allowed_lateness_us = 0;
  bool changelog = false;  ///< false: inserts count, other rows are filtered
  std::vector<OracleColumn> columns;
};

/// Numbers with exactly the column's scale (avg: 4 digits more), NULL where SQL says NULL.
struct OracleResult {
  int64_t window_start = 0;
  int64_t window_end = 0;
  std::vector<OracleCell> keys;
  std::vector<OracleCell> values;

  friend auto operator<=>(const OracleResult&, const OracleResult&) = default;
};

struct OracleCounts {
  uint64_t aggregated = 0;  ///< in at least one window
  uint64_t filtered = 0;    ///< not an insert in append mode, or in no window
  uint64_t set_aside = 0;   ///< no event time
  uint64_t late = 0;
  uint64_t partly_late = 0;  ///< of the aggregated: late for some of their windows
  friend bool operator==(const OracleCounts&, const OracleCounts&) = default;
};

struct OracleFinal {
  std::vector<OracleResult> results;  ///< by (window_end, keys; NULL first)
  OracleCounts counts;
  uint64_t groups_without_base = 0;  ///< more taken away than ever added: no result
};

/// What is left when all rows count, in any order.
OracleFinal oracle_final(const OracleJob& job, const std::vector<OracleRow>& rows);

/// A row, or the job's watermark.
using OracleStep = std::variant<OracleRow, int64_t>;

struct OracleFiring {
  int64_t watermark = 0;
  bool removed = false;  ///< the group had a result and is gone; `values` is empty
  OracleResult result;
  friend bool operator==(const OracleFiring&, const OracleFiring&) = default;
};

struct OracleLate {
  size_t step = 0;  ///< index of the row's step
  int64_t watermark = 0;
  int64_t window_end = 0;
  friend bool operator==(const OracleLate&, const OracleLate&) = default;
};

struct OracleRun {
  std::vector<OracleFiring> firings;  ///< in order; of one watermark by (window_end, keys)
  std::vector<OracleLate> late;
  OracleCounts counts;
};

/// Fires on close: a window at the first watermark >= its end - 1, and again, for the groups touched, with each
/// row (each update as one) that is accepted after that. A row is late when end - 1 + lateness <= watermark.
OracleRun oracle_run(const OracleJob& job, const std::vector<OracleStep>& steps);

}  // namespace tidemark::test
