// SPDX-License-Identifier: Apache-2.0
//
// The metrics as Prometheus reads them: each family once with HELP and TYPE, escaped labels, counters named _total,
// no sample twice; and figures that are not known are left out.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "core/observe/prometheus_metrics.hpp"
#include "tests/unit/observe/sample_status.hpp"

namespace tidemark::core::test {
namespace {

constexpr std::array<Micros, 2> kBounds{kSecond, 60 * kSecond};

// Sample lines ("name{labels}" -> value) of a text that keeps the rules of the exposition format.
std::map<std::string, double> read_exposition(const std::string& text) {
  static const RE2 kSample(R"re(^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*\})? (\S+)$)re");
  std::map<std::string, double> samples;
  std::map<std::string, std::string> types;
  std::set<std::string> helped;
  std::istringstream lines(text);
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, kind, name, type;
    words >> hash >> kind >> name >> type;
    if (hash == "#") {
      if (kind == "HELP") {
        EXPECT_TRUE(helped.insert(name).second) << name << " has two HELP lines";
      } else {
        EXPECT_EQ(kind, "TYPE") << line;
        EXPECT_TRUE(types.emplace(name, type).second) << name << " has two TYPE lines";
        EXPECT_TRUE(helped.contains(name)) << "HELP first: " << name;
        EXPECT_EQ(type == "counter", name.ends_with("_total")) << name;
      }
      family = name;
      continue;
    }
    std::string labels, number;
    const bool is_sample = RE2::FullMatch(line, kSample, &name, &labels, &number);
    EXPECT_TRUE(is_sample) << line;
    if (!is_sample) continue;
    EXPECT_TRUE(name.starts_with(family)) << line << " stands under " << family;
    EXPECT_TRUE(types.contains(family)) << line;
    const double value = number == "+Inf" ? HUGE_VAL : std::stod(number);
    EXPECT_TRUE(samples.emplace(name + labels, value).second) << "twice: " << line;
  }
  return samples;
}

TEST(Metrics, keep_the_rules_of_the_format_and_show_the_model) {
  JobStatus job = sample_status();
  job.aggregates[0].late_by = LengthHistogram(kBounds);
  job.splits[1].rows_ahead = 7;
  job.splits[1].rows_truncated = 5;
  job.aggregates.push_back(job.aggregates[0]);
  job.aggregates[1].id = "ahead";
  job.aggregates[1].watermark = kNow;
  for (const Micros late : {kSecond / 2, kSecond, 2 * kSecond, 100 * kSecond}) job.aggregates[0].late_by.add(late);
  const auto samples = read_exposition(metrics_text(job));
  const std::string shard = R"(job="revenue",kind="source",component="orders",shard="shard-1")";
  const auto at = [&](const std::string& key) {
    const auto found = samples.find(key);
    EXPECT_NE(found, samples.end()) << key;
    return found == samples.end() ? -1 : found->second;
  };
  EXPECT_EQ(at("tidemark_watermark_holding{" + shard + "}"), 1);
  EXPECT_EQ(at("tidemark_rows_ahead_of_clock_total{" + shard + "}"), 7);
  EXPECT_EQ(at("tidemark_rows_truncated_total{" + shard + "}"), 5);
  EXPECT_EQ(at("tidemark_shard_state_seconds_total{" + shard + R"(,state="active"})"), 190);
  EXPECT_EQ(at("tidemark_shard_state_seconds_total{" + shard + R"(,state="paused_alignment"})"), 0);
  EXPECT_EQ(at("tidemark_shard_state{" + shard + R"(,state="active"})"), 1);
  EXPECT_EQ(at(R"(tidemark_watermark_lag_seconds{job="revenue",kind="aggregate",component="totals"})"), 190);
  EXPECT_EQ(at(R"(tidemark_watermark_lag_seconds{job="revenue",kind="job",component="revenue"})"), 190)
      << "the largest of the aggregates' lags";
  EXPECT_EQ(at(R"(tidemark_windows_open{job="revenue",aggregate="totals"})"), 3);
  EXPECT_EQ(at(R"(tidemark_all_splits_idle{job="revenue",aggregate="totals"})"), 0);
  EXPECT_EQ(at(R"(tidemark_late_events_total{job="revenue",aggregate="totals",outcome="stored"})"), 4);
  EXPECT_EQ(at(R"(tidemark_late_event_delay_seconds_bucket{job="revenue",aggregate="totals",le="1"})"), 2);
  EXPECT_EQ(at(R"(tidemark_late_event_delay_seconds_bucket{job="revenue",aggregate="totals",le="60"})"), 3);
  EXPECT_EQ(at(R"(tidemark_late_event_delay_seconds_bucket{job="revenue",aggregate="totals",le="+Inf"})"), 4);
  EXPECT_EQ(at(R"(tidemark_late_event_delay_seconds_count{job="revenue",aggregate="totals"})"), 4);
  EXPECT_EQ(at(R"(tidemark_checkpoint_last_success_timestamp_seconds{job="revenue"})"), 1'774'742'393);
  EXPECT_EQ(at(R"(tidemark_checkpoint_failures_total{job="revenue"})"), 3);
  EXPECT_EQ(at(R"(tidemark_build_info{job="revenue",version="1.2.3"})"), 1);
}

TEST(Metrics, names_are_escaped_and_unknown_figures_left_out) {
  JobStatus job = sample_status();
  job.splits[0].name = "a\\b\"c\nd";
  job.splits[1].status.watermark = kNoTime;
  job.splits[1].status.max_event_time = kNoTime;
  job.aggregates[0].watermark = kEndOfTime;
  const std::string text = metrics_text(job);
  const auto samples = read_exposition(text);
  EXPECT_NE(text.find(R"(shard="a\\b\"c\nd")"), std::string::npos);
  for (const auto& [key, value] : samples) {
    EXPECT_FALSE(key.starts_with("tidemark_watermark_timestamp_seconds") && key.find("shard-1") != std::string::npos);
    EXPECT_FALSE(key.starts_with("tidemark_watermark_lag_seconds") && key.find("totals") != std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark::core::test
