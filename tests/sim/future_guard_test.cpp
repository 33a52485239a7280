// SPDX-License-Identifier: Apache-2.0
//
// The future guard on the production components: a row far ahead of the wall clock never moves the watermark, and is
// counted in its own window, set aside or the end of the job, as on_future says.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::FutureRule;
using core::Micros;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;
constexpr int64_t kYear = 365 * 86'400;
constexpr Micros kEnd = 40 * kSecond;

/// Rows of now, one of next year and more of now, in one split; windows of 10 s, max_future 1 min.
SimJob job_with(FutureRule rule, bool changelog = false) {
  const auto now_s = static_cast<double>(SimClock().wall_us() / kSecond / 10 * 10);
  SimJob job;
  SourceScript script;
  script.columns = {column_of("v", core::ColumnType::int64)};
  SplitScript split{"a", {}, true, 20 * kSecond};
  int i = 0;
  for (const double at : {now_s + 1, now_s + kYear, now_s + 2, now_s + 11, now_s + 3}) {
    split.steps.push_back(script_row(at, {"1"}, core::Op::insert, i++));
  }
  script.splits = {split};
  job.plan.checkpoint_interval_us = kSecond;
  add_source(job, std::move(script), changelog, 0);
  job.plan.sources[0].watermark.future = {60 * kSecond, rule};
  add_aggregate(job, {0}, 10 * kSecond, {}, {{core::AggregateFunction::sum, "v"}});
  return job;
}

std::string window(int64_t offset_s, const std::string& sum) {
  const Micros start = (SimClock().wall_us() / kSecond / 10 * 10 + offset_s) * kSecond;
  return core::format_rfc3339(start) + "|" + core::format_rfc3339(start + 10 * kSecond) + "|" + sum;
}

SimOptions row_by_row() {
  SimOptions options;
  options.batch_rows_max = 1;
  return options;
}

TEST(FutureGuard, clamped_rows_count_in_their_own_window_and_move_nothing) {
  for (const bool changelog : {false, true}) {
    SimWorld world(job_with(FutureRule::clamp, changelog), row_by_row());
    world.run_until(kEnd);  // the wall clock stands still against event time
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(10, "1"), window(kYear, "1")}));
    ASSERT_EQ(world.late().size(), 1U) << "the row at 3 s, behind the one at 11 s; not the one at 2 s";
    EXPECT_EQ(world.counters().rows_ahead.load(), 1U);
  }
}

TEST(FutureGuard, rows_set_aside_keep_their_reason) {
  SimWorld world(job_with(FutureRule::set_aside), row_by_row());
  world.run_until(kEnd);
  EXPECT_EQ(world.failure(), "");
  EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(10, "1")}));
  ASSERT_EQ(world.late().size(), 2U);
  EXPECT_EQ(world.late()[0].reason == core::LateReason::future, world.late()[1].reason != core::LateReason::future);
  EXPECT_EQ(world.counters().rows_set_aside.load(), 1U);
}

TEST(FutureGuard, fail_names_the_row_and_the_way_out) {
  SimWorld world(job_with(FutureRule::fail), row_by_row());
  world.run_until(kEnd);
  EXPECT_NE(world.failure().find("ahead of the clock (max_future 1m)"), std::string::npos) << world.failure();
  EXPECT_NE(world.failure().find("on_future"), std::string::npos) << world.failure();
}

TEST(FutureGuard, without_a_guard_one_row_closes_every_window) {
  SimJob job = job_with(FutureRule::clamp);
  job.plan.sources[0].watermark.future = {};
  SimWorld world(job, row_by_row());
  world.run_until(kEnd);
  EXPECT_EQ(world.late().size(), 3U);
}

}  // namespace
}  // namespace tidemark::test
