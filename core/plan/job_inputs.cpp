// SPDX-License-Identifier: Apache-2.0
//
// Follows each aggregate's inputs back to their origins, and every text on the way once per origin. An aggregate whose
// results others read is resolved before them: its results are the schema of their rows.
#include "core/plan/job_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"
#include "core/expression/parser.hpp"
#include "core/plan/aggregate_functions.hpp"
#include "core/plan/aggregate_plan.hpp"
#include "core/plan/expression_findings.hpp"
#include "core/plan/result_planner.hpp"
#include "core/window/aggregate_types.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {
namespace {

/// One way from an origin to an aggregate: the transforms in the order of the rows.
struct Way {
  uint32_t origin = 0;
  std::vector<const config::TransformSpec*> transforms;
  std::string input;  // what the aggregate names
};

/// What transforms make of the rows of one origin that came by one way.
struct Passed {
  uint32_t origin = 0;
  Scope scope;
  std::vector<uint32_t> conditions;
};

class InputPlanner {
 public:
  InputPlanner(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics)
      : job_(job), findings_(diagnostics), diagnostics_(diagnostics) {
    for (const config::SourceSpec& source : job.sources) {
      const auto schema = schemas.find(source.id.value);
      out_.planners.emplace_back(schema == schemas.end() ? Schema() : schema->second);
      is_known_.push_back(schema != schemas.end());
    }
    out_.aggregates.resize(job.aggregates.size());
    out_.planners.resize(out_.planners.size() + job.aggregates.size(), RowPlanner({}, RowPlanner::Of::results));
    is_known_.resize(out_.planners.size(), false);
    is_begun_.resize(job.aggregates.size(), false);
  }

  JobInputs run() {
    for (size_t i = 0; i < job_.aggregates.size(); ++i) resolve(i);
    return std::move(out_);
  }

 private:
  std::vector<Way> ways_to(const std::vector<config::Spanned<std::string>>& inputs) const;
  std::vector<Way> separate_ways(const config::AggregateSpec& aggregate);
  uint32_t origin_of(size_t aggregate) const { return static_cast<uint32_t>(job_.sources.size() + aggregate); }
  bool is_source(uint32_t origin) const noexcept { return origin < job_.sources.size(); }
  bool may_take_back(uint32_t origin) const;
  void resolve(size_t aggregate);
  void make_known(size_t aggregate);
  void check_syntax(const config::AggregateSpec& aggregate, const std::vector<Way>& ways);
  void check_syntax(const config::Spanned<std::string>& text, std::string_view part, size_t offset);
  Passed pass(const Way& way);
  void pass_transform(const config::TransformSpec& transform, Passed& rows);
  void warn_of_kinds(const config::Spanned<std::string>& text, const Passed& rows);
  void add_condition(const config::Spanned<std::string>& text, const std::string& input, Passed& rows);
  std::optional<uint32_t> slot(AggregateInputs& out, const std::vector<Way>& ways, const std::vector<Passed>& rows,
                               const std::string& text, const config::Spanned<std::string>& where, size_t offset,
                               std::string_view filter = {});
  bool is_column(const std::vector<Way>& ways, const std::vector<Passed>& rows, const std::string& text);
  bool check_parts(const std::vector<Way>& ways, const std::vector<Passed>& rows, const ResultPlanner::Call& call);
  std::optional<uint32_t> argument_slot(AggregateInputs& out, const std::vector<Way>& ways,
                                        const std::vector<Passed>& rows, const ResultPlanner::Call& call);
  bool resolve_call(AggregateInputs& out, const std::vector<Way>& ways, const std::vector<Passed>& rows,
                    const ResultPlanner::Call& call, AggregateColumn& column, ColumnInfo& argument);
  AggregateInputs plan(const config::AggregateSpec& aggregate);
  void plan_keys(const config::AggregateSpec& aggregate, const std::vector<Way>& ways, const std::vector<Passed>& rows,
                 AggregateInputs& out);

  const config::JobSpec& job_;
  ExpressionFindings findings_;
  config::Diagnostics& diagnostics_;
  JobInputs out_;
  std::vector<bool> is_known_;  // by origin: its columns are
  std::vector<bool> is_begun_;  // by aggregate
};

// Those that it reads first. A circle was reported.
void InputPlanner::resolve(size_t aggregate) {
  if (is_begun_[aggregate]) return;
  is_begun_[aggregate] = true;
  for (const config::AggregateSpec* read : job_.aggregates_behind(job_.aggregates[aggregate].inputs)) {
    resolve(static_cast<size_t>(read - job_.aggregates.data()));
  }
  const size_t errors_before = diagnostics_.error_count();
  out_.aggregates[aggregate] = plan(job_.aggregates[aggregate]);
  if (!out_.aggregates[aggregate].columns.empty() && diagnostics_.error_count() == errors_before) {
    make_known(aggregate);
  }
}

// What a window operator makes of it is what its readers see, but for kind and revision: those are about results.
void InputPlanner::make_known(size_t aggregate) {
  const AggregateInputs& inputs = out_.aggregates[aggregate];
  AggregateSpec spec = plan_aggregate_spec(job_, aggregate);
  auto layout = std::make_shared<BatchLayout>();
  for (const InputSlot& slot : inputs.slots) {
    layout->columns.push_back(slot.info);
    layout->columns.back().name = "$" + std::to_string(layout->columns.size());
  }
  spec.key_columns = inputs.keys;
  spec.key_names = inputs.key_names;
  spec.columns = inputs.columns;
  spec.having = inputs.having;
  spec.results = inputs.results;
  const auto made = WindowOperator::create(spec, layout);
  if (!made) return;  // the plan says why
  Schema schema{(*made)->output_layout()->columns};
  if (spec.can_fire_again()) schema.columns.resize(schema.columns.size() - 2);
  out_.planners[origin_of(aggregate)] = RowPlanner(schema, RowPlanner::Of::results);
  is_known_[origin_of(aggregate)] = true;
}

bool InputPlanner::may_take_back(uint32_t origin) const {
  if (is_source(origin)) return job_.sources[origin].mode.value == config::InputMode::changelog;
  return job_.aggregates[origin - job_.sources.size()].replaces_results();
}

// A transform that reads itself was reported; its way ends.
std::vector<Way> InputPlanner::ways_to(const std::vector<config::Spanned<std::string>>& inputs) const {
  std::vector<Way> out;
  const auto follow = [&](const auto& self, const std::string& id, const std::string& input,
                          std::vector<const config::TransformSpec*> behind) -> void {
    for (uint32_t i = 0; i < out_.planners.size(); ++i) {
      if (origin_id(job_, i) == id) out.push_back({i, {behind.rbegin(), behind.rend()}, input});
    }
    const config::TransformSpec* transform = job_.find_transform(id);
    if (transform == nullptr || std::find(behind.begin(), behind.end(), transform) != behind.end()) return;
    behind.push_back(transform);
    for (const auto& next : transform->inputs) self(self, next.value, input, behind);
  };
  for (const auto& input : inputs) follow(follow, input.value, input.value, {});
  return out;
}

// Rows of an origin come to an aggregate by one way, so that none counts twice.
std::vector<Way> InputPlanner::separate_ways(const config::AggregateSpec& aggregate) {
  std::vector<Way> ways = ways_to(aggregate.inputs);
  std::vector<Way> out;
  for (Way& way : ways) {
    const auto other = std::find_if(out.begin(), out.end(), [&](const Way& one) { return one.origin == way.origin; });
    if (other == out.end()) {
      out.push_back(std::move(way));
      continue;
    }
    diagnostics_
        .error(config::code::kContradiction, aggregate.id.span,
               fmt::format("aggregate `{}` reads {} `{}` twice, through `{}` and `{}`", aggregate.id.value,
                           is_source(way.origin) ? "source" : "aggregate", origin_id(job_, way.origin), other->input,
                           way.input))
        .with_help("rows must not count twice: use one transform whose `where` takes both kinds of rows");
  }
  return out;
}

void InputPlanner::check_syntax(const config::Spanned<std::string>& text, std::string_view part, size_t offset) {
  if (part.empty()) return;
  if (const auto error = check_expression_syntax(part)) findings_.report(*error, text, offset, {}, {});
}

// What can be said without knowing the columns.
void InputPlanner::check_syntax(const config::AggregateSpec& aggregate, const std::vector<Way>& ways) {
  const auto whole = [this](const config::Spanned<std::string>& text) { check_syntax(text, text.value, 0); };
  for (const Way& way : ways) {
    for (const config::TransformSpec* transform : way.transforms) {
      whole(transform->where);
      for (const auto& set : transform->set) whole(set.expression);
    }
  }
  whole(aggregate.where);
  for (const config::KeySpec& key : aggregate.key_by) {
    if (config::is_expression(key.expression.value)) whole(key.expression);
  }
  ResultPlanner results(aggregate, findings_);
  for (const ResultPlanner::Call& call : results.calls()) {
    for (const auto& place : {call.planned.argument, call.planned.filter}) {
      if (place)
        check_syntax(*call.text, std::string_view(call.text->value).substr(place->offset, place->size), place->offset);
    }
  }
}

// A condition on the kind of row lets one half of an update through, or a row and not its deletion.
void InputPlanner::warn_of_kinds(const config::Spanned<std::string>& text, const Passed& rows) {
  const auto parsed = parse_expression(text.value);
  const auto* tree = std::get_if<SyntaxTree>(&parsed);
  const bool is_column =
      std::any_of(rows.scope.begin(), rows.scope.end(), [](const ColumnInfo& one) { return one.name == "op"; });
  if (tree == nullptr || is_column) return;
  for (const SyntaxNode& node : tree->nodes) {
    if (node.kind != SyntaxKind::column || node.text != "op") continue;
    if (is_source(rows.origin)) {
      findings_.doubt(
          text, node.place, "a condition on `op` in changelog mode parts what belongs together",
          "updates and deletes take back what was added: leave them to the aggregates, or take mode = \"append\"");
    } else {
      findings_.doubt(
          text, node.place,
          "a condition on `op` parts results of `" + origin_id(job_, rows.origin) + "` from those that replace them",
          "results that replace others come as updates: leave them to the aggregates");
    }
  }
}

void InputPlanner::add_condition(const config::Spanned<std::string>& text, const std::string& input, Passed& rows) {
  if (text.value.empty()) return;
  RowPlanner& planner = out_.planners[rows.origin];
  auto condition = planner.condition(text.value, rows.scope);
  if (const auto* error = std::get_if<ExpressionError>(&condition)) {
    findings_.report(*error, text, 0, input, planner.shown(rows.scope));
  } else {
    rows.conditions.push_back(std::get<uint32_t>(condition));
    if (may_take_back(rows.origin)) warn_of_kinds(text, rows);
  }
}

// New columns are computed from those that come in, not from each other.
void InputPlanner::pass_transform(const config::TransformSpec& transform, Passed& rows) {
  RowPlanner& planner = out_.planners[rows.origin];
  const std::string& input = transform.inputs.front().value;
  add_condition(transform.where, input, rows);
  Scope behind = rows.scope;
  for (const auto& set : transform.set) {
    auto column = planner.column(set.expression.value, rows.scope);
    if (const auto* error = std::get_if<ExpressionError>(&column)) {
      findings_.report(*error, set.expression, 0, input, planner.shown(rows.scope));
    } else {
      behind = planner.bind(std::move(behind), set.name.value, std::get<uint32_t>(column));
    }
  }
  for (const auto& drop : transform.drop) {
    if (RowPlanner::hide(behind, drop.value)) continue;
    std::vector<std::string> names;
    for (const ColumnInfo& one : behind) names.push_back(one.name);
    const auto near = config::nearest_name(drop.value, names);
    findings_.report(config::code::kUnknownColumn, drop, {0, drop.value.size()},
                     fmt::format("no column `{}` in input `{}`", drop.value, input),
                     near ? fmt::format("did you mean `{}`?", *near) : "it is not there to be dropped");
  }
  rows.scope = std::move(behind);
}

Passed InputPlanner::pass(const Way& way) {
  Passed rows{way.origin, out_.planners[way.origin].source_scope(), {}};
  for (const config::TransformSpec* transform : way.transforms) {
    pass_transform(*transform, rows);
    out_.transforms.push_back({transform->id.value, way.origin, rows.scope});
  }
  return rows;
}

bool is_same_type(const ColumnInfo& a, const ColumnInfo& b) {
  return a.type == b.type && a.precision == b.precision && a.scale == b.scale;
}

// The slot that holds the text's value, whichever origin a row is of.
std::optional<uint32_t> InputPlanner::slot(AggregateInputs& out, const std::vector<Way>& ways,
                                           const std::vector<Passed>& rows, const std::string& text,
                                           const config::Spanned<std::string>& where, size_t offset,
                                           std::string_view filter) {
  InputSlot added;
  for (size_t i = 0; i < ways.size(); ++i) {
    RowPlanner& planner = out_.planners[ways[i].origin];
    auto column = planner.column(text, rows[i].scope);
    if (!filter.empty() && std::holds_alternative<uint32_t>(column)) {
      column = planner.masked(std::get<uint32_t>(column), filter, rows[i].scope);
    }
    if (const auto* error = std::get_if<ExpressionError>(&column)) {
      findings_.report(*error, where, offset, ways[i].input, planner.shown(rows[i].scope));
      return std::nullopt;
    }
    const uint32_t number = std::get<uint32_t>(column);
    const ColumnInfo& info = planner.info(number);
    if (i == 0) {
      added.info = info;
    } else if (!is_same_type(info, added.info)) {
      findings_.report(config::code::kContradiction, where, {offset, text.size()},
                       fmt::format("`{}` is {} in `{}` and {} in `{}`", text, type_text(added.info), ways[0].input,
                                   type_text(info), ways[i].input),
                       "make them alike with CAST in a transform, or aggregate them apart");
      return std::nullopt;
    }
    added.columns.push_back(number);
  }
  for (uint32_t i = 0; i < out.slots.size(); ++i) {
    if (out.slots[i].columns == added.columns) return i;
  }
  out.slots.push_back(std::move(added));
  return static_cast<uint32_t>(out.slots.size() - 1);
}

// True when the text is a column of every input, and nothing that has to be computed.
bool InputPlanner::is_column(const std::vector<Way>& ways, const std::vector<Passed>& rows, const std::string& text) {
  for (size_t i = 0; i < ways.size(); ++i) {
    RowPlanner& planner = out_.planners[ways[i].origin];
    const auto column = planner.column(text, rows[i].scope);
    if (!std::holds_alternative<uint32_t>(column) || !planner.is_delivered(std::get<uint32_t>(column))) return false;
  }
  return true;
}

// Filter and argument of a call, each for itself, so that what is wrong is said at its place.
bool InputPlanner::check_parts(const std::vector<Way>& ways, const std::vector<Passed>& rows,
                               const ResultPlanner::Call& call) {
  const std::string_view text = call.text->value;
  for (size_t i = 0; i < ways.size(); ++i) {
    RowPlanner& planner = out_.planners[ways[i].origin];
    const auto part = [text](const ExpressionPlace& place) { return text.substr(place.offset, place.size); };
    auto checked = planner.condition(part(*call.planned.filter), rows[i].scope);
    size_t offset = call.planned.filter->offset;
    if (call.planned.argument && std::holds_alternative<uint32_t>(checked)) {
      checked = planner.column(part(*call.planned.argument), rows[i].scope);
      offset = call.planned.argument->offset;
    }
    const auto* error = std::get_if<ExpressionError>(&checked);
    if (error == nullptr) continue;
    findings_.report(*error, *call.text, offset, ways[i].input, planner.shown(rows[i].scope));
    return false;
  }
  return true;
}

// What a call adds up. A filter leaves a column's values as they are; what is computed is computed only where the
// filter holds, since elsewhere it need not have a value.
std::optional<uint32_t> InputPlanner::argument_slot(AggregateInputs& out, const std::vector<Way>& ways,
                                                    const std::vector<Passed>& rows, const ResultPlanner::Call& call) {
  const std::string& text = call.text->value;
  const auto& argument = call.planned.argument;
  const std::string value = argument ? text.substr(argument->offset, argument->size) : std::string();
  const size_t offset = argument ? argument->offset : call.place.offset;
  if (!call.planned.filter) return slot(out, ways, rows, value, *call.text, offset);
  if (!check_parts(ways, rows, call)) return std::nullopt;
  if (!argument || !is_column(ways, rows, value)) {
    return slot(out, ways, rows, argument_text(text, call.planned), *call.text, offset);
  }
  const auto& filter = *call.planned.filter;
  return slot(out, ways, rows, value, *call.text, offset, std::string_view(text).substr(filter.offset, filter.size));
}

// False after a finding.
bool InputPlanner::resolve_call(AggregateInputs& out, const std::vector<Way>& ways, const std::vector<Passed>& rows,
                                const ResultPlanner::Call& call, AggregateColumn& column, ColumnInfo& argument) {
  if (!call.planned.argument && !call.planned.filter) return true;
  if (column.function == AggregateFunction::count_all) column.function = AggregateFunction::count;
  const auto at = argument_slot(out, ways, rows, call);
  if (!at) return false;
  column.input = static_cast<int>(*at);
  argument = out.slots[*at].info;
  const ExpressionPlace shown = call.planned.argument.value_or(call.place);
  argument.name = call.text->value.substr(shown.offset, shown.size);
  const bool changelog =
      std::any_of(ways.begin(), ways.end(), [this](const Way& way) { return may_take_back(way.origin); });
  const std::string why = aggregate_refusal(column.function, argument, changelog);
  if (why.empty()) return true;
  findings_.report(config::code::kWrongArgument, *call.text, shown,
                   fmt::format("`{}({})` cannot be computed on {}", function_name(column.function), argument.name,
                               type_text(argument)),
                   why);
  return false;
}

void InputPlanner::plan_keys(const config::AggregateSpec& aggregate, const std::vector<Way>& ways,
                             const std::vector<Passed>& rows, AggregateInputs& out) {
  for (const config::KeySpec& key : aggregate.key_by) {
    const auto at = slot(out, ways, rows, key.expression.value, key.expression, 0);
    if (!at) continue;
    out.keys.push_back(*at);
    out.key_names.push_back(key.name.value);
  }
}

AggregateInputs InputPlanner::plan(const config::AggregateSpec& aggregate) {
  AggregateInputs out;
  const std::vector<Way> ways = separate_ways(aggregate);
  if (ways.empty() ||
      !std::all_of(ways.begin(), ways.end(), [this](const Way& way) { return is_known_[way.origin]; })) {
    check_syntax(aggregate, ways);
    return out;
  }
  const size_t errors_before = diagnostics_.error_count();
  std::vector<Passed> rows;
  for (const Way& way : ways) {
    out.origins.push_back(way.origin);
    rows.push_back(pass(way));
    add_condition(aggregate.where, way.input, rows.back());
    out.conditions.push_back(rows.back().conditions);
  }
  plan_keys(aggregate, ways, rows, out);
  ResultPlanner results(aggregate, findings_);
  for (const ResultPlanner::Call& call : results.calls()) {
    AggregateColumn column = call.planned.column;
    ColumnInfo argument;
    if (resolve_call(out, ways, rows, call, column, argument)) {
      results.add(column, argument);
    } else {
      results.note_failure();
    }
  }
  std::vector<ColumnInfo> keys;
  for (size_t i = 0; i < out.keys.size(); ++i) {
    keys.push_back(out.slots[out.keys[i]].info);
    keys.back().name = out.key_names[i];
  }
  if (diagnostics_.error_count() != errors_before) {
    results.check_columns_without_calls(keys, out.keys.size() == aggregate.key_by.size());
    return out;
  }
  results.finish(keys, out.columns, out.having, out.results);
  return out;
}

}  // namespace

const std::string& origin_id(const config::JobSpec& job, uint32_t origin) {
  const size_t sources = job.sources.size();
  return origin < sources ? job.sources[origin].id.value : job.aggregates[origin - sources].id.value;
}

JobInputs plan_inputs(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics) {
  return InputPlanner(job, schemas, diagnostics).run();
}

}  // namespace tidemark::core
