// SPDX-License-Identifier: Apache-2.0
//
// Ids, texts and settings come from the job file, which is always there; types, places and state from the plan.
#include "core/observe/plan_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "config/job/codes.hpp"
#include "core/observe/plan_words.hpp"
#include "core/plan/job_inputs.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {
namespace {

constexpr std::string_view kNotAsked = "not every source of the job could be asked";
constexpr const char* kUnread = "nothing reads it, so it is not computed";

DescribedColumn describe_column(const ColumnInfo& column) {
  return {column.name, type_text(column), column.nullable, {}, column.comment};
}

std::vector<DescribedColumn> describe_columns(const std::vector<ColumnInfo>& columns) {
  std::vector<DescribedColumn> out;
  for (const ColumnInfo& column : columns) out.push_back(describe_column(column));
  return out;
}

std::vector<std::string> texts(const std::vector<config::Spanned<std::string>>& list) {
  std::vector<std::string> out;
  for (const auto& one : list) out.push_back(one.value);
  return out;
}

// What was said about a source when it could not be asked.
std::string why_not_asked(const config::SourceSpec& source, const config::Diagnostics& diagnostics) {
  for (const config::Diagnostic& finding : diagnostics.items()) {
    if (finding.code == config::code::kNotChecked && finding.span.file == source.span.file &&
        finding.span.line == source.span.line) {
      return finding.text;
    }
  }
  return "the source could not be asked";
}

void describe_splits(Source& source, SourceDescription& out) {
  Result<Discovery> found = source.discover();
  if (!found) {
    out.unknown.push_back("which shards there are: " + found.status().message());
    return;
  }
  out.splits = std::move(found->splits);
  if (!found->complete) out.watermark.push_back("shards that come while the job runs are taken in");
}

SourceDescription describe_source(const PlanInputs& inputs, size_t number) {
  const config::SourceSpec& spec = inputs.job.sources[number];
  SourceDescription out;
  out.id = spec.id.value;
  out.plugin = spec.type.value;
  out.mode = to_text(spec.mode.value);
  out.mode_words = mode_words(spec);
  out.strategy = to_text(spec.watermark.strategy.value);
  out.event_time = event_time_words(spec);
  out.watermark = watermark_words(spec.watermark);
  const auto& sources = inputs.sources.sources;
  if (number < sources.size() && sources[number] != nullptr) describe_splits(*sources[number], out);
  const auto schema = inputs.sources.schemas.find(out.id);
  std::vector<std::string> key;
  if (schema != inputs.sources.schemas.end()) {
    for (const uint32_t column : schema->second.key) key.push_back(schema->second.columns[column].name);
  }
  out.kept = kept_words(spec, key);
  if (schema == inputs.sources.schemas.end()) {
    out.unknown.push_back("its shards and columns: " + why_not_asked(spec, inputs.diagnostics));
    return out;
  }
  out.schema = describe_columns(schema->second.columns);
  if (inputs.plan == nullptr) {
    out.unknown.push_back("which of its columns are decoded: " + std::string(kNotAsked));
    return out;
  }
  out.delivered.emplace();
  for (const uint32_t column : inputs.plan->sources[number].projection) out.delivered->push_back(out.schema[column]);
  return out;
}

// The columns of planners that some aggregate or condition needs.
std::vector<std::set<uint32_t>> read_columns(const JobInputs& inputs) {
  std::vector<std::set<uint32_t>> out(inputs.planners.size());
  for (const AggregateInputs& aggregate : inputs.aggregates) {
    for (size_t i = 0; i < aggregate.origins.size(); ++i) {
      const RowPlanner& planner = inputs.planners[aggregate.origins[i]];
      std::set<uint32_t>& read = out[aggregate.origins[i]];
      const auto add = [&read](const std::vector<uint32_t>& columns) { read.insert(columns.begin(), columns.end()); };
      for (const InputSlot& slot : aggregate.slots) add(planner.computed_behind(slot.columns[i]));
      for (const uint32_t condition : aggregate.conditions[i]) add(planner.computed_behind_condition(condition));
    }
  }
  return out;
}

bool is_place(const RowPlanner& planner, uint32_t column) {
  return !planner.is_delivered(column) && column < planner.source_scope().size();
}

// What the transforms give, from the way of the rows through the plan.
class TransformDescriber {
 public:
  TransformDescriber(const config::JobSpec& job, const JobInputs& inputs)
      : job_(job), inputs_(inputs), read_(read_columns(inputs)) {}

  void describe(const config::TransformSpec& spec, TransformDescription& out) const {
    for (const TransformRows& rows : inputs_.transforms) {
      if (rows.transform != spec.id.value) continue;
      const std::string& source = origin_id(job_, rows.origin);
      const bool is_known =
          std::any_of(out.rows.begin(), out.rows.end(), [&](const DescribedRows& one) { return one.source == source; });
      if (!is_known) out.rows.push_back({source, columns_of(rows, out)});
    }
    for (DescribedColumn& column : out.set) {
      note_type(column, out.rows);
      if (!out.rows.empty() && !is_read(spec.id.value, column)) column.note = kUnread;
    }
    const bool is_same = std::all_of(out.rows.begin(), out.rows.end(), [&](const DescribedRows& one) {
      return same_columns(one.columns, out.rows.front().columns);
    });
    if (!out.rows.empty() && is_same) {
      out.rows.resize(1);
      out.rows.front().source.clear();
    }
  }

 private:
  std::vector<DescribedColumn> columns_of(const TransformRows& rows, const TransformDescription& transform) const {
    const RowPlanner& planner = inputs_.planners[rows.origin];
    std::vector<DescribedColumn> out;
    for (uint32_t i = 0; i < rows.scope.size(); ++i) {
      if (rows.scope[i].name.empty() || is_place(planner, i)) continue;
      out.push_back(describe_column(rows.scope[i]));
      for (const DescribedColumn& set : transform.set) {
        if (set.name == out.back().name) out.back().expression = set.expression;
      }
    }
    return out;
  }

  static bool same_columns(const std::vector<DescribedColumn>& a, const std::vector<DescribedColumn>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.name == y.name && x.type == y.type && x.nullable == y.nullable;
    });
  }

  // Types may differ between the sources that rows come from.
  static void note_type(DescribedColumn& column, const std::vector<DescribedRows>& all) {
    for (const DescribedRows& rows : all) {
      for (const DescribedColumn& one : rows.columns) {
        if (one.name != column.name) continue;
        if (column.type.empty()) {
          column.type = one.type;
        } else if (column.type != one.type) {
          column.type += " or " + one.type;
        }
        column.nullable = one.nullable;
      }
    }
  }

  bool is_read(const std::string& transform, const DescribedColumn& column) const {
    for (const TransformRows& rows : inputs_.transforms) {
      if (rows.transform != transform) continue;
      for (uint32_t i = 0; i < rows.scope.size(); ++i) {
        if (rows.scope[i].name != column.name) continue;
        if (inputs_.planners[rows.origin].is_delivered(i) || read_[rows.origin].contains(i)) return true;
      }
    }
    return false;
  }

  const config::JobSpec& job_;
  const JobInputs& inputs_;
  std::vector<std::set<uint32_t>> read_;
};

TransformDescription describe_transform(const config::TransformSpec& spec, const TransformDescriber* describer) {
  TransformDescription out;
  out.id = spec.id.value;
  out.inputs = texts(spec.inputs);
  out.where = spec.where.value;
  out.drop = texts(spec.drop);
  for (const auto& set : spec.set) out.set.push_back({set.name.value, {}, true, set.expression.value, {}});
  if (describer != nullptr) describer->describe(spec, out);
  if (out.rows.empty()) out.unknown = describer != nullptr ? "no aggregate reads it" : std::string(kNotAsked);
  return out;
}

std::string call_text(const AggregateColumn& column, const std::string& argument) {
  std::string more;
  if (column.function == AggregateFunction::quantile) more = fmt::format(", {}", column.fraction);
  if (column.function == AggregateFunction::string_agg) more = fmt::format(", '{}'", column.separator);
  if (column.limit > 0) more += fmt::format(", {}", column.limit);
  return fmt::format("{}({}{})", function_name(column.function), argument, more);
}

void describe_kept(const AggregatePlan& plan, const BatchLayout& input, AggregateDescription& out) {
  for (size_t i = 0; i < plan.spec.columns.size(); ++i) {
    const AggregateColumn& column = plan.spec.columns[i];
    KeptAggregate kept;
    if (!column.name.starts_with('$')) kept.name = column.name;
    kept.call = call_text(column, plan.arguments[i]);
    AggregateSpec alone = plan.spec;
    alone.columns = {column};
    if (const auto layout = AccumulatorLayout::compile(alone, input)) {
      kept.type = type_text(layout->output_columns().front());
      kept.growth = growth_words(column.function, plan.spec.changelog, *layout);
    }
    out.kept.push_back(std::move(kept));
  }
}

void copy_types(const std::vector<DescribedColumn>& from, std::vector<DescribedColumn>& to) {
  for (DescribedColumn& column : to) {
    const auto found = std::find_if(from.begin(), from.end(), [&](const auto& one) { return one.name == column.name; });
    if (found == from.end()) continue;
    column.type = found->type;
    column.nullable = found->nullable;
  }
}

void describe_planned(const JobPlan& plan, const AggregatePlan& aggregate, AggregateDescription& out) {
  const auto input = std::make_shared<const BatchLayout>(plan.input_of(aggregate));
  const auto made = WindowOperator::create(aggregate.spec, input);
  if (!made) {
    out.unknown = made.status().message();
    return;
  }
  out.output = describe_columns((*made)->output_layout()->columns);
  copy_types(out.output, out.keys);
  copy_types(out.output, out.columns);
  for (DescribedColumn& column : out.output) {
    for (const auto* named : {&out.keys, &out.columns}) {
      for (const DescribedColumn& one : *named) {
        if (one.name != column.name || one.expression == one.name) continue;
        column.expression = one.expression;
        column.note.clear();
      }
    }
  }
  describe_kept(aggregate, *input, out);
  if (auto state = estimate_state(plan, aggregate)) {
    out.state = std::move(*state);
  } else {
    out.unknown = state.status().message();
  }
}

AggregateDescription describe_aggregate(const PlanInputs& inputs, size_t number) {
  const config::AggregateSpec& spec = inputs.job.aggregates[number];
  AggregateDescription out;
  out.id = spec.id.value;
  out.inputs = texts(spec.inputs);
  out.where = spec.where.value;
  out.window = window_words(spec.window);
  for (const config::KeySpec& key : spec.key_by) {
    out.keys.push_back({key.name.value, {}, true, key.expression.value, {}});
  }
  for (const config::ColumnSpec& column : spec.columns) {
    out.columns.push_back({column.name.value, {}, true, column.expression.value, {}});
  }
  out.results = result_words(inputs.job, spec);
  out.late = late_words(inputs.job, spec);
  out.having = spec.having.value;
  out.final_results = !spec.can_fire_again();
  if (inputs.plan != nullptr) {
    describe_planned(*inputs.plan, inputs.plan->aggregates[number], out);
  } else {
    out.unknown = "types and state: " + std::string(kNotAsked);
  }
  return out;
}

std::string corrections_of(const AggregateDescription& aggregate, bool purge) {
  if (aggregate.final_results) return "each result is final: one row per window and group";
  return purge ? "a window and group may have several rows, which add up: `revision` counts them, `kind` says why each "
                 "came"
               : "a window and group may have several rows: the one with the highest `revision` counts, `kind` says "
                 "why it "
                 "came (a retraction takes the result back)";
}

void describe_target(const config::SinkSpec& spec, SinkDescription& out) {
  switch (spec.type.value) {
    case config::SinkType::file:
      out.target = spec.path.value;
      if (spec.roll_bytes.given || spec.roll_every_us.given) out.target += ", in numbered parts";
      out.format = to_text(spec.format.value);
      return;
    case config::SinkType::mysql: {
      const config::MysqlDsn& dsn = spec.mysql.dsn.value;
      std::vector<std::string> key;
      for (const auto& column : spec.mysql.key) key.push_back(column.value);
      out.target = fmt::format("table {} of mysql://{}@{}:{}/{}", spec.mysql.table.value, dsn.user, dsn.host, dsn.port,
                               dsn.database);
      out.format = fmt::format("upserts and deletes by key ({})", fmt::join(key, ", "));
      return;
    }
    case config::SinkType::stdout_text:
      out.target = "standard output (at least once)";
      out.format = "a table on a terminal, NDJSON otherwise";
      return;
  }
}

SinkDescription describe_sink(const config::JobSpec& job, const config::SinkSpec& spec, const PlanDescription& plan) {
  SinkDescription out;
  out.id = spec.id.value;
  if (!spec.inputs.empty()) out.input = spec.inputs.front().value;
  describe_target(spec, out);
  for (size_t i = 0; i < plan.aggregates.size(); ++i) {
    if (plan.aggregates[i].id != out.input) continue;
    for (const DescribedColumn& column : plan.aggregates[i].output) out.columns.push_back(column.name);
    out.corrections = spec.type.value == config::SinkType::mysql && !job.aggregates[i].emit.purge
                          ? "the table has the newest result of each key; a result that is taken back is deleted"
                          : corrections_of(plan.aggregates[i], job.aggregates[i].emit.purge);
  }
  return out;
}

}  // namespace

PlanDescription describe_plan(const PlanInputs& inputs) {
  const config::JobSpec& job = inputs.job;
  PlanDescription out;
  out.job = job.name.value;
  out.time_zone = job.time_zone.value;
  out.workers = static_cast<uint64_t>(job.parallelism.value);
  out.memory_bytes = job.state.memory_bytes.value;
  for (size_t i = 0; i < job.sources.size(); ++i) out.sources.push_back(describe_source(inputs, i));
  config::Diagnostics findings;  // reported when the plan was made
  std::optional<JobInputs> ways;
  std::optional<TransformDescriber> describer;
  if (inputs.plan != nullptr) {
    ways = plan_inputs(job, inputs.sources.schemas, findings);
    describer.emplace(job, *ways);
  }
  for (const auto& transform : job.transforms) {
    out.transforms.push_back(describe_transform(transform, describer ? &*describer : nullptr));
  }
  for (size_t i = 0; i < job.aggregates.size(); ++i) out.aggregates.push_back(describe_aggregate(inputs, i));
  for (const auto& sink : job.sinks) out.sinks.push_back(describe_sink(job, sink, out));
  return out;
}

}  // namespace tidemark::core
