// SPDX-License-Identifier: Apache-2.0
//
// Loading a job file: read, parse, substitute, check. Offline: touches the file itself, the environment and the
// time zone names of the machine. All findings at once; only a syntax error hides what is behind it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config/job/diagnostic.hpp"
#include "config/job/environment.hpp"
#include "config/job/job_spec.hpp"

namespace tidemark::config {

struct LoadOptions {
  bool allow_missing_env = false;  ///< unset variables stand for something valid instead of being errors
  Environment environment;         ///< empty: the process's
  int64_t cpu_count = 0;           ///< default of parallelism; 0: as many as the process may use
};

struct LoadResult {
  /// There when the file could be parsed, so that further checks (columns, plugin options) can add their findings
  /// to the same list. Runnable only when !diagnostics.has_errors().
  std::optional<JobSpec> spec;
  Diagnostics diagnostics;
};

/// Never throws and never aborts on what the file holds.
LoadResult load_job(const std::filesystem::path& path, const LoadOptions& options);

/// The same for text that is in memory; relative paths start at `base_dir` (absolute).
LoadResult load_job_text(const std::string& name, std::string text, const std::filesystem::path& base_dir,
                         const LoadOptions& options);

}  // namespace tidemark::config
