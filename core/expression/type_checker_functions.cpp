// SPDX-License-Identifier: Apache-2.0
//
// Functions, and intervals added to times. A function is one row of a table: its name, how many arguments it takes,
// and what settles its types.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/plain_functions.hpp"
#include "core/expression/temporal_text.hpp"
#include "core/expression/tokenizer.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kTimestamp{ValueKind::timestamp};
constexpr int64_t kMonday = -3 * kMicrosPerDay;  // 1969-12-29

struct UnitName {
  std::string_view name;
  bool months;
  int64_t factor;
};
// In the order of their length; microseconds and weeks are the ends that calendars have.
constexpr std::array<UnitName, 10> kUnits = {{{"microsecond", false, 1},
                                              {"millisecond", false, kMicrosPerMilli},
                                              {"second", false, kMicrosPerSecond},
                                              {"minute", false, 60 * kMicrosPerSecond},
                                              {"hour", false, 3600 * kMicrosPerSecond},
                                              {"day", false, kMicrosPerDay},
                                              {"week", false, 7 * kMicrosPerDay},
                                              {"month", true, 1},
                                              {"quarter", true, 3},
                                              {"year", true, 12}}};

constexpr std::array<std::string_view, 19> kAggregates = {"count",
                                                          "sum",
                                                          "min",
                                                          "max",
                                                          "avg",
                                                          "count_distinct",
                                                          "first",
                                                          "last",
                                                          "top_k",
                                                          "quantile",
                                                          "var_pop",
                                                          "var_samp",
                                                          "stddev",
                                                          "stddev_pop",
                                                          "stddev_samp",
                                                          "bool_and",
                                                          "bool_or",
                                                          "string_agg",
                                                          "approx_count_distinct"};

}  // namespace

struct TypeChecker::Function {
  std::string_view name;
  size_t least;
  size_t most;
  std::string_view usage;
  uint32_t (TypeChecker::*check)(const SyntaxNode&);
};

std::span<const TypeChecker::Function> TypeChecker::functions() {
  constexpr size_t kAny = SIZE_MAX;
  static constexpr std::array kFunctions = std::to_array<Function>({
      {"coalesce", 1, kAny, "COALESCE(a, b, …)", nullptr},
      {"ifnull", 2, 2, "IFNULL(a, b)", nullptr},
      {"greatest", 2, kAny, "GREATEST(a, b, …)", nullptr},
      {"least", 2, kAny, "LEAST(a, b, …)", nullptr},
      {"nullif", 2, 2, "NULLIF(a, b)", &TypeChecker::check_nullif},
      {"if", 3, 3, "IF(condition, a, b)", &TypeChecker::check_if},
      {"isnull", 1, 1, "ISNULL(a)", &TypeChecker::check_isnull},
      {"from_unixtime", 1, 1, "FROM_UNIXTIME(seconds)", &TypeChecker::check_from_unixtime},
      {"unix_timestamp", 1, 1, "UNIX_TIMESTAMP(time)", &TypeChecker::check_unix_timestamp},
      {"date_trunc", 2, 2, "date_trunc('hour', time)", &TypeChecker::check_date_trunc},
      {"date", 1, 1, "DATE(time)", &TypeChecker::check_date},
      {"week", 1, 2, "WEEK(time[, mode])", &TypeChecker::check_week},
      {"extract", 2, 2, "EXTRACT(HOUR FROM time)", &TypeChecker::check_extract},
      {"timestampdiff", 3, 3, "TIMESTAMPDIFF(SECOND, from, to)", &TypeChecker::check_timestampdiff},
      {"date_format", 2, 2, "DATE_FORMAT(time, '%Y-%m-%d')", &TypeChecker::check_date_format},
      {"date_add", 2, 2, "DATE_ADD(time, INTERVAL 1 DAY)", &TypeChecker::check_date_add},
      {"date_sub", 2, 2, "DATE_SUB(time, INTERVAL 1 DAY)", &TypeChecker::check_date_add},
      {"adddate", 2, 2, "ADDDATE(time, INTERVAL 1 DAY)", &TypeChecker::check_date_add},
      {"subdate", 2, 2, "SUBDATE(time, INTERVAL 1 DAY)", &TypeChecker::check_date_add},
      {"time_to_sec", 1, 1, "TIME_TO_SEC(time column)", &TypeChecker::check_time_to_sec},
      {"convert_tz", 3, 3, "CONVERT_TZ(time, 'UTC', 'Europe/Berlin')", &TypeChecker::check_convert_tz},
      {"mod", 2, 2, "MOD(a, b)", &TypeChecker::check_mod},
      {"abs", 1, 1, "ABS(number)", &TypeChecker::check_abs},
      {"sign", 1, 1, "SIGN(number)", &TypeChecker::check_sign},
      {"round", 1, 2, "ROUND(number[, digits])", &TypeChecker::check_round},
      {"truncate", 2, 2, "TRUNCATE(number, digits)", &TypeChecker::check_round},
      {"floor", 1, 1, "FLOOR(number)", &TypeChecker::check_floor},
      {"ceil", 1, 1, "CEIL(number)", &TypeChecker::check_floor},
      {"ceiling", 1, 1, "CEILING(number)", &TypeChecker::check_floor},
      {"concat", 1, kAny, "CONCAT(a, b, …)", &TypeChecker::check_concat},
      {"concat_ws", 2, kAny, "CONCAT_WS(separator, a, b, …)", &TypeChecker::check_concat_ws},
      {"json_extract", 2, 2, "JSON_EXTRACT(json, '$.path')", &TypeChecker::check_json_path},
      {"json_value", 2, 2, "JSON_VALUE(json, '$.path')", &TypeChecker::check_json_path},
      {"json_length", 1, 2, "JSON_LENGTH(json[, '$.path'])", &TypeChecker::check_json},
      {"json_type", 1, 1, "JSON_TYPE(json)", &TypeChecker::check_json},
      {"json_valid", 1, 1, "JSON_VALID(text)", &TypeChecker::check_json},
      {"json_unquote", 1, 1, "JSON_UNQUOTE(json)", &TypeChecker::check_json},
      {"regexp_like", 2, 3, "REGEXP_LIKE(text, 'pattern'[, 'i'])", &TypeChecker::check_regexp_call},
      {"regexp_substr", 2, 2, "REGEXP_SUBSTR(text, 'pattern')", &TypeChecker::check_regexp_call},
      {"regexp_replace", 3, 3, "REGEXP_REPLACE(text, 'pattern', 'with')", &TypeChecker::check_regexp_replace},
  });
  return kFunctions;
}

bool TypeChecker::is_known_function(std::string_view name) {
  const auto is_it = [name](const auto& function) { return function.name == name; };
  return std::any_of(functions().begin(), functions().end(), is_it) ||
         std::any_of(plain_functions().begin(), plain_functions().end(), is_it);
}

uint32_t TypeChecker::check_call(const SyntaxNode& node) {
  std::vector<std::string> names;
  for (const Function& function : functions()) {
    names.emplace_back(function.name);
    if (function.name != node.text) continue;
    if (node.parts.size() < function.least || node.parts.size() > function.most) {
      return fail_arguments(node, function.usage);
    }
    if (function.check != nullptr) return (this->*function.check)(node);
    if (node.text == "greatest") return check_fold(node, larger_kernel);
    return check_fold(node, node.text == "least" ? smaller_kernel : coalesce_kernel);
  }
  for (const PlainFunction& function : plain_functions()) {
    if (function.name == node.text) return check_plain(node);
    if (function.name.find(' ') == std::string_view::npos) names.emplace_back(function.name);
  }
  if (std::find(kAggregates.begin(), kAggregates.end(), node.text) != kAggregates.end()) {
    return fail(ExpressionErrorCode::not_supported, node.name_place,
                fmt::format("`{}` is an aggregate; an expression looks at one row", node.text),
                "aggregates stand in the columns of an [aggregates] table");
  }
  if (node.text == "now" || node.text == "current_timestamp") {
    return fail(ExpressionErrorCode::not_supported, node.name_place,
                fmt::format("`{}` is not supported: results must not depend on when they are computed", node.text), "");
  }
  return fail_unknown(ExpressionErrorCode::unknown_function, node.name_place,
                      fmt::format("no function `{}`", snippet(node.name_place)), node.text, names);
}

uint32_t TypeChecker::fail_arguments(const SyntaxNode& call, std::string_view usage) {
  return fail_type(
      call.place,
      fmt::format("`{}` has {} argument{}", call.text, call.parts.size(), call.parts.size() == 1 ? "" : "s"),
      fmt::format("write {}", usage));
}

uint32_t TypeChecker::check_fold(const SyntaxNode& node, Kernel (*kernel)(ValueKind)) {
  std::vector<Operand> all = operands(node);
  ValueType type;
  if (!unify(all, type)) return kFailed;
  uint32_t out = all[0].node;
  for (size_t i = 1; i < all.size(); ++i) out = tree_.add(kernel(type.kind), type, {out, all[i].node});
  return chosen_of(out, all);
}

uint32_t TypeChecker::check_from_unixtime(const SyntaxNode& node) {
  const Operand in = operand(node.parts.front());
  if (failed_) return kFailed;
  const ValueKind kind = tree_.type_of(in.node).kind;
  if (kind != ValueKind::null && (!is_numeric(kind) || kind == ValueKind::boolean)) {
    return fail_type(in.place,
                     fmt::format("FROM_UNIXTIME needs seconds, `{}` is {}", snippet(in.place), type_text(in.node)),
                     kind == ValueKind::text ? fmt::format("CAST({} AS DECIMAL(20,6))", snippet(in.place)) : "");
  }
  uint32_t seconds = in.node;
  if (kind == ValueKind::null) seconds = tree_.widen(seconds, kInteger);
  if (kind == ValueKind::decimal) seconds = tree_.rescale(seconds, 6);
  return tree_.add(from_unixtime_kernel(tree_.type_of(seconds).kind), kTimestamp, {seconds});
}

uint32_t TypeChecker::check_unix_timestamp(const SyntaxNode& node) {
  const uint32_t time = to_time(operand(node.parts.front()), "UNIX_TIMESTAMP");
  return failed_ ? kFailed : tree_.add(time_to_decimal_kernel(), decimal_type(19, 6), {time});
}

uint32_t TypeChecker::check_date_trunc(const SyntaxNode& node) {
  const SyntaxNode& name = syntax_.nodes[node.parts[0]];
  if (name.kind != SyntaxKind::text) {
    return fail_type(name.place, "date_trunc takes a unit in quotes", "such as date_trunc('hour', created_at)");
  }
  const auto unit = find_unit(lower_ascii(name.text), name.place, false);
  if (!unit) return kFailed;
  const uint32_t time = to_time(operand(node.parts[1]), "date_trunc");
  if (failed_) return kFailed;
  const ValueType type = tree_.type_of(time);
  return truncate(time, *unit, type.kind == ValueKind::date ? ValueType{ValueKind::datetime} : type);
}

uint32_t TypeChecker::check_date(const SyntaxNode& node) {
  const uint32_t time = to_time(operand(node.parts.front()), "DATE");
  return failed_ ? kFailed : truncate(time, {Unit::micros, kMicrosPerDay, 0}, {ValueKind::date});
}

uint32_t TypeChecker::check_mod(const SyntaxNode& node) {
  std::vector<Operand> sides = operands(node);
  for (Operand& side : sides) {
    if (failed_ || !needs_number(side, "MOD")) return kFailed;
    const ValueKind kind = tree_.type_of(side.node).kind;
    if (kind == ValueKind::null || kind == ValueKind::boolean) side.node = tree_.widen(side.node, kInteger);
  }
  return failed_ ? kFailed : remainder_or_sum(SyntaxOperator::modulo, sides[0], sides[1]);
}

uint32_t TypeChecker::truncate(uint32_t node, const IntervalUnit& unit, ValueType type) {
  Parameter parameter;
  parameter.integer = unit.factor;
  parameter.decimal = unit.origin;
  return tree_.add(unit.unit == Unit::months ? truncate_months_kernel() : truncate_micros_kernel(), type, {node},
                   parameter);
}

std::optional<TypeChecker::IntervalUnit> TypeChecker::find_unit(std::string_view name, ExpressionPlace place,
                                                                bool interval) {
  std::vector<std::string> names;
  for (const UnitName& unit : kUnits) {
    names.emplace_back(unit.name);
    if (unit.name != name) continue;
    const bool week = !interval && unit.name == "week";
    return IntervalUnit{unit.months ? Unit::months : Unit::micros, unit.factor, week ? kMonday : 0};
  }
  fail_unknown(ExpressionErrorCode::unknown_function, place, fmt::format("no unit `{}`", snippet(place)), name, names);
  return std::nullopt;
}

uint32_t TypeChecker::check_shift(const SyntaxNode& time, const SyntaxNode& interval, bool minus) {
  const auto unit = find_unit(interval.text, interval.name_place, true);
  if (!unit) return kFailed;
  const uint32_t at = to_time(operand(static_cast<uint32_t>(&time - syntax_.nodes.data())), "INTERVAL");
  const uint32_t amount = failed_ ? kFailed : interval_amount(interval, *unit);
  if (failed_) return kFailed;
  ValueType type = tree_.type_of(at);
  const bool days = unit->unit == Unit::months || unit->factor % kMicrosPerDay == 0;
  if (type.kind == ValueKind::date && !days) type = {ValueKind::datetime};
  if (unit->unit == Unit::months) {
    return tree_.add(minus ? subtract_months_kernel() : add_months_kernel(), type, {at, amount});
  }
  return tree_.add(minus ? subtract_micros_kernel() : add_micros_kernel(), type, {at, amount});
}

// The amount as an integer of microseconds or months.
uint32_t TypeChecker::interval_amount(const SyntaxNode& interval, const IntervalUnit& unit) {
  Operand in = operand(interval.parts.front());
  if (failed_) return kFailed;
  ValueType type = tree_.type_of(in.node);
  const bool fractions = unit.unit == Unit::micros && unit.factor == kMicrosPerSecond;
  if (type.kind == ValueKind::text && tree_[in.node].constant) {
    Parameter value;
    type = fractions ? decimal_type(kDecimalDigitsMax, 6) : decimal_type(kDecimalDigitsMax, 0);
    const std::string& text = tree_[in.node].parameter.text;
    if (parse_decimal128(text, type.scale, value.decimal) != NumberText::ok ||
        (!fractions && text.find('.') != std::string::npos)) {
      return fail_type(in.place, fmt::format("{} is no number of {}s", snippet(in.place), interval.text),
                       "such as INTERVAL '10' SECOND; fractions are for seconds");
    }
    in.node = tree_.add_constant(type, value);
  }
  if (!needs_number(in, "INTERVAL")) return kFailed;
  if (type.kind == ValueKind::null || type.kind == ValueKind::boolean || type.kind == ValueKind::integer) {
    const uint32_t count = tree_.widen(in.node, kInteger);
    if (unit.factor == 1) return count;
    Parameter factor;
    factor.integer = unit.factor;
    return tree_.add(arithmetic_kernel(SyntaxOperator::multiply, ValueKind::integer), kInteger,
                     {count, tree_.add_constant(kInteger, factor)});
  }
  if (type.kind == ValueKind::floating || (type.scale > 0 && !fractions)) {
    return fail_type(
        in.place, fmt::format("INTERVAL needs whole {}s, `{}` is {}", interval.text, snippet(in.place), describe(type)),
        "fractions are for seconds, as DECIMAL");
  }
  Parameter scale;  // of a number of microseconds or months
  uint32_t amount = in.node;
  if (fractions) {
    amount = tree_.rescale(amount, 6);
  } else if (unit.factor != 1) {
    Parameter factor;
    factor.decimal = unit.factor;
    amount = tree_.add(arithmetic_kernel(SyntaxOperator::multiply, ValueKind::decimal), decimal_type(38, 0),
                       {amount, tree_.add_constant(decimal_type(20, 0), factor)});
  }
  return tree_.add(decimal_to_integer_kernel(), kInteger, {amount}, scale);
}

}  // namespace tidemark::core
