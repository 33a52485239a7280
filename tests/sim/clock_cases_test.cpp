// SPDX-License-Identifier: Apache-2.0
//
// Field case O06: the wall clock steps back. Timeouts, checkpoints and verdicts run on the steady clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::AllIdlePolicy;
using core::Micros;

constexpr Micros kSecond = core::kMicrosPerSecond;

/// What a run shows from outside, second by second, and what it leaves behind.
struct Course {
  std::vector<std::tuple<uint64_t, Micros, size_t>> seconds;  // epochs, watermark, lines
  std::vector<std::string> lines;
  std::vector<std::tuple<std::string, uint64_t, Micros, Micros>> late;  // split, sequence, time, watermark
};

// B falls silent at 3 s; A goes on, with rows that are late now and then, until it falls silent too at 50 s.
Course run(AllIdlePolicy policy, Micros jump) {
  std::vector<ScriptStep> a;
  for (int t = 0; t < 50; ++t) a.push_back(value(t % 7 == 6 ? t - 20 : t, 1, t));
  SimJob job =
      sum_job({split_until("a", 75, a), split_until("b", 75, {value(1, 1), value(3, 1, 3), value(4, 1, 40)})}, 2);
  job.plan.checkpoint_interval_us = 5 * kSecond;
  job.plan.sources[0].watermark.merging.all_idle = policy;
  job.plan.sources[0].watermark.advance = {4 * kSecond, SimClock().wall_us()};
  SimWorld world(std::move(job), one_row_batches({2}));
  Course out;
  for (int second = 1; second <= 74; ++second) {
    if (second == 21) world.clock().jump_wall(jump);
    world.run_until(second * kSecond);
    out.seconds.emplace_back(world.audit().epoch(), world.counters().watermark.load(), world.lines(0).size());
  }
  world.run_until(100 * kSecond);
  EXPECT_TRUE(world.ended());
  EXPECT_EQ(world.failure(), "");
  out.lines = world.lines(0);
  for (const core::LateItem& item : world.late()) {
    out.late.emplace_back(item.split, item.sequence, item.event_time, item.watermark);
  }
  std::sort(out.late.begin(), out.late.end());  // the store's order is that of arrival by the wall clock
  return out;
}

TEST(SimCases, case_O06) {
  // (With `advance` the clock is read once, when all are idle: a step before that is the new time.)
  for (const AllIdlePolicy policy : {AllIdlePolicy::hold, AllIdlePolicy::flush}) {
    const Course steady = run(policy, 0);
    EXPECT_GE(std::get<0>(steady.seconds.back()), 14U) << "a checkpoint every 5 s";
    EXPECT_GT(std::get<1>(steady.seconds[8]), 6 * kSecond) << "B is idle";
    EXPECT_FALSE(steady.late.empty());
    for (const Micros jump : {-3600 * kSecond, 3600 * kSecond}) {
      const Course jumped = run(policy, jump);
      EXPECT_EQ(jumped.seconds, steady.seconds);
      EXPECT_EQ(jumped.lines, steady.lines);
      EXPECT_EQ(jumped.late, steady.late);
    }
  }
}

// While the watermark follows the clock, a step of it neither stops nor hurries it.
TEST(SimCases, case_O06_while_the_watermark_follows_the_clock) {
  const auto watermarks = [](Micros jump) {
    SimJob job = sum_job({open_split("a", {value(1, 1)})}, 2);
    job.plan.sources[0].watermark.merging.all_idle = AllIdlePolicy::advance;
    job.plan.sources[0].watermark.advance = {4 * kSecond, SimClock().wall_us()};
    SimWorld world(std::move(job), one_row_batches());
    std::vector<Micros> out;
    for (int second = 1; second <= 40; ++second) {
      if (second == 20) world.clock().jump_wall(jump);
      world.run_until(second * kSecond);
      out.push_back(world.counters().watermark.load());
    }
    EXPECT_EQ(world.failure(), "");
    return out;
  };
  const std::vector<Micros> steady = watermarks(0);
  EXPECT_GE(steady.back(), 39 * kSecond);
  EXPECT_EQ(watermarks(-3600 * kSecond), steady);
  EXPECT_EQ(watermarks(3600 * kSecond), steady);
}

}  // namespace
}  // namespace tidemark::test
