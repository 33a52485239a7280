// SPDX-License-Identifier: Apache-2.0
//
// The small language of aggregate columns: `count()`, `count(*)`, `sum(amount)`, ... with function names in any
// case and column names bare, in backticks or in double quotes. Places are byte offsets in the text, so that
// errors can point into the job file. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/job/job_spec.hpp"

namespace tidemark::config {

struct TextPlace {
  size_t offset = 0;
  size_t size = 0;
};

struct ExpressionProblem {
  const char* code = "";
  TextPlace place;
  std::string text;
  std::string help;
};

struct ColumnExpression {
  AggregateFunction function = AggregateFunction::count_all;
  TextPlace function_place;
  std::string argument;
  TextPlace argument_place;
  std::optional<ExpressionProblem> problem;  ///< set: the rest means nothing
};

ColumnExpression parse_column_expression(std::string_view text);

}  // namespace tidemark::config
