// SPDX-License-Identifier: Apache-2.0
//
// StateEstimate: what the state of an aggregate costs in memory, before any row is there: bytes per group, measured on
// the table that the job will use, and how many windows are open at once, from the settings. What depends on the data
// (lengths of texts, values that are kept apart, shards that are ahead) is said in words. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.hpp"
#include "core/window/accumulator_layout.hpp"

namespace tidemark::core {

struct StateEstimate {
  uint64_t group_bytes = 0;        ///< per group and piece of time
  uint64_t key_bytes = 0;          ///< of group_bytes; texts as long as kAssumedTextBytes
  std::optional<uint64_t> pieces;  ///< that are open at once; none: the settings do not say
  std::string pieces_name;         ///< "windows", "slices", "sessions"
  std::vector<std::string> words;

  /// Memory of a million groups in each piece that is open.
  std::optional<uint64_t> million_groups_bytes() const;
};

inline constexpr uint64_t kAssumedTextBytes = 12;

/// `plan` has the aggregate; its layouts have compiled.
Result<StateEstimate> estimate_state(const JobPlan& plan, const AggregatePlan& aggregate);

/// What an aggregate function keeps beside a fixed number of bytes per group, in words; empty: nothing. `layout`: of
/// that function alone.
std::string growth_words(AggregateFunction function, bool changelog, const AccumulatorLayout& layout);

}  // namespace tidemark::core
