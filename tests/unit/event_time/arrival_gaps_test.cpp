// SPDX-License-Identifier: Apache-2.0
//
// Gaps and bursts: quantiles against the sorted values, merging, the stored form, and the idle timeout that follows.
#include "core/event_time/arrival_gaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tidemark::core::test {
namespace {

constexpr Micros kSecond = kMicrosPerSecond;

TEST(GapHistogram, quantiles_are_the_rank_s_value_within_five_percent) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    GapHistogram histogram;
    std::vector<Micros> values;
    const auto digits = 3 + random() % 9;
    for (uint64_t n = 1 + random() % 400; n > 0; --n) {
      values.push_back(static_cast<Micros>(random() % static_cast<uint64_t>(std::pow(10, digits))));
      histogram.add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const uint32_t per_mille : {1u, 500u, 990u, 999u, 1000u}) {
      const size_t rank = std::max<size_t>((values.size() * per_mille + 999) / 1000, 1);
      const Micros exact = values[rank - 1];
      const Micros shown = histogram.quantile(per_mille).value();
      if (exact < kMicrosPerMilli) {
        EXPECT_EQ(shown, 0);
      } else {
        EXPECT_LE(std::abs(shown - exact) * 20, exact) << shown << " for " << exact;
      }
    }
  }
}

TEST(GapHistogram, ends_of_the_scale) {
  GapHistogram histogram;
  EXPECT_FALSE(histogram.quantile(500));
  histogram.add(-5);
  histogram.add(999);
  EXPECT_EQ(histogram.quantile(1000), 0);
  histogram.add(kEndOfTime);
  EXPECT_GT(histogram.quantile(1000).value(), 40LL * 24 * 3600 * kSecond);
}

TEST(GapHistogram, merging_is_adding_and_the_stored_form_is_small_and_checked) {
  GapHistogram a;
  GapHistogram b;
  GapHistogram both;
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000; ++i) {
    const auto length = static_cast<Micros>(random() % 100'000'000);
    (i % 2 == 0 ? a : b).add(length);
    both.add(length);
  }
  GapHistogram merged = b;
  merged.merge(a);
  EXPECT_EQ(merged, both);
  const std::string bytes = both.encode();
  EXPECT_LT(bytes.size(), 500u);
  EXPECT_EQ(GapHistogram::decode(bytes), both);
  EXPECT_EQ(GapHistogram::decode(GapHistogram().encode()), GapHistogram());
  EXPECT_FALSE(GapHistogram::decode(""));
  EXPECT_FALSE(GapHistogram::decode(std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_FALSE(GapHistogram::decode(bytes + "x"));
  EXPECT_FALSE(GapHistogram::decode(std::string("\x01\xe9\x01\x01", 4))) << "bucket 233 does not exist";
  EXPECT_FALSE(GapHistogram::decode(std::string("\x02\x05\x01\x05\x01", 5))) << "a bucket twice";
}

TEST(ArrivalGaps, bursts_every_twenty_seconds) {
  ArrivalGaps arrivals(kSecond / 5);
  Micros now = 1000;
  for (int burst = 0; burst < 10; ++burst, now += 20 * kSecond) {
    for (int batch = 0; batch < 5; ++batch) arrivals.on_rows(100, now + batch * 50'000, batch > 0);
  }
  const ArrivalSummary summary = summarise(arrivals.state());
  EXPECT_EQ(summary.gaps, 10u * 99 + 9) << "rows that had waited tell nothing";
  EXPECT_EQ(summary.bursts, 9u);
  EXPECT_EQ(summary.p99_gap_us, 0) << "most rows come right after another";
  EXPECT_NEAR(static_cast<double>(summary.batch_period_us), 20e6, 1e6);
  EXPECT_EQ(summary.suggested_idle_timeout_us, 45 * kSecond);
}

TEST(ArrivalGaps, a_steady_trickle_is_judged_by_its_longest_gaps) {
  ArrivalGaps arrivals(60 * kSecond);
  Micros now = 0;
  for (int row = 0; row < 200; ++row) arrivals.on_rows(1, now += row % 20 == 0 ? 12 * kSecond : kSecond, false);
  const ArrivalSummary summary = summarise(arrivals.state());
  EXPECT_NEAR(static_cast<double>(summary.p99_gap_us), 12e6, 0.6e6);
  EXPECT_EQ(summary.suggested_idle_timeout_us, 45 * kSecond) << "3 x 12 s";
}

TEST(ArrivalGaps, too_little_gives_no_figure_and_a_restart_ends_no_gap) {
  ArrivalGaps arrivals(kSecond / 5);
  EXPECT_EQ(summarise(arrivals.state()), ArrivalSummary());
  arrivals.on_rows(1, 0, false);
  arrivals.on_rows(1, 5 * kSecond, false);
  EXPECT_EQ(summarise(arrivals.state()).suggested_idle_timeout_us, 0);
  ArrivalGaps after(kSecond / 5);
  after.restore(arrivals.state());
  after.on_rows(1, 500 * kSecond, false);
  EXPECT_EQ(after.state(), arrivals.state());
  after.on_rows(1, 505 * kSecond, false);
  EXPECT_EQ(summarise(after.state()).bursts, 2u);
}

TEST(ArrivalGaps, readable_lengths) {
  EXPECT_EQ(round_up_readably(0), kSecond);
  EXPECT_EQ(round_up_readably(36 * kSecond), 45 * kSecond);
  EXPECT_EQ(round_up_readably(45 * kSecond + 1), 60 * kSecond);
  EXPECT_EQ(round_up_readably(46 * 60 * kSecond), 3600 * kSecond);
  EXPECT_EQ(round_up_readably(25LL * 3600 * kSecond), 48LL * 3600 * kSecond);
}

}  // namespace
}  // namespace tidemark::core::test
