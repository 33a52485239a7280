// SPDX-License-Identifier: Apache-2.0
//
// Aggregate calls in result columns: what is found and where, and expressions over their values.
#include "core/expression/aggregate_calls.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/expression/sample_rows.hpp"

namespace tidemark::core {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"count", "sum", "min", "quantile", "top_k", "string_agg"};

// "name(argument; argument) where filter" of each call, and " alone".
std::string found(std::string_view text) {
  const auto result = find_aggregate_calls(text, kNames);
  if (const auto* error = std::get_if<ExpressionError>(&result)) return error_text(*error);
  const AggregateCalls& calls = std::get<AggregateCalls>(result);
  const auto part = [text](ExpressionPlace place) { return text.substr(place.offset, place.size); };
  std::string out;
  for (const AggregateCall& call : calls.calls) {
    EXPECT_NE(part(call.place).find(part(call.name_place)), std::string_view::npos);
    out += fmt::format("{}{}(", out.empty() ? "" : ", ", call.function);
    if (call.star) out += "*";
    if (call.distinct) out += "distinct ";
    for (const ExpressionPlace& argument : call.arguments) out += fmt::format("[{}]", part(argument));
    out += ")";
    if (call.filter) out += fmt::format(" where [{}]", part(*call.filter));
    out += fmt::format(" at {}+{}", call.place.offset, call.place.size);
  }
  return out + (calls.alone ? " alone" : "");
}

TEST(AggregateCalls, are_found_with_their_parts) {
  EXPECT_EQ(found("count()"), "count() at 0+7 alone");
  EXPECT_EQ(found(" COUNT( * ) "), "count(*) at 1+10 alone");
  EXPECT_EQ(found("count(DISTINCT a + 1)"), "count(distinct [a + 1]) at 0+21 alone");
  EXPECT_EQ(found("count(distinct)"), "count([distinct]) at 0+15 alone");
  EXPECT_EQ(found("(quantile(d, 0.95))"), "quantile([d][0.95]) at 0+19 alone");
  EXPECT_EQ(found("string_agg((name), ', ', 100)"), "string_agg([(name)][', '][100]) at 0+29 alone");
  EXPECT_EQ(found("sum(price * n) FILTER (WHERE name = 'paid' OR b) / count(*) + window_end"),
            "sum([price * n]) where [name = 'paid' OR b] at 0+48, count(*) at 51+8");
  EXPECT_EQ(found("CASE WHEN count() > 0 THEN greatest(sum(CASE WHEN b THEN n END), min(n)) END"),
            "count() at 10+7, sum([CASE WHEN b THEN n END]) at 36+27, min([n]) at 65+6");
  EXPECT_EQ(found("`sum` + filter"), "");
}

TEST(AggregateCalls, what_is_wrong_has_a_place) {
  EXPECT_EQ(found("sum(1 + count())"),
            "unsupported 8+5: `count` stands inside `sum`: an aggregate looks at rows, not at results (an aggregate of "
            "results is "
            "another table of [aggregates], whose inputs name this one)");
  EXPECT_EQ(found("sum(n) FILTER (WHERE count() > 0)").substr(0, 16), "unsupported 21+5");
  EXPECT_EQ(found("sum(n"), "syntax 3+1: the closing `)` is missing (close this parenthesis)");
  EXPECT_EQ(found("sum(n) FILTER (b)"),
            "syntax 15+1: `b` stands where WHERE is expected (sum(amount) FILTER (WHERE status = 'paid'))");
  EXPECT_EQ(found("sum(n) + "), "syntax 8+1: the expression ends where a value is expected");
}

// Over the sample's columns: the calls stand for `columns`.
std::string over(std::string_view text, std::vector<uint32_t> columns, ExpressionUse use = ExpressionUse::value) {
  auto compiled = Expression::compile_over_aggregates(text, sample_columns(), use, kNames, columns);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return error_text(*error);
  Evaluator evaluator(std::get<Expression>(compiled));
  const ValueVector& values = evaluator.run(sample_batch());
  std::string out = describe(evaluator.expression().type()) + ":";
  for (uint32_t row = 0; row < 4; ++row) out += " " + value_text(values, evaluator.expression().type(), row);
  return out;
}

TEST(AggregateCalls, stand_for_columns) {
  EXPECT_EQ(over("sum(whatever) / count()", {3, 1}), "decimal(14,6): 1.250000 0.663333 NULL NULL");
  EXPECT_EQ(over("count() > n AND sum(x) FILTER (WHERE y) < 5", {0, 3}, ExpressionUse::condition),
            "boolean: false false NULL false");
  EXPECT_EQ(over("CASE WHEN b THEN min(x) ELSE min(y) END", {1, 0}), "integer: 10 -7 NULL 0");
  EXPECT_EQ(over("nn + count()", {1}).substr(0, 29), "column 0+2: no column `nn` (t");
  EXPECT_EQ(over("name + sum(x)", {1}).substr(0, 12), "argument 0+4");
  EXPECT_EQ(over("1 + sum(x)", {7}),
            "argument 4+6: `+` needs numbers, `sum(x)` is text (CAST(sum(x) AS DECIMAL(18,4)))");
}

}  // namespace
}  // namespace tidemark::core
