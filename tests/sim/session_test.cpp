// SPDX-License-Identifier: Apache-2.0
//
// Sessions in whole jobs: random punctual jobs whose windows are made sessions and whose times are whole seconds, so
// that rows at just the end of a session are common. On one core and with restarts and more cores they give the same
// bytes, and these are the sessions of all rows, made at once. One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "tests/sim/job_check.hpp"
#include "tests/sim/random_job.hpp"
#include "tests/sim/sim_random.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::kMicrosPerSecond;
using core::Micros;

/// Whole seconds, rounded down; what a split says about its progress stays true. Bounds too, so that the watermark
/// often stands one unit before the end of a session.
void round_times(SimJob& job) {
  for (SourceScript& script : job.scripts) {
    for (SplitScript& split : script.splits) {
      for (ScriptStep& step : split.steps) {
        if (step.time_us == core::kNoTime) continue;
        step.time_us = core::floor_to(step.time_us, kMicrosPerSecond);
        if (step.kind == ScriptStep::Kind::watermark) step.time_us -= kMicrosPerSecond;
      }
    }
  }
  for (core::SourcePlan& source : job.plan.sources) {
    Micros& bound = source.watermark.strategy.max_out_of_orderness_us;
    bound = core::floor_to(bound, kMicrosPerSecond) + 2 * kMicrosPerSecond;
  }
}

SimJob session_job(uint64_t seed) {
  SimJob job = random_job(seed).job;
  round_times(job);
  SimRandom random(seed * 7919 + 1);
  for (core::AggregatePlan& aggregate : job.plan.aggregates) {
    core::WindowSpec& window = aggregate.spec.window;
    window = {};
    window.kind = core::WindowKind::session;
    window.gap_us = random.between(1, 15) * kMicrosPerSecond;
    if (random.chance(40)) window.max_size_us = random.between(1, 60) * kMicrosPerSecond;
    aggregate.spec.allowed_lateness_us = 0;
    aggregate.spec.emit = {};
  }
  return job;
}

/// The rows that are left in the end, by keys and time.
std::vector<OracleRow> rows_left(const SimJob& job, uint32_t aggregate) {
  std::vector<OracleRow> out;
  for (OracleRow& row : oracle_rows(job, aggregate)) {
    if (row.event_time == core::kNoTime) continue;
    const bool takes = row.op == OracleOp::erase || row.op == OracleOp::update_before;
    if (!job.plan.aggregates[aggregate].spec.changelog) {
      if (row.op == OracleOp::insert) out.push_back(std::move(row));
    } else if (!takes) {
      row.op = OracleOp::insert;
      out.push_back(std::move(row));
    } else {
      const auto same = std::find_if(out.begin(), out.end(), [&](const OracleRow& each) {
        return each.split == row.split && each.event_time == row.event_time && each.measures == row.measures;
      });
      EXPECT_NE(same, out.end());
      if (same != out.end()) out.erase(same);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const OracleRow& a, const OracleRow& b) {
    return std::tie(a.keys, a.event_time) < std::tie(b.keys, b.event_time);
  });
  return out;
}

std::vector<std::string> session_lines(const SimJob& job, uint32_t aggregate) {
  const core::WindowSpec& window = job.plan.aggregates[aggregate].spec.window;
  const std::vector<OracleRow> rows = rows_left(job, aggregate);
  OracleJob oracle = oracle_job(job, aggregate);
  oracle.window_size_us = int64_t{1} << 60;  // holds all rows
  OracleFinal all;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin + 1;
    while (end < rows.size() && rows[end].keys == rows[begin].keys &&
           rows[end].event_time - rows[end - 1].event_time <= window.gap_us &&
           (window.max_size_us == 0 || rows[end].event_time - rows[begin].event_time <= window.max_size_us)) {
      ++end;
    }
    const auto at = rows.begin();
    OracleFinal one = oracle_final(oracle, {at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end)});
    EXPECT_EQ(one.results.size(), 1U);
    one.results.front().window_start = rows[begin].event_time;
    one.results.front().window_end = rows[end - 1].event_time + window.gap_us;
    all.results.push_back(std::move(one.results.front()));
    begin = end;
  }
  std::vector<std::string> lines = oracle_lines(all);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string run(SimWorld& world) {
  world.run_to_end();
  return world.failure();
}

TEST(SimSession, same_bytes_on_any_number_of_cores) {
  const uint64_t seeds = number_from("TIDEMARK_SIM_SEEDS", 40);
  uint32_t resumes = 0;
  for (uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    if (!random_job(seed).punctual) continue;
    const SimJob job = session_job(seed);
    SimWorld plain(job, random_options(seed, 0));
    ASSERT_EQ(run(plain), "") << "seed " << seed;
    SimWorld wild(job, random_options(seed, static_cast<uint32_t>(1 + seed % 4)));
    ASSERT_EQ(run(wild), "") << "seed " << seed;
    resumes += wild.resumes();
    for (size_t sink = 0; sink < job.plan.sinks.size(); ++sink) {
      std::vector<std::string> lines = plain.lines(sink);
      EXPECT_EQ(first_difference(wild.lines(sink), lines), "") << "seed " << seed << ", sink " << sink;
      std::sort(lines.begin(), lines.end());
      EXPECT_EQ(first_difference(lines, session_lines(job, job.plan.sinks[sink].aggregate)), "") << "seed " << seed;
    }
  }
  EXPECT_GT(resumes, seeds / 8);  // else the runs are too tame to say anything
}

}  // namespace
}  // namespace tidemark::test
