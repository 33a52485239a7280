// SPDX-License-Identifier: Apache-2.0
//
// What state depends on, in words: window, keys, aggregates with their input types, the mode. Comments, sinks,
// intervals and the number of workers are left out on purpose: changing them keeps the state.
#include <fmt/format.h>

#include "core/plan/job_plan.hpp"

namespace tidemark::core {
namespace {

std::string column_text(const BatchLayout& layout, size_t index) {
  const ColumnInfo& column = layout.columns[index];
  if (!is_decimal(column.type)) return fmt::format("{} {}", column.name, type_name(column.type));
  return fmt::format("{} decimal({},{})", column.name, column.precision, column.scale);
}

const char* function_name(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::count_all:
      return "count";
    case AggregateFunction::count:
      return "count";
    case AggregateFunction::sum:
      return "sum";
    case AggregateFunction::min:
      return "min";
    case AggregateFunction::max:
      return "max";
    case AggregateFunction::avg:
      return "avg";
    case AggregateFunction::count_distinct:
      return "count_distinct";
  }
  return "?";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fingerprints(const JobPlan& plan) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const AggregatePlan& aggregate : plan.aggregates) {
    const AggregateSpec& spec = aggregate.spec;
    const BatchLayout& layout = plan.sources[aggregate.sources.front()].layout;
    std::string text =
        fmt::format("tumbling window of {}, lateness {}, mode {}; keys", format_duration(spec.window_size_us),
                    format_duration(spec.allowed_lateness_us), spec.changelog ? "changelog" : "append");
    for (const uint32_t key : spec.key_columns) text += " " + column_text(layout, key) + ",";
    text += " columns";
    for (const AggregateColumn& column : spec.columns) {
      text += fmt::format(" {}({}),", function_name(column.function),
                          column.input < 0 ? "" : column_text(layout, static_cast<size_t>(column.input)));
    }
    out.emplace_back("aggregate " + spec.id, text);
  }
  return out;
}

}  // namespace tidemark::core
