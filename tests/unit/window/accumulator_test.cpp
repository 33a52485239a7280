// SPDX-License-Identifier: Apache-2.0
//
// Exactness of accumulators, also where partial rows merge (case A12), NULL rules, refusals at create.

#include <gtest/gtest.h>

#include <random>

#include "core/window/limb_sum.hpp"
#include "tests/unit/window/accumulator_rows.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

/// Sums `values` in one row, and in two rows that are merged; both must agree.
std::string sum_both_ways(const ColumnInfo& info, const std::vector<Cell>& values) {
  const auto input = layout_of({info});
  const AccumulatorLayout layout = AccumulatorLayout::compile(spec_of({{"sum", Function::sum, 0}}), *input).value();
  std::vector<Row> rows;
  for (const Cell& value : values) rows.push_back({0, {value}});
  const BatchRef batch = make_batch(input, rows);
  Accumulators whole(layout);
  Accumulators left(layout);
  Accumulators right(layout);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    whole.add(batch, {row});
    (row % 2 == 0 ? left : right).add(batch, {row});
  }
  layout.merge(left.row(), right.row());
  EXPECT_EQ(whole.encoded(), left.encoded());
  EXPECT_EQ(results(layout, whole), results(layout, left));
  return results(layout, left);
}

TEST(Accumulators, case_A12) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(sum_both_ways(column("v", ColumnType::int64), {most, int64_t{1}}), "9223372036854775808");
  EXPECT_EQ(sum_both_ways(column("v", ColumnType::int8), {int64_t{127}, int64_t{1}}), "128");
  const std::string nines(38, '9');
  EXPECT_EQ(sum_both_ways(column("v", ColumnType::decimal128, 38, 0), {nines, nines}),
            "199999999999999999999999999999999999998");
  EXPECT_EQ(sum_both_ways(column("v", ColumnType::decimal256, 65, 0), {std::string(65, '9'), "1"}),
            "1" + std::string(65, '0'));
}

TEST(Accumulators, sums_of_more_than_76_digits_are_one_clear_error_and_not_sticky) {
  const std::string nines(76, '9');
  const ColumnInfo info = column("v", ColumnType::decimal256, 76, 0);
  const std::string error = sum_both_ways(info, {nines, "1"});
  EXPECT_NE(error.find("'sum'"), std::string::npos) << error;
  EXPECT_NE(error.find("76 digits"), std::string::npos) << error;
  // Beyond 256 bits on the way, in any order, and back.
  EXPECT_EQ(sum_both_ways(info, {nines, nines, nines, "-" + nines, "-" + nines, "5", "-" + nines}), "5");
  EXPECT_EQ(sum_both_ways(info, {nines, nines, nines}), error);
}

TEST(Accumulators, wide_sum_subtracts_what_it_added) {
  std::mt19937_64 random(3);
  WideSum sum;
  std::vector<Int256> values(50);
  for (Int256& value : values) {
    for (uint64_t& limb : value.limb) limb = random();
    sum.add(WideSum::of(value));
  }
  for (const Int256& value : values) sum.subtract(WideSum::of(value));
  Int256 out(1);
  ASSERT_TRUE(sum.to_int256(out));
  EXPECT_TRUE(out.is_zero());
}

TEST(Accumulators, averages_round_half_away_from_zero) {
  const auto input = layout_of({column("v", ColumnType::int32), column("d", ColumnType::decimal128, 38, 2)});
  const AccumulatorLayout layout =
      AccumulatorLayout::compile(spec_of({{"a", Function::avg, 0}, {"b", Function::avg, 1}}), *input).value();
  const auto average = [&](const std::vector<std::pair<int64_t, std::string>>& values) {
    std::vector<Row> rows;
    std::vector<uint32_t> all;
    for (const auto& [number, decimal] : values) {
      all.push_back(static_cast<uint32_t>(rows.size()));
      rows.push_back({0, {number, decimal}});
    }
    Accumulators row(layout);
    row.add(make_batch(input, rows), all);
    return results(layout, row);
  };
  EXPECT_EQ(average({{10, "0.01"}, {10, "0.00"}, {11, "0.00"}}), "10.3333 0.003333");
  EXPECT_EQ(average({{-10, "-0.01"}, {-10, "-0.01"}, {-12, "0.00"}}), "-10.6667 -0.006667");
  std::vector<std::pair<int64_t, std::string>> eighth(32, {0, "0.00"});
  eighth[0] = {1, "0.01"};  // 0.03125 and 0.0003125
  EXPECT_EQ(average(eighth), "0.0313 0.000313");
  eighth[0] = {-1, "-99999999999999999999999999999999999.84"};
  EXPECT_EQ(average(eighth), "-0.0313 -3124999999999999999999999999999999.995000");
}

TEST(Accumulators, nulls_as_in_sql) {
  const auto input = layout_of({column("v", ColumnType::int32), column("t", ColumnType::text)});
  const AccumulatorLayout layout = AccumulatorLayout::compile(spec_of({{"n", Function::count_all, -1},
                                                                       {"c", Function::count, 0},
                                                                       {"s", Function::sum, 0},
                                                                       {"a", Function::avg, 0},
                                                                       {"lo", Function::min, 0},
                                                                       {"hi", Function::max, 0},
                                                                       {"d", Function::count_distinct, 0},
                                                                       {"ct", Function::count, 1},
                                                                       {"tlo", Function::min, 1},
                                                                       {"thi", Function::max, 1},
                                                                       {"td", Function::count_distinct, 1}}),
                                                              *input)
                                       .value();
  EXPECT_FALSE(layout.fixed_size());
  const BatchRef batch = make_batch(
      input, {{0, {Cell(), Cell()}}, {0, {int64_t{-3}, "b"}}, {0, {int64_t{4}, "a"}}, {0, {int64_t{4}, "b"}}});
  Accumulators row(layout);
  row.add(batch, {0});
  EXPECT_EQ(results(layout, row), "1 0 - - - - 0 0 - - 0");
  row.add(batch, {1, 2, 3});
  EXPECT_EQ(results(layout, row), "4 3 5 1.6667 -3 4 2 3 a b 2");

  Accumulators copy(layout);
  const Status decoded = layout.decode(row.encoded(), copy.row());
  ASSERT_TRUE(decoded.is_ok()) << decoded.message();
  EXPECT_EQ(copy.encoded(), row.encoded());
  EXPECT_EQ(results(layout, copy), results(layout, row));
  const std::string bytes = row.encoded();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Accumulators cut(layout);
    EXPECT_EQ(layout.decode(bytes.substr(0, size), cut.row()).code(), Code::damage) << size;
    EXPECT_TRUE(layout.is_neutral(cut.row()));
  }
}

TEST(Accumulators, refuses_what_cannot_be_computed) {
  const auto input = layout_of(
      {column("price", ColumnType::float64), column("day", ColumnType::date), column("doc", ColumnType::json)});
  const auto message = [&](Function function, int at) {
    const auto layout = AccumulatorLayout::compile(spec_of({{"x", function, at}}), *input);
    return layout.is_ok() ? std::string("accepted") : layout.status().message();
  };
  EXPECT_EQ(message(Function::sum, 1),
            "aggregate 'totals', column 'x': sum(day) on a column of type date: only numbers have one; use count, "
            "count_distinct, min or max");
  EXPECT_NE(message(Function::sum, 1), "accepted");
  EXPECT_NE(message(Function::min, 2), "accepted");
  EXPECT_NE(message(Function::count, 3), "accepted");
  EXPECT_NE(message(Function::count, -1), "accepted");
  EXPECT_EQ(message(Function::max, 0), "accepted");
  EXPECT_EQ(message(Function::min, 1), "accepted");
  EXPECT_EQ(message(Function::count_distinct, 2), "accepted");
}

}  // namespace
}  // namespace tidemark::core::test
