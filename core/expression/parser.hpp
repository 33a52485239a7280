// SPDX-License-Identifier: Apache-2.0
//
// From the text of an expression to its syntax tree: operator precedence as in MySQL (OR, AND, NOT, comparisons,
// + -, * / % DIV, sign). Length, nesting and number of nodes are bounded, so that no text takes much time, memory
// or stack. Pure functions.
#pragma once

#include <span>
#include <string_view>

#include "core/expression/syntax_tree.hpp"

namespace tidemark::core {

inline constexpr int kExpressionDepthMax = 64;         ///< of parentheses and the like
inline constexpr uint16_t kExpressionHeightMax = 250;  ///< of the tree: a + b + c + ... grows it too
inline constexpr size_t kExpressionNodesMax = 2000;

/// `aggregates`: calls of these become nodes of kind aggregate, not of kind call (lower case; none inside another).
OrExpressionError<SyntaxTree> parse_expression(std::string_view text,
                                               std::span<const std::string_view> aggregates = {});

}  // namespace tidemark::core
