// SPDX-License-Identifier: Apache-2.0
//
// Defects of Flink (semantics section 3) in watermarks and idleness that show on whole jobs, each with the right
// result, named after its issue; those of single components are in tests/unit/event_time, those of alignment in
// alignment_cases_test.cpp. Rows in seconds, windows of 10 s, bound 0 unless said.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using Kind = ScriptStep::Kind;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

std::vector<ScriptStep> every_second(int from_s, int until_s, double event_from_s) {
  std::vector<ScriptStep> rows;
  for (int t = from_s; t < until_s; ++t) rows.push_back(value(event_from_s + t - from_s, 1, t));
  return rows;
}

void expect_clean(const SimWorld& world) {
  EXPECT_EQ(world.failure(), "");
  EXPECT_TRUE(world.late().empty());
}

// A split is assigned before its first row: it counts from the start, and nothing of its is late.
TEST(SimDefects, FLINK_26018) {
  for (const uint32_t cores : {1U, 2U}) {
    SimWorld world(sum_job({split_until("early", 10, {value(1, 1), value(50, 1)}),
                            split_until("slow", 10, {value(2, 1, 5), value(60, 1, 6)})}),
                   one_row_batches({cores}));
    world.run_until(4 * kSecond);
    EXPECT_EQ(world.lines(0), Lines{}) << "the slow one has said nothing yet";
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(50, "1"), window(60, "1")}));
    expect_clean(world);
  }
}

// After a restart every split counts with its restored watermark before anyone speaks. K12; FLINK-33109 was
// reported with this symptom too.
TEST(SimDefects, FLINK_32828) {
  for (const uint32_t cores_after : {1U, 2U, 3U}) {
    std::vector<ScriptStep> ahead = every_second(0, 4, 1042);
    ahead.push_back(value(1060, 1, 6));
    std::vector<ScriptStep> behind = every_second(0, 4, 42);
    behind.push_back(value(47, 1, 8));
    SimWorld world(sum_job({split_until("ahead", 12, ahead), split_until("behind", 12, behind)}),
                   one_row_batches({2, cores_after}));
    world.run_until(5 * kSecond);
    world.crash();
    world.run_until(7 * kSecond);
    EXPECT_EQ(world.resumes(), 1U);
    EXPECT_EQ(world.counters().watermark.load(), 45 * kSecond - 1) << "the one behind holds it";
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(40, "5"), window(1040, "4"), window(1060, "1")}));
    expect_clean(world);
  }
}

// More cores after a restart than before, or fewer: channels are splits, so none takes over what another had.
TEST(SimDefects, FLINK_40517) {
  for (const uint32_t cores_after : {1U, 4U}) {
    std::vector<ScriptStep> quiet{value(5, 1), mark(Kind::idle, 1), value(6, 1, 8.5), value(200, 1, 10)};
    SimJob job = sum_job({split_until("ahead", 12, every_second(0, 11, 100)), split_until("quiet", 12, quiet),
                          split_until("behind", 12, every_second(0, 11, 1))});
    SimWorld world(std::move(job), one_row_batches({3, cores_after}));
    world.run_until(5 * kSecond);
    world.crash();
    world.run_until(8 * kSecond);
    EXPECT_EQ(world.resumes(), 1U);
    const Micros watermark = world.counters().watermark.load();
    EXPECT_LT(watermark, 10 * kSecond) << "not that of the one ahead";
    EXPECT_GE(watermark, 8 * kSecond - 1) << "nor held by the idle one";
    world.run_to_end();
    EXPECT_TRUE(world.late().empty()) << "its row at 6 s comes before the watermark is at 10 s";
    EXPECT_EQ(world.lines(0).front(), window(0, "11"));
    EXPECT_EQ(world.failure(), "");
  }
}

// Blocked for longer than the timeout while rows wait: not idle, not late. (With alignment: FLINK_36751.)
TEST(SimDefects, FLINK_35886) {
  std::vector<ScriptStep> behind;
  for (int i = 0; i < 20; ++i) behind.push_back(value(0.1 * i, 1));
  SimOptions options = one_row_batches({2});
  options.limits.lane_rows = 60;
  SimWorld world(sum_job({split_until("ahead", 15, {value(90, 1)}), split_until("behind", 15, behind)}, 1), options);
  world.start();
  for (const char* worker : {"worker 0", "worker 1"}) world.scheduler().hold(worker, 8 * kSecond);
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "20"), window(90, "1")}));
  expect_clean(world);
}

// A reader's core is busy elsewhere for longer than the timeout: what came meanwhile is read, not called late.
TEST(SimDefects, FLINK_40234) {
  SimWorld world(
      sum_job({split_until("ahead", 20, {value(1, 1), value(90, 1, 1)}),
               split_until("behind", 20, {value(1, 1), value(2, 1, 2.5), value(3, 1, 2.6), value(95, 1, 9)})},
              2),
      one_row_batches({2}));
  world.run_until(2 * kSecond);
  for (const char* ingest : {"ingest 0", "ingest 1"}) world.scheduler().hold(ingest, 8 * kSecond);
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "4"), window(90, "2")}));
  expect_clean(world);
}

// An idle source that ends, or is stopped and ends after it was resumed: every window fires.
TEST(SimDefects, FLINK_40499) {
  for (const core::AllIdlePolicy policy : {core::AllIdlePolicy::hold, core::AllIdlePolicy::flush}) {
    SimJob job = sum_job({split_until("a", 20, {value(1, 1)}), split_until("b", 20, {value(15, 1)})}, 2);
    job.plan.sources[0].watermark.merging.all_idle = policy;
    SimWorld world(std::move(job), one_row_batches({2}));
    world.run_until(10 * kSecond);
    world.stop();
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "1")}));
    EXPECT_EQ(world.failure(), "");
  }
}

// The splits of one source have all ended; its last watermark does not cap the other source's.
TEST(SimDefects, FLINK_39586) {
  for (const uint32_t cores : {1U, 2U, 3U}) {
    SimJob job = sum_job({split_until("bounded", 2, {value(3, 1)})});
    SourceScript unbounded = job.scripts[0];
    unbounded.splits = {open_split("open", every_second(0, 30, 0))};
    add_source(job, std::move(unbounded), false, 0);
    set_sources(job, 0, {0, 1});
    SimWorld world(std::move(job), one_row_batches({cores}));
    world.run_until(25 * kSecond);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "11"), window(10, "10")}));
    expect_clean(world);
  }
}

// Each source's splits have its own timeout.
TEST(SimDefects, FLINK_20947) {
  SimJob job = sum_job({open_split("quick", {value(1, 1)})}, 2);
  SourceScript patient = job.scripts[0];
  patient.splits = {open_split("patient", {value(2, 1)})};
  add_source(job, std::move(patient), false, 0, 8 * kSecond);
  SourceScript steady = job.scripts[0];
  steady.splits = {open_split("steady", every_second(0, 30, 0))};
  add_source(job, std::move(steady), false, 0);
  set_sources(job, 0, {0, 1, 2});
  SimWorld world(std::move(job), one_row_batches());
  world.run_until(7 * kSecond);
  EXPECT_EQ(world.counters().watermark.load(), 2 * kSecond - 1) << "the quick one is idle, the patient one holds";
  world.run_until(15 * kSecond);
  EXPECT_GT(world.counters().watermark.load(), 10 * kSecond);
  expect_clean(world);
}

// A source that has no split for now. Flink was too quick to call it idle and made its first rows late; decision 5
// does call it idle at once, and on_resume says what its splits meet when they come: here they hold from then on, and
// only what is already behind is late.
TEST(SimDefects, FLINK_23767) {
  SplitScript comes_late = split_until("late", 20, {value(3, 1), value(14, 1, 12), value(30, 1, 15)});
  comes_late.appears_at_us = 12 * kSecond;
  SimJob job = sum_job({comes_late});
  SourceScript steady = job.scripts[0];
  steady.splits = {split_until("steady", 20, every_second(0, 18, 0))};
  job.plan.sources[0].discover_interval_us = kSecond;
  add_source(job, std::move(steady), false, 0);
  set_sources(job, 0, {0, 1});
  SimWorld world(std::move(job), one_row_batches({2}));
  world.run_until(11 * kSecond);
  EXPECT_EQ(world.lines(0), (Lines{window(0, "10")}));
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "10"), window(10, "9"), window(30, "1")}));
  ASSERT_EQ(world.late().size(), 1U);
  EXPECT_EQ(world.late()[0].event_time, 3 * kSecond);
  EXPECT_EQ(world.failure(), "");
}

// A reader without splits neither ends the job nor lets it fire.
TEST(SimDefects, FLINK_8001) {
  SplitScript comes_late = split_until("a", 20, {value(3, 1), value(14, 1)});
  comes_late.appears_at_us = 5 * kSecond;
  SimWorld world(sum_job({comes_late}), one_row_batches({4}));
  world.run_until(4 * kSecond);
  EXPECT_FALSE(world.ended());
  EXPECT_EQ(world.counters().watermark.load(), core::kNoTime);
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "1")}));
  expect_clean(world);
}

// Stopped before its first epoch, at any of its first steps: one epoch is made, and the rest follows when resumed.
TEST(SimDefects, FLINK_39167) {
  for (Micros at = 0; at < 40; ++at) {
    SimOptions options = one_row_batches({2});
    options.step_cost_us_max = 1;
    options.seed = static_cast<uint64_t>(at) + 1;
    SimWorld world(sum_job({split_until("a", 0, {value(1, 1), value(11, 1)}), split_until("b", 0, {value(2, 1)})}),
                   options);
    world.run_until(at);
    world.stop();
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(10, "1")})) << at;
    expect_clean(world);
  }
}

}  // namespace
}  // namespace tidemark::test
