// SPDX-License-Identifier: Apache-2.0
//
// Aggregates read each other without a circle (the checks of a job see to that), so the ways end.
#include "core/plan/job_plan.hpp"

#include <algorithm>

namespace tidemark::core {

uint32_t JobPlan::depth_of(const AggregatePlan& aggregate) const {
  uint32_t depth = 0;
  for (const uint32_t read : aggregate.upstream) depth = std::max(depth, depth_of(aggregates[read]) + 1);
  return depth;
}

uint32_t JobPlan::depth() const {
  uint32_t depth = 0;
  for (const AggregatePlan& aggregate : aggregates) depth = std::max(depth, depth_of(aggregate));
  return depth;
}

}  // namespace tidemark::core
