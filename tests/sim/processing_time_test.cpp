// SPDX-License-Identifier: Apache-2.0
//
// Windows by processing time in whole jobs: results come while the job runs, whatever the number of workers and
// wherever the keys are; every row is in them once, also over restarts and steps of the wall clock; and watermarks
// tell event time all the same. One thread.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using core::WindowKind;

constexpr Micros kSecond = core::kMicrosPerSecond;
constexpr Micros kHour = 3600 * kSecond;

/// A row a second in each of `splits` splits, which all have the value 1.
SimJob clock_job(WindowKind kind, int seconds, int splits = 1) {
  std::vector<SplitScript> scripts;
  for (int split = 0; split < splits; ++split) {
    std::vector<ScriptStep> rows;
    for (int t = 0; t < seconds; ++t) rows.push_back(value(t, 1, t));
    scripts.push_back(split_until("s" + std::to_string(split), seconds + 20, rows));
  }
  SimJob job = sum_job(std::move(scripts), 0, 4 * kSecond);
  core::WindowSpec& window = job.plan.aggregates[0].spec.window;
  window.kind = kind;
  window.processing_time = true;
  window.slide_us = 2 * kSecond;  // of sliding windows: every row is in two
  window.gap_us = kSecond / 2;
  return job;
}

int64_t rows_in_results(const SimWorld& world) {
  int64_t sum = 0;
  for (const std::string& line : world.lines(0)) sum += std::stoll(line.substr(line.rfind('|') + 1));
  return sum;
}

TEST(SimProcessingTime, results_come_with_most_workers_idle) {
  for (const WindowKind kind : {WindowKind::tumbling, WindowKind::sliding, WindowKind::session}) {
    const int64_t times = kind == WindowKind::sliding ? 2 : 1;
    SimWorld world(clock_job(kind, 60), one_row_batches({4, 4, 2}));
    world.run_until(20 * kSecond);
    EXPECT_GE(rows_in_results(world), 15 * times);
    EXPECT_GE(world.counters().watermark.load(), 15 * kSecond) << "of event time";
    EXPECT_LE(world.counters().watermark.load(), 20 * kSecond) << "of event time";
    world.crash();
    world.start();
    EXPECT_GE(world.counters().watermark.load(), 15 * kSecond);
    world.run_until(40 * kSecond);
    EXPECT_GE(rows_in_results(world), 35 * times);
    EXPECT_LE(world.counters().watermark.load(), 40 * kSecond);
    world.stop();
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.resumes(), 2U);
    EXPECT_EQ(rows_in_results(world), 60 * times);
  }
}

TEST(SimProcessingTime, a_clock_that_is_set_right_again_silences_nothing) {
  for (const WindowKind kind : {WindowKind::tumbling, WindowKind::sliding, WindowKind::session}) {
    for (const bool restart : {false, true}) {
      const int64_t times = kind == WindowKind::sliding ? 2 : 1;
      SimWorld world(clock_job(kind, 60), one_row_batches({4}));
      world.run_until(20 * kSecond);
      world.clock().jump_wall(kHour);
      world.run_until(30 * kSecond);
      if (restart) world.crash();
      world.clock().jump_wall(-kHour);
      world.run_until(50 * kSecond);
      EXPECT_GE(rows_in_results(world), 45 * times);
      world.run_to_end();
      EXPECT_EQ(world.failure(), "");
      EXPECT_EQ(rows_in_results(world), 60 * times);
    }
  }
}

TEST(SimProcessingTime, every_row_counts_once_over_restarts_and_steps_of_the_clock) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const WindowKind kind = seed % 3 == 0   ? WindowKind::tumbling
                            : seed % 3 == 1 ? WindowKind::sliding
                                            : WindowKind::session;
    SimJob job = clock_job(kind, 40, 3);
    job.plan.aggregates[0].spec.key_columns = {1};
    SimOptions options = one_row_batches({4, 1, 3, 2});
    options.seed = seed;
    options.crashes = 2;
    options.stops = 1;
    options.stalls = seed % 2 == 0;
    SimWorld world(std::move(job), options);
    world.run_to_end();
    ASSERT_EQ(world.failure(), "");
    EXPECT_EQ(rows_in_results(world), kind == WindowKind::sliding ? 240 : 120) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::test
