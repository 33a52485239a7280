// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/jobtest/job_tests.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "config/job/codes.hpp"
#include "core/jobtest/test_schemas.hpp"
#include "core/jobtest/test_world.hpp"
#include "core/plan/plan_builder.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {
namespace {

// The job against columns that only its tests tell of. What is not there may just be missing in the tests.
void check_job(const config::JobSpec& job, const SchemasById& schemas, config::Diagnostics& diagnostics) {
  config::Diagnostics found;
  check_source_columns(job, schemas, found);
  for (const config::Diagnostic* one : found.sorted()) {
    if (one->severity == config::Severity::warning) continue;
    config::Diagnostic& copy = diagnostics.error(one->code.c_str(), one->span, one->text);
    copy.help = one->help;
    copy.notes = one->notes;
    if (one->code == config::code::kUnknownColumn) {
      copy.with_note(
          "the input is not there, so its columns are those of [[tests]]: give rows the column, or name its type "
          "(schema.<source> = { <column> = \"bigint\" })");
    }
  }
}

}  // namespace

std::optional<JobTests> JobTests::prepare(const config::JobSpec& job, const JobSources& sources,
                                          config::Diagnostics& diagnostics) {
  if (job.tests.empty()) return JobTests();
  const size_t errors_before = diagnostics.error_count();
  const auto failed = [&] { return diagnostics.error_count() != errors_before; };
  const SchemasById schemas = test_schemas(job, sources.schemas, diagnostics);
  if (failed()) return std::nullopt;
  if (sources.schemas.size() < job.sources.size()) check_job(job, schemas, diagnostics);
  if (failed()) return std::nullopt;
  auto plan = build_plan(job, schemas, 1);
  if (!plan) {
    diagnostics.error(config::code::kContradiction, job.name.span, plan.status().message());
    return std::nullopt;
  }
  JobTests out;
  out.job_ = &job;
  out.plan_ = test_plan(*std::move(plan));
  for (size_t i = 0; i < job.sources.size(); ++i) {
    out.schemas_.push_back(schemas.at(job.sources[i].id.value));
    out.plan_.sources[i].watermark.generator = sources.generators[i];
  }
  for (const AggregatePlan& aggregate : out.plan_.aggregates) {
    auto window =
        WindowOperator::create(aggregate.spec, std::make_shared<const BatchLayout>(out.plan_.input_of(aggregate)));
    if (!window) {
      diagnostics.error(config::code::kContradiction, job.name.span, window.status().message());
      return std::nullopt;
    }
    out.layouts_.push_back((*window)->output_layout());
  }
  for (const config::TestSpec& test : job.tests) {
    out.tests_.push_back({build_script(job, test, schemas, diagnostics),
                          read_expected_tables(job, test, out.plan_, out.layouts_, diagnostics)});
  }
  if (failed()) return std::nullopt;
  return out;
}

void JobTests::run(size_t test, config::Diagnostics& diagnostics) const {
  const Prepared& prepared = tests_[test];
  const TestOutcome outcome = run_script(plan_, schemas_, prepared.script);
  compare(spec(test), prepared.expected, layouts_, outcome, diagnostics);
}

}  // namespace tidemark::core
