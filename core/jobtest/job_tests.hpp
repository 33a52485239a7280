// SPDX-License-Identifier: Apache-2.0
//
// JobTests: the [[tests]] of a job, ready to run. prepare() needs no input of the job: what it cannot know of a source
// it takes from the tests. Every test runs by itself, from nothing. One thread.
#pragma once

#include <optional>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/jobtest/expectations.hpp"
#include "core/jobtest/test_script.hpp"
#include "core/plan/job_sources.hpp"

namespace tidemark::core {

class JobTests {
 public:
  /// Checks the tests of `job`, which has no errors yet. Empty after findings that are errors. `job` outlives it.
  static std::optional<JobTests> prepare(const config::JobSpec& job, const JobSources& sources,
                                         config::Diagnostics& diagnostics);

  size_t size() const noexcept { return tests_.size(); }
  const config::TestSpec& spec(size_t test) const { return job_->tests[test]; }
  /// Adds a finding for each difference; none: it has passed.
  void run(size_t test, config::Diagnostics& diagnostics) const;

 private:
  struct Prepared {
    TestScript script;
    std::vector<ExpectedTable> expected;
  };

  const config::JobSpec* job_ = nullptr;
  JobPlan plan_;
  std::vector<Schema> schemas_;  // by source
  ResultLayouts layouts_;
  std::vector<Prepared> tests_;
};

}  // namespace tidemark::core
