// SPDX-License-Identifier: Apache-2.0
//
// A function is a row of a table.
#include "core/plan/aggregate_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/expression/parser.hpp"
#include "core/window/aggregate_types.hpp"

namespace tidemark::core {
namespace {

struct Function {
  std::string_view name;
  AggregateFunction function;
  size_t least;  // arguments
  size_t most;
  std::string_view usage;
};
constexpr std::array<Function, 25> kFunctions = {{
    {"count", AggregateFunction::count, 0, 1, "count(), count(x) or count(DISTINCT x)"},
    {"sum", AggregateFunction::sum, 1, 1, "sum(x)"},
    {"min", AggregateFunction::min, 1, 1, "min(x)"},
    {"max", AggregateFunction::max, 1, 1, "max(x)"},
    {"avg", AggregateFunction::avg, 1, 1, "avg(x)"},
    {"count_distinct", AggregateFunction::count_distinct, 1, 1, "count_distinct(x)"},
    {"approx_count_distinct", AggregateFunction::approx_count_distinct, 1, 1, "approx_count_distinct(x)"},
    {"first", AggregateFunction::first, 1, 1, "first(x)"},
    {"last", AggregateFunction::last, 1, 1, "last(x)"},
    {"any_value", AggregateFunction::first, 1, 1, "any_value(x)"},
    {"quantile", AggregateFunction::quantile, 2, 2, "quantile(x, 0.95)"},
    {"median", AggregateFunction::quantile, 1, 1, "median(x)"},
    {"top_k", AggregateFunction::top_k, 2, 2, "top_k(x, 3)"},
    {"var_pop", AggregateFunction::var_pop, 1, 1, "var_pop(x)"},
    {"variance", AggregateFunction::var_pop, 1, 1, "variance(x)"},
    {"var_samp", AggregateFunction::var_samp, 1, 1, "var_samp(x)"},
    {"stddev_pop", AggregateFunction::stddev_pop, 1, 1, "stddev_pop(x)"},
    {"stddev", AggregateFunction::stddev_pop, 1, 1, "stddev(x)"},
    {"std", AggregateFunction::stddev_pop, 1, 1, "std(x)"},
    {"stddev_samp", AggregateFunction::stddev_samp, 1, 1, "stddev_samp(x)"},
    {"bool_and", AggregateFunction::bool_and, 1, 1, "bool_and(x)"},
    {"every", AggregateFunction::bool_and, 1, 1, "every(x)"},
    {"bool_or", AggregateFunction::bool_or, 1, 1, "bool_or(x)"},
    {"string_agg", AggregateFunction::string_agg, 1, 3, "string_agg(x, ', ', 100)"},
    {"group_concat", AggregateFunction::string_agg, 1, 3, "group_concat(x, ', ', 100)"},
}};

ExpressionError wrong(ExpressionPlace place, std::string text, std::string help) {
  return {ExpressionErrorCode::wrong_argument, place, std::move(text), std::move(help)};
}

// The constant at a place; empty when it is none of that kind.
std::optional<std::string> constant(std::string_view text, ExpressionPlace place, SyntaxKind kind) {
  const auto parsed = parse_expression(text.substr(place.offset, place.size));
  const auto* tree = std::get_if<SyntaxTree>(&parsed);
  if (tree == nullptr || tree->nodes[tree->root].kind != kind) return std::nullopt;
  return tree->nodes[tree->root].text;
}

template <typename Number>
bool read_number(std::string_view text, ExpressionPlace place, Number& out) {
  const auto spelled = constant(text, place, SyntaxKind::number);
  if (!spelled) return false;
  const auto [end, error] = std::from_chars(spelled->data(), spelled->data() + spelled->size(), out);
  return error == std::errc() && end == spelled->data() + spelled->size();
}

// The arguments behind the first.
std::optional<ExpressionError> read_parameters(std::string_view text, const AggregateCall& call,
                                               AggregateColumn& column) {
  const auto& arguments = call.arguments;
  switch (column.function) {
    case AggregateFunction::quantile:
      if (arguments.size() < 2 || read_number(text, arguments[1], column.fraction)) return std::nullopt;
      return wrong(arguments[1], "the fraction of `quantile` must be a number", "such as quantile(x, 0.95)");
    case AggregateFunction::top_k:
      if (read_number(text, arguments[1], column.limit)) return std::nullopt;
      return wrong(arguments[1], "`top_k` needs how many values to show", "such as top_k(x, 3)");
    case AggregateFunction::string_agg: {
      column.separator = ",";
      if (arguments.size() > 1) {
        const auto separator = constant(text, arguments[1], SyntaxKind::text);
        if (!separator) return wrong(arguments[1], "the separator must be a text", "such as string_agg(x, ', ')");
        column.separator = *separator;
      }
      if (arguments.size() < 3 || read_number(text, arguments[2], column.limit)) return std::nullopt;
      return wrong(arguments[2], "the limit must be a number of values", "such as string_agg(x, ', ', 100)");
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::span<const std::string_view> aggregate_names() noexcept {
  static const std::array<std::string_view, kFunctions.size()> kNames = [] {
    std::array<std::string_view, kFunctions.size()> names;
    std::transform(kFunctions.begin(), kFunctions.end(), names.begin(), [](const Function& one) { return one.name; });
    return names;
  }();
  return kNames;
}

OrExpressionError<PlannedCall> plan_call(std::string_view text, const AggregateCall& call) {
  const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const Function& one) { return one.name == call.function; });
  if (function == kFunctions.end()) {
    return ExpressionError{ExpressionErrorCode::unknown_function, call.name_place,
                           fmt::format("no aggregate `{}`", call.function), ""};
  }
  const std::string usage = fmt::format("write {}", function->usage);
  PlannedCall out;
  out.filter = call.filter;
  out.column.function = function->function;
  const bool counts = function->function == AggregateFunction::count;
  if (call.star && !counts) {
    return wrong(call.place, fmt::format("`{}` needs a column, not `*`", call.function), "only count(*) counts rows");
  }
  if (call.distinct) {
    if (!counts || call.arguments.size() != 1) {
      return wrong(call.place, fmt::format("`{}` does not take DISTINCT", call.function), "count(DISTINCT x) does");
    }
    out.column.function = AggregateFunction::count_distinct;
  }
  if (call.arguments.empty() && counts) {
    out.column.function = AggregateFunction::count_all;
    return out;
  }
  if (call.arguments.size() < function->least || call.arguments.size() > function->most) {
    if (call.arguments.empty()) {
      return wrong(call.name_place, fmt::format("`{}` needs a column", call.function), usage);
    }
    return wrong(call.place,
                 fmt::format("`{}` has {} argument{}", call.function, call.arguments.size(),
                             call.arguments.size() == 1 ? "" : "s"),
                 usage);
  }
  out.argument = call.arguments.front();
  if (auto error = read_parameters(text, call, out.column)) return *error;
  if (const std::string why = aggregate_parameter_refusal(out.column); !why.empty()) {
    return wrong(call.place, fmt::format("`{}`: {}", call.function, why), usage);
  }
  return out;
}

std::string argument_text(std::string_view text, const PlannedCall& call) {
  const auto part = [text](ExpressionPlace place) { return text.substr(place.offset, place.size); };
  if (!call.filter) return call.argument ? std::string(part(*call.argument)) : std::string();
  return fmt::format("CASE WHEN ({}) THEN ({}) END", part(*call.filter), call.argument ? part(*call.argument) : "1");
}

}  // namespace tidemark::core
