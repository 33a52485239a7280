// SPDX-License-Identifier: Apache-2.0
//
// Job files for the tests of config/job: a small valid one, and ways to change and load it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/job/load.hpp"
#include "config/job/render.hpp"

namespace tidemark::config::test {

/// The smallest valid job: no bound, lateness, idle or offset keys.
std::string smallest_job();

/// The smallest job with a line put right behind the line `header`.
std::string with_line(std::string_view header, std::string_view line);

/// The smallest job with a watermark table of those lines (from line 7 on).
std::string with_watermark(std::string_view lines);

/// Loads as "job.toml" in /jobs, on a machine with 3 CPUs and only these variables.
LoadResult load(std::string text, std::map<std::string, std::string> environment = {}, bool allow_missing_env = false);

/// The findings of a job as text; "" when it is fine.
std::string findings(std::string text);

}  // namespace tidemark::config::test
