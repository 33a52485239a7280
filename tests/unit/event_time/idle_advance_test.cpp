// SPDX-License-Identifier: Apache-2.0
//
// all_idle = { advance_after, lag }: when it begins, how fast it goes, and that steps of the wall clock do not matter.
#include "core/event_time/idle_advance.hpp"

#include <gtest/gtest.h>

namespace tidemark::core {
namespace {

TEST(IdleAdvance, follows_the_clock_after_the_delay_at_the_lag) {
  IdleAdvance advance({100, 30, 10});
  EXPECT_EQ(advance.next_us(), kEndOfTime);
  advance.observe(true, 1000, 50'000);
  EXPECT_EQ(advance.next_us(), 1100);
  EXPECT_FALSE(advance.poll(1099));
  EXPECT_EQ(advance.poll(1100), 50'000 + 100 - 30);
  EXPECT_FALSE(advance.poll(1109)) << "once per emit interval";
  advance.observe(true, 1110, 7);  // no change, and a wall clock that stepped back
  EXPECT_EQ(advance.poll(1110), 50'000 + 110 - 30);
  advance.observe(false, 1120, 50'120);
  EXPECT_EQ(advance.next_us(), kEndOfTime);
  EXPECT_FALSE(advance.poll(9999));
  EXPECT_EQ(advance.idle_age_us(9999), 0);
}

TEST(IdleAdvance, an_idle_phase_outlives_a_restart) {
  IdleAdvance advance({100, 0, 10});
  advance.observe(true, 1000, 50'000);
  EXPECT_EQ(advance.idle_age_us(1090), 90);
  IdleAdvance restarted({100, 0, 10});
  restarted.restore(90, 5, 50'200);
  EXPECT_EQ(restarted.next_us(), 15) << "10 of the 100 are left";
  EXPECT_EQ(restarted.poll(15), 50'210);
}

}  // namespace
}  // namespace tidemark::core
