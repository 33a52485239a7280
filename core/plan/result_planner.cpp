// SPDX-License-Identifier: Apache-2.0
//
// See the header. Aggregates that no column shows by themselves get names that no job can give: "$1", "$2", ...
#include "core/plan/result_planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"
#include "core/expression/expression.hpp"
#include "core/window/aggregate_types.hpp"

namespace tidemark::core {
namespace {

ColumnInfo bound(const char* name) {
  ColumnInfo info;
  info.name = name;
  info.type = ColumnType::timestamp;
  return info;
}

bool is_same(const AggregateColumn& a, const AggregateColumn& b) {
  return a.function == b.function && a.input == b.input && a.fraction == b.fraction && a.limit == b.limit &&
         a.separator == b.separator;
}

}  // namespace

ResultPlanner::ResultPlanner(const config::AggregateSpec& spec, ExpressionFindings& findings)
    : spec_(spec), findings_(findings) {
  for (const config::ColumnSpec& column : spec.columns) read(column.expression, &column.name);
  if (!spec.having.value.empty()) read(spec.having, nullptr);
}

void ResultPlanner::read(const config::Spanned<std::string>& text, const config::Spanned<std::string>* name) {
  const auto found = find_aggregate_calls(text.value, aggregate_names());
  if (const auto* error = std::get_if<ExpressionError>(&found)) {
    findings_.report(*error, text, 0, spec_.id.value, {});
    return;
  }
  const auto& calls = std::get<AggregateCalls>(found);
  Text added{&text, name, calls_.size(), calls.calls.size(), calls.alone};
  for (const AggregateCall& call : calls.calls) {
    const auto planned = plan_call(text.value, call);
    if (const auto* error = std::get_if<ExpressionError>(&planned)) {
      findings_.report(*error, text, 0, spec_.id.value, {});
      calls_.resize(added.first_call);
      return;
    }
    calls_.push_back({&text, call.place, std::get<PlannedCall>(planned)});
  }
  texts_.push_back(added);
}

void ResultPlanner::add(AggregateColumn column, const ColumnInfo& argument) {
  const auto same =
      std::find_if(kept_.begin(), kept_.end(), [&](const AggregateColumn& one) { return is_same(one, column); });
  kept_of_.resize(resolved_++);
  kept_of_.push_back(static_cast<size_t>(same - kept_.begin()));
  if (same != kept_.end()) return;
  kept_results_.push_back(aggregate_result(column, argument));
  kept_.push_back(std::move(column));
}

bool ResultPlanner::check(const Text& text, const std::vector<ColumnInfo>& columns, size_t first_aggregate) {
  std::vector<uint32_t> call_columns;
  for (size_t i = 0; i < text.call_count; ++i) {
    call_columns.push_back(static_cast<uint32_t>(first_aggregate + kept_of_[text.first_call + i]));
  }
  const ExpressionUse use = text.name == nullptr ? ExpressionUse::condition : ExpressionUse::value;
  const auto compiled =
      Expression::compile_over_aggregates(text.text->value, columns, use, aggregate_names(), call_columns);
  const auto* error = std::get_if<ExpressionError>(&compiled);
  if (error == nullptr) return true;
  if (error->code == ExpressionErrorCode::unknown_column && !names_are_known_) return false;
  report(*error, text, columns);
  // A column may be right as the argument of an aggregate whose name is wrong.
  const auto is_function = [](const ExpressionError& one) { return one.code == ExpressionErrorCode::unknown_function; };
  const bool any_function = is_function(*error) || std::any_of(error->more.begin(), error->more.end(), is_function);
  for (const ExpressionError& other : error->more) {
    if (is_function(other) || !any_function) report(other, text, columns);
  }
  return false;
}

void ResultPlanner::report(const ExpressionError& error, const Text& text, const std::vector<ColumnInfo>& columns) {
  const std::string name = text.text->value.substr(error.place.offset, error.place.size);
  if (error.code == ExpressionErrorCode::unknown_function) {
    ExpressionError better = error;
    better.more.clear();
    const std::string given = name == "average" || name == "mean" ? "avg" : name == "total" ? "sum" : name;
    const std::vector<std::string> names(aggregate_names().begin(), aggregate_names().end());
    if (const auto near = config::nearest_name(given, names)) {
      better.help = fmt::format("did you mean `{}`?", *near);
    } else if (!better.help.starts_with("did you mean")) {
      better.help = fmt::format("aggregates: {}", fmt::join(names, ", "));
    }
    findings_.report(better, *text.text, 0, spec_.id.value, {});
  } else if (error.code == ExpressionErrorCode::unknown_column) {
    if (!names_are_known_) return;
    std::vector<std::string> names;
    for (const ColumnInfo& column : columns) {
      if (!column.name.starts_with('$')) names.push_back(column.name);
    }
    const auto near = config::nearest_name(name, names);
    findings_.report(
        config::code::kExpression, *text.text, error.place, fmt::format("`{}` is not an aggregate", name),
        near ? fmt::format("did you mean `{}`?", *near)
             : fmt::format("write \"sum({0})\", \"max({0})\", …; columns to group by stand in key_by", name));
  } else {
    ExpressionError alone = error;
    alone.more.clear();
    findings_.report(alone, *text.text, 0, spec_.id.value, {});
  }
}

// Calls become the names of the columns that hold them.
std::string ResultPlanner::rewritten(const Text& text, const std::vector<AggregateColumn>& columns) const {
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < text.call_count; ++i) {
    const Call& call = calls_[text.first_call + i];
    out += text.text->value.substr(at, call.place.offset - at);
    out += "`" + columns[kept_of_[text.first_call + i]].name + "`";
    at = call.place.offset + call.place.size;
  }
  return out + text.text->value.substr(at);
}

void ResultPlanner::check_columns_without_calls(const std::vector<ColumnInfo>& keys, bool all_keys) {
  names_are_known_ = all_keys;
  std::vector<ColumnInfo> scope = {bound("window_start"), bound("window_end")};
  scope.insert(scope.end(), keys.begin(), keys.end());
  for (const Text& text : texts_) {
    if (text.name != nullptr && text.call_count == 0) check(text, scope, scope.size());
  }
}

void ResultPlanner::finish(const std::vector<ColumnInfo>& keys, std::vector<AggregateColumn>& columns,
                           std::string& having, std::vector<ResultColumn>& results) {
  std::vector<std::string> shown(kept_.size());  // names of aggregates that a column shows as they are
  bool all_alone =
      kept_.size() == static_cast<size_t>(std::count_if(texts_.begin(), texts_.end(),
                                                        [](const Text& text) { return text.name != nullptr; }));
  for (const Text& text : texts_) {
    if (text.name == nullptr) continue;
    const bool first = text.alone && shown[kept_of_[text.first_call]].empty();
    if (first) shown[kept_of_[text.first_call]] = text.name->value;
    all_alone = all_alone && first;
  }
  std::vector<ColumnInfo> scope = {bound("window_start"), bound("window_end")};
  scope.insert(scope.end(), keys.begin(), keys.end());
  const size_t first_aggregate = scope.size();
  for (size_t i = 0; i < kept_.size(); ++i) {
    kept_[i].name = shown[i].empty() ? "$" + std::to_string(i + 1) : shown[i];
    scope.push_back(kept_results_[i]);
    scope.back().name = kept_[i].name;
  }
  columns = kept_;
  for (const Text& text : texts_) {
    if (text.alone && text.name != nullptr) continue;
    if (!check(text, scope, first_aggregate)) return;
    if (text.name == nullptr) having = rewritten(text, columns);
  }
  if (all_alone) return;
  for (const Text& text : texts_) {
    if (text.name != nullptr) results.push_back({text.name->value, rewritten(text, columns)});
  }
}

}  // namespace tidemark::core
