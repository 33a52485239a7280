// SPDX-License-Identifier: Apache-2.0
//
// Whose state it is: the record that a job leaves in its state, and whether a job may go on with, or read, a state
// that another start has left. Pure functions.
#pragma once

#include <filesystem>

#include "core/base/status.hpp"
#include "core/plan/job_plan.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

JobRecord job_record(const JobPlan& plan);

/// Code::state when `stored` is of another job or of another version of the format; `state`: where it stands.
Status check_same_job(const JobRecord& stored, const JobRecord& now, const std::filesystem::path& state);
/// Code::state, naming the component with its old and new value, when what is stored was computed by another meaning.
Status check_same_plan(const JobRecord& stored, const JobRecord& now, const std::filesystem::path& state);

}  // namespace tidemark::core
