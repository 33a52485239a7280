// SPDX-License-Identifier: Apache-2.0
//
// Results by hand: NULL rules of all functions (case A14), special doubles, how lists write values, limits and their
// errors, estimates of many values, the bits of rounding.
#include <cmath>

#include "core/window/hyper_log_log.hpp"
#include "core/window/quantile_bucket.hpp"
#include "core/window/rounding.hpp"
#include "tests/unit/window/accumulator_rows.hpp"
#include "tests/unit/window/aggregate_samples.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

std::string result_of(AggregateColumn function, const ColumnInfo& info, const std::vector<Cell>& values) {
  const auto input = layout_of({info});
  const AccumulatorLayout layout = AccumulatorLayout::compile(spec_of({std::move(function)}), *input).value();
  std::vector<Row> rows;
  std::vector<uint32_t> all;
  for (const Cell& value : values) {
    all.push_back(static_cast<uint32_t>(rows.size()));
    rows.push_back({static_cast<Micros>(rows.size()), {value}});
  }
  Accumulators row(layout);
  row.add(make_batch(input, rows), all);
  return results(layout, row);
}

TEST(AggregateResults, case_A14) {
  const auto input = layout_of({column("v", ColumnType::int32)});
  std::vector<AggregateColumn> columns;
  for (const Function function :
       {Function::count_all, Function::count, Function::sum, Function::avg, Function::min, Function::max,
        Function::count_distinct, Function::first, Function::last, Function::quantile, Function::top_k,
        Function::var_pop, Function::var_samp, Function::stddev_pop, Function::stddev_samp, Function::bool_and,
        Function::bool_or, Function::string_agg}) {
    columns.push_back(function_on(function, function == Function::count_all ? -1 : 0));
  }
  const AccumulatorLayout layout = AccumulatorLayout::compile(spec_of(columns, true), *input).value();
  Accumulators row(layout);
  const auto apply = [&](const std::vector<Row>& rows) {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < rows.size(); ++i) all.push_back(i);
    row.add(make_batch(input, rows), all);
    return results(layout, row);
  };
  const Cell null;
  EXPECT_EQ(apply({{1, {null}, Op::insert}}), "1 0 - - - - 0 - - - - - - - - - - -");
  EXPECT_TRUE(layout.has_base(row.row()));
  EXPECT_EQ(apply({{2, {int64_t{3}}, Op::insert}}), "2 1 3 3.0000 3 3 1 3 3 3.015625 [3] 0 - 0 - true true 3");
  EXPECT_EQ(apply({{1, {null}, Op::update_before}, {1, {int64_t{5}}, Op::update_after}}),
            "2 2 8 4.0000 3 5 2 5 3 3.015625 [3,5] 1 2 1 1.4142135623730951 true true 3,5");
  EXPECT_EQ(apply({{2, {int64_t{3}}, Op::update_before}, {2, {null}, Op::update_after}}),
            "2 1 5 5.0000 5 5 1 5 5 5.03125 [5] 0 - 0 - true true 5");
  EXPECT_TRUE(layout.has_base(row.row()));
  apply({{1, {int64_t{5}}, Op::remove}, {2, {null}, Op::remove}});
  EXPECT_TRUE(row.is_neutral());
}

TEST(AggregateResults, special_doubles_are_added_as_in_ieee_754) {
  const ColumnInfo info = column("v", ColumnType::float64);
  const double inf = HUGE_VAL;
  const auto sum = [&](const std::vector<Cell>& values) {
    return result_of(function_on(Function::sum, 0), info, values);
  };
  EXPECT_EQ(sum({0.1, 0.2, 0.3}), "0.6");  // 0.1 + 0.2 + 0.3 in doubles is 0.6000000000000001
  EXPECT_EQ(sum({1e308, 1e308, -1e308}), "1e+308");
  EXPECT_EQ(sum({1e16, 1.0, -1e16}), "1");
  EXPECT_EQ(sum({5e-324, 1.0, -1.0}), "5e-324");
  EXPECT_EQ(sum({-0.0, -0.0}), "0");
  EXPECT_EQ(sum({inf, 1.0}), "Infinity");
  EXPECT_EQ(sum({-inf, 1e308, 1e308}), "-Infinity");
  EXPECT_EQ(sum({inf, -inf}), "NaN");
  EXPECT_EQ(sum({std::nan(""), inf}), "NaN");
  EXPECT_EQ(result_of(function_on(Function::var_pop, 0), info, {inf, 1.0}), "NaN");
  const std::string error = sum({1.7e308, 1.7e308});
  EXPECT_NE(error.find("column 'sum2': the result is beyond the range of DOUBLE"), std::string::npos) << error;
  EXPECT_EQ(result_of(function_on(Function::avg, 0), info, {1.7e308, 1.7e308}), "1.7e+308");
  AggregateColumn largest = function_on(Function::quantile, 0);
  largest.fraction = 1;
  EXPECT_EQ(result_of(largest, info, {1.0, inf}), "Infinity");
  EXPECT_EQ(result_of(largest, info, {inf, std::nan("")}), "NaN");
}

TEST(AggregateResults, lists_write_values_as_sinks_do) {
  const auto top = [](const ColumnInfo& info, const std::vector<Cell>& values) {
    return result_of(function_on(Function::top_k, 0), info, values);
  };
  const auto joined = [](const ColumnInfo& info, const std::vector<Cell>& values) {
    return result_of(function_on(Function::string_agg, 0), info, values);
  };
  EXPECT_EQ(top(column("v", ColumnType::text), {"b\"", "a", "b\"", "c", "d"}), R"(["b\"","a","c"])");
  const ColumnInfo decimal = column("v", ColumnType::decimal128, 38, 2);
  EXPECT_EQ(top(decimal, {"1.50", "-2.00", "1.50"}), R"(["1.50","-2.00"])");
  EXPECT_EQ(joined(decimal, {"1.50", "-2.00", "1.50", "7.00"}), "-2.00,1.50,1.50");
  EXPECT_EQ(top(column("v", ColumnType::int64), {int64_t{-5}, int64_t{1} << 60, int64_t{-5}}),
            R"([-5,"1152921504606846976"])");
  EXPECT_EQ(top(column("v", ColumnType::float64), {2.5, std::nan(""), -1.0}), R"([-1,2.5,"NaN"])");
  EXPECT_EQ(joined(column("v", ColumnType::float64), {2.5, -1.0, 10.0}), "-1,2.5,10");
  EXPECT_EQ(joined(column("v", ColumnType::date), {int64_t{20'541}, int64_t{0}}), "1970-01-01,2026-03-29");
  EXPECT_EQ(
      result_of({"all", Function::string_agg, 0, 0, 0, " | "}, column("v", ColumnType::text), {"b", "", "a", "b"}),
      " | a | b | b");
}

TEST(AggregateResults, lists_are_bounded) {
  const ColumnInfo info = column("v", ColumnType::text);
  const std::vector<Cell> most = {std::string(kJoinedBytes - 2, 'a'), "b"};
  EXPECT_EQ(result_of({"x", Function::string_agg, 0, 0, 0, ","}, info, most).size(), kJoinedBytes);
  std::vector<Cell> more = most;
  more.emplace_back("");
  const std::string error = result_of({"x", Function::string_agg, 0, 0, 0, ","}, info, more);
  EXPECT_EQ(error,
            "column 'x': the result of string_agg has more than 1048576 bytes; give it a limit, or a smaller one");
  EXPECT_EQ(result_of({"x", Function::string_agg, 0, 0, 1, ","}, info, more), "");
  const std::string top = result_of({"x", Function::top_k, 0, 0, 2}, info, most);
  EXPECT_NE(top.find("ask for fewer values"), std::string::npos) << top;
}

TEST(AggregateResults, truth_of_booleans_and_integers) {
  const ColumnInfo info = column("v", ColumnType::int8);
  const auto both = [&](const std::vector<Cell>& values) {
    return result_of(function_on(Function::bool_and, 0), info, values) + " " +
           result_of(function_on(Function::bool_or, 0), info, values);
  };
  EXPECT_EQ(both({Cell()}), "- -");
  EXPECT_EQ(both({int64_t{0}, Cell()}), "false false");
  EXPECT_EQ(both({int64_t{0}, int64_t{-2}}), "false true");
  EXPECT_EQ(both({int64_t{1}, int64_t{-2}}), "true true");
}

TEST(AggregateResults, first_and_last_break_ties_by_value) {
  const auto input = layout_of({column("v", ColumnType::int32)});
  for (const bool changelog : {false, true}) {
    const auto layout =
        AccumulatorLayout::compile(
            spec_of({function_on(Function::first, 0), function_on(Function::last, 0)}, changelog), *input)
            .value();
    Accumulators row(layout);
    row.add(make_batch(input,
                       {{-5, {int64_t{9}}}, {7, {int64_t{-1}}}, {-5, {int64_t{-8}}}, {8, {Cell()}}, {7, {int64_t{4}}}}),
            {0, 1, 2, 3, 4});
    EXPECT_EQ(results(layout, row), "-8 4");
  }
}

TEST(AggregateResults, functions_of_one_column_share_what_they_keep) {
  const auto input = layout_of({column("t", ColumnType::text)});
  const auto width = [&](const std::vector<Function>& functions, bool changelog) {
    std::vector<AggregateColumn> columns;
    for (const Function function : functions) columns.push_back(function_on(function, 0));
    return AccumulatorLayout::compile(spec_of(columns, changelog), *input).value().width();
  };
  const std::vector<Function> all = {Function::min, Function::max, Function::count_distinct, Function::top_k,
                                     Function::string_agg};
  EXPECT_EQ(width(all, true), width({Function::min}, true));
  EXPECT_EQ(width(all, false), width({Function::top_k}, false));
  EXPECT_EQ(width({Function::first, Function::last}, true), width({Function::last}, true));
}

TEST(AggregateResults, distinct_estimates_are_near_at_any_size) {
  HyperLogLog registers;
  uint64_t added = 0;
  for (const uint64_t size : {1U, 10U, 100U, 1'000U, 3'000U, 10'000U, 50'000U, 200'000U, 1'000'000U}) {
    for (; added < size; ++added) registers.add(HyperLogLog::hash_of(added));
    const auto error = std::abs(static_cast<double>(registers.estimate()) / static_cast<double>(size) - 1);
    EXPECT_LT(error, 0.02) << size << ": " << registers.estimate();
  }
  EXPECT_LE(registers.memory_bytes(), 17'000U);
}

TEST(AggregateResults, what_state_depends_on_stays_as_it_is) {
  EXPECT_EQ(HyperLogLog::hash_of(uint64_t{1}), 8996351306320847816U);
  EXPECT_EQ(HyperLogLog::hash_of(std::string_view("tidemark")), 1678069048558412647U);
  using quantile_bucket::kZero;
  EXPECT_EQ(bucket_of(1.0) - kZero, 1074U * 64 + 1);
  EXPECT_EQ(bucket_of(-12.34), kZero - (1077U * 64 + 35));
  EXPECT_EQ(bucket_of(5e-324) - kZero, 1U);
}

TEST(Rounding, ties_go_to_even_and_what_was_cut_off_counts) {
  const UInt128 odd = (UInt128{1} << 53) + 1;  // in the middle of two doubles
  EXPECT_EQ(round_to_double(odd, 0, false), 0x1p53);
  EXPECT_EQ(round_to_double(odd << 2, 0, true), 0x1p55 + 8);
  EXPECT_EQ(round_to_double(odd + 2, 0, false), 0x1p53 + 4);
  EXPECT_EQ(round_to_double(1, -1075, false), 0.0);  // half of the smallest
  EXPECT_EQ(round_to_double(3, -1075, false), 0x1p-1073);
  EXPECT_EQ(round_to_double(3, -1076, false), 0x1p-1074);
  EXPECT_EQ(round_to_double(1, 1024, false), HUGE_VAL);
  EXPECT_EQ(round_to_double((UInt128{1} << 54) - 1, 970, false), HUGE_VAL);
  EXPECT_EQ(round_ratio(-1, 3, 0), -1.0 / 3.0);
  EXPECT_EQ(round_root(2, 1, 0), std::sqrt(2.0));
  EXPECT_EQ(round_root(1, 1, -2148), 0x1p-1074);
}

}  // namespace
}  // namespace tidemark::core::test
