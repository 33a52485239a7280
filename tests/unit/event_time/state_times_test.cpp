// SPDX-License-Identifier: Apache-2.0
//
// The states of a split add up to its life, whatever it goes through, also over restarts; returns are counted and
// flapping is named; through SplitProgress as its owners drive it.
#include "core/event_time/state_times.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "core/event_time/split_progress.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kSecond = kMicrosPerSecond;

Micros sum_of(const StateTimesState& times) {
  Micros sum = 0;
  for (size_t i = 0; i < kSplitStates; ++i) sum += times.in_us(static_cast<SplitState>(i));
  return sum;
}

TEST(StateTimes, each_state_has_its_time) {
  StateTimes times(100);
  times.enter(SplitState::idle, 110);
  times.enter(SplitState::idle, 120);
  times.enter(SplitState::paused, 150);
  times.enter(SplitState::idle, 155);
  const StateTimesState now = times.snapshot(160);
  EXPECT_EQ(now.in_us(SplitState::active), 10);
  EXPECT_EQ(now.in_us(SplitState::idle), 45);
  EXPECT_EQ(now.in_us(SplitState::paused), 5);
  EXPECT_EQ(now.stay_us, 5);
  EXPECT_EQ(now.life_us(), 60);
  EXPECT_EQ(now.idle_count, 2u);
  EXPECT_EQ(now.return_count, 1u);
}

TEST(StateTimes, a_restart_continues_and_its_pause_is_in_no_state) {
  StateTimes before(1000);
  before.enter(SplitState::idle, 1010);
  const StateTimesState saved = before.snapshot(1030);
  StateTimes after(7);
  after.restore(saved, 7);
  EXPECT_EQ(after.snapshot(7), saved);
  EXPECT_EQ(after.snapshot(12).stay_us, 25);
  EXPECT_EQ(after.snapshot(12).life_us(), 35);
  EXPECT_EQ(after.snapshot(3).life_us(), 30) << "a clock that steps back takes nothing away";
}

TEST(StateTimes, three_returns_within_twenty_timeouts_are_flapping) {
  StateTimes times(0);
  const auto silence = [&](Micros at) {
    times.enter(SplitState::idle, at);
    times.enter(SplitState::active, at + 1);
  };
  silence(100);
  silence(200);
  EXPECT_FALSE(times.snapshot(201).flaps(10'000)) << "two returns are none";
  silence(300);
  EXPECT_TRUE(times.snapshot(301).flaps(11)) << "within 200 and a bit";
  EXPECT_FALSE(times.snapshot(301).flaps(10));
  EXPECT_TRUE(times.snapshot(1100).flaps(50));
  EXPECT_FALSE(times.snapshot(1101).flaps(50)) << "it is over";
  EXPECT_FALSE(times.snapshot(301).flaps(0)) << "no timeout";
}

// Random lives of a split: rows, silence, pauses, backpressure, marks of the source, restarts, the end.
TEST(StateTimes, times_add_up_under_random_lives) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t bound) { return static_cast<Micros>(random() % bound); };
    const SplitProgressOptions options{{WatermarkStrategyKind::ascending, 0}, seed % 4 == 0 ? 0 : kSecond};
    Micros now = below(1'000'000);
    Micros life = 0;
    auto split = std::make_unique<SplitProgress>(1, options, now);
    SplitStatus last = split->status(now);
    for (int step = 0; step < 300; ++step) {
      const Micros passed = below(3) == 0 ? below(5'000'000) : below(150'000);
      now += passed;
      life += passed;
      const std::vector<Micros> rows{now};
      switch (below(12)) {
        case 0:
          split->before_batch(now);
          split->on_batch({rows}, now);
          break;
        case 1:
          split->set_idle(below(2) == 0, now);
          break;
        case 2:
          split->on_progress(now, now);
          break;
        case 3: {
          const SplitProgressState saved = split->snapshot(now);
          now = below(1'000'000'000);  // another process, another monotonic clock
          split = std::make_unique<SplitProgress>(1, options, now);
          split->restore(saved, now);
          break;
        }
        case 4:
          if (step > 250) split->finish(now);
          break;
        default:
          split->tick(now, {.has_unread = below(4) == 0, .paused = below(4) == 0, .blocked = below(4) == 0});
      }
      const SplitStatus status = split->status(now);
      ASSERT_EQ(status.times.life_us(), life) << "seed " << seed << ", step " << step;
      ASSERT_EQ(sum_of(status.times), life) << "seed " << seed << ", step " << step;
      ASSERT_EQ(status.times.state, status.state) << "seed " << seed << ", step " << step;
      for (size_t i = 0; i < kSplitStates; ++i) {
        const auto state = static_cast<SplitState>(i);
        ASSERT_GE(status.times.in_us(state), last.times.in_us(state)) << "a counter never falls; seed " << seed;
      }
      ASSERT_LE(status.times.return_count, status.times.idle_count);
      ASSERT_LE(status.times.idle_count, status.times.return_count + 1);
      last = status;
    }
  }
}

TEST(StateTimes, a_split_whose_gaps_are_longer_than_its_timeout_flaps) {
  SplitProgress split(1, {{WatermarkStrategyKind::ascending, 0}, kSecond}, 0);
  Micros now = 0;
  for (int burst = 0; burst < 5; ++burst) {
    const std::vector<Micros> rows{now, now + 1};
    split.before_batch(now);
    split.on_batch({rows}, now);
    for (const Micros end = now + 3 * kSecond; now < end;) split.tick(now += kSecond / 10, {});
  }
  const SplitStatus status = split.status(now);
  EXPECT_EQ(status.state, SplitState::idle);
  EXPECT_EQ(status.times.idle_count, 5u);
  EXPECT_EQ(status.times.return_count, 4u);
  EXPECT_TRUE(status.flapping);
  EXPECT_EQ(status.arrivals.bursts, 4u);
  EXPECT_NEAR(static_cast<double>(status.arrivals.batch_period_us), 3e6, 3e6 * 0.05);
  EXPECT_EQ(status.arrivals.suggested_idle_timeout_us, 10 * kSecond) << "3 x P99 gap of 3 s is more than 2 x 3 s";
}

}  // namespace
}  // namespace tidemark::core::test
