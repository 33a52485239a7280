// SPDX-License-Identifier: Apache-2.0
//
// What state depends on, in words: window, keys, aggregates with their input types, the mode, where event time comes
// from, and what a sink's file already holds. Comments, bounds, intervals, options of plugins and the number of workers
// are left out on purpose: changing them keeps the state.
#include <fmt/format.h>

#include "core/expression/expression.hpp"
#include "core/expression/tokenizer.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {
namespace {

std::string column_text(const BatchLayout& layout, size_t index) {
  const ColumnInfo& column = layout.columns[index];
  if (!is_decimal(column.type)) return fmt::format("{} {}", column.name, type_name(column.type));
  return fmt::format("{} decimal({},{})", column.name, column.precision, column.scale);
}

// An expression with the types of what it reads: a column of another type gives other times.
std::string expression_text(const BatchLayout& layout, const std::string& expression) {
  std::string text = canonical_expression(expression);
  const auto compiled = Expression::compile(expression, layout.columns, ExpressionUse::event_time);
  const auto* read = std::get_if<Expression>(&compiled);
  if (read == nullptr || read->columns().empty()) return text;
  text += " of";
  for (const uint32_t column : read->columns()) text += " " + column_text(layout, column) + ",";
  text.pop_back();
  return text;
}

std::string source_text(const SourcePlan& source) {
  std::string event_time = source.source_time == SourceTime::header ? "$header_time" : "$commit_time";
  if (!source.event_time_expression.empty()) {
    event_time = expression_text(source.layout, source.event_time_expression);
  } else if (source.event_time_column >= 0) {
    event_time = column_text(source.layout, static_cast<size_t>(source.event_time_column));
  }
  return fmt::format("{}, mode {}, event time {}", source.plugin, source.changelog ? "changelog" : "append",
                     event_time);
}

// A file goes on in the format and with the columns that it began with.
std::string sink_text(const JobPlan& plan, const SinkPlan& sink) {
  const char* format = sink.kind != SinkKind::file ? "stdout" : sink.format == FileFormat::csv ? "csv" : "ndjson";
  const AggregatePlan& aggregate = plan.aggregates[sink.aggregate];
  const BatchLayout& layout = plan.sources[aggregate.sources.front()].layout;
  std::string text = fmt::format("{} of {}; columns", format, aggregate.spec.id);
  for (const uint32_t key : aggregate.spec.key_columns) text += fmt::format(" {},", layout.columns[key].name);
  for (const AggregateColumn& column : aggregate.spec.columns) text += fmt::format(" {},", column.name);
  text.pop_back();
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fingerprints(const JobPlan& plan) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const AggregatePlan& aggregate : plan.aggregates) {
    const AggregateSpec& spec = aggregate.spec;
    const BatchLayout& layout = plan.sources[aggregate.sources.front()].layout;
    std::string text =
        fmt::format("tumbling window of {}, lateness {}, mode {}; keys", format_duration(spec.window.size_us),
                    format_duration(spec.allowed_lateness_us), spec.changelog ? "changelog" : "append");
    for (const uint32_t key : spec.key_columns) text += " " + column_text(layout, key) + ",";
    if (spec.key_columns.empty()) text += " none,";
    text += " columns";
    for (const AggregateColumn& column : spec.columns) {
      text += fmt::format(" {}({}),", function_name(column.function),
                          column.input < 0 ? "" : column_text(layout, static_cast<size_t>(column.input)));
    }
    text.pop_back();
    out.emplace_back("aggregate " + spec.id, text);
  }
  for (const SourcePlan& source : plan.sources) out.emplace_back("source " + source.id, source_text(source));
  for (const SinkPlan& sink : plan.sinks)
    out.emplace_back(std::string(kSinkComponent) + sink.id, sink_text(plan, sink));
  return out;
}

}  // namespace tidemark::core
