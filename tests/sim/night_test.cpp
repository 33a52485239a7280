// SPDX-License-Identifier: Apache-2.0
//
// The two classics of watermarks over shards. One: more readers than shards, no idle timeout, and nothing fires. Two:
// at night some shards are silent for long; the job must not wait for them, nor lose what they bring in the morning.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

using core::Micros;
using core::ResumeRule;
using Lines = std::vector<std::string>;

constexpr Micros kSecond = core::kMicrosPerSecond;

TEST(SimClassics, four_readers_of_one_split_fire_without_an_idle_timeout) {
  std::vector<ScriptStep> rows;
  for (int t = 0; t < 30; ++t) rows.push_back(value(t, 1, t));
  SimWorld world(sum_job({open_split("only", rows)}), one_row_batches({4}));
  world.run_until(static_cast<Micros>(25.5 * kSecond));
  EXPECT_EQ(world.lines(0), (Lines{window(0, "10"), window(10, "10")}));
  EXPECT_TRUE(world.late().empty());
  EXPECT_EQ(world.failure(), "");
}

// 13 shards bring a row every 10 s for an hour. Three do so for ten minutes, are silent for forty, and come back 30 s
// behind: their rows lie between those of the others. Windows of a minute.
constexpr int kHour = 3600;
constexpr int kSilentFrom = 600;
constexpr int kBack = 3000;
constexpr int kBehind = 30;

std::vector<SplitScript> night() {
  std::vector<SplitScript> splits;
  for (int shard = 0; shard < 16; ++shard) {
    const bool sleeps = shard % 5 == 2;  // 2, 7, 12
    std::vector<ScriptStep> rows;
    for (int t = 0; t < kHour; t += 10) {
      if (!sleeps) rows.push_back(value(t, 1, t));
      if (sleeps && t < kSilentFrom) rows.push_back(value(t, 1, t));
      if (sleeps && t >= kBack) rows.push_back(value(t + 5 - kBehind, 1, t + 5));
    }
    splits.push_back(split_until("shard" + std::to_string(shard), kHour, rows));
  }
  return splits;
}

// Whether a row that a shard brings after the night is late: its window is behind the watermark, which stands where
// the others were when the shard came back (hold), or goes on with them (catch_up).
bool is_late(ResumeRule rule, int event_s, int now_s) {
  const int window_end = (event_s / 60 + 1) * 60;
  const int watermark = rule == ResumeRule::hold ? kBack : now_s - 5;
  return window_end <= watermark;
}

TEST(SimClassics, three_of_sixteen_splits_are_silent_at_night) {
  for (const ResumeRule rule : {ResumeRule::hold, ResumeRule::catch_up}) {
    std::vector<int> counted(kHour / 60, 0);
    size_t late = 0;
    for (int t = 0; t < kHour; t += 10) counted[static_cast<size_t>(t / 60)] += t < kSilentFrom ? 16 : 13;
    for (int t = kBack + 5; t < kHour; t += 10) {
      if (is_late(rule, t - kBehind, t)) {
        late += 3;
      } else {
        counted[static_cast<size_t>((t - kBehind) / 60)] += 3;
      }
    }
    Lines lines;
    for (int minute = 0; minute < kHour / 60; ++minute) {
      lines.push_back(window(minute * 60, std::to_string(counted[static_cast<size_t>(minute)]), 60));
    }
    for (const uint32_t cores : rule == ResumeRule::hold ? std::vector<uint32_t>{1, 4} : std::vector<uint32_t>{4}) {
      SimJob job = sum_job(night(), 30, 60 * kSecond);
      job.plan.checkpoint_interval_us = 60 * kSecond;
      job.plan.sources[0].watermark.emit_interval_us = kSecond;
      job.plan.sources[0].watermark.merging.on_resume = rule;
      SimWorld world(std::move(job), one_row_batches({cores}));
      for (const int minute : {12, 20, 30, 49}) {
        world.run_until((minute * 60 + 1) * kSecond);
        EXPECT_EQ(world.lines(0).size(), static_cast<size_t>(minute)) << "the windows of the night are on time";
      }
      world.run_to_end();
      EXPECT_EQ(world.failure(), "") << "nothing is lost: the audit of every epoch says so";
      EXPECT_EQ(world.lines(0), lines);
      EXPECT_EQ(world.late().size(), late);
      for (const core::LateItem& item : world.late()) {
        const auto event_s = static_cast<int>(item.event_time / kSecond);
        EXPECT_TRUE(is_late(rule, event_s, event_s + kBehind)) << event_s;
      }
    }
  }
}

}  // namespace
}  // namespace tidemark::test
