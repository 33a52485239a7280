// SPDX-License-Identifier: Apache-2.0
//
// What a test expects, in the types of the results, and the comparison with what came. All results that came must be
// expected and the reverse, in any order; of a row the columns that the test names are compared. Every difference is
// a finding at the expectation that it concerns. Values; one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "core/jobtest/test_world.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {

/// The columns of results, by aggregate.
using ResultLayouts = std::vector<std::shared_ptr<const BatchLayout>>;

struct ExpectedCell {
  size_t column = 0;
  std::optional<std::string> text;  ///< as append_cell_text() writes it; empty = NULL
  std::string shown;                ///< as the test has it
  bool is_real = false;             ///< compared to as many digits as the test gives
  double real = 0;
  double tolerance = 0;
};

struct ExpectedTable {
  size_t aggregate = 0;
  std::string name;  ///< of the aggregate or sink, as the test has it
  config::Span span;
  std::vector<config::Span> row_spans;
  std::vector<std::vector<ExpectedCell>> rows;
};

/// Findings for columns that results do not have and values that they cannot have.
std::vector<ExpectedTable> read_expected_tables(const config::JobSpec& job, const config::TestSpec& test,
                                                const JobPlan& plan, const ResultLayouts& layouts,
                                                config::Diagnostics& diagnostics);

/// Adds a finding for each difference; none: the test has passed.
void compare(const config::TestSpec& test, const std::vector<ExpectedTable>& tables, const ResultLayouts& layouts,
             const TestOutcome& outcome, config::Diagnostics& diagnostics);

}  // namespace tidemark::core
