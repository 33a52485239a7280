// SPDX-License-Identifier: Apache-2.0
//
// The watermark of an aggregate over aggregates: the slowest worker of the slowest input, without inputs that are idle
// at every worker; it never steps back.
#include "core/event_time/upstream_watermark.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tidemark::core {
namespace {

constexpr std::nullopt_t kSame = std::nullopt;

TEST(UpstreamWatermark, the_slowest_worker_counts) {
  UpstreamWatermark one(1, 3);
  EXPECT_EQ(one.watermark(), kNoTime);
  EXPECT_EQ(one.note(0, 0, 30, false), kSame);
  EXPECT_EQ(one.note(0, 1, 20, false), kSame) << "the third has said nothing";
  EXPECT_EQ(one.note(0, 2, 25, false), 20);
  EXPECT_EQ(one.note(0, 2, 90, false), kSame);
  EXPECT_EQ(one.note(0, 1, 15, false), kSame) << "a worker does not step back";
  EXPECT_EQ(one.note(0, 1, 60, false), 30);
  EXPECT_EQ(one.note(0, 0, 70, false), 60);
  EXPECT_EQ(one.watermark(), 60);
  EXPECT_EQ(one.holder(), 0U);
}

TEST(UpstreamWatermark, the_slowest_input_counts) {
  UpstreamWatermark two(2, 1);
  EXPECT_EQ(two.note(0, 0, 30, false), kSame);
  EXPECT_EQ(two.note(1, 0, 10, false), 10);
  EXPECT_EQ(two.holder(), 1U);
  EXPECT_EQ(two.note(1, 0, 40, false), 30);
  EXPECT_EQ(two.holder(), 0U);
}

TEST(UpstreamWatermark, an_input_that_is_idle_at_every_worker_is_not_waited_for) {
  UpstreamWatermark two(2, 2);
  two.note(0, 0, 30, false);
  two.note(0, 1, 40, false);
  EXPECT_EQ(two.note(1, 0, 10, true), kSame) << "at the other worker it may have results";
  EXPECT_FALSE(two.is_idle());
  EXPECT_EQ(two.note(1, 1, 5, true), 30);
  EXPECT_EQ(two.holder(), 0U);
  EXPECT_EQ(two.note(1, 1, 20, false), kSame) << "it is back, and behind: nothing steps back";
  EXPECT_EQ(two.watermark(), 30);
  EXPECT_EQ(two.note(0, 0, 90, false), kSame) << "and it is waited for again";
  EXPECT_EQ(two.note(1, 1, 35, false), kSame);
  EXPECT_EQ(two.note(1, 0, 38, false), 35);
}

TEST(UpstreamWatermark, stands_while_all_inputs_are_idle) {
  UpstreamWatermark two(2, 1);
  two.note(0, 0, 10, false);
  EXPECT_EQ(two.note(1, 0, 20, false), 10);
  EXPECT_EQ(two.note(0, 0, 10, true), 20);
  EXPECT_EQ(two.note(1, 0, 20, true), kSame);
  EXPECT_TRUE(two.is_idle());
  EXPECT_EQ(two.holder(), kSame);
  EXPECT_EQ(two.note(0, 0, 15, false), kSame);
  EXPECT_FALSE(two.is_idle());
  EXPECT_EQ(two.note(0, 0, 25, false), 25) << "the other one is idle still";
}

TEST(UpstreamWatermark, rises_while_it_is_idle_with_what_idle_inputs_are_given) {  // all_idle = { advance_after }
  UpstreamWatermark one(1, 2);
  one.note(0, 0, 10, true);
  EXPECT_EQ(one.note(0, 1, 10, true), 10);
  one.note(0, 0, 50, true);
  EXPECT_EQ(one.note(0, 1, 40, true), 40);
  EXPECT_TRUE(one.is_idle());
}

TEST(UpstreamWatermark, ends_when_all_inputs_have) {
  for (const bool idle : {false, true}) {
    UpstreamWatermark two(2, 2);
    two.note(0, 0, kEndOfTime, idle);
    EXPECT_EQ(two.note(0, 1, kEndOfTime, idle), kSame);
    two.note(1, 0, 30, false);
    EXPECT_EQ(two.note(1, 1, 20, false), 20) << "an input that has ended is not waited for";
    EXPECT_EQ(two.holder(), 1U);
    two.note(1, 0, 30, true);
    EXPECT_NE(two.note(1, 1, 20, true), kEndOfTime) << "idle is not ended";
    EXPECT_LE(two.watermark(), 30);
    EXPECT_EQ(two.note(1, 0, kEndOfTime, idle), kSame);
    EXPECT_EQ(two.note(1, 1, kEndOfTime, idle), kEndOfTime);
    EXPECT_EQ(two.holder(), kSame);
  }
}

TEST(UpstreamWatermark, takes_what_other_workers_have_and_what_an_epoch_had) {
  UpstreamWatermark one(1, 1);
  one.restore(50);
  EXPECT_EQ(one.watermark(), 50);
  EXPECT_EQ(one.note(0, 0, 50, false), kSame);
  EXPECT_EQ(one.catch_up_with(40), kSame);
  EXPECT_EQ(one.catch_up_with(60), 60);
  EXPECT_EQ(one.note(0, 0, 55, false), kSame);
  EXPECT_EQ(one.note(0, 0, 61, false), 61);
}

/// However the workers' words interleave, and whatever was idle in between: it never passes what an active input of any
/// worker has not reached since it woke, and all that hear the same come to the same end.
TEST(UpstreamWatermark, random_orders) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 300; ++run) {
    const size_t inputs = 1 + random() % 3;
    const size_t workers = 1 + random() % 3;
    UpstreamWatermark upstream(inputs, workers);
    std::vector<std::vector<Micros>> said(inputs, std::vector<Micros>(workers, kNoTime));
    std::vector<std::vector<bool>> idle(inputs, std::vector<bool>(workers, false));
    Micros before = kNoTime;
    for (int step = 0; step < 80; ++step) {
      const size_t input = random() % inputs;
      const size_t worker = random() % workers;
      said[input][worker] = std::max<Micros>(said[input][worker], 0) + static_cast<Micros>(random() % 10);
      idle[input][worker] = random() % 4 == 0;
      const auto rose = upstream.note(input, worker, said[input][worker], idle[input][worker]);
      Micros least = kEndOfTime;
      for (size_t i = 0; i < inputs; ++i) {
        if (std::find(idle[i].begin(), idle[i].end(), false) == idle[i].end()) continue;
        least = std::min(least, *std::min_element(said[i].begin(), said[i].end()));
      }
      if (least == kEndOfTime) {
        EXPECT_TRUE(upstream.is_idle());
      } else {
        EXPECT_EQ(upstream.watermark(), std::max(before, least));
      }
      EXPECT_EQ(rose.value_or(before), upstream.watermark());
      EXPECT_GE(upstream.watermark(), before);
      before = upstream.watermark();
    }
    for (size_t i = 0; i < inputs * workers; ++i)
      upstream.note(i / workers, i % workers, kEndOfTime, random() % 2 == 0);
    EXPECT_EQ(upstream.watermark(), kEndOfTime);
  }
}

}  // namespace
}  // namespace tidemark::core
