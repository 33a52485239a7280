// SPDX-License-Identifier: Apache-2.0
//
// Times: literals, intervals, seconds since 1970, rounding down, and comparison with texts.
#include <gtest/gtest.h>

#include "core/expression/temporal_text.hpp"
#include "tests/unit/expression/sample_rows.hpp"

namespace tidemark::core {
namespace {

// The first row: ts is 2026-03-29 01:30:15.250, dt the same, day 2026-03-29.
std::string first(std::string_view text) {
  const std::string all = evaluate(text);
  return all.substr(0, all.find(" | "));
}

TEST(ExpressionTime, from_unixtime) {
  EXPECT_EQ(first("FROM_UNIXTIME(0)"), "1970-01-01 00:00:00");
  EXPECT_EQ(first("FROM_UNIXTIME(-1)"), "1969-12-31 23:59:59");
  EXPECT_EQ(first("FROM_UNIXTIME(1774747815250 / 1000)"), "2026-03-29 01:30:15.250");
  EXPECT_EQ(first("FROM_UNIXTIME(1774747815250001 / 1000000)"), "2026-03-29 01:30:15.250001");
  EXPECT_EQ(first("FROM_UNIXTIME(1774747815250001499 / 1000000000)"), "2026-03-29 01:30:15.250001");
  EXPECT_EQ(first("FROM_UNIXTIME(1.9999996)"), "1970-01-01 00:00:02");
  EXPECT_EQ(first("FROM_UNIXTIME(1.5e0)"), "1970-01-01 00:00:01.500");
  EXPECT_EQ(first("FROM_UNIXTIME(1774747815250)"), "NULL") << "milliseconds are no seconds";
  EXPECT_EQ(first("FROM_UNIXTIME(32536771199)"), "3001-01-18 23:59:59");
  EXPECT_EQ(first("FROM_UNIXTIME(32536771200)"), "NULL");
  EXPECT_EQ(first("FROM_UNIXTIME(1e300)"), "NULL");
  EXPECT_EQ(first("FROM_UNIXTIME(NULL)"), "NULL");
  EXPECT_EQ(type_of("FROM_UNIXTIME(id / 1000)"), "timestamp");
  EXPECT_EQ(evaluate("FROM_UNIXTIME(u)"), "1970-01-01 00:00:05 | 1970-01-01 00:00:00 | NULL | NULL");
  EXPECT_EQ(first("UNIX_TIMESTAMP(ts)"), "1774747815.250000");
  EXPECT_EQ(first("FROM_UNIXTIME(UNIX_TIMESTAMP(ts)) = ts"), "true");
}

TEST(ExpressionTime, intervals) {
  EXPECT_EQ(first("ts + INTERVAL '10' SECOND"), "2026-03-29 01:30:25.250");
  EXPECT_EQ(first("ts - INTERVAL 1.5 SECOND"), "2026-03-29 01:30:13.750");
  EXPECT_EQ(first("ts + INTERVAL n MINUTE"), "2026-03-29 01:40:15.250");
  EXPECT_EQ(first("INTERVAL 2 DAY + dt"), "2026-03-31 01:30:15.250");
  EXPECT_EQ(first("ts + INTERVAL '-1' MONTH"), "2026-02-28 01:30:15.250");
  EXPECT_EQ(first("TIMESTAMP '2024-02-29 00:00:00' - INTERVAL 1 YEAR"), "2023-02-28 00:00:00");
  EXPECT_EQ(first("DATE '2026-01-31' + INTERVAL 1 QUARTER"), "2026-04-30");
  EXPECT_EQ(type_of("day + INTERVAL 1 WEEK"), "date");
  EXPECT_EQ(type_of("day + INTERVAL 1 HOUR"), "datetime");
  EXPECT_EQ(first("ts + INTERVAL 9223372036854775807 SECOND"), "failed");
  EXPECT_EQ(first("ts + INTERVAL 300000 YEAR"), "failed");
  EXPECT_EQ(first("ts + INTERVAL 99999999999999999999999999999999999 DAY"), "failed");
  EXPECT_EQ(evaluate("ts + INTERVAL id MONTH"), "2026-04-29 01:30:15.250 | 1969-05-31 23:59:59 | NULL | failed");
  EXPECT_EQ(first("ts + INTERVAL NULL DAY"), "NULL");
}

TEST(ExpressionTime, rounding_down) {
  EXPECT_EQ(first("date_trunc('hour', ts)"), "2026-03-29 01:00:00");
  EXPECT_EQ(first("date_trunc('week', ts)"), "2026-03-23 00:00:00") << "a Monday";
  EXPECT_EQ(first("date_trunc('MONTH', ts)"), "2026-03-01 00:00:00");
  EXPECT_EQ(first("date_trunc('quarter', ts)"), "2026-01-01 00:00:00");
  EXPECT_EQ(evaluate("date_trunc('day', ts)"),
            "2026-03-29 00:00:00 | 1969-12-31 00:00:00 | NULL | 2024-02-29 00:00:00");
  EXPECT_EQ(evaluate("date_trunc('year', ts)"),
            "2026-01-01 00:00:00 | 1969-01-01 00:00:00 | NULL | 2024-01-01 00:00:00");
  EXPECT_EQ(evaluate("DATE(ts)"), "2026-03-29 | 1969-12-31 | NULL | 2024-02-29");
}

TEST(ExpressionTime, comparison) {
  EXPECT_EQ(evaluate("ts >= '2026-03-29'"), "true | false | NULL | false");
  EXPECT_EQ(evaluate("ts < TIMESTAMP '2026-03-29 03:30:15.250+02:00'"), "false | true | NULL | true");
  EXPECT_EQ(evaluate("ts = dt"), "true | true | NULL | true");
  EXPECT_EQ(evaluate("DATE(ts) = day"), "true | true | NULL | false");
  EXPECT_EQ(first("ts BETWEEN '2026-03-29' AND '2026-03-29 23:59:59'"), "true");
  EXPECT_EQ(first("COALESCE(NULL, dt, ts)"), "2026-03-29 01:30:15.250");
  EXPECT_EQ(type_of("COALESCE(day, dt, ts)"), "timestamp");
  EXPECT_EQ(first("GREATEST(ts, '2027-01-01')"), "2027-01-01 00:00:00");
}

TEST(ExpressionTime, texts_of_times) {
  const auto seconds = [](std::string_view text) { return parse_temporal(text)->micros / kMicrosPerSecond; };
  EXPECT_EQ(seconds("1970-01-02"), 86'400);
  EXPECT_EQ(seconds(" 1970-01-01T00:01 "), 60);
  EXPECT_EQ(seconds("1970-01-01 01:00:00+01:00"), 0);
  EXPECT_EQ(seconds("1970-01-01 00:00:00Z"), 0);
  EXPECT_EQ(seconds("9999-12-31 23:59:59"), 253'402'300'799);
  for (const char* wrong : {"", "2026", "2026-1-1", "2026-02-29", "2026-13-01", "0000-00-00", "2026-01-01 24:00:00",
                            "2026-01-01 00:00:00 Europe/Berlin", "2026-01-01 00:00:00.", "2026-01-01x", "26-01-01"}) {
    EXPECT_FALSE(parse_temporal(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace tidemark::core
