// SPDX-License-Identifier: Apache-2.0
//
// The aggregate calls in a result column's text: sum(price * qty) FILTER (WHERE status = 'paid') / count(). Their
// arguments and filters are given as places, to be compiled as expressions of their own over the input's columns; the
// text around them is compiled by Expression::compile_over_aggregates. Only syntax is looked at.
// Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression_error.hpp"

namespace tidemark::core {

/// Places are bytes of the whole text; `argument` as an expression is text.substr(offset, size), and what is wrong
/// with it stands at its offset more.
struct AggregateCall {
  std::string function;  ///< lower case
  ExpressionPlace place;
  ExpressionPlace name_place;
  std::vector<ExpressionPlace> arguments;
  std::optional<ExpressionPlace> filter;  ///< the condition behind WHERE
  bool distinct = false;                  ///< count(DISTINCT x)
  bool star = false;                      ///< count(*): no arguments
};

struct AggregateCalls {
  std::vector<AggregateCall> calls;  ///< in the order of the text
  bool alone = false;                ///< the text is one call, with nothing around it
};

/// `aggregates`: their names, lower case. Texts without any call are no error.
/// Errors: what does not read, an aggregate inside another.
OrExpressionError<AggregateCalls> find_aggregate_calls(std::string_view text,
                                                       std::span<const std::string_view> aggregates);

}  // namespace tidemark::core
