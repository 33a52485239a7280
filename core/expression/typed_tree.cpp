// SPDX-License-Identifier: Apache-2.0
//
// Conversions that lose nothing, put between nodes whose types differ; constants are computed when they are added,
// by their kernels over one row.
#include "core/expression/typed_tree.hpp"

#include <algorithm>

#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"

namespace tidemark::core {

namespace {

constexpr uint32_t kFoldFailed = UINT32_MAX;

// Row 0 of a vector.
Parameter first_value(const ValueVector& vector, ValueKind kind) {
  Parameter out;
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      out.integer = static_cast<int64_t>(vector.values<uint64_t>()[0] & 1);
      break;
    case ValueKind::decimal:
      out.decimal = vector.values<Int128>()[0];
      break;
    case ValueKind::floating:
      out.real = vector.values<double>()[0];
      break;
    case ValueKind::text:
      out.text = vector.values<std::string_view>()[0];
      break;
    default:
      out.integer = vector.values<int64_t>()[0];
      break;
  }
  return out;
}

}  // namespace

uint32_t TypedTree::push(Kernel kernel, ValueType type, std::vector<uint32_t> inputs, Parameter parameter) {
  nodes_.push_back({kernel, type, std::move(inputs), std::move(parameter)});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t TypedTree::add(Kernel kernel, ValueType type, std::vector<uint32_t> inputs, Parameter parameter) {
  const bool fixed =
      !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [this](uint32_t input) { return is_fixed(input); });
  if (fixed) {
    const uint32_t constant = fold(kernel, type, inputs, parameter);
    if (constant != kFoldFailed) return constant;
  }
  return push(kernel, type, std::move(inputs), std::move(parameter));
}

// A value that cannot be computed stays a node, so that each row fails.
uint32_t TypedTree::fold(Kernel kernel, ValueType type, const std::vector<uint32_t>& inputs,
                         const Parameter& parameter) {
  std::vector<ValueVector> vectors;
  vectors.reserve(inputs.size() + 1);
  for (const uint32_t input : inputs) vectors.emplace_back(value_bits(type_of(input).kind));
  vectors.emplace_back(value_bits(type.kind));
  for (ValueVector& vector : vectors) vector.reserve(1);
  TextArena texts;
  const Frame frame{nullptr, 1, vectors, &texts};
  std::vector<Step> steps;  // texts stand in their parameters
  steps.reserve(inputs.size());
  Step last{kernel, static_cast<uint16_t>(inputs.size()), {}, parameter};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TypedNode& input = nodes_[inputs[i]];
    const auto place = static_cast<uint16_t>(i);
    const Step& step = steps.emplace_back(Step{input.kernel, place, {}, input.parameter});
    step.kernel(frame, step);
    last.in[i] = place;
  }
  kernel(frame, last);
  const ValueVector& out = vectors.back();
  if (out.is_failed(0)) return kFoldFailed;
  return out.is_valid(0) ? add_constant(type, first_value(out, type.kind)) : add_null(type);
}

uint32_t TypedTree::add_constant(ValueType type, Parameter parameter) {
  const uint32_t node = push(constant_kernel(type.kind), type, {}, std::move(parameter));
  nodes_[node].constant = true;
  return node;
}

uint32_t TypedTree::add_null(ValueType type) {
  const uint32_t node = push(null_kernel(type.kind), type, {}, {});
  nodes_[node].null = true;
  return node;
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
