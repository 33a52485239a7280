// SPDX-License-Identifier: Apache-2.0
//
// From a checked job file and the sources' schemas to a JobPlan: picks the columns each source must deliver
// (nothing else is decoded), resolves names to numbers, and numbers the operators. Column names were checked by
// config/job against the same schemas; what is left to refuse here is said with the component's id.
// Pure functions.
#pragma once

#include <map>
#include <string>

#include "config/job/job_spec.hpp"
#include "core/base/status.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {

/// Schemas by source id; every source of the job has one.
using SchemasById = std::map<std::string, Schema>;

/// `cores`: threads when the job does not say.
Result<JobPlan> build_plan(const config::JobSpec& spec, const SchemasById& schemas, uint32_t cores);

/// The part of build_plan() that needs no schema; without a plugin's own generator.
WatermarkPlan plan_watermark(const config::SourceSpec& source);

}  // namespace tidemark::core
