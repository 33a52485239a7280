// SPDX-License-Identifier: Apache-2.0
//
// Values: arithmetic with its limits, decimals with their scales, three-valued logic, choices, texts.
#include <gtest/gtest.h>

#include "tests/unit/expression/expression_cases.hpp"

namespace tidemark::core {
namespace {

TEST(Evaluation, columns_of_all_types) {
  expect_all({
      {"id", "1 | -7 | NULL | 9223372036854775807"},
      {"n", "10 | -3 | NULL | 0"},
      {"u", "5 | 0 | NULL | 18446744073709551615"},
      {"price", "12.50 | -1.99 | NULL | 99999999.99"},
      {"big", "1.000001 | -0.500000 | NULL | 999999999999999999999999.999999"},
      {"d", "0.5 | -2.5 | NULL | 1e+300"},
      {"b", "true | false | NULL | true"},
      {"`name`", "paid | 12.5 | NULL | größe_1"},
      {"\"ts\"", "2026-03-29 01:30:15.250 | 1969-12-31 23:59:59 | NULL | 2024-02-29 12:00:00"},
      {"dt", "2026-03-29 01:30:15.250 | 1969-12-31 23:59:59 | NULL | 2024-02-29 12:00:00"},
      {"op", "insert | delete | update_before | update_after"},
  });
}

TEST(Evaluation, integers_are_checked) {
  expect_all({
      {"id + 1", "2 | -6 | NULL | failed"},
      {"id * 2", "2 | -14 | NULL | failed"},
      {"-id - 1", "-2 | 6 | NULL | -9223372036854775808"},
      {"(-id - 1) DIV -1", "2 | -6 | NULL | failed"},
      {"(-id - 1) % -1", "0 | 0 | NULL | 0"},
      {"-9223372036854775808 + n", "-9223372036854775798 | failed | NULL | -9223372036854775808"},
      {"id % n", "1 | -1 | NULL | NULL"},
      {"7 DIV n", "0 | -2 | NULL | NULL"},
      {"n - - 3", "13 | 0 | NULL | 3"},
      {"b + b", "2 | 0 | NULL | 2"},
      {"9223372036854775808 - id", "9223372036854775807 | 9223372036854775815 | NULL | 1"},
  });
}

TEST(Evaluation, decimals_keep_scale_and_round_half_away) {
  expect_all({
      {"price + big", "13.500001 | -2.490000 | NULL | 1000000000000000099999999.989999"},
      {"price * price", "156.2500 | 3.9601 | NULL | 9999999998000000.0001"},
      {"price / 3", "4.166667 | -0.663333 | NULL | 33333333.330000"},
      {"1 / n", "0.1000 | -0.3333 | NULL | NULL"},
      {"2 / 3", "0.6667 | 0.6667 | 0.6667 | 0.6667"},
      {"-2 / 3", "-0.6667 | -0.6667 | -0.6667 | -0.6667"},
      {"id / 1000000", "0.000001 | -0.000007 | NULL | 9223372036854.775807"},
      {"price % 5", "2.50 | -1.99 | NULL | 4.99"},
      {"price / 0", "NULL | NULL | NULL | NULL"},
      {"big * big", "1.000002000001 | 0.250000000000 | NULL | failed"},
      {"u * u * 100", "2500 | 0 | NULL | failed"},
      {"u * u", "25 | 0 | NULL | failed"},
      {"CAST(price AS DECIMAL(5,1))", "12.5 | -2.0 | NULL | failed"},
      {"CAST(price AS BIGINT)", "13 | -2 | NULL | 100000000"},
      {"0.00000000000000000001 * 0.00000000000000000005",
       "0.000000000000000000000000000000 | "
       "0.000000000000000000000000000000 | 0.000000000000000000000000000000 | 0.000000000000000000000000000000"},
  });
}

TEST(Evaluation, doubles_stay_finite) {
  expect_all({
      {"d + n", "10.5 | -5.5 | NULL | 1e+300"},
      {"d * d", "0.25 | 6.25 | NULL | failed"},
      {"d / 0", "NULL | NULL | NULL | NULL"},
      {"1e3 % 7", "6 | 6 | 6 | 6"},
      {"CAST(d AS BIGINT)", "0 | -2 | NULL | failed"},
      {"CAST(0.1e0 AS DECIMAL(38,20))",
       "0.10000000000000000000 | 0.10000000000000000000 | 0.10000000000000000000 | "
       "0.10000000000000000000"},
  });
}

TEST(Evaluation, three_valued_logic) {
  // Rows of x and y: b is true, false, NULL, true.
  const char* names[] = {"TRUE", "FALSE", "NULL"};
  const char* ands[3][3] = {{"true", "false", "NULL"}, {"false", "false", "false"}, {"NULL", "false", "NULL"}};
  const char* ors[3][3] = {{"true", "true", "true"}, {"true", "false", "NULL"}, {"true", "NULL", "NULL"}};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const auto first = [](const std::string& all) { return all.substr(0, all.find(' ')); };
      EXPECT_EQ(first(evaluate(std::string(names[a]) + " AND " + names[b])), ands[a][b]);
      EXPECT_EQ(first(evaluate(std::string(names[a]) + " OR " + names[b])), ors[a][b]);
    }
  }
  expect_all({
      {"NOT b", "false | true | NULL | false"},
      {"b IS NULL", "false | false | true | false"},
      {"b IS NOT TRUE", "false | true | true | false"},
      {"b IS FALSE", "false | true | false | false"},
      {"NOT n", "false | false | NULL | true"},
      {"n = 10 OR NULL", "true | NULL | NULL | NULL"},
      {"n = 10 AND NULL", "NULL | false | NULL | false"},
      {"id + 1 > 0 AND n <> 0", "true | false | NULL | false"},
      {"id + 1 > 0 OR n <> 0", "true | true | NULL | failed"},
      {"id + 1 IS NULL", "false | false | true | failed"},
  });
}

TEST(Evaluation, comparison_and_lists) {
  expect_all({
      {"price > 12", "true | false | NULL | true"},
      {"n >= price", "false | false | NULL | false"},
      {"d < n", "true | false | NULL | false"},
      {"u = 18446744073709551615", "false | false | NULL | true"},
      {"name = 'paid'", "true | false | NULL | false"},
      {"name = 'PAID'", "false | false | NULL | false"},
      {"n IN (10, 0)", "true | false | NULL | true"},
      {"n IN (10, NULL)", "true | NULL | NULL | NULL"},
      {"n NOT IN (10, NULL)", "false | NULL | NULL | NULL"},
      {"price IN (12.5, 3)", "true | false | NULL | false"},
      {"n BETWEEN -3 AND 0", "false | true | NULL | true"},
      {"n NOT BETWEEN NULL AND 0", "true | NULL | NULL | NULL"},
      {"b = (n > 0)", "true | true | NULL | false"},
      {"b = 1", "true | false | NULL | true"},
      {"op IN ('insert', 'update_after')", "true | false | false | true"},
  });
}

TEST(Evaluation, like) {
  expect_all({
      {"name LIKE 'p%'", "true | false | NULL | false"},
      {"name LIKE 'gr__e%1'", "false | false | NULL | true"},
      {"name LIKE '%\\_1'", "false | false | NULL | true"},
      {"name LIKE '%!_1' ESCAPE '!'", "false | false | NULL | true"},
      {"name NOT LIKE '%.%'", "true | false | NULL | true"},
      {"name LIKE ''", "false | false | NULL | false"},
      {"name LIKE '%'", "true | true | NULL | true"},
      {"name LIKE '_%_'", "true | true | NULL | true"},
      {"name LIKE NULL", "NULL | NULL | NULL | NULL"},
  });
}

TEST(Evaluation, choices) {
  expect_all({
      {"CASE WHEN n > 0 THEN 'plus' WHEN n < 0 THEN 'minus' END", "plus | minus | NULL | NULL"},
      {"CASE n WHEN 10 THEN 1 WHEN -3 THEN 2.5 ELSE id END", "1.0 | 2.5 | NULL | 9223372036854775807.0"},
      {"CASE WHEN id < 1000 THEN id * 1000000 ELSE -1 END", "1000000 | -7000000 | -1 | -1"},
      {"CASE WHEN id + 1 > 0 THEN 1 ELSE 0 END", "1 | 0 | 0 | failed"},
      {"CASE WHEN n IS NULL THEN TRUE ELSE n > 0 END", "true | false | true | false"},
      {"COALESCE(n, 7)", "10 | -3 | 7 | 0"},
      {"COALESCE(id + 1, 0)", "2 | -6 | 0 | failed"},
      {"COALESCE(NULL, name, 'none')", "paid | 12.5 | none | größe_1"},
      {"IFNULL(b, FALSE)", "true | false | false | true"},
      {"GREATEST(n, price, 3)", "12.50 | 3.00 | NULL | 99999999.99"},
      {"LEAST(n, 3)", "3 | -3 | NULL | 0"},
      {"GREATEST(b, NULL)", "NULL | NULL | NULL | NULL"},
      {"GREATEST(b, FALSE)", "true | false | NULL | true"},
      {"NULL", "NULL | NULL | NULL | NULL"},
  });
}

TEST(Evaluation, casts_of_texts) {
  expect_all({
      {"CAST(name AS DOUBLE)", "NULL | 12.5 | NULL | NULL"},
      {"CAST(name AS BIGINT)", "NULL | 12 | NULL | NULL"},
      {"CAST(name AS DECIMAL(4,1))", "NULL | 12.5 | NULL | NULL"},
      {"CAST(name AS DECIMAL(2,1))", "NULL | failed | NULL | NULL"},
      {"CAST('1e2' AS DECIMAL(5,1)) + n", "110.0 | 97.0 | NULL | 100.0"},
      {"CAST(price AS CHAR)", "12.50 | -1.99 | NULL | 99999999.99"},
      {"CAST(name AS CHAR(3))", "pai | 12. | NULL | grö"},
      {"CAST(ts AS CHAR(19))", "2026-03-29 01:30:15 | 1969-12-31 23:59:59 | NULL | 2024-02-29 12:00:00"},
      {"CAST(b AS CHAR)", "1 | 0 | NULL | 1"},
      {"CAST(CAST(id AS CHAR) AS DATETIME)", "NULL | NULL | NULL | NULL"},
      {"CAST('2026-01-31 10:00' AS DATETIME)",
       "2026-01-31 10:00:00 | 2026-01-31 10:00:00 | 2026-01-31 10:00:00 | 2026-01-31 10:00:00"},
  });
}

// As MySQL 8 and MariaDB 10.11 give them, but for NULL, where they give 0 or a part and warn.
TEST(Evaluation, casts_of_texts_to_integers_take_what_is_in_front_of_the_point) {
  const std::vector<std::pair<const char*, const char*>> all = {{"'1.6'", "1"},
                                                                {"'-0.9'", "0"},
                                                                {"'-7.9'", "-7"},
                                                                {"' 12'", "12"},
                                                                {"'1e3'", "1"},
                                                                {"'+5'", "5"},
                                                                {"'.6'", "0"},
                                                                {"'-.6'", "0"},
                                                                {"''", "NULL"},
                                                                {"'abc'", "NULL"},
                                                                {"'12a'", "NULL"},
                                                                {"'0x10'", "NULL"},
                                                                {"1.6", "2"},
                                                                {"-0.9", "-1"},
                                                                {"'99999999999999999999'", "failed"},
                                                                {"'9223372036854775807'", "9223372036854775807"},
                                                                {"'9223372036854775808'", "failed"}};
  for (const auto& [text, expected] : all) {
    EXPECT_EQ(constant("CAST(" + std::string(text) + " AS SIGNED)"), expected) << text;
  }
}

TEST(Evaluation, a_batch_without_rows_and_one_of_full_size) {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns = {sample_columns()[0]};
  auto compiled = Expression::compile("id % 3 = 0 OR id IS NULL", layout->columns, ExpressionUse::condition);
  Evaluator evaluator(std::get<Expression>(compiled));
  for (const uint32_t rows : {0u, 1u, 64u, 65u, kBatchRows}) {
    Batch batch(layout, kBatchRows, 0);
    batch.rows = rows;
    for (uint32_t row = 0; row < rows; ++row) {
      if (row % 5 == 0) continue;
      static_cast<int64_t*>(batch.mutable_columns()[0].values)[row] = row;
      batch.mutable_columns()[0].validity[row >> 3] |= static_cast<uint8_t>(1u << (row & 7));
    }
    const ValueVector& values = evaluator.run(batch);
    for (uint32_t row = 0; row < rows; ++row) {
      ASSERT_EQ(value_text(values, evaluator.expression().type(), row),
                row % 5 == 0 || row % 3 == 0 ? "true" : "false");
    }
  }
}

}  // namespace
}  // namespace tidemark::core
