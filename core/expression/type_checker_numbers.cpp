// SPDX-License-Identifier: Apache-2.0
//
// Functions of numbers whose result's type goes by their argument's: integers stay integers, decimals keep the digits
// that are asked for, doubles stay doubles.
#include <fmt/format.h>

#include <algorithm>

#include "core/expression/kernels.hpp"
#include "core/expression/number_kernels.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kInteger{ValueKind::integer};
constexpr int64_t kDigitsMax = 400;  // behind which doubles have none
constexpr unsigned kIntegerDigits = 18;

}  // namespace

uint32_t TypeChecker::check_abs(const SyntaxNode& node) {
  const uint32_t number = number_argument(operand(node.parts[0]), name_of(node));
  if (failed_) return kFailed;
  const ValueType type = tree_.type_of(number);
  return tree_.add(absolute_kernel(type.kind), type, {number});
}

uint32_t TypeChecker::check_sign(const SyntaxNode& node) {
  const uint32_t number = number_argument(operand(node.parts[0]), name_of(node));
  return failed_ ? kFailed : tree_.add(sign_kernel(tree_.type_of(number).kind), kInteger, {number});
}

uint32_t TypeChecker::check_round(const SyntaxNode& node) {
  const uint32_t number = number_argument(operand(node.parts[0]), name_of(node));
  std::optional<int64_t> digits = 0;
  if (node.parts.size() > 1) {
    digits.reset();
    const Operand wanted = failed_ ? Operand{} : operand(node.parts[1]);
    if (!constant_integer(wanted, "the number of digits", digits)) return kFailed;
  }
  if (failed_) return kFailed;
  const ValueType type = tree_.type_of(number);
  if (!digits) return tree_.add_null(type);
  const Rounding rounding = node.text == "round" ? Rounding::half_away : Rounding::down;
  const int64_t wanted = std::clamp(*digits, -kDigitsMax, kDigitsMax);
  Parameter parameter;
  if (type.kind == ValueKind::floating) {
    parameter.integer = wanted;
    return tree_.add(round_double_kernel(rounding), type, {number}, parameter);
  }
  if (wanted >= type.scale) return number;
  parameter.integer = std::max<int64_t>(0, -wanted);
  if (type.kind == ValueKind::integer) return tree_.add(round_kernel(rounding, type.kind), type, {number}, parameter);
  parameter.decimal = type.scale - wanted;
  const auto scale = static_cast<unsigned>(std::max<int64_t>(0, wanted));
  return tree_.add(round_kernel(rounding, type.kind), decimal_type(type.whole_digits() + 1 + scale, scale), {number},
                   parameter);
}

uint32_t TypeChecker::check_floor(const SyntaxNode& node) {
  const uint32_t number = number_argument(operand(node.parts[0]), name_of(node));
  if (failed_) return kFailed;
  const ValueType type = tree_.type_of(number);
  const Rounding rounding = node.text == "floor" ? Rounding::floor : Rounding::ceiling;
  if (type.kind == ValueKind::integer) return number;
  if (type.kind == ValueKind::floating) return tree_.add(round_double_kernel(rounding), type, {number});
  uint32_t whole = number;
  if (type.scale > 0) {
    Parameter parameter;
    parameter.decimal = type.scale;
    whole =
        tree_.add(round_kernel(rounding, type.kind), decimal_type(type.whole_digits() + 1u, 0), {number}, parameter);
  }
  return type.whole_digits() < kIntegerDigits ? tree_.add(decimal_to_integer_kernel(), kInteger, {whole}) : whole;
}

}  // namespace tidemark::core
