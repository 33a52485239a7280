// SPDX-License-Identifier: Apache-2.0
//
// The parts of an aggregate's plan that follow from the job file alone: windows, when results are given, lateness,
// whether rows may be taken back, and who reads its results. Columns come later (job_inputs, plan_builder).
// Pure functions.
#pragma once

#include <cstddef>

#include "config/job/job_spec.hpp"
#include "core/plan/job_plan.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

/// Aggregate number `number` of the job, without keys, columns, having and results.
AggregateSpec plan_aggregate_spec(const config::JobSpec& job, size_t number);
LateRule late_rule_of(config::LatePolicy policy);
NoBase no_base_of(config::NoBase rule);

}  // namespace tidemark::core
