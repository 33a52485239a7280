// SPDX-License-Identifier: Apache-2.0
//
// Alignment groups in the running job, in virtual time: cases W06 and W08, vectors A05, A06 and A14, known defects
// of alignment elsewhere (by their issue's number) and what else could stop a group for ever. Members are splits, X
// as a rule the slow one, Y the one ahead.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::AggregateFunction;
using core::ColumnType;
using core::Micros;
using core::Op;

constexpr Micros kSecond = core::kMicrosPerSecond;

Micros micros(double seconds) {
  return static_cast<Micros>(seconds * 1e6);
}

ScriptStep row(double event_s, double available_s = 0) {
  return script_row(event_s, {"k", "1"}, Op::insert, available_s);
}

ScriptStep word(ScriptStep::Kind kind, double available_s) {
  ScriptStep step;
  step.kind = kind;
  step.available_us = micros(available_s);
  return step;
}

// One row per second of event time, [first, last]; all at `available_s`, or one per `pace_s` from there on.
std::vector<ScriptStep> rows(int first, int last, double available_s = 0, double pace_s = 0) {
  std::vector<ScriptStep> out;
  for (int t = first; t <= last; ++t) out.push_back(row(t, available_s + (t - first) * pace_s));
  return out;
}

SplitScript split(std::string id, double ends_at_s, std::vector<ScriptStep> steps) {
  return {.id = std::move(id), .steps = std::move(steps), .ends = true, .ends_at_us = micros(ends_at_s)};
}

// A group of sources; each counts 10 s windows into the one aggregate.
struct GroupJob {
  SimJob job;

  GroupJob& source(std::vector<SplitScript> splits, double max_drift_s, double idle_timeout_s = 0) {
    SourceScript script;
    script.columns = {column_of("k", ColumnType::text), column_of("v", ColumnType::int64)};
    script.splits = std::move(splits);
    const uint32_t number = add_source(job, std::move(script), false, 0, micros(idle_timeout_s));
    job.plan.sources[number].watermark.alignment =
        core::AlignmentPlan{.group = "g", .terms = {.max_drift_us = micros(max_drift_s)}};
    return *this;
  }
  GroupJob& cannot_pause() {
    for (SourceScript& script : job.scripts) script.can_pause = false;
    return *this;
  }
  SimJob build() {
    job.plan.checkpoint_interval_us = kSecond;
    std::vector<uint32_t> sources;
    for (uint32_t i = 0; i < job.plan.sources.size(); ++i) sources.push_back(i);
    add_aggregate(job, sources, 10 * kSecond, {}, {{AggregateFunction::sum, "v"}});
    return job;
  }
};

SimOptions on_cores(uint32_t cores, uint64_t seed = 1) {
  SimOptions options;
  options.seed = seed;
  options.cores = {cores};
  options.batch_rows_max = 1;
  return options;
}

uint64_t counted(const SimWorld& world) {
  uint64_t sum = 0;
  for (const std::string& line : world.lines(0)) sum += std::stoull(line.substr(line.rfind('|') + 1));
  return sum;
}

uint64_t rows_read(const SimWorld& world) {
  return world.counters().rows_read.load();
}

bool waits(const SimWorld& world, const std::string& id) {
  return world.describe_sources().find(id + " paused") != std::string::npos;
}

// Runs to the end; every row must be in a result or late.
void expect_all(SimWorld& world, uint64_t in_results, uint64_t late = 0) {
  world.run_to_end();
  EXPECT_EQ(world.failure(), "");
  EXPECT_EQ(counted(world), in_results);
  EXPECT_EQ(world.late().size(), late);
}

// FLINK-37670 too: all splits are assigned and no more will come.
TEST(SimAlignment, case_W06) {
  for (const uint32_t cores : {1U, 2U, 4U}) {
    for (const bool can_pause : {true, false}) {
      for (const double pace_s : {0.0, 1.0}) {
        SCOPED_TRACE(std::to_string(cores) + (can_pause ? " cores" : " cores, cannot pause, ") +
                     std::to_string(pace_s));
        GroupJob group;
        group.source({split("A", 0, rows(0, 10, 0, pace_s)), split("B", 0, rows(0, 100, 0, pace_s))}, 5);
        if (!can_pause) group.cannot_pause();
        SimWorld world(group.build(), on_cores(cores));
        expect_all(world, 112);
        EXPECT_LT(world.clock().now(), 120 * kSecond);
      }
    }
  }
}

TEST(SimAlignment, case_W08) {
  for (const uint32_t cores : {1U, 2U}) {
    for (const bool can_pause : {true, false}) {
      std::vector<ScriptStep> x{row(0), row(3, 20)};
      GroupJob group;
      group.source({split("X", 21, x)}, 10, 2).source({split("Y", 15, rows(0, 100, 0.5))}, 10, 2);
      if (!can_pause) group.cannot_pause();
      SimWorld world(group.build(), on_cores(cores));
      world.run_until(micros(1.5));
      EXPECT_EQ(rows_read(world), 1U + 12U) << "Y waits at 10 s ahead of X";
      world.run_until(micros(5));
      EXPECT_EQ(rows_read(world), 1U + 101U) << "X is idle";
      expect_all(world, 102, 1);
      EXPECT_EQ(world.late()[0].event_time, 3 * kSecond);
    }
  }
}

TEST(SimAlignment, a_split_ahead_waits_and_goes_on_with_the_group) {
  for (const uint32_t cores : {1U, 2U}) {
    SimWorld world(GroupJob().source({split("X", 30, rows(0, 29, 0, 1)), split("Y", 30, rows(0, 99, 0.5))}, 5).build(),
                   on_cores(cores));
    world.run_until(micros(10.5));
    EXPECT_TRUE(waits(world, "Y"));
    EXPECT_EQ(rows_read(world), 11U + 17U) << "equality reads, the row above the ceiling is the last";
    const auto ahead = world.graph().alignment().view(1, world.clock().monotonic_us());
    ASSERT_TRUE(ahead);
    EXPECT_EQ(ahead->group, "g");
    EXPECT_EQ(ahead->drift_us, 6 * kSecond);
    EXPECT_EQ(ahead->ceiling, 15 * kSecond - 1);
    EXPECT_EQ(ahead->holder, 0U);
    world.graph().status(0);  // asks
    world.run_until(micros(10.6));
    const core::JobStatus status = world.graph().status(0);
    ASSERT_EQ(status.splits.size(), 2U);
    EXPECT_EQ(status.splits[1].status.state, core::SplitState::paused);
    EXPECT_EQ(status.splits[1].status.reason,
              "alignment group g: 6s ahead of split X of source source0 (max_drift 5s)");
    EXPECT_EQ(status.splits[1].alignment_group, "g");
    EXPECT_EQ(status.splits[1].drift_us, 6 * kSecond);
    EXPECT_EQ(status.splits[0].drift_us, 0);
    expect_all(world, 130);
  }
}

// A06 says that a coordinator which was created and closed never announces; here a board lives as long as its process,
// and the next one starts from the restored watermarks.
TEST(SimAlignment, vec_A06) {
  SimWorld world(GroupJob().source({split("X", 30, rows(0, 29, 0, 1)), split("Y", 30, rows(0, 99, 0.5))}, 5).build(),
                 on_cores(2));
  world.run_until(micros(5.5));
  EXPECT_TRUE(waits(world, "Y"));
  world.crash();
  world.start();
  EXPECT_EQ(world.graph().alignment().view(1, world.clock().monotonic_us())->holder, 0U) << "before anything is read";
  world.run_until(micros(8.5));
  EXPECT_TRUE(waits(world, "Y"));
  expect_all(world, 130);
}

// A05, FLINK-32362: what is said before a core runs is not lost, since nothing is announced; the core asks.
TEST(SimAlignment, vec_A05) {
  SimWorld world(GroupJob().source({split("X", 30, rows(0, 29, 0, 1)), split("Y", 30, rows(0, 99, 0.5))}, 5).build(),
                 on_cores(2));
  world.start();
  world.scheduler().hold("ingest 1", 4 * kSecond);
  world.run_until(micros(3.5));
  EXPECT_EQ(rows_read(world), 4U);
  world.run_until(micros(4.5));
  EXPECT_TRUE(waits(world, "Y"));
  expect_all(world, 130);
}

// A14: a stop while everything waits; also epochs go on.
TEST(SimAlignment, vec_A14) {
  for (const bool can_pause : {true, false}) {
    GroupJob group;
    group.source({split("X", 60, {row(0), row(50, 60)})}, 5).source({split("Y", 60, rows(0, 50, 0.5))}, 5);
    if (!can_pause) group.cannot_pause();
    SimWorld world(group.build(), on_cores(2));
    world.run_until(micros(20));
    EXPECT_EQ(rows_read(world), 1U + 7U);
    EXPECT_GE(world.audit().epoch(), 15U);
    world.stop();
    EXPECT_EQ(world.failure(), "");
    EXPECT_LT(world.clock().now(), 25 * kSecond);
    expect_all(world, 53);
    EXPECT_EQ(world.resumes(), 1U);
  }
}

// Ahead and idle, then the limit falls below it: it stays idle, and what comes then is read at once.
TEST(SimAlignment, FLINK_39073) {
  std::vector<ScriptStep> y{row(100), row(101, 12), row(102, 12)};
  SimWorld world(GroupJob().source({split("X", 150, rows(0, 120, 6, 1))}, 5).source({split("Y", 13, y)}, 5, 2).build(),
                 on_cores(2));
  world.run_until(micros(8.5));
  EXPECT_FALSE(waits(world, "Y"));
  EXPECT_EQ(rows_read(world), 3U + 1U);
  world.run_until(micros(12.9));
  EXPECT_TRUE(waits(world, "Y")) << "active and ahead";
  EXPECT_EQ(rows_read(world), 7U + 2U);
  expect_all(world, 124);
}

// It waits, then its source calls it idle; it is resumed all the same.
TEST(SimAlignment, FLINK_40093) {
  std::vector<ScriptStep> x = rows(1, 29, 5, 1);
  x.insert(x.begin(), row(0));
  std::vector<ScriptStep> y = rows(0, 6, 0.5);
  y.push_back(word(ScriptStep::Kind::idle, 3));
  y.push_back(row(7, 4));
  SimWorld world(GroupJob().source({split("X", 40, x), split("Y", 12, y)}, 5).build(), on_cores(2));
  world.run_until(micros(4.9));
  EXPECT_TRUE(waits(world, "Y"));
  EXPECT_EQ(rows_read(world), 1U + 7U);
  world.run_until(micros(6.5));
  EXPECT_EQ(rows_read(world), 3U + 8U);
  expect_all(world, 38);
}

// Y waits for longer than its idle timeout, with rows unread; then X jumps ahead.
TEST(SimAlignment, FLINK_36751) {
  for (const bool can_pause : {true, false}) {
    GroupJob group;
    group.source({split("X", 12, {row(1), row(60, 10)})}, 5).source({split("Y", 12, rows(0, 59, 0.5))}, 5, 2);
    if (!can_pause) group.cannot_pause();
    SimWorld world(group.build(), on_cores(2));
    world.run_until(micros(9.9));
    EXPECT_LT(rows_read(world), 12U);
    expect_all(world, 62);
  }
}

TEST(SimAlignment, FLINK_35157) {
  SimWorld world(
      GroupJob().source({split("X", 1, rows(0, 50))}, 5).source({split("Y", 5, rows(0, 300, 0.5))}, 5).build(),
      on_cores(2));
  world.run_until(micros(4));
  EXPECT_EQ(rows_read(world), 51U + 301U) << "the end of X counts for nothing";
  expect_all(world, 352);
}

// Idle, and far behind by the time that it wakes up: it is read.
TEST(SimAlignment, FLINK_32496) {
  SimWorld world(GroupJob()
                     .source({split("X", 30, {row(0), row(101, 20)})}, 5, 2)
                     .source({split("Y", 30, rows(0, 100, 0.5))}, 5, 2)
                     .build(),
                 on_cores(2));
  world.run_until(micros(21));
  EXPECT_EQ(rows_read(world), 103U);
  expect_all(world, 103);
}

// A member that never says anything, and a core that reads nothing.
TEST(SimAlignment, FLINK_32414) {
  SimWorld world(GroupJob().source({split("X", 20, {}), split("Y", 20, rows(0, 100))}, 5).build(), on_cores(4));
  world.run_until(micros(2));
  EXPECT_EQ(rows_read(world), 101U);
  expect_all(world, 101);
}

// All idle: no ceiling; and then it is there again.
TEST(SimAlignment, FLINK_31632) {
  std::vector<ScriptStep> y = rows(0, 3);
  for (ScriptStep& later : rows(100, 120, 20)) y.push_back(later);
  SimWorld world(
      GroupJob().source({split("X", 60, {row(0), row(125, 30), row(200, 40)}), split("Y", 60, y)}, 5, 2).build(),
      on_cores(2));
  world.run_until(micros(10));
  EXPECT_EQ(world.graph().alignment().view(0, world.clock().monotonic_us())->ceiling, core::kEndOfTime);
  world.run_until(micros(21));
  EXPECT_EQ(rows_read(world), 1U + 25U);
  expect_all(world, 28);
}

// X is lost with its watermark at 0: it holds the group for its timeout, and the windows for as long as it takes.
TEST(SimAlignment, FLINK_40505) {
  for (const bool names : {true, false}) {
    SplitScript x = split("X", 61, {row(0), row(1, 2), row(2, 60)});
    x.outages = {{kSecond, 40 * kSecond}};
    GroupJob group;
    group.source({std::move(x)}, 5, 2).source({split("Y", 61, rows(0, 100, 0.5))}, 5, 2);
    group.job.scripts[0].names_failing = names;
    SimWorld world(group.build(), on_cores(2));
    world.run_until(micros(10.9));
    EXPECT_EQ(rows_read(world), 1U + 7U) << "lost for less than 10 s, and never idle";
    world.run_until(micros(14));
    EXPECT_EQ(rows_read(world), 1U + 101U);
    EXPECT_TRUE(world.lines(0).empty()) << "no window closes without X";
    world.run_until(micros(52));
    EXPECT_EQ(rows_read(world), 2U + 101U) << "it is read again within the longest pause";
    expect_all(world, 104);
  }
}

// A day of backlog with a drift of 30 s is not held to 30 s per update interval.
TEST(SimAlignment, FLINK_37399) {
  std::vector<ScriptStep> day;
  for (int t = 0; t < 1440; ++t) day.push_back(row(60 * t));
  SimOptions options = on_cores(2);
  options.batch_rows_max = 16;
  options.step_cost_us_max = 2000;
  SimWorld world(GroupJob().source({split("X", 0, day)}, 30).source({split("Y", 0, day)}, 30).build(), options);
  expect_all(world, 2880);
  EXPECT_LT(world.clock().now(), 60 * kSecond) << "by the interval it would take 24 minutes";
}

TEST(SimAlignment, a_lone_member_never_waits) {
  SimWorld world(GroupJob().source({split("Y", 5, rows(0, 1000))}, 1).build(), on_cores(1));
  world.run_until(micros(1));
  EXPECT_EQ(rows_read(world), 1001U);
  expect_all(world, 1001);
}

TEST(SimAlignment, the_last_member_that_has_not_ended_goes_on) {
  GroupJob group;
  group.source({split("A", 2, rows(0, 3)), split("B", 3, rows(0, 9)), split("C", 4, {row(5)})}, 5);
  group.source({split("Y", 5, rows(0, 200, 0.5))}, 5);
  SimWorld world(group.build(), on_cores(3));
  world.run_until(micros(1));
  EXPECT_EQ(rows_read(world), 4U + 10U + 1U + 10U) << "A holds the group at 3 s";
  world.run_until(micros(4.9));
  EXPECT_EQ(rows_read(world), 4U + 10U + 1U + 201U);
  expect_all(world, 216);
}

// X's rows wait behind lanes that nobody empties; Y waits for X meanwhile, and both go on.
TEST(SimAlignment, a_member_behind_a_full_lane_holds_the_group_and_no_longer) {
  SimOptions options = on_cores(2);
  options.limits.lane_rows = 100;
  SimWorld world(GroupJob().source({split("X", 20, rows(0, 50)), split("Y", 20, rows(0, 300, 0.5))}, 5, 2).build(),
                 options);
  world.start();
  for (const char* worker : {"worker 0", "worker 1"}) world.scheduler().hold(worker, 10 * kSecond);
  world.run_until(micros(9.9));
  EXPECT_LT(rows_read(world), 51U);
  expect_all(world, 352);
}

// One reader with the slow and the fast split: paused as a whole it would never read the slow one.
TEST(SimAlignment, a_reader_that_cannot_pause_splits_reads_on_for_its_slow_one) {
  SimWorld world(GroupJob()
                     .source({split("X", 40, rows(0, 29, 0, 1)), split("Y", 40, rows(0, 100, 0.5))}, 5)
                     .cannot_pause()
                     .build(),
                 on_cores(1));
  world.run_until(micros(2));
  EXPECT_EQ(rows_read(world), 2U + 101U);
  expect_all(world, 131);
}

// What the source says of connection while nothing fails.
TEST(SimAlignment, a_split_that_its_source_has_lost_is_not_idle) {
  std::vector<ScriptStep> x{row(0), word(ScriptStep::Kind::disconnected, 1), word(ScriptStep::Kind::connected, 30),
                            row(1, 30)};
  GroupJob group;
  group.source({split("X", 31, x)}, 1000, 2).source({split("Y", 31, rows(0, 100, 0.5))}, 1000, 2);
  SimWorld world(group.build(), on_cores(2));
  world.run_until(micros(29));
  EXPECT_TRUE(world.lines(0).empty());
  expect_all(world, 103);
}

// A split that fails for good ends the job as before; one that fails for a while does not delay its neighbours.
TEST(SimAlignment, neighbours_of_a_failing_split_are_read) {
  SplitScript x = split("X", 40, {row(0), row(1, 20)});
  x.outages = {{kSecond, 20 * kSecond}};
  GroupJob group;
  group.source({std::move(x), split("Y", 40, rows(0, 30, 0, 1))}, 1000);
  SimWorld world(group.build(), on_cores(1));
  world.run_until(micros(15.1));
  EXPECT_EQ(rows_read(world), 1U + 16U);
  expect_all(world, 33);
}

TEST(SimAlignment, nothing_hangs_in_any_order) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    SplitScript c = split("C", 9, rows(20, 60, 1));
    c.outages = {{2 * kSecond, 5 * kSecond}};
    std::vector<ScriptStep> d = rows(0, 20);
    d.push_back(word(ScriptStep::Kind::idle, 3));
    d.push_back(row(90, 7));
    GroupJob group;
    group.source({split("A", 8, rows(0, 90, 0, 0.08)), split("B", 2, rows(0, 300))}, 5, 1);
    group.source({std::move(c), split("D", 8, d), split("E", 3, {})}, 20, 1);
    group.job.scripts[1].can_pause = seed % 2 == 0;
    group.job.scripts[1].names_failing = seed % 4 < 2;
    SimOptions options = on_cores(1 + static_cast<uint32_t>(seed % 3), seed);
    options.batch_rows_max = 8;
    options.crashes = 1;
    options.stops = 1;
    options.stalls = true;
    options.step_cost_us_max = 1000;
    SimWorld world(group.build(), options);
    world.run_to_end();
    EXPECT_EQ(world.failure(), "");
    EXPECT_EQ(counted(world) + world.late().size(), 91U + 301U + 41U + 22U);
  }
}

}  // namespace
}  // namespace tidemark::test
