// SPDX-License-Identifier: Apache-2.0
//
// Each source delivers what its aggregates, conditions and event times read, and nothing else. Where sources feed one
// aggregate (a union), its keys and arguments stand in the same places of all their batches.
#include "core/plan/plan_builder.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/expression/expression.hpp"
#include "core/plan/aggregate_plan.hpp"
#include "core/plan/job_inputs.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {
namespace {

Status config_error(std::string text) {
  return {Code::config, std::move(text)};
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

SourcePlan plan_source(const config::SourceSpec& source) {
  SourcePlan out;
  out.id = source.id.value;
  out.plugin = source.type.value;
  out.changelog = source.mode.value == config::InputMode::changelog;
  out.discover_interval_us = source.discover_interval_us.value;
  out.keeps.truncates = source.on_truncate.value == config::OnTruncate::apply;
  out.keeps.partial_images = source.on_partial_image.value == config::OnPartialImage::complete;
  out.keep_bad_events = source.on_bad_event.value == config::OnBadEvent::set_aside;
  out.no_base = no_base_of(source.no_base.value);
  const std::string& field = source.watermark.field.value;
  if (field == "$header_time") out.source_time = SourceTime::header;
  if (config::is_expression(field)) out.event_time_expression = field;
  out.marker = marker_of(source.watermark);
  out.zones.zone = source.time_zone.value;
  for (const config::ShardSpec& shard : source.shards) {
    out.zones.overrides.push_back({shard.name.value, shard.time_zone.value});
  }
  out.watermark = plan_watermark(source);
  return out;
}

/// Where the keys and arguments of aggregates stand in batches.
struct SlotPlaces {
  std::vector<RowPlanner::Finished> origins;
  std::vector<std::vector<uint32_t>> slots;  // by aggregate
};

// Origins joined by aggregates, as a number per origin.
std::vector<uint32_t> joined_origins(const JobInputs& inputs) {
  std::vector<uint32_t> group(inputs.planners.size());
  std::iota(group.begin(), group.end(), 0);
  for (const AggregateInputs& aggregate : inputs.aggregates) {
    for (const uint32_t origin : aggregate.origins) {
      const uint32_t from = group[origin];
      const uint32_t to = group[aggregate.origins.front()];
      std::replace(group.begin(), group.end(), from, to);
    }
  }
  return group;
}

// An origin whose rows meet no other's has its columns where they come to stand. Where origins meet, all have
// the keys and arguments of their aggregates in the same places, behind what the one with most columns delivers.
SlotPlaces place_slots(const JobInputs& inputs) {
  SlotPlaces out;
  out.origins.resize(inputs.planners.size());
  out.slots.resize(inputs.aggregates.size());
  const std::vector<uint32_t> groups = joined_origins(inputs);
  for (uint32_t group = 0; group < groups.size(); ++group) {
    size_t first = 0;
    size_t members = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i] != group) continue;
      ++members;
      first = std::max(first, inputs.planners[i].delivered_count());
    }
    if (members < 2) first = 0;
    for (size_t origin = 0; origin < groups.size(); ++origin) {
      if (groups[origin] != group) continue;
      std::vector<std::pair<std::optional<uint32_t>, ColumnInfo>> slots;
      for (size_t i = 0; members > 1 && i < inputs.aggregates.size(); ++i) {
        const AggregateInputs& aggregate = inputs.aggregates[i];
        if (aggregate.origins.empty() || groups[aggregate.origins.front()] != group) continue;
        const auto at = std::find(aggregate.origins.begin(), aggregate.origins.end(), origin);
        out.slots[i].clear();
        for (const InputSlot& slot : aggregate.slots) {
          out.slots[i].push_back(static_cast<uint32_t>(first + slots.size()));
          ColumnInfo info = slot.info;
          info.name = "$" + std::to_string(first + slots.size());
          std::optional<uint32_t> column;
          if (at != aggregate.origins.end()) column = slot.columns[static_cast<size_t>(at - aggregate.origins.begin())];
          slots.emplace_back(column, std::move(info));
        }
      }
      out.origins[origin] = inputs.planners[origin].finish(first, slots);
    }
  }
  for (size_t i = 0; i < inputs.aggregates.size(); ++i) {
    const AggregateInputs& aggregate = inputs.aggregates[i];
    if (!out.slots[i].empty()) continue;
    for (const InputSlot& slot : aggregate.slots) {
      out.slots[i].push_back(out.origins[aggregate.origins.front()].place.at(slot.columns.front()));
    }
  }
  return out;
}

// The rows of origin number `at` of an aggregate.
RowSelection select_rows(const AggregateInputs& aggregate, size_t at, const RowPlanner& planner,
                         const RowPlanner::Finished& finished, uint16_t operator_id) {
  RowSelection out;
  out.operator_id = operator_id;
  for (const uint32_t condition : aggregate.conditions[at]) {
    RowCondition& added = out.conditions.emplace_back(RowCondition{planner.condition_for(finished, condition)});
    for (const uint32_t column : planner.computed_behind_condition(condition)) {
      added.computed.push_back(finished.place.at(column));
    }
  }
  std::set<uint32_t> computed;
  for (const InputSlot& slot : aggregate.slots) {
    const std::vector<uint32_t> behind = planner.computed_behind(slot.columns[at]);
    computed.insert(behind.begin(), behind.end());
  }
  for (const uint32_t column : computed) out.computed.push_back(finished.place.at(column));
  return out;
}

RowsPlan plan_rows(uint32_t origin, const JobInputs& inputs, const SlotPlaces& places) {
  const RowPlanner::Finished& finished = places.origins[origin];
  RowsPlan out{finished.projection, finished.layout, {finished.computed, {}}};
  for (size_t a = 0; a < inputs.aggregates.size(); ++a) {
    const AggregateInputs& aggregate = inputs.aggregates[a];
    const auto at = std::find(aggregate.origins.begin(), aggregate.origins.end(), origin);
    if (at == aggregate.origins.end()) continue;
    out.program.selections.push_back(select_rows(aggregate, static_cast<size_t>(at - aggregate.origins.begin()),
                                                 inputs.planners[origin], finished, static_cast<uint16_t>(a)));
  }
  return out;
}

Status plan_sources(const config::JobSpec& spec, const SchemasById& schemas, const JobInputs& inputs,
                    const SlotPlaces& places, JobPlan& plan) {
  for (uint32_t i = 0; i < spec.sources.size(); ++i) {
    SourcePlan source = plan_source(spec.sources[i]);
    static_cast<RowsPlan&>(source) = plan_rows(i, inputs, places);
    source.layout.partial = source.keeps.partial_images;
    for (const uint32_t key : source.keeps.any() ? schemas.at(source.id).key : std::vector<uint32_t>()) {
      source.keeps.key.push_back(places.origins[i].place.at(key));
    }
    const std::string& field = spec.sources[i].watermark.field.value;
    if (source.event_time_expression.empty() && !field.empty() && field.front() != '$') {
      source.event_time_column = find_column(source.layout, field);
      if (source.event_time_column < 0) return config_error("source " + source.id + " has no column " + field);
    }
    plan.sources.push_back(std::move(source));
  }
  return {};
}

AggregatePlan plan_aggregate(const config::JobSpec& job, size_t number, const JobInputs& inputs,
                             const std::vector<uint32_t>& places) {
  const config::AggregateSpec& spec = job.aggregates[number];
  const AggregateInputs& resolved = inputs.aggregates[number];
  const auto sources = static_cast<uint32_t>(job.sources.size());
  AggregatePlan out;
  for (const uint32_t origin : resolved.origins) {
    if (origin < sources) {
      out.sources.push_back(origin);
    } else {
      out.upstream.push_back(origin - sources);
    }
  }
  out.late = late_rule_of(spec.late.value);
  out.spec = plan_aggregate_spec(job, number);
  const auto meaning = [&](uint32_t slot) {
    std::string text;
    for (size_t i = 0; i < resolved.origins.size(); ++i) {
      const std::string one = inputs.planners[resolved.origins[i]].describe(resolved.slots[slot].columns[i]);
      if (i == 0) {
        text = one;
      } else if (one != text) {
        text += " | " + one;
      }
    }
    return text;
  };
  for (const uint32_t key : resolved.keys) {
    out.spec.key_columns.push_back(places[key]);
    out.keys.push_back(meaning(key));
  }
  out.spec.key_names = resolved.key_names;
  for (AggregateColumn column : resolved.columns) {
    out.arguments.push_back(column.input < 0 ? std::string() : meaning(static_cast<uint32_t>(column.input)));
    if (column.input >= 0) column.input = static_cast<int>(places[static_cast<size_t>(column.input)]);
    out.spec.columns.push_back(std::move(column));
  }
  for (size_t i = 0; i < resolved.origins.size(); ++i) {
    for (const uint32_t condition : resolved.conditions[i]) {
      out.conditions.push_back(inputs.planners[resolved.origins[i]].describe_condition(condition));
    }
  }
  out.spec.having = resolved.having;
  out.spec.results = resolved.results;
  return out;
}

MysqlSinkOptions plan_mysql(const config::SinkSpec& spec, const JobPlan& plan) {
  const config::MysqlSpec& mysql = spec.mysql;
  const config::MysqlDsn& dsn = mysql.dsn.value;
  MysqlSinkOptions out;
  out.login = {.user = dsn.user,
               .password = mysql.password,
               .host = dsn.host,
               .port = dsn.port,
               .socket = dsn.socket,
               .database = dsn.database};
  out.job = plan.name;
  out.sink = spec.id.value;
  out.table = mysql.table.value;
  for (const auto& column : mysql.key) out.key.push_back(column.value);
  out.batch_rows = static_cast<uint32_t>(mysql.batch_rows.value);
  out.batch_bytes = mysql.batch_bytes.value;
  out.retry = {.max_attempts = static_cast<uint32_t>(mysql.max_attempts.value),
               .initial_us = mysql.retry_initial_us.value,
               .max_us = mysql.retry_max_us.value};
  out.set_aside = mysql.on_reject.value == config::OnReject::set_aside;
  return out;
}

SinkKind kind_of(config::SinkType type) {
  switch (type) {
    case config::SinkType::file:
      return SinkKind::file;
    case config::SinkType::mysql:
      return SinkKind::mysql;
    case config::SinkType::stdout_text:
      break;
  }
  return SinkKind::standard_output;
}

Result<SinkPlan> plan_sink(const config::SinkSpec& spec, const JobPlan& plan) {
  SinkPlan out;
  out.id = spec.id.value;
  out.kind = kind_of(spec.type.value);
  if (out.kind == SinkKind::mysql) out.mysql = plan_mysql(spec, plan);
  out.path = spec.path.value;
  out.format = spec.format.value == config::FileFormat::csv ? FileFormat::csv : FileFormat::ndjson;
  out.roll = {spec.roll_bytes.value, spec.roll_every_us.value};
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
  plan.checkpoint_timeout_us = spec.checkpoint.timeout_us.value;
  plan.state_path = spec.state.path.value;
  plan.retained = {.path = spec.checkpoint.path.value,
                   .count = static_cast<size_t>(spec.checkpoint.retain.value),
                   .interval_us = spec.checkpoint.retain_interval_us.value,
                   .restore_damaged = spec.checkpoint.on_damage.value == config::OnDamage::restore};
  plan.memory = MemoryBudget::of(spec.state.memory_bytes.value);
  config::Diagnostics findings;
  JobInputs inputs = plan_inputs(spec, schemas, findings);
  if (findings.has_errors()) return config_error(findings.sorted().front()->text);
  for (size_t i = 0; i < spec.sources.size(); ++i) {
    const Schema& schema = schemas.at(spec.sources[i].id.value);
    const auto more = watermark_columns(spec.sources[i].watermark, schema);
    if (!more) return more.status().with_context("source " + spec.sources[i].id.value);
    for (const std::string& name : *more) {
      const int index = schema.find(name);
      if (index < 0) return config_error("source " + spec.sources[i].id.value + " has no column " + name);
      inputs.planners[i].use(static_cast<uint32_t>(index));
    }
    if (plan_source(spec.sources[i]).keeps.any()) {
      for (const uint32_t key : schema.key) inputs.planners[i].use(key);
    }
  }
  for (size_t i = 0; i < inputs.aggregates.size(); ++i) {
    const AggregateInputs& aggregate = inputs.aggregates[i];
    if (aggregate.origins.empty()) return config_error("aggregate " + spec.aggregates[i].id.value + " has no input");
    for (size_t at = 0; at < aggregate.origins.size(); ++at) {
      RowPlanner& planner = inputs.planners[aggregate.origins[at]];
      for (const InputSlot& slot : aggregate.slots) planner.use(slot.columns[at]);
      for (const uint32_t condition : aggregate.conditions[at]) planner.use_condition(condition);
    }
  }
  const SlotPlaces places = place_slots(inputs);
  if (Status planned = plan_sources(spec, schemas, inputs, places, plan); !planned) return planned;
  for (uint32_t i = 0; i < spec.aggregates.size(); ++i) {
    AggregatePlan& aggregate = plan.aggregates.emplace_back(plan_aggregate(spec, i, inputs, places.slots[i]));
    const auto origin = static_cast<uint32_t>(spec.sources.size()) + i;
    if (aggregate.spec.is_read) aggregate.results = plan_rows(origin, inputs, places);
  }
  for (const AggregatePlan& aggregate : plan.aggregates) {  // what no check has seen is found now, not at the start
    const auto layout = std::make_shared<const BatchLayout>(plan.input_of(aggregate));
    if (auto tried = WindowOperator::create(aggregate.spec, layout); !tried) return tried.status();
  }
  for (const auto& sink : spec.sinks) {
    auto planned = plan_sink(sink, plan);
    if (!planned) return planned.status();
    plan.sinks.push_back(std::move(*planned));
  }
  return plan;
}

}  // namespace tidemark::core
