// SPDX-License-Identifier: Apache-2.0
//
// Names of aggregate functions, for messages and fingerprints of state (so they never change).
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

const char* function_name(AggregateFunction function) noexcept {
  switch (function) {
    case AggregateFunction::count_all:
    case AggregateFunction::count:
      return "count";
    case AggregateFunction::sum:
      return "sum";
    case AggregateFunction::min:
      return "min";
    case AggregateFunction::max:
      return "max";
    case AggregateFunction::avg:
      return "avg";
    case AggregateFunction::count_distinct:
      return "count_distinct";
    case AggregateFunction::first:
      return "first";
    case AggregateFunction::last:
      return "last";
    case AggregateFunction::approx_count_distinct:
      return "approx_count_distinct";
    case AggregateFunction::quantile:
      return "quantile";
    case AggregateFunction::top_k:
      return "top_k";
    case AggregateFunction::var_pop:
      return "var_pop";
    case AggregateFunction::var_samp:
      return "var_samp";
    case AggregateFunction::stddev_pop:
      return "stddev_pop";
    case AggregateFunction::stddev_samp:
      return "stddev_samp";
    case AggregateFunction::bool_and:
      return "bool_and";
    case AggregateFunction::bool_or:
      return "bool_or";
    case AggregateFunction::string_agg:
      return "string_agg";
  }
  return "?";
}

}  // namespace tidemark::core
