// SPDX-License-Identifier: Apache-2.0
//
// An expression as it is written: nodes that know their place in the text and their parts by number. Nothing is
// resolved here: names are texts, and every tree that reads can be built, whatever its types.
// Invariant: the parts of a node have smaller numbers than the node. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/expression/expression_error.hpp"

namespace tidemark::core {

enum class SyntaxKind : uint8_t {
  column,   ///< text: its name
  number,   ///< text: as written
  text,     ///< text: its bytes
  boolean,  ///< text: "true" or "false"
  null,
  temporal,     ///< TIMESTAMP '...' or DATE '...'; text: the type, one part: the text
  interval,     ///< INTERVAL amount unit; text: the unit, one part: the amount
  negate,       ///< one part
  arithmetic,   ///< two parts
  comparison,   ///< two parts
  logical_not,  ///< one part
  logical_and,  ///< two parts or more
  logical_or,   ///< two parts or more
  is_null,      ///< one part
  is_true,      ///< one part
  is_false,     ///< one part
  in_list,      ///< what is looked for, then the list
  between,      ///< what is looked at, low, high
  like,         ///< what is looked at, the pattern, and the escape character where there is one
  regexp,       ///< what is looked at, the pattern
  case_when,    ///< the operand where has_operand, then pairs of WHEN and THEN, then ELSE where has_else
  cast,         ///< one part; text: the type; precision and scale where given
  call,         ///< arguments; text: the function's name
  aggregate,    ///< arguments, then the filter where has_filter; text: the aggregate's name
};

enum class SyntaxOperator : uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  integer_divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::null;
  SyntaxOperator operation = SyntaxOperator::none;
  bool negated = false;  ///< IS NOT, NOT IN, NOT BETWEEN, NOT LIKE, NOT REGEXP
  bool has_operand = false;
  bool has_else = false;
  bool has_filter = false;
  bool distinct = false;  ///< aggregate(DISTINCT ...)
  bool star = false;      ///< aggregate(*)
  uint16_t height = 1;
  int precision = -1;
  int scale = -1;
  ExpressionPlace place;       ///< all of it
  ExpressionPlace name_place;  ///< the function, type, unit or operator
  std::string text;
  std::vector<uint32_t> parts;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  uint32_t root = 0;
};

}  // namespace tidemark::core
