// SPDX-License-Identifier: Apache-2.0
//
// What state depends on, in words: window, keys, aggregates with their input types, the mode, where event time comes
// from, and what a sink's file already holds. Comments, bounds, intervals, options of plugins and the number of workers
// are left out on purpose: changing them keeps the state.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

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

// Kept rows are read again only where they hold the same columns, and all that were counted since the beginning.
std::string kept_text(const SourcePlan& source) {
  if (!source.keeps.any()) return {};
  std::string text = ", keeps rows by";
  for (const uint32_t column : source.keeps.key) text += " " + source.layout.columns[column].name + ",";
  text.back() = ':';
  for (uint32_t column = 0; column < source.layout.delivered(); ++column) {
    text += " " + column_text(source.layout, column) + ",";
  }
  text.pop_back();
  if (source.keeps.truncates) text += "; applies truncates";
  if (source.keeps.partial_images) text += "; completes images";
  return text;
}

std::string source_text(const SourcePlan& source) {
  std::string event_time = source.source_time == SourceTime::header ? "$header_time" : "$commit_time";
  if (!source.event_time_expression.empty()) {
    event_time = expression_text(source.layout, source.event_time_expression);
  } else if (source.event_time_column >= 0) {
    event_time = column_text(source.layout, static_cast<size_t>(source.event_time_column));
  }
  if (source.zones.zone != "UTC") event_time += " in " + source.zones.zone;
  for (const auto& one : source.zones.overrides) event_time += fmt::format(" ({} in {})", one.shards, one.zone);
  return fmt::format("{}, mode {}, event time {}{}", source.plugin, source.changelog ? "changelog" : "append",
                     event_time, kept_text(source));
}

/// " region, orders, amount"
std::string result_names(const AggregateSpec& spec) {
  std::string text;
  for (const std::string& key : spec.key_names) text += fmt::format(" {},", key);
  for (const AggregateColumn& column : spec.columns) {
    if (spec.results.empty()) text += fmt::format(" {},", column.name);
  }
  for (const ResultColumn& column : spec.results) text += fmt::format(" {},", column.name);
  text.pop_back();
  return text;
}

// What a sink writes to, as far as what it holds depends on it.
std::string target_text(const SinkPlan& sink) {
  switch (sink.kind) {
    case SinkKind::file:
      return sink.format == FileFormat::csv ? "csv" : "ndjson";
    case SinkKind::mysql:
      return fmt::format("mysql table {} by key {}", sink.mysql.table, fmt::join(sink.mysql.key, ", "));
    case SinkKind::standard_output:
      break;
  }
  return "stdout";
}

// A file goes on in the format, and a table by the key, and both with the columns that they began with.
std::string sink_text(const JobPlan& plan, const SinkPlan& sink) {
  const AggregatePlan& aggregate = plan.aggregates[sink.aggregate];
  return fmt::format("{} of {}; columns{}", target_text(sink), aggregate.spec.id, result_names(aggregate.spec));
}

// Lengths that a kind of window does not have are 0 and left out.
std::string window_text(const WindowSpec& window) {
  constexpr std::array<const char*, 5> kKinds = {"tumbling", "sliding", "cumulative", "session", "global"};
  std::string text = kKinds[static_cast<size_t>(window.kind)];
  text += " window";
  const auto add = [&text](const char* word, Micros length) {
    if (length != 0) text += fmt::format("{}{}", word, format_duration(length));
  };
  add(" of ", window.size_us);
  add(", slide ", window.slide_us);
  add(", offset ", window.offset_us);
  add(", gap ", window.gap_us);
  add(", max_size ", window.max_size_us);
  if (window.zone != "UTC") text += " in " + window.zone;
  if (window.processing_time) text += " of processing time";
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> fingerprints(const JobPlan& plan) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const AggregatePlan& aggregate : plan.aggregates) {
    const AggregateSpec& spec = aggregate.spec;
    std::string text = fmt::format("{}, lateness {}, mode {}", window_text(spec.window),
                                   format_duration(spec.allowed_lateness_us), spec.changelog ? "changelog" : "append");
    if (spec.can_fire_again()) text += ", results may be corrected";
    if (spec.emit.purge) text += ", purged by results";
    if (spec.kept_result() == KeptResult::row) text += ", results kept for aggregates that read them";
    for (const uint32_t read : aggregate.upstream) text += ", of results of " + plan.aggregates[read].spec.id;
    for (const std::string& condition : aggregate.conditions) text += ", where " + condition;
    text += "; keys";
    for (const std::string& key : aggregate.keys) text += " " + key + ",";
    if (aggregate.keys.empty()) text += " none,";
    text += " columns";
    for (size_t i = 0; i < spec.columns.size(); ++i) {
      const AggregateColumn& column = spec.columns[i];
      text += fmt::format(" {}({}", function_name(column.function), aggregate.arguments[i]);
      if (column.function == AggregateFunction::quantile) text += fmt::format("; {}", column.fraction);
      if (column.limit != 0) text += fmt::format("; {}", column.limit);
      text += "),";
    }
    text.pop_back();
    for (const ResultColumn& column : spec.results) text += fmt::format("; {} = {}", column.name, column.expression);
    if (aggregate.results) text += "; read as" + result_names(spec);  // readers' states go by names
    if (!spec.having.empty()) text += "; having " + canonical_expression(spec.having);
    out.emplace_back("aggregate " + spec.id, text);
  }
  for (const SourcePlan& source : plan.sources) out.emplace_back("source " + source.id, source_text(source));
  for (const SinkPlan& sink : plan.sinks)
    out.emplace_back(std::string(kSinkComponent) + sink.id, sink_text(plan, sink));
  return out;
}

}  // namespace tidemark::core
