// SPDX-License-Identifier: Apache-2.0
//
// Field cases about watermarks, idleness and late rows (cases W), on the production components in virtual time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

TEST(SimCases, case_W02) {
  const std::vector<ScriptStep> rows{value(1, 1), value(11, 1), value(21, 1)};
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SCOPED_TRACE(cores);
    SimWorld open(sum_job({open_split("a", rows), open_split("b", rows)}), one_row_batches({cores}));
    open.run_until(5 * kSecond);
    EXPECT_EQ(open.lines(0), (Lines{window(0, "2"), window(10, "2")})) << "while the splits are open";
    SimWorld bounded(sum_job({split_until("a", 0, rows), split_until("b", 0, rows)}), one_row_batches({cores}));
    bounded.run_to_end();
    EXPECT_EQ(bounded.lines(0), (Lines{window(0, "2"), window(10, "2"), window(20, "2")}));
    EXPECT_EQ(open.failure() + bounded.failure(), "");
  }
}

TEST(SimCases, case_W04) {
  const std::vector<ScriptStep> rows{value(1, 1), value(4, 2)};
  SimWorld bounded(sum_job({split_until("a", 30, rows)}, 2), one_row_batches());  // (a), then (c)
  bounded.run_until(29 * kSecond);
  EXPECT_EQ(bounded.lines(0), Lines{}) << "all_idle = hold: the window stays open";
  bounded.run_to_end();
  EXPECT_EQ(bounded.lines(0), (Lines{window(0, "3")}));
  EXPECT_EQ(bounded.failure(), "");

  std::vector<ScriptStep> with_late = rows;  // (b): each policy that closes when idle
  with_late.push_back(value(5, 7, 25));
  for (const core::AllIdlePolicy policy : {core::AllIdlePolicy::end_of_time, core::AllIdlePolicy::advance}) {
    SimJob closing = sum_job({split_until("a", 30, with_late)}, 2);
    closing.plan.sources[0].watermark.merging.all_idle = policy;
    closing.plan.sources[0].watermark.advance = {5 * kSecond, SimClock().wall_us()};  // then virtual time
    SimWorld idle(closing, one_row_batches());
    idle.run_until(20 * kSecond);
    EXPECT_EQ(idle.lines(0), (Lines{window(0, "3")})) << "closed when idle";
    idle.run_to_end();
    EXPECT_EQ(idle.lines(0), (Lines{window(0, "3")}));
    ASSERT_EQ(idle.late().size(), 1U);
    EXPECT_EQ(idle.late()[0].event_time, 5 * kSecond);
    EXPECT_EQ(idle.failure(), "");
  }
}

// B waits behind lanes that its worker does not empty; A, on another core, is far ahead.
TEST(SimCases, case_W10) {
  std::vector<ScriptStep> behind;
  for (int i = 0; i < 6; ++i) behind.push_back(value(0.1 * i, 1));  // fill the lanes
  for (int t = 1; t <= 5; ++t) behind.push_back(value(t, 1));
  std::vector<ScriptStep> ahead{value(30, 1)};
  for (int t = 6; t < 20; ++t) ahead.push_back(value(30 + t, 1, t));
  SimOptions options = one_row_batches({2});
  options.limits.lane_rows = 100;
  SimWorld world(sum_job({split_until("a", 20, ahead), split_until("b", 20, behind)}, 2), options);
  world.start();
  for (const char* worker : {"worker 0", "worker 1"}) world.scheduler().hold(worker, 5 * kSecond);
  world.run_until(5 * kSecond - 1);
  EXPECT_LT(world.counters().rows_read.load(), 1 + behind.size()) << "the reader should be held";
  EXPECT_EQ(world.lines(0), Lines{});
  world.run_until(9 * kSecond);
  EXPECT_EQ(world.lines(0), (Lines{window(0, "11")})) << "B is idle only after its last row, and A goes on";
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(0, "11"), window(30, "5"), window(40, "10")}));
  EXPECT_TRUE(world.late().empty());
  EXPECT_EQ(world.failure(), "");
}

TEST(SimCases, case_W12) {
  std::vector<ScriptStep> slow;
  for (int t = 1; t <= 9; ++t) slow.push_back(value(t, 1, 0.2 * t));
  std::vector<ScriptStep> passing = slow;
  passing.push_back(value(11, 1, 3));
  std::vector<ScriptStep> falling_silent = slow;
  falling_silent.push_back(mark(ScriptStep::Kind::idle, 3));
  struct Ending {
    const char* how;
    SplitScript b;
  };
  for (const Ending& ending : {Ending{"passes", open_split("b", passing)}, Ending{"ends", split_until("b", 3, slow)},
                               Ending{"turns idle", open_split("b", falling_silent)}}) {
    SCOPED_TRACE(ending.how);
    for (const uint32_t cores : {1U, 2U}) {
      SimWorld world(sum_job({open_split("a", {value(100, 1)}), ending.b}), one_row_batches({cores}));
      world.run_until(static_cast<Micros>(2.5 * kSecond));
      EXPECT_EQ(world.lines(0), Lines{});
      EXPECT_LE(world.counters().watermark.load(), 9 * kSecond);
      world.run_until(10 * kSecond);
      ASSERT_GE(world.lines(0).size(), 1U);
      EXPECT_EQ(world.lines(0)[0], window(0, "9"));
      EXPECT_TRUE(world.late().empty());
      EXPECT_EQ(world.failure(), "");
    }
  }
}

// The first half of the case; replay comes with the late store's own commands.
TEST(SimCases, case_W14) {
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SimWorld world(sum_job({split_until("a", 0, {value(1, 1), value(12, 2), value(3, 4)})}), one_row_batches({cores}));
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "2")}));
    const auto late = world.late();
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].reason, core::LateReason::too_late);
    EXPECT_EQ(late[0].event_time, 3 * kSecond);
    EXPECT_EQ(late[0].pane_end, 10 * kSecond);
    EXPECT_EQ(late[0].watermark, 12 * kSecond - 1);
    EXPECT_EQ(late[0].split, "a");
    EXPECT_EQ(late[0].sequence, 2U);
    EXPECT_EQ(late[0].aggregate, "aggregate0");
    ASSERT_EQ(late[0].columns.size(), 3U);
    EXPECT_EQ(late[0].columns[2].text, "4");
    EXPECT_EQ(world.counters().rows_late.load(), 1U);
    EXPECT_EQ(world.audit().last().rows_late, 1U);
    EXPECT_EQ(world.failure(), "");
  }
}

TEST(SimCases, case_W16) {
  for (const uint32_t cores_after : {1U, 2U, 3U}) {
    SCOPED_TRACE(cores_after);
    const std::vector<ScriptStep> rows{value(1, 1), value(100, 1), value(3, 4, 10)};
    SimWorld world(sum_job({split_until("a", 12, rows)}), one_row_batches({2, cores_after}));
    world.run_until(5 * kSecond);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1")}));
    EXPECT_GE(world.audit().epoch(), 1U);
    world.crash();
    world.start();
    EXPECT_GE(world.counters().watermark.load(), 100 * kSecond - 1) << "before the first row is judged";
    world.run_to_end();
    EXPECT_EQ(world.resumes(), 1U);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(100, "1")}));
    ASSERT_EQ(world.late().size(), 1U);
    EXPECT_EQ(world.late()[0].event_time, 3 * kSecond);
    EXPECT_EQ(world.failure(), "");
  }
}

TEST(SimCases, case_W18) {
  constexpr int kMinute = 60;
  const int64_t now_s = SimClock().wall_us() / kSecond / kMinute * kMinute;
  const auto run = [](int64_t base_s, bool live) {
    std::vector<ScriptStep> rows;
    for (int i = 0; i < 1000; ++i) rows.push_back(value(static_cast<double>(base_s + i), 1, live ? i : 0));
    SimWorld world(sum_job({split_until("a", live ? 1000 : 0, rows)}, 2, kMinute * kSecond), {});
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_TRUE(world.late().empty());
    return world.lines(0);
  };
  const auto expected = [](int64_t base_s) {
    Lines out;
    for (int i = 0; i < 17; ++i) out.push_back(window(base_s + i * kMinute, i < 16 ? "60" : "40", kMinute));
    return out;
  };
  const int64_t old_s = now_s - 30 * 86'400;
  EXPECT_EQ(run(now_s, true), expected(now_s));
  EXPECT_EQ(run(old_s, false), expected(old_s));
}

// Event time = header time, with header times that are 0 and go back. That the binlog's headers give these times, and
// the note in the log, is case_O08 of the binlog_file plugin.
TEST(SimCases, case_O08) {
  std::vector<ScriptStep> rows;
  for (const int header_s : {100, 101, 0, 102, 90, 103, 60}) {
    rows.push_back(value(header_s, 1, static_cast<double>(rows.size())));
    if (header_s == 0) rows.back().time_us = core::kNoTime;
  }
  SimJob job = sum_job({split_until("a", 10, rows)});
  job.plan.sources[0].event_time_column = -1;
  job.plan.sources[0].source_time = core::SourceTime::header;
  job.plan.sources[0].watermark.strategy.max_out_of_orderness_us = 5 * kSecond;
  SimWorld world(job, one_row_batches());
  Micros before = core::kNoTime;
  for (int now = 0; now < 10; ++now) {
    world.run_until(now * kSecond + kSecond / 2);
    const Micros watermark = world.counters().watermark.load();
    EXPECT_GE(watermark, before) << now;
    before = watermark;
    if (now == 4) {
      EXPECT_EQ(watermark, 97 * kSecond - 1) << "[90,100) is open when its row comes";
    }
  }
  EXPECT_EQ(before, 98 * kSecond - 1);
  world.run_to_end();
  EXPECT_EQ(world.lines(0), (Lines{window(90, "1"), window(100, "4")})) << "and none of 1970";
  const std::vector<core::LateItem> late = world.late();
  ASSERT_EQ(late.size(), 2U);
  for (const core::LateItem& item : late) {
    const bool absent = item.event_time == core::kNoTime;
    EXPECT_EQ(item.reason, absent ? core::LateReason::no_event_time : core::LateReason::too_late);
    EXPECT_EQ(item.event_time, absent ? core::kNoTime : 60 * kSecond);
    if (absent) {
      EXPECT_NE(item.detail.find("take a column instead: field = "), std::string::npos) << item.detail;
    }
  }
  EXPECT_NE(late[0].reason, late[1].reason);
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace tidemark::test
