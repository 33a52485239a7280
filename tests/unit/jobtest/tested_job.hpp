// SPDX-License-Identifier: Apache-2.0
//
// A small job over a source without input, for [[tests]] that unit tests give it. One thread.
#pragma once

#include <string>

#include "config/job/load.hpp"
#include "config/job/render.hpp"
#include "core/jobtest/job_tests.hpp"

namespace tidemark::test {

/// Parts of the job that tests vary.
struct TestedJob {
  std::string source = "mode = \"append\"";
  std::string watermark = "max_out_of_orderness = \"10s\"\nidle_timeout = \"30s\"";
  std::string aggregate = "window = { type = \"tumbling\", size = \"1m\" }";
  std::string columns = "orders = \"count()\"\ntotal = \"sum(amount)\"";
};

/// Source `orders` with event time `at`, aggregate `totals` by region, sink `out`; then `tests`.
inline config::LoadResult load_tested(const std::string& tests, const TestedJob& job = {}) {
  config::LoadOptions options;
  options.cpu_count = 1;
  return config::load_job_text("job.toml",
                               "[job]\nname = \"j\"\n[sources.orders]\ntype = \"none\"\n" + job.source +
                                   "\n[sources.orders.watermark]\nfield = \"at\"\n" + job.watermark +
                                   "\n[aggregates.totals]\ninputs = [\"orders\"]\nkey_by = [\"region\"]\n" +
                                   job.aggregate + "\n[aggregates.totals.columns]\n" + job.columns +
                                   "\n[sinks.out]\ntype = \"stdout\"\ninputs = [\"totals\"]\n" + tests,
                               "/jobs", options);
}

/// What is wrong with the job and its tests, then what fails in them; "" when all pass.
inline std::string run_tests(const std::string& tests, const TestedJob& job = {}) {
  config::LoadResult loaded = load_tested(tests, job);
  if (loaded.diagnostics.has_errors()) return config::render_text(loaded.diagnostics);
  core::JobSources sources;
  sources.sources.resize(1);
  sources.generators.resize(1);
  const auto prepared = core::JobTests::prepare(*loaded.spec, sources, loaded.diagnostics);
  if (!prepared) return config::render_text(loaded.diagnostics);
  for (size_t i = 0; i < prepared->size(); ++i) prepared->run(i, loaded.diagnostics);
  return config::render_text(loaded.diagnostics);
}

/// A test of these steps and expectations.
inline std::string one_test(const std::string& steps, const std::string& expectations) {
  return "[[tests]]\nname = \"t\"\nsteps = [\n" + steps + "]\n" + expectations;
}

}  // namespace tidemark::test
