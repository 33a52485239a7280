// SPDX-License-Identifier: Apache-2.0
//
// The expressions of a job, against what its sources have: each error at its place inside the job file's string.
// Where a source's columns are not known, what is wrong with the text alone. Pure but for the findings it adds.
#pragma once

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {

/// Adds findings for the `field` and `marker` of watermark tables, for transforms and aggregates. A field that is a
/// name is not looked at (config::check_columns does).
void check_expressions(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics);

}  // namespace tidemark::core
