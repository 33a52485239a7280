// SPDX-License-Identifier: Apache-2.0
//
// The leaves of an expression: columns, numbers, points in time, and the sign before a number.
#include <fmt/format.h>

#include <charconv>

#include "core/base/similar_name.hpp"
#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/temporal_text.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kFloating{ValueKind::floating};
constexpr ValueType kText{ValueKind::text};

}  // namespace

uint32_t TypeChecker::check_column(const SyntaxNode& node) {
  std::vector<std::string> names;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name.empty()) continue;
    names.push_back(columns_[i].name);
    if (columns_[i].name != node.text) continue;
    return read_column(i, node.place);
  }
  if (node.text == "op") return tree_.add(operation_kernel(), kText, {});
  const bool double_quoted = text_.substr(node.place.offset).starts_with('"');
  const auto near = similar_name(node.text, names);
  if (double_quoted && !near) {
    return fail(ExpressionErrorCode::unknown_column, node.place, fmt::format("no column `{}`", node.text),
                fmt::format("double quotes enclose names; texts stand in single quotes: '{}'", node.text));
  }
  return fail_unknown(ExpressionErrorCode::unknown_column, node.place, fmt::format("no column `{}`", node.text),
                      node.text, names);
}

uint32_t TypeChecker::read_column(size_t column, ExpressionPlace place) {
  const ColumnInfo& info = columns_[column];
  const auto type = value_type_of(info);
  if (!type) {
    const std::string shown = is_decimal(info.type) ? fmt::format("decimal({},{})", info.precision, info.scale)
                                                    : std::string(type_name(info.type));
    return fail(ExpressionErrorCode::not_supported, place,
                fmt::format("`{}` is {}: expressions cannot use that yet", snippet(place), shown),
                is_decimal(info.type)           ? "decimals have up to 30 digits behind the point here"
                : info.type == ColumnType::time ? fmt::format("TIME_TO_SEC({}) gives its seconds", snippet(place))
                                                : "");
  }
  const uint32_t node = load_column(column, *type);
  return info.type == ColumnType::json ? tree_.mark_json(node) : node;
}

uint32_t TypeChecker::load_column(size_t column, ValueType type) {
  used_.push_back(static_cast<uint32_t>(column));
  Parameter parameter;
  parameter.integer = static_cast<int64_t>(column);
  return tree_.add(column_kernel(columns_[column].type), type, {}, parameter);
}

// Aggregates do not nest, so their nodes stand in the order of the text.
uint32_t TypeChecker::check_aggregate(uint32_t index) {
  size_t number = 0;
  for (uint32_t i = 0; i < index; ++i) number += syntax_.nodes[i].kind == SyntaxKind::aggregate ? 1 : 0;
  const SyntaxNode& node = syntax_.nodes[index];
  if (number >= call_columns_.size() || call_columns_[number] >= columns_.size()) {
    return fail(ExpressionErrorCode::not_supported, node.place,
                fmt::format("`{}` has no value here", snippet(node.place)), "an expression of rows has no aggregates");
  }
  return read_column(call_columns_[number], node.place);
}

uint32_t TypeChecker::check_number(const SyntaxNode& node) {
  const std::string& digits = node.text;
  const char* end = digits.data() + digits.size();
  Parameter parameter;
  if (digits.find_first_of("eE") != std::string::npos) {
    const auto [at, error] = std::from_chars(digits.data(), end, parameter.real);
    if (error == std::errc() && at == end) return tree_.add_constant(kFloating, parameter);
    return fail(ExpressionErrorCode::syntax, node.place, fmt::format("`{}` does not fit a double", snippet(node.place)),
                "");
  }
  const size_t point = digits.find('.');
  if (point == std::string::npos) {
    const auto [at, error] = std::from_chars(digits.data(), end, parameter.integer);
    if (error == std::errc()) return tree_.add_constant(kInteger, parameter);
  }
  const size_t scale = point == std::string::npos ? 0 : digits.size() - point - 1;
  if (scale > kDecimalScaleMax ||
      parse_decimal128(digits, static_cast<unsigned>(scale), parameter.decimal) != NumberText::ok) {
    return fail(ExpressionErrorCode::syntax, node.place, fmt::format("`{}` has too many digits", snippet(node.place)),
                "at most 38, of them 30 behind the point; 1e40 is a double");
  }
  unsigned precision = 0;
  for (Int128 rest = parameter.decimal; rest > 0; rest /= 10) ++precision;
  return tree_.add_constant(decimal_type(precision, static_cast<unsigned>(scale)), parameter);
}

uint32_t TypeChecker::check_temporal(const SyntaxNode& node) {
  const SyntaxNode& literal = syntax_.nodes[node.parts.front()];
  const auto time = parse_temporal(literal.text);
  const bool date = node.text == "date";
  if (!time || (date && time->has_time)) {
    return fail(
        ExpressionErrorCode::syntax, literal.place,
        fmt::format("{} is no {}", snippet(literal.place), date ? "date" : "point in time"),
        date ? "write DATE '2026-01-31'" : "write TIMESTAMP '2026-01-31 23:59:59', in UTC or with an offset: +01:00");
  }
  Parameter parameter;
  parameter.integer = time->micros;
  const ValueKind kind = date ? ValueKind::date : time->has_zone ? ValueKind::timestamp : ValueKind::datetime;
  return tree_.add_constant({kind}, parameter);
}

uint32_t TypeChecker::check_negate(const SyntaxNode& node) {
  const Operand in = operand(node.parts.front());
  if (failed_ || !needs_number(in, "-")) return kFailed;
  uint32_t number = in.node;
  const ValueType type = tree_.type_of(number);
  if (type.kind == ValueKind::null || type.kind == ValueKind::boolean) {
    number = tree_.widen(number, kInteger);
  } else if (tree_[number].constant) {
    Parameter parameter = tree_[number].parameter;
    if (type.kind == ValueKind::floating) {
      parameter.real = -parameter.real;
      return tree_.add_constant(type, parameter);
    }
    if (type.kind == ValueKind::decimal) {
      parameter.decimal = -parameter.decimal;
      const bool smallest = type.scale == 0 && parameter.decimal == Int128{INT64_MIN};  // 2^63 was no integer yet
      parameter.integer = INT64_MIN;
      return tree_.add_constant(smallest ? kInteger : type, parameter);
    }
    if (!__builtin_sub_overflow(int64_t{0}, parameter.integer, &parameter.integer)) {
      return tree_.add_constant(type, parameter);
    }
  }
  const ValueType result = tree_.type_of(number);
  return tree_.add(negate_kernel(result.kind), result, {number});
}

}  // namespace tidemark::core
