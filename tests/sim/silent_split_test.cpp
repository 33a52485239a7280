// SPDX-License-Identifier: Apache-2.0
//
// A silent split holds a job for one idle timeout, and for no other: not after a restart, and not after it was lost
// and found again.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::Micros;

constexpr Micros kSecond = core::kMicrosPerSecond;

/// Split a: a row per second, as time goes by. Split b: one row, then silence. Idle after 5 s.
SimJob one_silent() {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("v", core::ColumnType::int64)};
  SplitScript a{"a", {}, false, 0};
  for (int i = 0; i < 100; ++i) a.steps.push_back(script_row(i, {"1"}, core::Op::insert, i));
  script.splits = {a, SplitScript{"b", {script_row(0, {"1"})}, false, 0}};
  job.plan.checkpoint_interval_us = kSecond / 2;
  add_source(job, std::move(script), false, 0, 5 * kSecond);
  add_aggregate(job, {0}, 10 * kSecond, {}, {{core::AggregateFunction::sum, "v"}});
  return job;
}

TEST(SilentSplit, stays_idle_over_a_restart) {
  for (const uint32_t cores : {1U, 2U}) {
    SimOptions options;
    options.cores = {cores};
    SimWorld world(one_silent(), options);
    world.run_until(20 * kSecond);
    ASSERT_GE(world.counters().watermark.load(), 18 * kSecond) << "b is idle";
    world.crash();
    world.run_until(22 * kSecond + kSecond / 2);
    EXPECT_GE(world.counters().watermark.load(), 21 * kSecond) << "b holds it for another idle timeout";
    EXPECT_EQ(world.failure(), "");
  }
}

// Three splits at 10, 30 and 50 s, all idle. What a restart looks for in them moves nothing: it must not matter which
// of them is found idle again first.
TEST(SilentSplit, a_restart_moves_no_watermark) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SimJob job = one_silent();
    job.scripts[0].splits.clear();
    for (const int at_s : {30, 10, 50}) {
      job.scripts[0].splits.push_back({"s" + std::to_string(at_s), {script_row(at_s, {"1"})}, false, 0});
    }
    SimOptions options;
    options.seed = seed;
    options.cores = {1, 2, 3, 1};
    SimWorld world(job, options);
    world.run_until(20 * kSecond);
    const Micros before = world.counters().watermark.load();
    for (int restarts = 1; restarts <= 3; ++restarts) {
      if (restarts == 2)
        world.stop();
      else
        world.crash();
      world.run_until((20 + 10 * restarts) * kSecond);
      EXPECT_EQ(world.counters().watermark.load(), before) << "seed " << seed;
    }
    EXPECT_EQ(world.failure(), "");
  }
}

// Workers hear of idle splits in different orders; in the end they stand at one watermark.
TEST(SilentSplit, all_workers_stand_at_one_watermark) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SimJob job = one_silent();
    job.scripts[0].splits.clear();
    for (const int at_s : {30, 10, 50, 70}) {
      job.scripts[0].splits.push_back({"s" + std::to_string(at_s), {script_row(at_s, {"1"})}, false, 0});
    }
    SimOptions options;
    options.seed = seed;
    options.cores = {4};
    options.step_cost_us_max = 100'000;
    SimWorld world(job, options);
    world.run_until(60 * kSecond);
    world.stop();  // with one last epoch
    const core::Micros shown = world.counters().watermark.load();
    EXPECT_EQ(shown, world.audit().watermark(0)) << "seed " << seed << ": the slowest worker and the furthest";
    EXPECT_EQ(world.failure(), "");
  }
}

TEST(SilentSplit, an_idle_phase_of_the_job_goes_on_over_a_restart) {
  SimJob job = one_silent();
  job.scripts[0].splits[0].steps.resize(2);
  for (auto& source : job.plan.sources) {
    source.watermark.merging.all_idle = core::AllIdlePolicy::advance;
    source.watermark.advance = {30 * kSecond, 0, kSecond / 5};
  }
  SimWorld world(job, {});
  world.run_until(25 * kSecond);
  world.crash();
  world.run_until(33 * kSecond);
  EXPECT_LT(world.counters().watermark.load(), 10 * kSecond) << "idle since 6 s or so: not yet";
  world.run_until(40 * kSecond);
  EXPECT_GT(world.counters().watermark.load(), 1'000'000 * kSecond) << "30 s are over";
  EXPECT_EQ(world.failure(), "");
}

TEST(SilentSplit, does_not_hold_after_it_was_lost_and_found_again) {
  for (const bool can_pause : {false, true}) {
    SimJob job = one_silent();
    job.scripts[0].can_pause = can_pause;
    job.scripts[0].names_failing = true;
    job.scripts[0].splits[1].outages = {{2 * kSecond, 4 * kSecond}};
    SimWorld world(job, {});
    world.run_until(20 * kSecond);
    EXPECT_GE(world.counters().watermark.load(), 17 * kSecond) << can_pause;
    EXPECT_EQ(world.failure(), "");
  }
}

}  // namespace
}  // namespace tidemark::test
