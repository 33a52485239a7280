// SPDX-License-Identifier: Apache-2.0
//
// Refusals and result types by function; see the header. Any thread.
#include "core/window/aggregate_types.hpp"

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

bool is_number(ColumnType type) {
  return is_integer(type) || is_decimal(type) || is_floating(type);
}

bool gives_argument_type(Function function) {
  return function == Function::min || function == Function::max || function == Function::first ||
         function == Function::last;
}

/// Type, precision and scale of sums and averages.
void set_sum_type(Function function, const ColumnInfo& argument, ColumnInfo& out) {
  if (is_floating(argument.type)) {
    out.type = ColumnType::float64;
    return;
  }
  const uint8_t scale = is_decimal(argument.type) ? argument.scale : uint8_t{0};
  out.type = ColumnType::decimal256;
  out.precision = kSumDigits;
  out.scale = static_cast<uint8_t>(scale + (function == Function::avg ? kAverageDigits : 0));
}

}  // namespace

bool is_from_squares(AggregateFunction function) noexcept {
  return function == Function::var_pop || function == Function::var_samp || function == Function::stddev_pop ||
         function == Function::stddev_samp;
}

bool is_from_sums(AggregateFunction function) noexcept {
  return function == Function::sum || function == Function::avg || is_from_squares(function);
}

std::string aggregate_refusal(AggregateFunction function, const ColumnInfo& argument, bool changelog) {
  const ColumnType type = argument.type;
  if (is_from_sums(function) || function == Function::quantile) {
    if (is_number(type)) return {};
    if (type == ColumnType::boolean) return "only numbers have one; use bool_and, bool_or, or CASE WHEN ... THEN 1 END";
    return "only numbers have one; use count, count_distinct, min or max";
  }
  switch (function) {
    case Function::min:
    case Function::max:
      return type == ColumnType::json ? "JSON values have no order; use count, first or last" : "";
    case Function::bool_and:
    case Function::bool_or:
      if (type == ColumnType::boolean || is_integer(type)) return {};
      return "only booleans and integers are true or false; write a condition, as in CASE WHEN ... THEN 1 ELSE 0 END";
    case Function::approx_count_distinct:
      if (!changelog) return {};
      return "a value cannot be taken back from it, and rows of this aggregate are updated and deleted; use "
             "count_distinct, which is exact and can";
    default:
      return {};
  }
}

std::string aggregate_parameter_refusal(const AggregateColumn& column) {
  switch (column.function) {
    case Function::quantile:
      if (column.fraction >= 0 && column.fraction <= 1) return {};
      return "the fraction must be from 0 to 1, such as 0.95";
    case Function::top_k:
      if (column.limit >= 1 && column.limit <= kTopLimit) return {};
      return "the number of values must be from 1 to " + std::to_string(kTopLimit);
    case Function::string_agg:
      if (column.separator.size() <= kJoinedBytes) return {};
      return "the separator is longer than a result may be (" + std::to_string(kJoinedBytes) + " bytes)";
    default:
      return {};
  }
}

ColumnInfo aggregate_result(const AggregateColumn& column, const ColumnInfo& argument) {
  ColumnInfo out;
  if (gives_argument_type(column.function)) out = argument;
  out.name = column.name;
  out.comment.clear();
  out.nullable = true;
  if (gives_argument_type(column.function)) return out;
  switch (column.function) {
    case Function::sum:
    case Function::avg:
      set_sum_type(column.function, argument, out);
      break;
    case Function::var_pop:
    case Function::var_samp:
    case Function::stddev_pop:
    case Function::stddev_samp:
    case Function::quantile:
      out.type = ColumnType::float64;
      break;
    case Function::top_k:
      out.type = ColumnType::json;
      break;
    case Function::bool_and:
    case Function::bool_or:
      out.type = ColumnType::boolean;
      break;
    case Function::string_agg:
      out.type = ColumnType::text;
      break;
    default:  // counts
      out.type = ColumnType::int64;
      out.nullable = false;
  }
  return out;
}

}  // namespace tidemark::core
