// SPDX-License-Identifier: Apache-2.0
//
// An expression with every type settled: each node is one kernel with its inputs. A node may be the input of several
// others (the subject of an IN list), and is computed once.
// Invariant: inputs have smaller numbers than the node. A value.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/expression/kernel.hpp"
#include "core/expression/value_type.hpp"

namespace tidemark::core {

struct TypedNode {
  Kernel kernel = nullptr;
  ValueType type;
  std::vector<uint32_t> inputs;  ///< at most three
  Parameter parameter;
  bool constant = false;  ///< made by constant_kernel: parameter is the value
  bool null = false;      ///< NULL in every row
  bool json = false;      ///< a text that is a JSON value: strings in it have quotes
};

class TypedTree {
 public:
  /// A node; where all inputs are constants it is computed at once, and becomes one.
  uint32_t add(Kernel kernel, ValueType type, std::vector<uint32_t> inputs, Parameter parameter = {});
  uint32_t add_constant(ValueType type, Parameter parameter);
  /// NULL of a type.
  uint32_t add_null(ValueType type);

  uint32_t mark_json(uint32_t node) {
    nodes_[node].json = true;
    return node;
  }
  /// Gives a node another type whose values are stored alike; for a node that nothing reads yet.
  uint32_t retype(uint32_t node, ValueType type) {
    nodes_[node].type = type;
    return node;
  }
  /// `node` as a value of `to`, which common_type gave for it; constants are converted at once. Texts stay texts.
  uint32_t widen(uint32_t node, ValueType to);
  /// A decimal with another scale; digits that go are rounded.
  uint32_t rescale(uint32_t node, unsigned scale);
  /// A number as a condition: not 0.
  uint32_t to_condition(uint32_t node);

  const TypedNode& operator[](uint32_t node) const { return nodes_[node]; }
  const ValueType& type_of(uint32_t node) const { return nodes_[node].type; }
  const std::vector<TypedNode>& nodes() const { return nodes_; }

 private:
  uint32_t push(Kernel kernel, ValueType type, std::vector<uint32_t> inputs, Parameter parameter);
  bool is_fixed(uint32_t node) const { return nodes_[node].constant || nodes_[node].null; }
  uint32_t fold(Kernel kernel, ValueType type, const std::vector<uint32_t>& inputs, const Parameter& parameter);
  uint32_t to_integer(uint32_t node);

  std::vector<TypedNode> nodes_;
};

}  // namespace tidemark::core
