// SPDX-License-Identifier: Apache-2.0
//
// The table of what aggregate functions take and give: a refusal names a way out, results have their SQL types.
#include "core/window/aggregate_types.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

ColumnInfo of(ColumnType type, uint8_t precision = 0, uint8_t scale = 0) {
  return ColumnInfo{"v", type, precision, scale, false, "from somewhere"};
}

TEST(AggregateTypes, refusals_name_a_way_out) {
  EXPECT_EQ(aggregate_refusal(Function::sum, of(ColumnType::float64), true), "");
  EXPECT_EQ(aggregate_refusal(Function::top_k, of(ColumnType::json), true), "");
  EXPECT_EQ(aggregate_refusal(Function::approx_count_distinct, of(ColumnType::text), false), "");
  const auto names = [](Function function, ColumnType type, bool changelog, const char* way_out) {
    return aggregate_refusal(function, of(type), changelog).find(way_out) != std::string::npos;
  };
  EXPECT_TRUE(names(Function::approx_count_distinct, ColumnType::text, true, "count_distinct"));
  EXPECT_TRUE(names(Function::quantile, ColumnType::date, false, "min or max"));
  EXPECT_TRUE(names(Function::stddev_samp, ColumnType::boolean, false, "CASE"));
  EXPECT_TRUE(names(Function::min, ColumnType::json, false, "count"));
  EXPECT_TRUE(names(Function::bool_and, ColumnType::text, false, "CASE"));
}

TEST(AggregateTypes, parameters_are_checked) {
  AggregateColumn column{"x", Function::quantile, 0};
  EXPECT_EQ(aggregate_parameter_refusal(column), "");
  for (const double fraction : {-0.1, 1.1, std::nan("")}) {
    column.fraction = fraction;
    EXPECT_NE(aggregate_parameter_refusal(column), "") << fraction;
  }
  column.function = Function::top_k;
  EXPECT_NE(aggregate_parameter_refusal(column), "");  // no limit
  column.limit = kTopLimit;
  EXPECT_EQ(aggregate_parameter_refusal(column), "");
}

TEST(AggregateTypes, results_have_the_types_of_sql) {
  const auto type = [](Function function, const ColumnInfo& argument) {
    const ColumnInfo out = aggregate_result({"x", function, 0}, argument);
    EXPECT_EQ(out.name, "x");
    return std::string(type_name(out.type)) + " " + std::to_string(out.precision) + "," + std::to_string(out.scale) +
           (out.nullable ? "" : " not null");
  };
  EXPECT_EQ(type(Function::count_all, ColumnInfo()), "int64 0,0 not null");
  EXPECT_EQ(type(Function::approx_count_distinct, of(ColumnType::text)), "int64 0,0 not null");
  EXPECT_EQ(type(Function::sum, of(ColumnType::decimal64, 12, 2)), "decimal 76,2");
  EXPECT_EQ(type(Function::avg, of(ColumnType::int32)), "decimal 76,4");
  EXPECT_EQ(type(Function::avg, of(ColumnType::float32)), "float64 0,0");
  EXPECT_EQ(type(Function::last, of(ColumnType::decimal128, 30, 5)), "decimal 30,5");
  EXPECT_EQ(type(Function::var_pop, of(ColumnType::int8)), "float64 0,0");
  EXPECT_EQ(type(Function::top_k, of(ColumnType::int8)), "json 0,0");
  EXPECT_EQ(type(Function::bool_or, of(ColumnType::int8)), "bool 0,0");
  EXPECT_EQ(type(Function::string_agg, of(ColumnType::int8)), "text 0,0");
}

}  // namespace
}  // namespace tidemark::core
