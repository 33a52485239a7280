// SPDX-License-Identifier: Apache-2.0
//
// CAST. Texts that cannot be read give NULL; numbers that do not fit are failures, where MySQL would give the
// nearest number that does. Times and numbers are not cast into each other: MySQL's 20260131235959 is nobody's wish.
#include <fmt/format.h>

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/temporal_text.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kFloating{ValueKind::floating};
constexpr ValueType kText{ValueKind::text};

enum class CastTarget : uint8_t { integer, decimal, floating, text, date, datetime, timestamp };

struct CastName {
  std::string_view name;
  CastTarget target;
};
constexpr std::array<CastName, 14> kCasts = {{{"bigint", CastTarget::integer},
                                              {"signed", CastTarget::integer},
                                              {"integer", CastTarget::integer},
                                              {"int", CastTarget::integer},
                                              {"decimal", CastTarget::decimal},
                                              {"numeric", CastTarget::decimal},
                                              {"double", CastTarget::floating},
                                              {"real", CastTarget::floating},
                                              {"char", CastTarget::text},
                                              {"varchar", CastTarget::text},
                                              {"text", CastTarget::text},
                                              {"date", CastTarget::date},
                                              {"datetime", CastTarget::datetime},
                                              {"timestamp", CastTarget::timestamp}}};

}  // namespace

uint32_t TypeChecker::check_cast(const SyntaxNode& node) {
  const CastName* found = nullptr;
  for (const CastName& name : kCasts) {
    if (name.name == node.text) found = &name;
  }
  if (found == nullptr) {
    return fail_unknown(ExpressionErrorCode::unknown_function, node.name_place,
                        fmt::format("no type `{}` to cast to", snippet(node.name_place)), node.text,
                        {"bigint", "decimal", "double", "char", "datetime", "timestamp", "date"});
  }
  const Operand in = operand(node.parts.front());
  if (failed_) return kFailed;
  switch (found->target) {
    case CastTarget::integer:
      return cast_to_integer(in, node);
    case CastTarget::decimal:
      return cast_to_decimal(in, node);
    case CastTarget::floating:
      return cast_to_double(in, node);
    case CastTarget::text:
      return cast_to_text(in, node);
    default:
      return cast_to_time(in, node);
  }
}

uint32_t TypeChecker::cast_to_integer(Operand in, const SyntaxNode&) {
  const ValueType type = tree_.type_of(in.node);
  if (type.kind == ValueKind::text) return tree_.add(text_to_number_kernel(ValueKind::integer), kInteger, {in.node});
  if (!needs_number(in, "CAST")) return kFailed;
  if (type.kind == ValueKind::floating) return tree_.add(double_to_integer_kernel(), kInteger, {in.node});
  if (type.kind != ValueKind::decimal) return tree_.widen(in.node, kInteger);
  Parameter parameter;
  parameter.integer = type.scale;
  return tree_.add(decimal_to_integer_kernel(), kInteger, {in.node}, parameter);
}

uint32_t TypeChecker::cast_to_decimal(Operand in, const SyntaxNode& node) {
  const int precision = node.precision < 0 ? 10 : node.precision;
  const int scale = node.scale < 0 ? 0 : node.scale;
  if (precision < 1 || precision > kDecimalDigitsMax || scale > kDecimalScaleMax || scale > precision) {
    return fail_type(node.name_place, fmt::format("there is no DECIMAL({},{})", precision, scale),
                     "1 to 38 digits, at most 30 of them behind the point");
  }
  const ValueType to = decimal_type(static_cast<unsigned>(precision), static_cast<unsigned>(scale));
  Parameter parameter;
  parameter.integer = scale;
  const ValueType type = tree_.type_of(in.node);
  uint32_t out = in.node;
  if (type.kind == ValueKind::text) {
    out = tree_.add(text_to_number_kernel(ValueKind::decimal), to, {in.node}, parameter);
  } else if (!needs_number(in, "CAST")) {
    return kFailed;
  } else if (type.kind == ValueKind::floating) {
    out = tree_.add(double_to_decimal_kernel(), to, {in.node}, parameter);
  } else {
    out = tree_.widen(in.node, to);
  }
  Parameter limit;
  limit.decimal = power_of_ten(static_cast<unsigned>(precision));
  return tree_.add(decimal_fits_kernel(), to, {out}, limit);
}

uint32_t TypeChecker::cast_to_double(Operand in, const SyntaxNode&) {
  if (tree_.type_of(in.node).kind == ValueKind::text) {
    return tree_.add(text_to_number_kernel(ValueKind::floating), kFloating, {in.node});
  }
  return needs_number(in, "CAST") ? tree_.widen(in.node, kFloating) : kFailed;
}

uint32_t TypeChecker::as_text(uint32_t node) {
  const ValueType type = tree_.type_of(node);
  if (type.kind == ValueKind::null) return tree_.add_null(kText);
  if (type.kind == ValueKind::text) return tree_[node].json ? tree_.add(copy_text_kernel(), kText, {node}) : node;
  const uint32_t value = type.kind == ValueKind::boolean ? tree_.widen(node, kInteger) : node;
  Parameter parameter;
  parameter.integer = type.scale;
  return tree_.add(to_text_kernel(tree_.type_of(value).kind), kText, {value}, parameter);
}

uint32_t TypeChecker::cast_to_text(Operand in, const SyntaxNode& node) {
  const uint32_t value = as_text(in.node);
  if (node.precision < 0) return value;
  Parameter parameter;
  parameter.integer = node.precision;
  return tree_.add(cut_text_kernel(), kText, {value}, parameter);
}

uint32_t TypeChecker::cast_to_time(Operand in, const SyntaxNode& node) {
  const ValueType to{node.text == "date"       ? ValueKind::date
                     : node.text == "datetime" ? ValueKind::datetime
                                               : ValueKind::timestamp};
  const ValueKind from = tree_.type_of(in.node).kind;
  uint32_t time = in.node;
  if (node.precision >= 0 && node.precision != 6) {
    return fail(ExpressionErrorCode::not_supported, node.name_place, "times have microseconds here",
                "leave the digits out; date_trunc('second', time) drops the fraction");
  }
  if (from == ValueKind::text) {
    time = tree_.add(text_to_time_kernel(), to, {in.node});
  } else {
    time = to_time(in, "CAST");
  }
  if (failed_) return kFailed;
  if (to.kind != ValueKind::date) return tree_.retype(time, to);
  return truncate(time, {Unit::micros, kMicrosPerDay, 0}, to);
}

}  // namespace tidemark::core
