// SPDX-License-Identifier: Apache-2.0
//
// Sources that feed one aggregate deliver the same columns in the same order (a union), so the columns that any
// of a connected group of sources needs are projected from all of them.
#include "core/plan/plan_builder.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/expression/expression.hpp"

namespace tidemark::core {
namespace {

Status config_error(std::string text) {
  return {Code::config, std::move(text)};
}

// Sources joined by aggregates, as a number per source: equal numbers share a layout.
std::vector<uint32_t> shared_layouts(const config::JobSpec& spec) {
  std::vector<uint32_t> group(spec.sources.size());
  std::iota(group.begin(), group.end(), 0);
  for (const auto& aggregate : spec.aggregates) {
    std::set<uint32_t> joined;
    for (const auto& input : aggregate.inputs) {
      for (size_t i = 0; i < spec.sources.size(); ++i) {
        if (spec.sources[i].id.value == input.value) joined.insert(group[i]);
      }
    }
    if (joined.empty()) continue;
    for (uint32_t& number : group) {
      if (joined.count(number) != 0) number = *joined.begin();
    }
  }
  return group;
}

// Empty where the strategy does not look at markers.
std::string marker_of(const config::WatermarkSpec& watermark) {
  const config::WatermarkStrategy strategy = watermark.strategy.value;
  const bool looks = strategy == config::WatermarkStrategy::punctuated || strategy == config::WatermarkStrategy::plugin;
  return looks ? watermark.marker.value : std::string();
}

// What event times and markers of a source read. A name that is not there was found by the checks of the job.
Result<std::vector<std::string>> watermark_columns(const config::WatermarkSpec& watermark, const Schema& schema) {
  std::vector<std::string> names;
  const std::string& field = watermark.field.value;
  const bool computed = config::is_expression(field);
  if (!computed && !field.empty() && field.front() != '$') names.push_back(field);
  for (const std::string& text : {computed ? field : std::string(), marker_of(watermark)}) {
    if (text.empty()) continue;
    const auto compiled = Expression::compile(text, schema.columns, ExpressionUse::value);
    if (const auto* error = std::get_if<ExpressionError>(&compiled)) return expression_status(*error, text);
    for (const uint32_t column : std::get<Expression>(compiled).columns()) {
      names.push_back(schema.columns[column].name);
    }
  }
  return names;
}

// Names of the columns that sources of one shared layout must deliver, in order of first use: keys and arguments. A
// source's own event-time column comes behind them.
std::vector<std::string> needed_columns(const config::JobSpec& spec, const std::vector<uint32_t>& layouts,
                                        uint32_t layout) {
  std::vector<std::string> names;
  const auto need = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (size_t i = 0; i < spec.sources.size(); ++i) {
    if (layouts[i] != layout) continue;
    const config::SourceSpec& source = spec.sources[i];
    for (const auto& aggregate : spec.aggregates) {
      const bool reads = std::any_of(aggregate.inputs.begin(), aggregate.inputs.end(),
                                     [&](const auto& input) { return input.value == source.id.value; });
      if (!reads) continue;
      for (const auto& key : aggregate.key_by) need(key.value);
      for (const auto& column : aggregate.columns) {
        if (!column.argument.value.empty()) need(column.argument.value);
      }
    }
  }
  return names;
}

int find_column(const BatchLayout& layout, const std::string& name) {
  for (size_t i = 0; i < layout.columns.size(); ++i) {
    if (layout.columns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

WatermarkStrategyKind strategy_of(config::WatermarkStrategy strategy) {
  switch (strategy) {
    case config::WatermarkStrategy::bounded_out_of_orderness:
      return WatermarkStrategyKind::bounded_out_of_orderness;
    case config::WatermarkStrategy::ascending:
      return WatermarkStrategyKind::ascending;
    case config::WatermarkStrategy::none:
      return WatermarkStrategyKind::none;
    case config::WatermarkStrategy::source:
      return WatermarkStrategyKind::source_watermarks;
    case config::WatermarkStrategy::punctuated:
      return WatermarkStrategyKind::punctuated;
    case config::WatermarkStrategy::plugin:
      return WatermarkStrategyKind::plugin;
  }
  return WatermarkStrategyKind::none;
}

FutureRule future_rule_of(config::OnFuture rule) {
  switch (rule) {
    case config::OnFuture::clamp:
      return FutureRule::clamp;
    case config::OnFuture::set_aside:
      return FutureRule::set_aside;
    case config::OnFuture::fail:
      return FutureRule::fail;
  }
  return FutureRule::clamp;
}

Result<SourcePlan> plan_source(const config::SourceSpec& source, const Schema& schema,
                               const std::vector<std::string>& columns) {
  SourcePlan out;
  out.id = source.id.value;
  out.plugin = source.type.value;
  out.changelog = source.mode.value == config::InputMode::changelog;
  out.discover_interval_us = source.discover_interval_us.value;
  out.keep_bad_events = source.on_bad_event.value == config::OnBadEvent::set_aside;
  for (const std::string& name : columns) {
    const int index = schema.find(name);
    if (index < 0) return config_error("source " + out.id + " has no column " + name);
    out.projection.push_back(static_cast<uint32_t>(index));
    out.layout.columns.push_back(schema.columns[static_cast<size_t>(index)]);
  }
  const std::string& field = source.watermark.field.value;
  if (field == "$header_time") out.source_time = SourceTime::header;
  if (config::is_expression(field)) {
    out.event_time_expression = field;
  } else if (!field.empty() && field.front() != '$') {
    out.event_time_column = find_column(out.layout, field);
  }
  out.marker = marker_of(source.watermark);
  out.watermark = plan_watermark(source);
  return out;
}

AggregateFunction function_of(config::AggregateFunction function) {
  switch (function) {
    case config::AggregateFunction::count_all:
      return AggregateFunction::count_all;
    case config::AggregateFunction::count:
      return AggregateFunction::count;
    case config::AggregateFunction::sum:
      return AggregateFunction::sum;
    case config::AggregateFunction::min:
      return AggregateFunction::min;
    case config::AggregateFunction::max:
      return AggregateFunction::max;
    case config::AggregateFunction::avg:
      return AggregateFunction::avg;
    case config::AggregateFunction::count_distinct:
      return AggregateFunction::count_distinct;
  }
  return AggregateFunction::count_all;
}

// Indexes of the columns that an aggregate reads; the same in every source of a union.
std::vector<uint32_t> used_columns(const config::AggregateSpec& spec, const BatchLayout& layout) {
  std::vector<uint32_t> out;
  for (const auto& key : spec.key_by) out.push_back(static_cast<uint32_t>(find_column(layout, key.value)));
  for (const auto& column : spec.columns) {
    if (!column.argument.value.empty()) {
      out.push_back(static_cast<uint32_t>(find_column(layout, column.argument.value)));
    }
  }
  return out;
}

// Column types of a union must agree: rows of all its sources meet in one table. That modes and rules of merging do
// is a check of the job file (config/job/references.cpp).
Status check_union(const config::AggregateSpec& spec, const JobPlan& plan, const std::vector<uint32_t>& sources) {
  const SourcePlan& first = plan.sources[sources.front()];
  for (const uint32_t index : sources) {
    const SourcePlan& other = plan.sources[index];
    for (const uint32_t i : used_columns(spec, first.layout)) {
      const ColumnInfo& a = first.layout.columns[i];
      const ColumnInfo& b = other.layout.columns[i];
      if (a.type == b.type && a.precision == b.precision && a.scale == b.scale) continue;
      return config_error("aggregate " + spec.id.value + ": column " + a.name + " is " +
                          std::string(type_name(a.type)) + " in source " + first.id + " and " +
                          std::string(type_name(b.type)) + " in source " + other.id +
                          "; aggregate them apart, or make the columns alike");
    }
  }
  return {};
}

Result<AggregatePlan> plan_aggregate(const config::AggregateSpec& spec, const JobPlan& plan, uint16_t number) {
  AggregatePlan out;
  for (const auto& input : spec.inputs) {
    for (size_t i = 0; i < plan.sources.size(); ++i) {
      if (plan.sources[i].id == input.value) out.sources.push_back(static_cast<uint32_t>(i));
    }
  }
  if (out.sources.empty()) return config_error("aggregate " + spec.id.value + " has no source as input");
  if (Status same = check_union(spec, plan, out.sources); !same) return same;
  const SourcePlan& source = plan.sources[out.sources.front()];
  out.spec.id = spec.id.value;
  out.spec.operator_id = number;
  out.spec.changelog = source.changelog;
  out.spec.window.size_us = spec.window.size_us.value;
  out.spec.allowed_lateness_us = spec.allowed_lateness_us.value;
  for (const auto& key : spec.key_by) {
    out.spec.key_columns.push_back(static_cast<uint32_t>(find_column(source.layout, key.value)));
  }
  for (const auto& column : spec.columns) {
    const int input = column.argument.value.empty() ? -1 : find_column(source.layout, column.argument.value);
    out.spec.columns.push_back({column.name.value, function_of(column.function), input});
  }
  return out;
}

Result<SinkPlan> plan_sink(const config::SinkSpec& spec, const JobPlan& plan) {
  SinkPlan out;
  out.id = spec.id.value;
  out.kind = spec.type.value == config::SinkType::file ? SinkKind::file : SinkKind::standard_output;
  out.path = spec.path.value;
  out.format = spec.format.value == config::FileFormat::csv ? FileFormat::csv : FileFormat::ndjson;
  if (spec.inputs.size() != 1) {
    return config_error("sink " + out.id + " has " + std::to_string(spec.inputs.size()) +
                        " inputs; a sink takes one aggregate, since columns differ between them");
  }
  for (size_t i = 0; i < plan.aggregates.size(); ++i) {
    if (plan.aggregates[i].spec.id != spec.inputs.front().value) continue;
    out.aggregate = static_cast<uint32_t>(i);
    return out;
  }
  return config_error("sink " + out.id + ": input " + spec.inputs.front().value + " is not an aggregate");
}

}  // namespace

WatermarkPlan plan_watermark(const config::SourceSpec& source) {
  const config::WatermarkSpec& spec = source.watermark;
  WatermarkPlan out;
  out.strategy = {strategy_of(spec.strategy.value), spec.max_out_of_orderness_us.value};
  out.idle_timeout_us = spec.idle_timeout_us.value;
  out.emit_interval_us = spec.emit_interval_us.value;
  out.merging.on_resume = spec.on_resume.value == config::OnResume::hold ? ResumeRule::hold : ResumeRule::catch_up;
  if (spec.max_future_us.given) out.future = {spec.max_future_us.value, future_rule_of(spec.on_future.value)};
  switch (spec.all_idle.value) {
    case config::AllIdle::hold:
      out.merging.all_idle = AllIdlePolicy::hold;
      break;
    case config::AllIdle::flush:
      out.merging.all_idle = AllIdlePolicy::flush;
      break;
    case config::AllIdle::end_of_time:
      out.merging.all_idle = AllIdlePolicy::end_of_time;
      break;
    case config::AllIdle::advance_after:
      out.merging.all_idle = AllIdlePolicy::advance;
      out.advance = {spec.advance_after_us, spec.lag_us, spec.emit_interval_us.value};
      break;
  }
  if (const config::AlignmentSpec& alignment = spec.alignment; alignment.given) {
    out.alignment = AlignmentPlan{.group = alignment.group.value,
                                  .terms = {.max_drift_us = alignment.max_drift_us.value,
                                            .update_interval_us = alignment.update_interval_us.value,
                                            .timeout_us = alignment.timeout_us.value}};
  }
  return out;
}

Result<JobPlan> build_plan(const config::JobSpec& spec, const SchemasById& schemas, uint32_t cores) {
  JobPlan plan;
  plan.name = spec.name.value;
  plan.cores = spec.parallelism.given ? static_cast<uint32_t>(spec.parallelism.value) : cores;
  plan.checkpoint_interval_us = spec.checkpoint.interval_us.value;
  plan.state_path = spec.state.path.value;
  plan.memory_bytes = spec.state.memory_bytes.value;
  const std::vector<uint32_t> layouts = shared_layouts(spec);
  for (size_t i = 0; i < spec.sources.size(); ++i) {
    std::vector<std::string> columns = needed_columns(spec, layouts, layouts[i]);
    const Schema& schema = schemas.at(spec.sources[i].id.value);
    const auto more = watermark_columns(spec.sources[i].watermark, schema);
    if (!more) return more.status().with_context("source " + spec.sources[i].id.value);
    for (const std::string& name : *more) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
    auto source = plan_source(spec.sources[i], schema, columns);
    if (!source) return source.status();
    plan.sources.push_back(std::move(*source));
  }
  for (size_t i = 0; i < spec.aggregates.size(); ++i) {
    auto aggregate = plan_aggregate(spec.aggregates[i], plan, static_cast<uint16_t>(i));
    if (!aggregate) return aggregate.status();
    plan.aggregates.push_back(std::move(*aggregate));
  }
  for (const auto& sink : spec.sinks) {
    auto planned = plan_sink(sink, plan);
    if (!planned) return planned.status();
    plan.sinks.push_back(std::move(*planned));
  }
  return plan;
}

}  // namespace tidemark::core
