// SPDX-License-Identifier: Apache-2.0
//
// Functions of numbers and of points in time: MySQL's results, with types, NULLs and failures.
#include <gtest/gtest.h>

#include "tests/unit/expression/expression_cases.hpp"

namespace tidemark::core {
namespace {

// "type: value" of an expression without columns.
std::string typed(const char* text) {
  return type_of(text) + ": " + constant(text);
}

TEST(NumberFunctions, of_columns) {
  expect_all({
      {"ABS(id)", "1 | 7 | NULL | 9223372036854775807"},
      {"ABS(-id - 1)", "2 | 6 | NULL | failed"},
      {"ABS(price) + SIGN(d)", "13.50 | 0.99 | NULL | 100000000.99"},
      {"ROUND(price)", "13 | -2 | NULL | 100000000"},
      {"ROUND(price, 1)", "12.5 | -2.0 | NULL | 100000000.0"},
      {"ROUND(price, -1)", "10 | 0 | NULL | 100000000"},
      {"ROUND(id, -1)", "0 | -10 | NULL | failed"},
      {"TRUNCATE(price, 1)", "12.5 | -1.9 | NULL | 99999999.9"},
      {"FLOOR(price)", "12 | -2 | NULL | 99999999"},
      {"CEIL(price)", "13 | -1 | NULL | 100000000"},
      {"FLOOR(big)", "1 | -1 | NULL | 999999999999999999999999"},
      {"ROUND(d)", "0 | -2 | NULL | 1e+300"},
      {"FLOOR(d)", "0 | -3 | NULL | 1e+300"},
      {"SQRT(price - 12)", "0.7071067811865476 | NULL | NULL | 9999.999399499982"},
      {"EXP(d)", "1.6487212707001282 | 0.0820849986238988 | NULL | failed"},
      {"LN(n)", "2.302585092994046 | NULL | NULL | NULL"},
      {"LOG10(n)", "1 | NULL | NULL | NULL"},
      {"POW(n, 2)", "100 | 9 | NULL | 0"},
      {"wide", "1.500000000000000000000000000000 | -1.000000000000000000000000000000 | NULL | failed"},
      {"wide > 1", "true | false | NULL | failed"},
      {"ROUND(price, n)", "unsupported 13+1: the number of digits is a whole number, and no column"},
  });
}

TEST(NumberFunctions, documented_results) {
  const Case kCases[] = {
      {"ROUND(-1.58)", "decimal(2,0): -2"},
      {"ROUND(1.298, 1)", "decimal(3,1): 1.3"},
      {"ROUND(23.298, -1)", "decimal(3,0): 20"},
      {"ROUND(2.5)", "decimal(2,0): 3"},
      {"ROUND(25E-1)", "double: 2"},
      {"ROUND(NULL, 1)", "integer: NULL"},
      {"ROUND(1.5, NULL)", "decimal(2,1): NULL"},
      {"TRUNCATE(1.223, 1)", "decimal(3,1): 1.2"},
      {"TRUNCATE(-1.999, 1)", "decimal(3,1): -1.9"},
      {"TRUNCATE(122, -2)", "integer: 100"},
      {"TRUNCATE(122, -400)", "integer: 0"},
      {"ROUND(5.5, -40)", "decimal(2,0): 0"},
      {"CEILING(-1.23)", "integer: -1"},
      {"FLOOR(-1.23)", "integer: -2"},
      {"SIGN(-32)", "integer: -1"},
      {"SIGN(TRUE)", "integer: 1"},
      {"POWER(2, -2)", "double: 0.25"},
      {"POWER(0, -1)", "double: failed"},
      {"LOG10(-100)", "double: NULL"},
      {"LOG2(65536)", "double: 16"},
  };
  for (const Case& one : kCases) EXPECT_EQ(typed(one.text), one.expected) << one.text;
}

TEST(DateFunctions, parts_of_columns) {
  expect_all({
      {"YEAR(ts)", "2026 | 1969 | NULL | 2024"},
      {"EXTRACT(YEAR_MONTH FROM dt)", "202603 | 196912 | NULL | 202402"},
      {"QUARTER(ts) * 100 + DAYOFMONTH(ts)", "129 | 431 | NULL | 129"},
      {"HOUR(ts) * 10000 + MINUTE(ts) * 100 + SECOND(ts)", "13015 | 235959 | NULL | 120000"},
      {"MICROSECOND(ts)", "250000 | 0 | NULL | 0"},
      {"DAYOFWEEK(ts)", "1 | 4 | NULL | 5"},
      {"WEEKDAY(ts)", "6 | 2 | NULL | 3"},
      {"DAYOFYEAR(ts)", "88 | 365 | NULL | 60"},
      {"WEEKOFYEAR(ts)", "13 | 1 | NULL | 9"},
      {"LAST_DAY(ts)", "2026-03-31 | 1969-12-31 | NULL | 2024-02-29"},
      {"DATEDIFF(dt, '2026-03-28 23:59')", "1 | -20541 | NULL | -758"},
      {"DATE_FORMAT(ts, '%Y-%m-%d %H:00')", "2026-03-29 01:00 | 1969-12-31 23:00 | NULL | 2024-02-29 12:00"},
      {"DATE_ADD(ts, INTERVAL 1 MONTH)", "2026-04-29 01:30:15.250 | 1970-01-31 23:59:59 | NULL | 2024-03-29 12:00:00"},
      {"DATE_SUB(dt, INTERVAL n DAY)", "2026-03-19 01:30:15.250 | 1970-01-03 23:59:59 | NULL | 2024-02-29 12:00:00"},
      {"TIMESTAMPDIFF(HOUR, dt, '2026-03-29')", "-1 | 492984 | NULL | 18204"},
      {"CONVERT_TZ(ts, 'UTC', 'Europe/Berlin')",
       "2026-03-29 03:30:15.250 | 1970-01-01 00:59:59 | NULL | 2024-02-29 13:00:00"},
      {"CONVERT_TZ(ts, '+05:30', '-03:00')",
       "2026-03-28 17:00:15.250 | 1969-12-31 15:29:59 | NULL | 2024-02-29 03:30:00"},
      {"TIME_TO_SEC(clock)", "3661.500000 | -1.000000 | NULL | 0.000000"},
      {"TIME_TO_SEC(ts)",
       "argument 12+2: TIME_TO_SEC needs a TIME column, `ts` is timestamp (UNIX_TIMESTAMP(time) gives the seconds of a "
       "point in time)"},
      {"YEAR(name)", "argument 5+4: YEAR needs a time, `name` is text (CAST(name AS DATETIME))"},
  });
}

TEST(DateFunctions, documented_results) {
  const Case kCases[] = {
      {"WEEK('2008-02-20')", "integer: 7"},
      {"WEEK('2008-02-20', 1)", "integer: 8"},
      {"WEEK('2008-12-31', 1)", "integer: 53"},
      {"WEEK('2000-01-01', 0)", "integer: 0"},
      {"WEEK('2000-01-01', 2)", "integer: 52"},
      {"WEEKOFYEAR('2027-01-03')", "integer: 53"},
      {"EXTRACT(WEEK FROM DATE '2026-01-04')", "integer: 1"},
      {"LAST_DAY('2004-02-05')", "date: 2004-02-29"},
      {"TIMESTAMPDIFF(MONTH, '2003-02-01', '2003-05-01')", "integer: 3"},
      {"TIMESTAMPDIFF(YEAR, '2002-05-01', '2001-01-01')", "integer: -1"},
      {"TIMESTAMPDIFF(MINUTE, '2003-02-01', '2003-05-01 12:05:55')", "integer: 128885"},
      {"TIMESTAMPDIFF(MONTH, '2026-01-31', '2026-02-28')", "integer: 0"},
      {"DATEDIFF('2007-12-31 23:59:59', '2007-12-30')", "integer: 1"},
      {"DATE_FORMAT('2009-10-04 22:23:00', '%W %M %Y')", "text: Sunday October 2009"},
      {"DATE_FORMAT('1900-10-04 22:23:00', '%D %y %a %d %m %b %j')", "text: 4th 00 Thu 04 10 Oct 277"},
      {"DATE_FORMAT('1997-10-04 22:23:00', '%H %k %I %r %T %S %w')", "text: 22 22 10 10:23:00 PM 22:23:00 00 6"},
      {"DATE_FORMAT('1999-01-01', '%X %V %x %v %U %u')", "text: 1998 52 1998 53 00 00"},
      {"DATE_FORMAT('2006-06-01', '%d%% %q %f%')", "text: 01% q 000000%"},
      {"DATE_FORMAT('2026-01-11', '%D') || DATE_FORMAT('2026-01-22', '%D')", "text: 11th22nd"},
      {"DATE_ADD('2018-12-31 23:59:59', INTERVAL 1 SECOND)", "datetime: 2019-01-01 00:00:00"},
      {"DATE_SUB(DATE '2024-03-31', INTERVAL 1 MONTH)", "date: 2024-02-29"},
      {"CONVERT_TZ('2004-01-01 12:00:00', '+00:00', '+10:00')", "datetime: 2004-01-01 22:00:00"},
      // The hour that Berlin has twice is the first one, the one that it skips ends where the next one begins.
      {"CONVERT_TZ('2026-10-25 02:30:00', 'Europe/Berlin', 'UTC')", "datetime: 2026-10-25 00:30:00"},
      {"CONVERT_TZ('2026-03-29 02:30:00', 'Europe/Berlin', 'UTC')", "datetime: 2026-03-29 01:00:00"},
      {"CONVERT_TZ('2100-07-01 12:00:00', 'UTC', 'Europe/Berlin')", "datetime: 2100-07-01 14:00:00"},
      {"CONVERT_TZ('2026-01-01', 'UTC', NULL)", "datetime: NULL"},
  };
  for (const Case& one : kCases) EXPECT_EQ(typed(one.text), one.expected) << one.text;
  expect_all({
      {"CONVERT_TZ(ts, 'UTC', 'Europe/Berln')",
       "function 22+14: no time zone 'Europe/Berln' (an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as "
       "'+05:30')"},
      {"CONVERT_TZ(ts, 'SYSTEM', 'UTC')",
       "function 15+8: no time zone 'SYSTEM' (an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as "
       "'+05:30')"},
      {"CONVERT_TZ(ts, 'UTC', 'localtime')",
       "function 22+11: no time zone 'localtime' (an IANA name such as 'Europe/Berlin', 'UTC' or an offset such as "
       "'+05:30')"},
      {"EXTRACT(EPOCH FROM ts)",
       "function 8+5: no unit `EPOCH` (there are: week, microsecond, second, minute, hour, day, month, quarter, year, "
       "year_month)"},
      {"TIMESTAMPDIFF('day', ts, ts)",
       "argument 14+5: TIMESTAMPDIFF takes a unit first (such as TIMESTAMPDIFF(SECOND, a, b))"},
      {"DATE_ADD(ts, 1)", "argument 13+1: `DATE_ADD` takes an INTERVAL (such as DATE_ADD(created_at, INTERVAL 1 DAY))"},
      {"WEEK(ts, 8)", "argument 9+1: the modes of weeks are 0 to 7 (3 is ISO 8601; WEEKOFYEAR(time) is the same)"},
      {"DATE_FORMAT(ts, name)", "unsupported 16+4: a format stands in quotes (such as '%Y-%m-%d %H:00')"},
  });
}

}  // namespace
}  // namespace tidemark::core
