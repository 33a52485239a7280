// SPDX-License-Identifier: Apache-2.0
//
// Arguments of functions. Numbers become whole ones by rounding, as in MySQL; texts are asked for, not guessed.
#include <fmt/format.h>

#include "core/expression/kernels.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kText{ValueKind::text};

}  // namespace

uint32_t TypeChecker::text_argument(Operand in, std::string_view who) {
  if (failed_) return kFailed;
  const ValueKind kind = tree_.type_of(in.node).kind;
  if (kind == ValueKind::text) return in.node;
  if (kind == ValueKind::null) return tree_.add_null(kText);
  return fail_type(in.place, fmt::format("`{}` needs a text, `{}` is {}", who, snippet(in.place), type_text(in.node)),
                   fmt::format("CAST({} AS CHAR)", snippet(in.place)));
}

uint32_t TypeChecker::number_argument(Operand in, std::string_view who) {
  if (failed_ || !needs_number(in, who)) return kFailed;
  const ValueKind kind = tree_.type_of(in.node).kind;
  return kind == ValueKind::null || kind == ValueKind::boolean ? tree_.widen(in.node, kInteger) : in.node;
}

uint32_t TypeChecker::integer_argument(Operand in, std::string_view who) {
  const uint32_t number = number_argument(in, who);
  if (failed_) return kFailed;
  const ValueType type = tree_.type_of(number);
  if (type.kind == ValueKind::floating) return tree_.add(double_to_integer_kernel(), kInteger, {number});
  if (type.kind != ValueKind::decimal) return number;
  Parameter parameter;
  parameter.integer = type.scale;
  return tree_.add(decimal_to_integer_kernel(), kInteger, {number}, parameter);
}

uint32_t TypeChecker::double_argument(Operand in, std::string_view who) {
  const uint32_t number = number_argument(in, who);
  return failed_ ? kFailed : tree_.widen(number, {ValueKind::floating});
}

bool TypeChecker::constant_text(Operand in, std::string_view what, std::string help, std::optional<std::string>& out) {
  if (failed_) return false;
  const TypedNode& node = tree_[in.node];
  if (node.null) return true;
  if (!node.constant || node.type.kind != ValueKind::text) {
    fail(ExpressionErrorCode::not_supported, in.place, fmt::format("{} stands in quotes", what), std::move(help));
    return false;
  }
  out = node.parameter.text;
  return true;
}

bool TypeChecker::constant_integer(Operand in, std::string_view what, std::optional<int64_t>& out) {
  if (failed_) return false;
  const TypedNode& node = tree_[in.node];
  if (node.null) return true;
  if (!node.constant || node.type.kind != ValueKind::integer) {
    fail(ExpressionErrorCode::not_supported, in.place, fmt::format("{} is a whole number, and no column", what), "");
    return false;
  }
  out = node.parameter.integer;
  return true;
}

}  // namespace tidemark::core
