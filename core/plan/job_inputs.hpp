// SPDX-License-Identifier: Apache-2.0
//
// JobInputs: every expression of a job, resolved along the way of the rows (source, transforms, aggregate, and on to
// aggregates that read its results): what each source must deliver and compute, which rows each aggregate takes, and
// what it adds up. Rows come from an origin, a number: the sources first, then the aggregates. Findings are placed
// inside the job file's strings, each once. Made by the checks of a job and, where they found nothing, by the plan. A
// value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/plan/plan_builder.hpp"
#include "core/plan/row_planner.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

/// A key or an argument of an aggregate.
struct InputSlot {
  ColumnInfo info;
  std::vector<uint32_t> columns;  ///< the planner's number, per origin of the aggregate
};

struct AggregateInputs {
  std::vector<uint32_t> origins;
  std::vector<std::vector<uint32_t>> conditions;  ///< the planner's numbers, per origin
  std::vector<InputSlot> slots;
  std::vector<uint32_t> keys;  ///< slots
  std::vector<std::string> key_names;
  std::vector<AggregateColumn> columns;  ///< input: a slot
  std::string having;
  std::vector<ResultColumn> results;
};

/// What a transform gives of the rows of one origin, on their way to one aggregate.
struct TransformRows {
  std::string transform;
  uint32_t origin = 0;
  Scope scope;
};

struct JobInputs {
  std::vector<RowPlanner> planners;  ///< by origin
  std::vector<AggregateInputs> aggregates;
  std::vector<TransformRows> transforms;  ///< of each way that rows take
};

/// The id of an origin's source or aggregate.
const std::string& origin_id(const config::JobSpec& job, uint32_t origin);

/// Resolves what `job` says. Where a source has no schema in `schemas`, only the syntax of what reads it is looked at,
/// and the result is not to be used.
JobInputs plan_inputs(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics);

}  // namespace tidemark::core
