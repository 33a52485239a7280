// SPDX-License-Identifier: Apache-2.0
//
// Conversions that lose nothing, put between nodes whose types differ.
#include "core/expression/typed_tree.hpp"

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"

namespace tidemark::core {

uint32_t TypedTree::add_constant(ValueType type, Parameter parameter) {
  const uint32_t node = add(constant_kernel(type.kind), type, {}, std::move(parameter));
  nodes_[node].constant = true;
  return node;
}

uint32_t TypedTree::add_null(ValueType type) {
  return add(null_kernel(type.kind), type, {});
}

uint32_t TypedTree::to_integer(uint32_t node) {
  if (type_of(node).kind != ValueKind::boolean) return node;
  return add(boolean_to_integer_kernel(), {ValueKind::integer}, {node});
}

uint32_t TypedTree::widen(uint32_t node, ValueType to) {
  const ValueType from = type_of(node);
  if (from.kind == ValueKind::null) return to.kind == ValueKind::null ? node : add_null(to);
  if (!is_numeric(from.kind) || to.kind == ValueKind::boolean) return node;  // texts, and times, which are stored alike
  const uint32_t number = to_integer(node);
  if (to.kind == ValueKind::floating) {
    if (from.kind == ValueKind::floating) return number;
    Parameter parameter;
    parameter.integer = from.scale;
    const ValueKind kind = type_of(number).kind;
    return add(number_to_double_kernel(kind), {ValueKind::floating}, {number}, parameter);
  }
  if (to.kind == ValueKind::decimal) {
    if (from.kind == ValueKind::decimal) return rescale(number, to.scale);
    Parameter parameter;
    parameter.decimal = power_of_ten(to.scale);
    Parameter value;
    if (nodes_[number].constant &&
        !__builtin_mul_overflow(parameter.decimal, Int128{nodes_[number].parameter.integer}, &value.decimal)) {
      return add_constant(to, value);
    }
    return add(integer_to_decimal_kernel(), to, {number}, parameter);
  }
  return number;
}

uint32_t TypedTree::rescale(uint32_t node, unsigned scale) {
  const ValueType from = type_of(node);
  if (from.scale == scale) return node;
  const bool up = scale > from.scale;
  Parameter parameter;
  parameter.decimal = power_of_ten(up ? scale - from.scale : from.scale - scale);
  const ValueType to = decimal_type(from.whole_digits() + scale, scale);
  if (nodes_[node].constant && up) {
    Parameter value;
    if (!__builtin_mul_overflow(nodes_[node].parameter.decimal, parameter.decimal, &value.decimal)) {
      return add_constant(to, value);
    }
  }
  return add(up ? decimal_scale_up_kernel() : decimal_scale_down_kernel(), to, {node}, parameter);
}

uint32_t TypedTree::to_condition(uint32_t node) {
  const ValueType type = type_of(node);
  if (type.kind == ValueKind::null || type.kind == ValueKind::boolean) return node;
  return add(number_to_boolean_kernel(type.kind), {ValueKind::boolean}, {node});
}

}  // namespace tidemark::core
