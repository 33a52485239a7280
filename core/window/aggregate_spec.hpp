// SPDX-License-Identifier: Apache-2.0
//
// What one [aggregates.<id>] computes, resolved to column numbers: keys, windows, when results are given, aggregates
// and input mode. Made by the plan, read by grouping and the window operator; a value, the same on every core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/column_type.hpp"

namespace tidemark::core {

enum class AggregateFunction : uint8_t {
  count_all,
  count,
  sum,
  min,
  max,
  avg,
  count_distinct,
  first,  ///< of the smallest (event time, value): the same in any order of arrival, and under retraction
  last,   ///< of the largest (event time, value)
  approx_count_distinct,
  quantile,
  top_k,  ///< the most frequent values, as a JSON array; equal frequencies in the order of the values
  var_pop,
  var_samp,
  stddev_pop,
  stddev_samp,
  bool_and,
  bool_or,
  string_agg,  ///< texts in their order, joined
};

/// As the job file spells it; "count" for both counts.
const char* function_name(AggregateFunction function) noexcept;

/// One computed column of an aggregate. Rows whose argument is NULL count in none of them but count_all.
struct AggregateColumn {
  std::string name;
  AggregateFunction function = AggregateFunction::count_all;
  int input = -1;           ///< index of the argument in the batch's columns; -1 for count()
  double fraction = 0.5;    ///< quantile: 0 to 1
  uint32_t limit = 0;       ///< top_k: how many values; string_agg: at most so many, 0 = all
  std::string separator{};  ///< string_agg
};

enum class WindowKind : uint8_t { tumbling, sliding, cumulative, session, global };

struct WindowSpec {
  WindowKind kind = WindowKind::tumbling;
  Micros size_us = 60 * kMicrosPerSecond;  ///< tumbling, sliding; cumulative: the largest
  Micros slide_us = 0;                     ///< sliding: from start to start; cumulative: from end to end
  Micros offset_us = 0;                    ///< of the starts, from the epoch (from local midnight in a zone)
  Micros gap_us = 0;                       ///< session: rows that are further apart are in different ones
  Micros max_size_us = 0;                  ///< session: none spans more between its first and last row; 0 = no limit
  std::string zone = "UTC";                ///< IANA name
  bool processing_time = false;            ///< by the clock at arrival instead of event time
};

/// When results are given before (early) or after (late) the window's end has passed.
enum class FiringRule : uint8_t {
  never,
  on_update,  ///< with every batch that changes a group
  every,      ///< at multiples of an interval, for groups that changed
  count,      ///< whenever so many rows have come to a group since its last result
};

struct Firing {
  FiringRule rule = FiringRule::never;
  Micros interval_us = 0;   ///< every
  bool event_time = false;  ///< every: of the watermark; false: of the wall clock
  uint32_t count = 0;       ///< count
};

/// Results at the window's end are always given; late ones only within allowed_lateness.
struct EmitSpec {
  Firing early;
  Firing late{FiringRule::on_update, 0, false, 0};
  bool purge = false;  ///< a result empties its groups: each result covers the rows since the last one
};

/// Rows that take away from a group what was never added to it (the job began mid-history).
enum class NoBase : uint8_t {
  set_aside,  ///< kept with their reason; groups that cannot be told are not emitted
  delta,      ///< applied: results may be negative
  fail,
};

/// What is kept of a group's results, beside its accumulators.
enum class KeptResult : uint8_t {
  none,      ///< a group has one result
  emission,  ///< which one came last, and whether it stands
  row,       ///< that row, too: aggregates that read the results take it back when the next one comes
};

/// An expression over window_start, window_end, keys and AggregateSpec::columns.
struct ResultColumn {
  std::string name;
  std::string expression;
};

struct AggregateSpec {
  std::string id;
  uint16_t operator_id = 0;           ///< number of the component in state; unique within a job
  std::vector<uint32_t> key_columns;  ///< indexes into the batch's columns; empty = one group for all
  std::vector<AggregateColumn> columns;
  WindowSpec window;
  EmitSpec emit;
  Micros allowed_lateness_us = 0;
  bool changelog = false;  ///< false: inserts only, other rows are filtered and counted
  NoBase no_base = NoBase::set_aside;
  std::string having;                  ///< a condition over the same names; empty: every group has a result
  std::vector<ResultColumn> results;   ///< what results show behind the keys; empty: the columns as they are
  std::vector<std::string> key_names;  ///< of the keys in results; empty: the columns' names
  bool is_read = false;                ///< by other aggregates: results tell which rows they replace

  /// True where a group may have more than one result: results then say which one they are (kind, revision).
  bool can_fire_again() const noexcept {
    return emit.early.rule != FiringRule::never || allowed_lateness_us > 0 || window.kind == WindowKind::global;
  }
  /// True where a later result of a group takes the place of an earlier one.
  bool replaces_results() const noexcept { return can_fire_again() && !emit.purge; }
  KeptResult kept_result() const noexcept {
    if (!can_fire_again()) return KeptResult::none;
    return is_read && replaces_results() ? KeptResult::row : KeptResult::emission;
  }
};

}  // namespace tidemark::core
