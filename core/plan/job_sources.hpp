// SPDX-License-Identifier: Apache-2.0
//
// Opens the sources of a job: finds each source's plugin, checks its options against what the plugin declares,
// creates it, asks for its schema and checks the job's columns against that. Every finding points into the job
// file and all of them are collected. Serial, at start.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/base/status.hpp"
#include "core/event_time/watermark_generator.hpp"
#include "core/ingest/reader.hpp"
#include "core/plan/plan_builder.hpp"
#include "core/plugin_host/plugin_catalog.hpp"

namespace tidemark::core {

struct JobSources {
  std::vector<std::unique_ptr<Source>> sources;  ///< by index in the job; null where a finding says why
  std::vector<GeneratorFactory> generators;      ///< by index in the job; null without strategy = "plugin:<name>"
  SchemasById schemas;                           ///< of those that could be asked
  /// Errors among the findings that are about the input, not about the job: files that are missing or damaged.
  size_t input_errors = 0;
  Status input_error;  ///< the first of them
};

enum class AbsentInput : uint8_t {
  is_error,    ///< run: input that is not there is an error
  is_warning,  ///< check: it is a warning, and column checks of that source wait for run
};

JobSources open_job_sources(const config::JobSpec& job, const PluginCatalog& catalog, AbsentInput absent,
                            config::Diagnostics& diagnostics);

/// The part of it that looks at columns and expressions.
void check_source_columns(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics);

/// Where plugins are looked for: the job's paths, TIDEMARK_PLUGIN_PATH, then beside the program.
std::vector<PluginPlace> job_plugin_places(const config::JobSpec* job);

}  // namespace tidemark::core
