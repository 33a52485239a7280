// SPDX-License-Identifier: Apache-2.0
//
// Splits that a source finds while the job runs: they are read from their beginning on whichever core, start by the
// rules of on_resume, and end the job with the others once the source will find no more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/event_time/merge_options.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

ScriptStep at(double event_s, double available_s) {
  return script_row(event_s, {"1"}, core::Op::insert, available_s);
}

SplitScript split(std::string id, double appears_s, std::vector<ScriptStep> steps, double ends_s) {
  return {std::move(id), std::move(steps), true, static_cast<Micros>(ends_s * 1e6),
          static_cast<Micros>(appears_s * 1e6)};
}

SimJob job_of(std::vector<SplitScript> splits) {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("v", core::ColumnType::int64)};
  script.splits = std::move(splits);
  job.plan.checkpoint_interval_us = kSecond;
  add_source(job, std::move(script), false, 0);
  job.plan.sources[0].discover_interval_us = kSecond;
  add_aggregate(job, {0}, 10 * kSecond, {}, {{core::AggregateFunction::sum, "v"}});
  return job;
}

std::string window(int start_s, const std::string& sum) {
  return core::format_rfc3339(start_s * kSecond) + "|" + core::format_rfc3339((start_s + 10) * kSecond) + "|" + sum;
}

SimOptions on_cores(std::vector<uint32_t> cores) {
  SimOptions options;
  options.cores = std::move(cores);
  options.batch_rows_max = 1;
  return options;
}

// A has reached 25 s when B is found at 5 s with rows of 3, 24 and 26 s.
SimJob late_comer(core::ResumeRule rule) {
  SimJob job = job_of(
      {split("a", 0, {at(1, 0), at(25, 1), at(45, 8)}, 20), split("b", 5, {at(3, 6), at(24, 7), at(26, 12)}, 20)});
  job.plan.sources[0].watermark.merging.on_resume = rule;
  return job;
}

TEST(SimDiscovery, a_split_found_later_holds_from_then_on) {
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SimWorld world(late_comer(core::ResumeRule::hold), on_cores({cores}));
    world.run_until(10 * kSecond);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1")})) << "closed before B came; [20,30) waits for B at 24 s";
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(20, "3"), window(40, "1")}));
    ASSERT_EQ(world.late().size(), 1U);
    EXPECT_EQ(world.late()[0].event_time, 3 * kSecond);
  }
}

TEST(SimDiscovery, a_split_found_later_catches_up_without_holding) {
  for (const uint32_t cores : {1U, 2U}) {
    SimWorld world(late_comer(core::ResumeRule::catch_up), on_cores({cores}));
    world.run_until(10 * kSecond);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(20, "2")})) << "A at 45 s closed it; B's 24 s was in time";
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.late().size(), 2U) << "3 s and 26 s";
  }
}

TEST(SimDiscovery, a_source_may_begin_without_splits) {
  for (const uint32_t cores : {1U, 3U}) {
    SimWorld world(job_of({split("a", 3, {at(1, 0), at(11, 0)}, 0), split("b", 60, {at(12, 0)}, 0)}),
                   on_cores({cores}));
    world.run_until(50 * kSecond);
    EXPECT_FALSE(world.ended()) << "one more is to come";
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1")})) << "A has finished, but that is not the end";
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "2")}));
  }
}

TEST(SimDiscovery, splits_found_while_running_survive_restarts) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SimOptions options = on_cores({1, 2, 3, 2});
    options.seed = seed;
    options.crashes = 3;
    options.stops = 1;
    options.steps_to_restart = 60;
    SimWorld world(job_of({split("a", 0, {at(1, 0), at(2, 5), at(11, 9)}, 30), split("b", 2, {at(3, 2), at(12, 9)}, 30),
                           split("c", 8, {at(4, 8), at(13, 10)}, 30)}),
                   options);
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.lines(0), (Lines{window(0, "4"), window(10, "3")})) << seed;
  }
}

}  // namespace
}  // namespace tidemark::test
