// SPDX-License-Identifier: Apache-2.0
//
// Times and durations as text, floor division and saturation at the ends of the range.
#include "core/base/time.hpp"

#include <gtest/gtest.h>

#include "core/base/time_zone.hpp"

namespace tidemark::core {
namespace {

TEST(Time, rfc3339_text) {
  EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_rfc3339(1'774'742'400'000'000), "2026-03-29T00:00:00Z");
  EXPECT_EQ(format_rfc3339(1'774'742'400'120'000), "2026-03-29T00:00:00.120Z");
  EXPECT_EQ(format_rfc3339(1'774'742'400'120'003), "2026-03-29T00:00:00.120003Z");
  EXPECT_EQ(format_rfc3339(-62'167'219'200'000'000), "0000-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(-62'135'596'800'000'000), "0001-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(kNoTime + 1), "-290308-12-21T19:59:05.224193Z");
  EXPECT_EQ(format_rfc3339(kEndOfTime - 1), "294247-01-10T04:00:54.775806Z");
  EXPECT_EQ(format_rfc3339(kNoTime), "none");
  EXPECT_EQ(format_rfc3339(kEndOfTime), "end");
}

TEST(Time, durations_need_a_unit_and_never_lose_digits) {
  EXPECT_EQ(parse_duration("1m30s"), 90 * kMicrosPerSecond);
  EXPECT_EQ(parse_duration("0.5s"), kMicrosPerSecond / 2);
  EXPECT_EQ(parse_duration("1.5ms"), 1500);
  EXPECT_EQ(parse_duration("-5s"), -5 * kMicrosPerSecond);
  EXPECT_EQ(parse_duration("1.5us"), std::nullopt);
  EXPECT_EQ(parse_duration("1500ns"), std::nullopt);
  EXPECT_EQ(parse_duration("5"), std::nullopt);
  EXPECT_EQ(parse_duration("5 s"), std::nullopt);
  EXPECT_EQ(parse_duration("s"), std::nullopt);
  EXPECT_EQ(parse_duration("1.s"), std::nullopt);
  EXPECT_EQ(parse_duration("300000y"), std::nullopt);
  EXPECT_EQ(parse_duration("99999999999999999999d"), std::nullopt);
  EXPECT_EQ(format_duration(90 * kMicrosPerSecond), "1m30s");
  EXPECT_EQ(format_duration(500), "500us");
}

TEST(Time, by_the_clocks_of_a_zone) {
  const auto zone = TimeZone::load("Asia/Kolkata");
  ASSERT_TRUE(zone.is_ok()) << zone.status().message();
  EXPECT_EQ(format_rfc3339(1'774'742'400'000'000, **zone), "2026-03-29T05:30:00+05:30");
  const Micros old = parse_rfc3339("1890-01-01T00:00:00Z").value();  // +05:21:10, which the format cannot say
  EXPECT_EQ(format_rfc3339(old, **zone), "1890-01-01T00:00:00Z");
  EXPECT_EQ((*zone)->utc_offset(old), (5 * 3600 + 21 * 60 + 10) * kMicrosPerSecond);
}

TEST(Time, arithmetic_saturates_and_floors) {
  EXPECT_EQ(saturating_add(kEndOfTime, 1), kEndOfTime);
  EXPECT_EQ(saturating_sub(kNoTime, 1), kNoTime);
  EXPECT_EQ(floor_to(-1, 10), -10);
  EXPECT_EQ(floor_to(-10, 10), -10);
  EXPECT_EQ(floor_to(9, 10), 0);
}

}  // namespace
}  // namespace tidemark::core
