// SPDX-License-Identifier: Apache-2.0
//
// The status of a job as its last epoch has it, for jobs that do not run: the same JobStatus, at the moment of that
// epoch. Reads records and the keys of pages; changes nothing.
#pragma once

#include "config/job/job_spec.hpp"
#include "core/base/status.hpp"
#include "core/runtime/job_status.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {

/// Code::state when there is no epoch yet, Code::damage when a record is damaged.
Result<JobStatus> stored_status(const config::JobSpec& job, EpochStore& store);

}  // namespace tidemark::core
