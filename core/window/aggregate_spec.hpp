// SPDX-License-Identifier: Apache-2.0
//
// What one [aggregates.<id>] computes, resolved to column numbers: keys, window, aggregates and input mode. Made
// by the plan, read by grouping and the window operator; a value, the same on every core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/column_type.hpp"

namespace tidemark::core {

enum class AggregateFunction : uint8_t { count_all, count, sum, min, max, avg, count_distinct };

/// As the job file spells it; "count" for both counts.
const char* function_name(AggregateFunction function) noexcept;

/// One output column of an aggregate.
struct AggregateColumn {
  std::string name;
  AggregateFunction function = AggregateFunction::count_all;
  int input = -1;  ///< index of the argument in the batch's columns; -1 for count()
};

struct AggregateSpec {
  std::string id;
  uint16_t operator_id = 0;           ///< number of the component in state; unique within a job
  std::vector<uint32_t> key_columns;  ///< indexes into the batch's columns; empty = one group for all
  std::vector<AggregateColumn> columns;
  Micros window_size_us = 60 * kMicrosPerSecond;  ///< tumbling
  Micros allowed_lateness_us = 0;
  bool changelog = false;  ///< false: inserts only, other rows are filtered and counted
};

}  // namespace tidemark::core
