// SPDX-License-Identifier: Apache-2.0
//
// The decisions of semantics section 5 about watermarks (decision 8, alignment, is in the alignment cases) on whole
// jobs in virtual time. ValveWatch checks every watermark on the way.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::AllIdlePolicy;
using core::Micros;
using core::ResumeRule;
using Kind = ScriptStep::Kind;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

std::vector<int64_t> late_seconds(const SimWorld& world) {
  std::vector<int64_t> out;
  for (const core::LateItem& item : world.late()) out.push_back(item.event_time / kSecond);
  return out;
}

// A goes on while B is idle, until it wakes up at 30.5 s with a row of 3 s, and has caught up with its row at 50 s.
SimJob resuming(ResumeRule rule) {
  std::vector<ScriptStep> a;
  for (int t = 0; t < 60; ++t) a.push_back(value(t, 1, t));
  const std::vector<ScriptStep> b{value(1, 1), value(3, 1, 30.5), value(25, 1, 40), value(59, 1, 50)};
  SimJob job = sum_job({split_until("a", 60, a), split_until("b", 60, b)}, 12);
  job.plan.sources[0].watermark.merging.on_resume = rule;
  return job;
}

// The watermark stands at B from its first row on; until then it moved on, so only what is behind that is late.
TEST(SimDecisions, decision_1_a_resumed_split_holds_on_whatever_core_it_is) {
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SimWorld world(resuming(ResumeRule::hold), one_row_batches({cores}));
    world.run_until(39 * kSecond);
    EXPECT_EQ(world.counters().watermark.load(), 30 * kSecond - 1) << "A's at 30 s, when B came back";
    world.run_until(49 * kSecond);
    EXPECT_EQ(world.lines(0).size(), 3U) << "B is at 25 s: nothing after [20,30) fires";
    world.run_to_end();
    EXPECT_EQ(late_seconds(world), (std::vector<int64_t>{3, 25}));
    EXPECT_EQ(world.lines(0), (Lines{window(0, "11"), window(10, "10"), window(20, "10"), window(30, "10"),
                                     window(40, "10"), window(50, "11")}));
    EXPECT_EQ(world.failure(), "");
  }
}

// With catch_up the job moves on with A.
TEST(SimDecisions, decision_1_a_resumed_split_catches_up) {
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SimWorld world(resuming(ResumeRule::catch_up), one_row_batches({cores}));
    world.run_until(static_cast<Micros>(45.5 * kSecond));
    EXPECT_EQ(world.counters().watermark.load(), 45 * kSecond - 1);
    world.run_to_end();
    EXPECT_EQ(late_seconds(world), (std::vector<int64_t>{3, 25}));
    EXPECT_EQ(world.lines(0).size(), 6U);
    EXPECT_EQ(world.failure(), "");
  }
}

// All idle and flushed; B wakes up behind the flushed watermark: the output is active at once, so A's next rows move
// nothing before B is there.
TEST(SimDecisions, decision_2_a_resumed_split_makes_the_job_active_at_once) {
  SimJob job = sum_job({split_until("a", 30, {value(50, 1), value(70, 1, 11)}),
                        split_until("b", 30, {value(20, 1), value(41, 1, 10), value(75, 1, 20)})},
                       2);
  job.plan.sources[0].watermark.merging.all_idle = AllIdlePolicy::flush;
  SimWorld world(std::move(job), one_row_batches({2}));
  world.run_until(8 * kSecond);
  EXPECT_EQ(world.counters().watermark.load(), 50 * kSecond - 1) << "flushed";
  world.run_until(static_cast<Micros>(11.5 * kSecond));
  EXPECT_EQ(world.counters().watermark.load(), 50 * kSecond - 1) << "B at 41 s holds";
  world.run_to_end();
  EXPECT_EQ(late_seconds(world), std::vector<int64_t>{41});
  EXPECT_EQ(world.failure(), "");
}

TEST(SimDecisions, decision_3_the_end_passes_an_idle_output) {
  for (const AllIdlePolicy policy : {AllIdlePolicy::hold, AllIdlePolicy::flush, AllIdlePolicy::advance}) {
    SimJob job = sum_job({split_until("a", 20, {value(1, 1)}), split_until("b", 25, {value(15, 1)})}, 2);
    job.plan.sources[0].watermark.merging.all_idle = policy;
    job.plan.sources[0].watermark.advance = {3600 * kSecond, 0};
    SimWorld world(std::move(job), one_row_batches({2}));
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "1")}));
    EXPECT_EQ(world.failure(), "");
  }
}

// A finished at 100 s, B idle at 5 s: neither fires what is between, nor the end.
TEST(SimDecisions, decision_4_finished_splits_never_lift_the_watermark) {
  for (const AllIdlePolicy policy : {AllIdlePolicy::hold, AllIdlePolicy::flush}) {
    SimJob job =
        sum_job({split_until("a", 2, {value(100, 1)}), split_until("b", 30, {value(5, 1), value(8, 1, 20)})}, 2);
    job.plan.sources[0].watermark.merging.all_idle = policy;
    SimWorld world(std::move(job), one_row_batches({2}));
    world.run_until(19 * kSecond);
    EXPECT_EQ(world.counters().watermark.load(), 5 * kSecond - 1);
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(100, "1")}));
    EXPECT_TRUE(world.late().empty());
    EXPECT_EQ(world.failure(), "");
  }
}

// The first classic: more readers than splits, and no idle timeout.
TEST(SimDecisions, decision_5_readers_without_splits_hold_nobody) {
  for (const uint32_t cores : {2U, 4U, 8U}) {
    std::vector<ScriptStep> rows;
    for (int t = 0; t < 30; ++t) rows.push_back(value(t, 1, t));
    SimWorld world(sum_job({open_split("only", rows)}), one_row_batches({cores}));
    world.run_until(static_cast<Micros>(25.5 * kSecond));
    EXPECT_EQ(world.lines(0), (Lines{window(0, "10"), window(10, "10")}));
    EXPECT_TRUE(world.late().empty());
    EXPECT_EQ(world.failure(), "");
  }
}

// A is at 50 s when its source marks it idle, B at 3 s when it falls silent; B's row of 4 s comes much later.
TEST(SimDecisions, decision_6_all_idle_follows_the_policy) {
  struct Outcome {
    AllIdlePolicy policy;
    Micros watermark;  // when all are idle
    size_t late;
  };
  const Micros wall = SimClock().wall_us();
  for (const Outcome& outcome :
       {Outcome{AllIdlePolicy::hold, 3 * kSecond - 1, 0}, Outcome{AllIdlePolicy::flush, 50 * kSecond - 1, 1},
        Outcome{AllIdlePolicy::end_of_time, core::kEndOfTime, 1}, Outcome{AllIdlePolicy::advance, 0, 1}}) {
    SimJob job = sum_job({split_until("a", 40, {value(50, 1), mark(Kind::idle, 0.5)}),
                          split_until("b", 40, {value(3, 1), value(4, 1, 30)})},
                         2);
    core::WatermarkPlan& plan = job.plan.sources[0].watermark;
    plan.merging.all_idle = outcome.policy;
    plan.advance = {5 * kSecond, wall};  // with this lag the clock's word is virtual time
    SimWorld world(std::move(job), one_row_batches({2}));
    world.run_until(25 * kSecond);
    if (outcome.policy == AllIdlePolicy::advance) {
      EXPECT_GE(world.counters().watermark.load(), 24 * kSecond);
      EXPECT_LE(world.counters().watermark.load(), 25 * kSecond);
    } else {
      EXPECT_EQ(world.counters().watermark.load(), outcome.watermark);
    }
    world.run_to_end();
    EXPECT_EQ(world.late().size(), outcome.late);
    EXPECT_EQ(world.lines(0), (Lines{window(0, outcome.late == 0 ? "2" : "1"), window(50, "1")}));
    EXPECT_EQ(world.failure(), "");
  }
}

// One reader serves its splits in turn, a batch per poll. Rows of all come at once, after a silence: a split that
// waits for its turn must not be called idle because its timeout passes just then.
TEST(SimDecisions, decision_7_a_split_whose_turn_is_to_come_is_not_idle) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const double comes_at_s = 2.3;
    std::vector<SplitScript> splits;
    for (int split = 0; split < 20; ++split) {
      splits.push_back(split_until("split" + std::to_string(split), 8,
                                   {value(1, 1), value(2, 1, comes_at_s), value(3, 1, comes_at_s)}));
    }
    SimOptions options = one_row_batches();
    options.seed = seed;
    options.one_batch_per_poll = true;
    options.step_cost_us_max = 60'000;
    SimWorld world(sum_job(std::move(splits), 2.5), options);
    world.run_to_end();
    ASSERT_EQ(world.failure(), "");
  }
}

// Unread, or blocked behind lanes that nobody empties, for many timeouts: the state stays active.
TEST(SimDecisions, decision_7_who_cannot_be_read_is_not_idle) {
  std::vector<ScriptStep> behind;
  for (int i = 0; i < 12; ++i) behind.push_back(value(0.5 * i, 1));
  SimOptions options = one_row_batches({2});
  options.limits.lane_rows = 40;
  SimWorld world(sum_job({split_until("a", 30, {value(80, 1)}), split_until("b", 30, behind)}, 1), options);
  world.start();
  for (const char* worker : {"worker 0", "worker 1"}) world.scheduler().hold(worker, 20 * kSecond);
  world.run_until(static_cast<Micros>(20.5 * kSecond));
  EXPECT_LE(world.counters().watermark.load(), 6 * kSecond);
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "12"), window(80, "1")}));
  EXPECT_TRUE(world.late().empty());
  EXPECT_EQ(world.failure(), "");
}

// Watermarks, idle states and ages go on where the last epoch left them: what was late stays late, an idle split
// holds nobody, and a silent one becomes idle at the time it would have been.
TEST(SimDecisions, decision_9_a_restart_changes_no_verdict) {
  for (const uint32_t cores_after : {1U, 2U, 3U}) {
    std::vector<ScriptStep> a;
    for (int t = 0; t < 30; ++t) a.push_back(value(t, 1, t));
    a.push_back(value(2, 7, 30));
    // b is idle from 0 s + 6 s + 3 probes at most; c is marked idle at once
    SimWorld world(sum_job({split_until("a", 40, a), open_split("b", {value(1, 1)}),
                            open_split("c", {value(1, 1), mark(Kind::idle, 0)})},
                           6),
                   one_row_batches({2, cores_after}));
    world.run_until(static_cast<Micros>(5.2 * kSecond));
    EXPECT_EQ(world.counters().watermark.load(), 1 * kSecond - 1) << "b holds";
    world.crash();
    world.run_until(8 * kSecond);
    EXPECT_EQ(world.resumes(), 1U);
    EXPECT_GE(world.counters().watermark.load(), 7 * kSecond - 1) << "b waited for the rest of its timeout alone";
    world.run_until(20 * kSecond);
    world.crash();
    world.start();
    EXPECT_GE(world.counters().watermark.load(), 17 * kSecond) << "before anything is read";
    world.run_until(35 * kSecond);
    EXPECT_EQ(late_seconds(world), std::vector<int64_t>{2});
    EXPECT_EQ(world.lines(0), (Lines{window(0, "12"), window(10, "10")}));
    EXPECT_EQ(world.failure(), "");
  }
}

// Decision 10: a row is late exactly when its window's cleanup time (end - 1 + allowed lateness) is at or below the
// watermark, whatever its own time.
TEST(SimDecisions, decision_10_the_window_decides_what_is_late) {
  SimJob job = sum_job({split_until(
      "a", 20, {value(1, 1), value(14.999999, 1, 1), value(2, 10, 2), value(15, 1, 3), value(3, 100, 4)})});
  job.plan.aggregates[0].spec.allowed_lateness_us = 5 * kSecond;
  SimWorld world(std::move(job), one_row_batches());
  world.run_until(static_cast<Micros>(2.5 * kSecond));
  EXPECT_EQ(world.counters().watermark.load(), 15 * kSecond - 2);
  EXPECT_TRUE(world.late().empty()) << "the row of 2 s is accepted: 14.999999 s > watermark";
  world.run_to_end();
  EXPECT_EQ(late_seconds(world), std::vector<int64_t>{3}) << "cleanup at 14.999999 s <= watermark";
  EXPECT_EQ(world.lines(0), (Lines{window(0, "1|on_time|1"), window(0, "11|late|2"), window(10, "2|on_time|1")}));
  EXPECT_EQ(world.failure(), "");
}

// Decision 11: the ends of time neither wrap around nor fire anything early.
TEST(SimDecisions, decision_11_additions_saturate) {
  SimJob job = sum_job({split_until("a", 5, {value(1, 1), value(25, 1, 1), value(2, 1, 2)})}, 0, 10 * kSecond);
  job.plan.aggregates[0].spec.allowed_lateness_us = core::kEndOfTime;
  job.plan.sources[0].watermark.strategy.max_out_of_orderness_us = core::kEndOfTime - 5;
  SimWorld world(std::move(job), one_row_batches());
  world.run_until(4 * kSecond);
  EXPECT_EQ(world.lines(0), Lines{});
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "2|on_time|1"), window(20, "1|on_time|1")}));
  EXPECT_TRUE(world.late().empty());
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace tidemark::test
