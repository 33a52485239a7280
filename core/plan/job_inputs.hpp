// SPDX-License-Identifier: Apache-2.0
//
// JobInputs: every expression of a job, resolved along the way of the rows (source, transforms, aggregate): what each
// source must deliver and compute, which rows each aggregate takes, and what it adds up. Findings are placed inside the
// job file's strings, each once. Made by the checks of a job and, where they found nothing, by the plan. A value.
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
  std::vector<uint32_t> columns;  ///< the planner's number, per source of the aggregate
};

struct AggregateInputs {
  std::vector<uint32_t> sources;                  ///< indexes in the job
  std::vector<std::vector<uint32_t>> conditions;  ///< the planner's numbers, per source
  std::vector<InputSlot> slots;
  std::vector<uint32_t> keys;  ///< slots
  std::vector<std::string> key_names;
  std::vector<AggregateColumn> columns;  ///< input: a slot
  std::string having;
  std::vector<ResultColumn> results;
};

/// What a transform gives of the rows of one source, on their way to one aggregate.
struct TransformRows {
  std::string transform;
  uint32_t source = 0;
  Scope scope;
};

struct JobInputs {
  std::vector<RowPlanner> planners;  ///< by source
  std::vector<AggregateInputs> aggregates;
  std::vector<TransformRows> transforms;  ///< of each way that rows take
};

/// Resolves what `job` says. Where a source has no schema in `schemas`, only the syntax of what reads it is looked at,
/// and the result is not to be used.
JobInputs plan_inputs(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics);

}  // namespace tidemark::core
