// SPDX-License-Identifier: Apache-2.0
//
// How a command learns how a job stands: from the job itself when it runs and listens, else from its state, which
// it only reads. Main thread of a command.
#pragma once

#include <string>

#include "config/job/job_spec.hpp"
#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/runtime/job_status.hpp"

namespace tidemark::core {

struct FoundStatus {
  JobStatus status;
  std::string note;  ///< where it comes from, when it is not the running job's own word
};

/// Asks the job at `address` ("127.0.0.1:8686").
Result<JobStatus> fetch_status(const std::string& address);

/// The running job's answer, else what its state says as of its last epoch; whether it runs is told by the state's
/// lock. Errors: no state, or a damaged one.
Result<FoundStatus> find_status(const config::JobSpec& job, const Clock& clock);

}  // namespace tidemark::core
