// SPDX-License-Identifier: Apache-2.0
//
// What a job really runs with: every value with its unit, defaults marked, printed when a job starts so that no
// default is hidden. Pure.
#pragma once

#include <string>

#include "config/job/job_spec.hpp"

namespace tidemark::config {

/// Several lines, each with its end: job, state, each source, aggregate and sink. Plugin options are not shown (they
/// may hold secrets).
std::string describe_effective(const JobSpec& job);

}  // namespace tidemark::config
