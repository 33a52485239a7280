// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/sum_job.hpp"

#include <utility>

namespace tidemark::test {

using core::kMicrosPerSecond;
using core::Micros;

ScriptStep value(double event_s, int v, double available_s) {
  return script_row(event_s, {"k", std::to_string(v)}, core::Op::insert, available_s);
}

ScriptStep mark(ScriptStep::Kind kind, double available_s, double time_s) {
  ScriptStep step = value(time_s, 0, available_s);
  step.kind = kind;
  return step;
}

SplitScript open_split(std::string id, std::vector<ScriptStep> steps) {
  return {std::move(id), std::move(steps), false, 0};
}

SplitScript split_until(std::string id, double ends_at_s, std::vector<ScriptStep> steps) {
  return {std::move(id), std::move(steps), true, static_cast<Micros>(ends_at_s * 1e6)};
}

SimJob sum_job(std::vector<SplitScript> splits, double idle_timeout_s, Micros window_us) {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("k", core::ColumnType::text), column_of("v", core::ColumnType::int64)};
  script.splits = std::move(splits);
  job.plan.checkpoint_interval_us = kMicrosPerSecond;
  add_source(job, std::move(script), false, 0, static_cast<Micros>(idle_timeout_s * 1e6));
  add_aggregate(job, {0}, window_us, {}, {{core::AggregateFunction::sum, "v"}});
  return job;
}

std::string window(int64_t start_s, const std::string& sum, int64_t size_s) {
  return core::format_rfc3339(start_s * kMicrosPerSecond) + "|" +
         core::format_rfc3339((start_s + size_s) * kMicrosPerSecond) + "|" + sum;
}

SimOptions one_row_batches(std::vector<uint32_t> cores) {
  SimOptions options;
  options.cores = std::move(cores);
  options.batch_rows_max = 1;
  return options;
}

}  // namespace tidemark::test
