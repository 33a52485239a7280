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
  }
  return "?";
}

}  // namespace tidemark::core
