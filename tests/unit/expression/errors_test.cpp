// SPDX-License-Identifier: Apache-2.0
//
// What is refused, where, and what is said about it; types of results; bounds on texts of any kind.
#include <gtest/gtest.h>

#include "core/expression/parser.hpp"
#include "core/expression/tokenizer.hpp"
#include "tests/unit/expression/expression_cases.hpp"

namespace tidemark::core {
namespace {

TEST(ExpressionErrors, syntax) {
  expect_all({
      {"", "syntax 0+1: the expression ends where a value is expected (a column, or an expression of columns)"},
      {"n +", "syntax 2+1: the expression ends where a value is expected"},
      {"n + (id * 2", "syntax 4+1: the closing `)` is missing (close this parenthesis)"},
      {"n)", "syntax 1+1: `)` is not expected here (there is no `(` for it)"},
      {"created at",
       "syntax 8+2: `at` is not expected here (an operator is missing before it; a name with blanks stands in "
       "backticks)"},
      {"1 < n < 3", "syntax 6+1: comparisons cannot be chained (write a < b AND b < c)"},
      {"name = 'paid", "syntax 7+5: the closing ' is missing (write '' for a single quote inside a text)"},
      {"2fa = 1", "syntax 0+3: `2fa` is no number (a column whose name begins with a digit stands in backticks)"},
      {"n = @x",
       "syntax 4+1: `@` means nothing here (names with such characters stand in backticks, texts in single "
       "quotes)"},
      {"CASE n WHEN 1 THEN 2", "syntax 19+1: the expression ends where END is expected (a CASE ends with END)"},
      {"CASE END",
       "syntax 5+3: `END` stands where a value is expected (a column of that name stands in backticks: `END`)"},
      {"n BETWEEN 1", "syntax 10+1: the expression ends where AND is expected (BETWEEN low AND high)"},
      {"n IS 3",
       "syntax 5+1: `3` stands where NULL is expected (IS NULL, IS NOT NULL, IS TRUE or IS FALSE; write = to "
       "compare)"},
      {"ts + INTERVAL 3", "syntax 14+1: the expression ends where a unit is expected (such as INTERVAL '10' SECOND)"},
      {"INTERVAL 3 DAY",
       "syntax 0+14: an INTERVAL stands behind + or - of a time (such as created_at + INTERVAL '10' SECOND)"},
      {"1234567890123456789012345678901234567890",
       "syntax 0+40: `1234567890123456789012345678901234567890` has too many "
       "digits (at most 38, of them 30 behind the point; 1e40 is a double)"},
  });
}

TEST(ExpressionErrors, names) {
  expect_all({
      {"prise > 3", "column 0+5: no column `prise` (did you mean `price`?)"},
      {"n + `Price`", "column 4+7: no column `Price` (did you mean `price`?)"},
      {"name = \"shipped\"",
       "column 7+9: no column `shipped` (double quotes enclose names; texts stand in single quotes: 'shipped')"},
      {"n > zzz", "column 4+3: no column `zzz` (there are: id, n, u, price, big, d, b, name, ts, dt, day, raw, …)"},
      {"from_unixtim(id)", "function 0+12: no function `from_unixtim` (did you mean `from_unixtime`?)"},
      {"ts + INTERVAL 3 SECONDS", "function 16+7: no unit `SECONDS` (did you mean `second`?)"},
      {"date_trunc('minutes', ts)", "function 11+9: no unit `'minutes'` (did you mean `minute`?)"},
      {"CAST(n AS BIGNT)", "function 10+5: no type `BIGNT` to cast to (did you mean `bigint`?)"},
      {"orders.n = 1",
       "unsupported 6+1: `.` is not supported (write the column's name alone; each source has one "
       "table's columns)"},
      {"b && b", "unsupported 2+2: `&&` is not supported (write AND)"},
      {"sum(n)",
       "unsupported 0+3: `sum` is an aggregate; an expression looks at one row (aggregates stand in the columns "
       "of an [aggregates] table)"},
      {"n IN (SELECT 1)", "unsupported 6+6: subqueries are not supported (an expression looks at one row)"},
      {"clock > 1",
       "unsupported 0+5: `clock` is time: expressions cannot use that yet (TIME_TO_SEC(clock) gives its seconds)"},
      {"raw = 'x'", "unsupported 0+3: `raw` is bytes: expressions cannot use that yet"},
      {"LOWR(name)", "function 0+4: no function `LOWR` (did you mean `lower`?)"},
  });
}

TEST(ExpressionErrors, types) {
  expect_all({
      {"name + 1", "argument 0+4: `+` needs numbers, `name` is text (CAST(name AS DECIMAL(18,4)))"},
      {"ts + 1",
       "argument 0+2: `+` needs numbers, `ts` is timestamp (ts + INTERVAL '10' SECOND moves a time; "
       "UNIX_TIMESTAMP(ts) gives its seconds)"},
      {"n = 'x'",
       "argument 4+3: `'x'` is text, but `n` is integer (CAST('x' AS DECIMAL(18,4)), or a number without quotes)"},
      {"ts > 5",
       "argument 5+1: `5` is integer, but `ts` is timestamp (FROM_UNIXTIME(seconds) makes a time of a number, "
       "UNIX_TIMESTAMP(time) a number of a time)"},
      {"ts > '2026-02-30'",
       "argument 5+12: '2026-02-30' is no point in time (write '2026-01-31 23:59:59', in UTC or with "
       "an offset: +01:00)"},
      {"NOT name", "argument 4+4: a condition is expected, `name` is text (compare it: name = …, or name IS NOT NULL)"},
      {"n LIKE 'x'", "argument 0+1: LIKE needs texts, `n` is integer (CAST(n AS CHAR))"},
      {"COALESCE(n, ts)",
       "argument 12+2: `ts` is timestamp, but `n` is integer (FROM_UNIXTIME(seconds) makes a time of a "
       "number, UNIX_TIMESTAMP(time) a number of a time)"},
      {"GREATEST(n)", "argument 0+11: `greatest` has 1 argument (write GREATEST(a, b, …))"},
      {"FROM_UNIXTIME(name)",
       "argument 14+4: FROM_UNIXTIME needs seconds, `name` is text (CAST(name AS DECIMAL(20,6)))"},
      {"CAST(ts AS BIGINT)",
       "argument 5+2: `CAST` needs numbers, `ts` is timestamp (ts + INTERVAL '10' SECOND moves a "
       "time; UNIX_TIMESTAMP(ts) gives its seconds)"},
      {"CAST(n AS DATETIME)", "argument 5+1: CAST needs a time, `n` is integer (FROM_UNIXTIME(n))"},
      {"CAST(n AS DECIMAL(40,2))",
       "argument 10+13: there is no DECIMAL(40,2) (1 to 38 digits, at most 30 of them behind the point)"},
      {"ts + INTERVAL 1.5 DAY",
       "argument 14+3: INTERVAL needs whole days, `1.5` is decimal(2,1) (fractions are for "
       "seconds, as DECIMAL)"},
  });
  expect_all(
      {{"name", "argument 0+4: a condition is expected, `name` is text (compare it: name = …, or name IS NOT NULL)"}},
      ExpressionUse::condition);
  expect_all({{"id / 1000",
               "argument 0+9: `id / 1000` is decimal(23,4): an event time must be a DATETIME or TIMESTAMP "
               "(FROM_UNIXTIME(id / 1000) if it counts seconds, FROM_UNIXTIME(id / 1000 / 1000) if "
               "milliseconds)"},
              {"name",
               "argument 0+4: `name` is text: an event time must be a DATETIME or TIMESTAMP (CAST(name AS DATETIME))"}},
             ExpressionUse::event_time);
}

TEST(ExpressionErrors, types_of_results) {
  const Case kTypes[] = {{"n + 1", "integer"},
                         {"n + u", "decimal(21,0)"},
                         {"price + 1", "decimal(22,2)"},
                         {"price * price", "decimal(20,4)"},
                         {"price / 2", "decimal(14,6)"},
                         {"n / 2", "decimal(23,4)"},
                         {"n / 1000000", "decimal(25,6)"},
                         {"d + price", "double"},
                         {"b AND n", "boolean"},
                         {"NULL + 1", "integer"},
                         {"CASE WHEN b THEN 1 ELSE 2.50 END", "decimal(21,2)"},
                         {"op", "text"},
                         {"COALESCE(NULL)", "NULL"},
                         {"1e3", "double"},
                         {"-1.50", "decimal(3,2)"},
                         {"CAST(n AS DECIMAL)", "decimal(10,0)"}};
  for (const Case& one : kTypes) EXPECT_EQ(type_of(one.text), one.expected) << one.text;
}

TEST(ExpressionErrors, no_text_is_too_much) {
  const auto error_of = [](const std::string& text) { return evaluate(text).substr(0, 60); };
  const auto repeated = [](const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  EXPECT_EQ(error_of(repeated("(", 5000)).substr(0, 6), "syntax");
  EXPECT_EQ(error_of(repeated("- ", 5000) + "n").substr(0, 6), "syntax");
  EXPECT_EQ(error_of(repeated("NOT ", 4000) + "b").substr(0, 6), "syntax");
  EXPECT_EQ(error_of("n" + repeated(" + n", 1000)).substr(0, 6), "syntax");
  EXPECT_EQ(error_of(repeated("n", 20'000)).substr(0, 6), "syntax");
  EXPECT_EQ(evaluate("n" + repeated(" + 1", 200)), "210 | 197 | NULL | 200");
  EXPECT_EQ(evaluate("n IN (1" + repeated(", 1", 1000) + ", 10)"), "true | false | NULL | false");
  EXPECT_EQ(evaluate("b" + repeated(" AND b", 900)), "true | false | NULL | true");
}

TEST(ExpressionErrors, columns_that_are_read) {
  auto compiled = Expression::compile("CASE WHEN n > 0 THEN ts ELSE FROM_UNIXTIME(n) END", sample_columns(),
                                      ExpressionUse::event_time);
  EXPECT_EQ(std::get<Expression>(compiled).columns(), (std::vector<uint32_t>{1, 8}));
}

TEST(ExpressionErrors, spacing_is_no_part_of_an_expression) {
  EXPECT_EQ(canonical_expression("FROM_UNIXTIME( ts_ms/1000 )"), "FROM_UNIXTIME ( ts_ms / 1000 )");
  EXPECT_EQ(canonical_expression("\n`a b`  +'x  y'"), "`a b` + 'x  y'");
}

}  // namespace
}  // namespace tidemark::core
