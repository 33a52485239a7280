// SPDX-License-Identifier: Apache-2.0
//
// Loading in the order that finds most: file, plugins and options, columns, plan. Changes the working directory.
#include "core/cli/loaded_job.hpp"

#include <utility>

#include "config/job/codes.hpp"
#include "config/job/load.hpp"
#include "core/base/log.hpp"
#include "core/cli/exit_code.hpp"
#include "core/plan/plan_builder.hpp"

namespace tidemark::core {

LoadedJob load_job_file(const std::filesystem::path& path, bool allow_missing_env) {
  config::LoadOptions options;
  options.allow_missing_env = allow_missing_env;
  config::LoadResult loaded = config::load_job(path, options);
  LoadedJob job;
  job.diagnostics = std::move(loaded.diagnostics);
  job.spec = std::move(loaded.spec);
  if (job.spec) {
    std::error_code error;  // an unreadable folder shows as soon as something in it is opened
    std::filesystem::current_path(job.spec->base_dir, error);
  }
  return job;
}

void plan_job(LoadedJob& job, AbsentInput absent) {
  if (!job.spec) return;
  const PluginCatalog catalog = PluginCatalog::scan(job_plugin_places(&*job.spec));
  job.sources = open_job_sources(*job.spec, catalog, absent, job.diagnostics);
  if (job.diagnostics.has_errors()) return;
  // Files that this job does not need; one that it needs is an error at the source's type.
  for (const PluginProblem& problem : catalog.problems()) log_warn(problem.status.message());
  if (job.sources.schemas.size() < job.spec->sources.size()) return;
  Result<JobPlan> plan = build_plan(*job.spec, job.sources.schemas, static_cast<uint32_t>(job.spec->parallelism.value));
  if (!plan) {
    job.diagnostics.error(config::code::kContradiction, job.spec->name.span, plan.status().message());
    return;
  }
  for (size_t i = 0; i < plan->sources.size(); ++i) {
    plan->sources[i].watermark.generator = std::move(job.sources.generators[i]);
  }
  job.plan = std::move(*plan);
}

int exit_code_of(const LoadedJob& job) noexcept {
  const bool input_alone = job.sources.input_errors > 0 && job.sources.input_errors == job.diagnostics.error_count();
  return input_alone ? exit_code_of(job.sources.input_error) : kExitConfig;
}

}  // namespace tidemark::core
