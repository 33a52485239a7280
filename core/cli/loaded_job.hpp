// SPDX-License-Identifier: Apache-2.0
//
// What run, check and late have in common: load the job file, go to its folder (relative paths of the job and of
// its plugins start there), open its sources and build the plan, with all findings in one list. Main thread.
#pragma once

#include <filesystem>
#include <optional>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/plan/job_plan.hpp"
#include "core/plan/job_sources.hpp"

namespace tidemark::core {

struct LoadedJob {
  config::Diagnostics diagnostics;
  std::optional<config::JobSpec> spec;
  JobSources sources;
  std::optional<JobPlan> plan;  ///< there when nothing is wrong and every source could be asked
};

/// Reads the job file alone.
LoadedJob load_job_file(const std::filesystem::path& path, bool allow_missing_env);
/// Opens its sources and builds the plan, as far as the findings so far allow.
void plan_job(LoadedJob& job, AbsentInput absent);

/// For a job without a plan: that of the input's error if nothing else is wrong, else that of a wrong job.
int exit_code_of(const LoadedJob& job) noexcept;

}  // namespace tidemark::core
