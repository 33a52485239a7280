// SPDX-License-Identifier: Apache-2.0
//
// Strategies through the whole job: markers from an expression, and generators that a plan makes per split (as for
// those of plugins), over a crash. One thread.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::ColumnType;
using core::Micros;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

ScriptStep row(double event_s, int v, double available_s) {
  return script_row(event_s, {std::to_string(v)}, core::Op::insert, available_s);
}

SimJob sum_job(std::vector<SplitScript> splits) {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("v", ColumnType::int64)};
  script.splits = std::move(splits);
  job.plan.checkpoint_interval_us = kSecond;
  add_source(job, std::move(script), false, 0);
  add_aggregate(job, {0}, 10 * kSecond, {}, {{core::AggregateFunction::sum, "v"}});
  return job;
}

std::string window(int start_s, const std::string& sum) {
  return core::format_rfc3339(start_s * kSecond) + "|" + core::format_rfc3339((start_s + 10) * kSecond) + "|" + sum;
}

SimOptions one_row_batches() {
  SimOptions options;
  options.batch_rows_max = 1;
  return options;
}

// Only rows with v = 7 say anything about time; what came before the marker's time is late after it.
TEST(Strategies, punctuated_closes_windows_at_markers_alone) {
  for (const bool crashes : {false, true}) {
    SCOPED_TRACE(crashes);
    SimJob job = sum_job(
        {{"a", {row(1, 1, 0), row(35, 1, 1), row(12, 7, 2), row(9, 1, 5), row(13, 1, 6), row(20, 7, 7)}, true, 0}});
    job.plan.sources[0].watermark.strategy.kind = core::WatermarkStrategyKind::punctuated;
    job.plan.sources[0].marker = "v = 7";
    SimWorld world(job, one_row_batches());
    world.run_until(2 * kSecond - 1);
    EXPECT_EQ(world.lines(0), Lines{}) << "a row far ahead is no marker";
    EXPECT_EQ(world.counters().watermark.load(), core::kNoTime);
    world.run_until(4 * kSecond);
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1")}));
    EXPECT_EQ(world.counters().watermark.load(), 12 * kSecond - 1);
    if (crashes) world.crash();
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "1"), window(10, "8"), window(20, "7"), window(30, "1")}));
    ASSERT_EQ(world.late().size(), 1U);
    EXPECT_EQ(world.late()[0].event_time, 9 * kSecond);
    EXPECT_EQ(world.failure(), "");
  }
}

// Its watermark is the time of the row before the last: useless without the state.
class OneBehind final : public core::WatermarkGenerator {
 public:
  void on_batch(const core::RowTimes& rows) override {
    for (const Micros time : rows.event_times) {
      watermark_ = last_;
      last_ = time;
    }
  }
  Micros periodic() const override { return watermark_; }
  std::string snapshot() const override { return std::to_string(watermark_) + " " + std::to_string(last_); }
  void restore(std::string_view state) override {
    const std::string text(state);
    watermark_ = std::stoll(text);
    last_ = std::stoll(text.substr(text.find(' ')));
  }

 private:
  Micros watermark_ = core::kNoTime;
  Micros last_ = core::kNoTime;
};

TEST(Strategies, every_split_has_a_generator_of_its_own_whose_state_outlives_a_crash) {
  for (const bool crashes : {false, true}) {
    SCOPED_TRACE(crashes);
    SimJob job = sum_job({{"a", {row(3, 1, 0), row(12, 1, 1), row(22, 1, 6)}, true, 8 * kSecond},
                          {"b", {row(4, 1, 0), row(15, 1, 1), row(23, 1, 6)}, true, 8 * kSecond}});
    std::map<std::string, int, std::less<>> made;
    job.plan.sources[0].watermark.strategy.kind = core::WatermarkStrategyKind::plugin;
    job.plan.sources[0].watermark.generator =
        [&made](std::string_view split) -> core::Result<std::unique_ptr<core::WatermarkGenerator>> {
      ++made[std::string(split)];
      return std::unique_ptr<core::WatermarkGenerator>(std::make_unique<OneBehind>());
    };
    SimWorld world(job, one_row_batches());
    world.run_until(5 * kSecond);
    EXPECT_EQ(world.counters().watermark.load(), 3 * kSecond) << "the minimum over both";
    if (crashes) world.crash();
    world.run_until(7 * kSecond);
    EXPECT_EQ(world.counters().watermark.load(), 12 * kSecond) << "the row before the last came before the crash";
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2")}));
    world.run_to_end();
    EXPECT_EQ(world.lines(0), (Lines{window(0, "2"), window(10, "2"), window(20, "2")}));
    EXPECT_EQ(made, (std::map<std::string, int, std::less<>>{{"a", crashes ? 2 : 1}, {"b", crashes ? 2 : 1}}));
    EXPECT_EQ(world.failure(), "");
  }
}

}  // namespace
}  // namespace tidemark::test
