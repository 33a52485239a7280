// SPDX-License-Identifier: Apache-2.0
//
// Plans by hand, and the same job as the oracle reads it.
#include "tests/sim/sim_job.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace tidemark::test {

using core::AggregateFunction;
using core::ColumnInfo;
using core::ColumnType;
using core::Micros;

ScriptStep script_row(double event_s, std::vector<OracleCell> cells, core::Op op, double available_s) {
  ScriptStep step;
  step.time_us = std::llround(event_s * 1e6);
  step.available_us = std::llround(available_s * 1e6);
  step.op = op;
  step.cells = std::move(cells);
  return step;
}

ColumnInfo column_of(std::string name, ColumnType type, int precision, int scale) {
  ColumnInfo info;
  info.name = std::move(name);
  info.type = type;
  info.precision = static_cast<uint8_t>(precision);
  info.scale = static_cast<uint8_t>(scale);
  return info;
}

uint32_t add_source(SimJob& job, SourceScript script, bool changelog, Micros bound_us, Micros idle_timeout_us) {
  core::SourcePlan plan;
  plan.id = "source" + std::to_string(job.plan.sources.size());
  plan.plugin = "script";
  plan.changelog = changelog;
  plan.layout.columns.push_back(column_of("at", ColumnType::timestamp));
  plan.layout.columns.insert(plan.layout.columns.end(), script.columns.begin(), script.columns.end());
  for (uint32_t i = 0; i < plan.layout.columns.size(); ++i) plan.projection.push_back(i);
  plan.event_time_column = 0;
  plan.watermark.strategy.max_out_of_orderness_us = bound_us;
  plan.watermark.idle_timeout_us = idle_timeout_us;
  job.plan.name = "sim";
  job.plan.memory.batches = 0;  // the graph's limits decide
  job.plan.sources.push_back(std::move(plan));
  job.scripts.push_back(std::move(script));
  return static_cast<uint32_t>(job.plan.sources.size() - 1);
}

namespace {

uint32_t column_number(const core::BatchLayout& layout, const std::string& name) {
  for (uint32_t i = 0; i < layout.columns.size(); ++i) {
    if (layout.columns[i].name == name) return i;
  }
  throw std::invalid_argument("no column " + name);
}

OracleOp oracle_op(core::Op op) {
  switch (op) {
    case core::Op::insert:
      return OracleOp::insert;
    case core::Op::remove:
      return OracleOp::erase;
    case core::Op::update_before:
      return OracleOp::update_before;
    case core::Op::update_after:
      return OracleOp::update_after;
    case core::Op::truncate:
    case core::Op::unread:
      break;
  }
  throw std::invalid_argument("no such row kind");
}

}  // namespace

OracleFunction oracle_function(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::count_all:
      return OracleFunction::count_all;
    case AggregateFunction::count:
      return OracleFunction::count;
    case AggregateFunction::sum:
      return OracleFunction::sum;
    case AggregateFunction::min:
      return OracleFunction::min;
    case AggregateFunction::max:
      return OracleFunction::max;
    case AggregateFunction::avg:
      return OracleFunction::avg;
    case AggregateFunction::count_distinct:
      return OracleFunction::count_distinct;
    default:
      throw std::invalid_argument(std::string("the oracle does not know ") + core::function_name(function));
  }
}

uint32_t add_aggregate(SimJob& job, std::vector<uint32_t> sources, Micros window_us,
                       const std::vector<std::string>& keys, const std::vector<SimColumn>& columns,
                       Micros allowed_lateness_us) {
  const core::SourcePlan& source = job.plan.sources.at(sources.front());
  const auto number = static_cast<uint32_t>(job.plan.aggregates.size());
  core::AggregatePlan plan;
  plan.sources = std::move(sources);
  plan.spec.id = "aggregate" + std::to_string(number);
  plan.spec.operator_id = static_cast<uint16_t>(number);
  plan.spec.window.size_us = window_us;
  plan.spec.allowed_lateness_us = allowed_lateness_us;
  plan.spec.changelog = source.changelog;
  for (const std::string& key : keys) plan.spec.key_columns.push_back(column_number(source.layout, key));
  plan.keys = keys;
  for (const SimColumn& column : columns) {
    const int input = column.argument.empty() ? -1 : static_cast<int>(column_number(source.layout, column.argument));
    plan.spec.columns.push_back({"c" + std::to_string(plan.spec.columns.size()), column.function, input});
    plan.arguments.push_back(column.argument);
  }
  const std::vector<uint32_t> read = plan.sources;
  job.plan.aggregates.push_back(std::move(plan));
  set_sources(job, number, read);
  add_sink(job, number);
  return number;
}

void set_sources(SimJob& job, uint32_t aggregate, const std::vector<uint32_t>& sources) {
  core::AggregatePlan& plan = job.plan.aggregates.at(aggregate);
  plan.sources = sources;
  for (core::SourcePlan& source : job.plan.sources) {
    std::erase_if(source.program.selections,
                  [&](const core::RowSelection& one) { return one.operator_id == plan.spec.operator_id; });
  }
  for (const uint32_t source : sources) {
    job.plan.sources.at(source).program.selections.push_back({plan.spec.operator_id, {}, {}});
  }
}

void add_sink(SimJob& job, uint32_t aggregate) {
  core::SinkPlan sink;
  sink.id = "sink" + std::to_string(job.plan.sinks.size());
  sink.aggregate = aggregate;
  job.plan.sinks.push_back(std::move(sink));
}

OracleJob oracle_job(const SimJob& job, uint32_t aggregate) {
  const core::AggregatePlan& plan = job.plan.aggregates.at(aggregate);
  const core::BatchLayout& layout = job.plan.sources[plan.sources.front()].layout;
  OracleJob out;
  out.window_size_us = plan.spec.window.size_us;
  if (plan.spec.window.kind != core::WindowKind::tumbling) out.window_slide_us = plan.spec.window.slide_us;
  out.cumulative = plan.spec.window.kind == core::WindowKind::cumulative;
  out.allowed_lateness_us = plan.spec.allowed_lateness_us;
  out.changelog = plan.spec.changelog;
  for (const core::AggregateColumn& column : plan.spec.columns) {
    OracleColumn one;
    one.function = oracle_function(column.function);
    if (column.input >= 0) {
      const ColumnInfo& info = layout.columns[static_cast<size_t>(column.input)];
      one.measure = static_cast<size_t>(column.input) - 1;  // without `at`
      one.scale = info.type == ColumnType::text ? kOracleText : info.scale;
    }
    out.columns.push_back(one);
  }
  return out;
}

std::vector<OracleRow> oracle_rows(const SimJob& job, uint32_t aggregate, const RowMisses& misses) {
  const core::AggregatePlan& plan = job.plan.aggregates.at(aggregate);
  std::vector<OracleRow> out;
  for (const uint32_t source : plan.sources) {
    const SourceScript& script = job.scripts[source];
    for (uint32_t split = 0; split < script.splits.size(); ++split) {
      for (uint64_t sequence = 0; sequence < script.splits[split].steps.size(); ++sequence) {
        const ScriptStep& step = script.splits[split].steps[sequence];
        if (step.kind != ScriptStep::Kind::row) continue;
        const auto missed = misses ? misses(source, split, sequence) : core::kNoTime;
        if (!missed) continue;
        OracleRow row;
        row.missed_until = *missed;
        row.split = split;
        row.sequence = sequence;
        row.event_time = step.time_us;
        row.op = oracle_op(step.op);
        for (const uint32_t key : plan.spec.key_columns) row.keys.push_back(step.cells.at(key - 1));
        row.measures = step.cells;
        out.push_back(std::move(row));
      }
    }
  }
  return out;
}

std::vector<std::string> oracle_lines(const OracleFinal& final) {
  std::vector<std::string> out;
  for (const OracleResult& result : final.results) {
    std::string line = core::format_rfc3339(result.window_start) + "|" + core::format_rfc3339(result.window_end);
    for (const auto* cells : {&result.keys, &result.values}) {
      for (const OracleCell& cell : *cells) line += "|" + cell.value_or("\\N");
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::vector<std::string> expected_lines(const SimJob& job, uint32_t aggregate) {
  return oracle_lines(oracle_final(oracle_job(job, aggregate), oracle_rows(job, aggregate)));
}

}  // namespace tidemark::test
