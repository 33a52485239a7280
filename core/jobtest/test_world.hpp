// SPDX-License-Identifier: Apache-2.0
//
// run_script(): one test's steps through the components of a running job, on one thread and in virtual time: each step
// is followed until nothing moves any more, and time passes in silences alone. What came of it is kept as text. The
// same script gives the same outcome, always.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/jobtest/test_script.hpp"
#include "core/late/late_item.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {

using ResultCells = std::vector<std::optional<std::string>>;  ///< as append_cell_text() writes them; empty = NULL

struct TestOutcome {
  Status status;                                  ///< the job's failure; late rows and warnings are then not all there
  std::vector<std::vector<ResultCells>> results;  ///< by aggregate, as they came
  std::vector<LateItem> late;
  std::vector<std::string> warnings;
};

/// A job that writes each aggregate's results to a sink of its own (test_plan()), with these schemas by source.
TestOutcome run_script(const JobPlan& plan, const std::vector<Schema>& schemas, const TestScript& script);

/// The job as tests run it: one core, no files, no epoch before the last.
JobPlan test_plan(JobPlan plan);

}  // namespace tidemark::core
