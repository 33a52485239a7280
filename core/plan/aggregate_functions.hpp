// SPDX-License-Identifier: Apache-2.0
//
// The aggregate functions as jobs write them: names (some have two), how many arguments they take and which of them
// are constants. Turns a call in a column's text into an AggregateColumn and the places of its argument and filter.
// Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/expression/aggregate_calls.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

/// All names, lower case.
std::span<const std::string_view> aggregate_names() noexcept;

struct PlannedCall {
  AggregateColumn column;                   ///< without name and input
  std::optional<ExpressionPlace> argument;  ///< of the text; none for count()
  std::optional<ExpressionPlace> filter;
};

/// `text`: what `call` was found in.
OrExpressionError<PlannedCall> plan_call(std::string_view text, const AggregateCall& call);

/// The text of what the call adds up: its argument, NULL for rows that the filter leaves out. Empty for count().
std::string argument_text(std::string_view text, const PlannedCall& call);

}  // namespace tidemark::core
