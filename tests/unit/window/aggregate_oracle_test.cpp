// SPDX-License-Identifier: Apache-2.0
//
// Results against values worked out again from the rows alone, with rational numbers of any size and standard
// containers: sums, averages and variances of doubles must be the nearest DOUBLE to the exact result, quantiles within
// 1 %, lists the same text. Random rows, the seed in the failure.
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "tests/unit/window/accumulator_rows.hpp"
#include "tests/unit/window/aggregate_samples.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;
using boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

constexpr uint64_t kSeeds = 60;

Rational power_of_two(int exponent) {
  const cpp_int power = cpp_int(1) << std::abs(exponent);
  return exponent < 0 ? Rational(1, power) : Rational(power);
}

Rational exact(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return Rational(static_cast<int64_t>(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
}

/// The value of a cell that is not NULL.
Rational value_of(const ColumnInfo& info, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    std::string digits = *text;
    const size_t point = digits.find('.');
    const size_t scale = point == std::string::npos ? 0 : digits.size() - point - 1;
    if (point != std::string::npos) digits.erase(point, 1);
    const bool negative = digits.front() == '-';
    digits.erase(0, digits.find_first_not_of("-0"));
    const Rational magnitude(cpp_int(digits.empty() ? "0" : digits),
                             boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(scale)));
    return negative ? Rational(-magnitude) : magnitude;
  }
  if (const auto* number = std::get_if<int64_t>(&cell)) {
    return info.type == ColumnType::uint64 ? Rational(static_cast<uint64_t>(*number)) : Rational(*number);
  }
  const double real = std::get<double>(cell);
  return exact(info.type == ColumnType::float32 ? static_cast<double>(static_cast<float>(real)) : real);
}

std::vector<Rational> values_of(const ColumnInfo& info, const std::vector<Row>& rows) {
  std::vector<Rational> out;
  for (const Row& row : rows) {
    if (!std::holds_alternative<std::monostate>(row.cells[0])) out.push_back(value_of(info, row.cells[0]));
  }
  return out;
}

/// The result of one function over rows; aggregated in two halves that are merged.
std::string result_of(const AggregateColumn& column, const ColumnInfo& info, const std::vector<Row>& rows) {
  const auto input = layout_of({info});
  const AccumulatorLayout layout = AccumulatorLayout::compile(spec_of({column}), *input).value();
  const BatchRef batch = make_batch(input, rows);
  Accumulators left(layout);
  Accumulators right(layout);
  for (uint32_t row = 0; row < rows.size(); ++row) (row % 2 == 0 ? left : right).add(batch, {row});
  left.merge(right);
  return results(layout, left);
}

double to_double(const std::string& text) {
  double value = std::nan("");
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// True when `got` is the nearest DOUBLE: between the middles to its neighbours, which only an even one may reach.
/// `power` 2: of the square root of `expected`.
bool is_nearest(double got, const Rational& expected, int power) {
  if (std::isnan(got)) return false;
  const auto raised = [power](const Rational& value) { return power == 2 ? Rational(value * value) : value; };
  const double below = std::nextafter(got, -HUGE_VAL);
  const double above = std::nextafter(got, HUGE_VAL);
  const Rational step = std::isinf(above) ? exact(got) - exact(below) : exact(above) - exact(got);
  const Rational low = std::isinf(below) ? exact(got) - step / 2 : (exact(below) + exact(got)) / 2;
  const Rational high = exact(got) + step / 2;
  const bool even = (std::bit_cast<uint64_t>(got) & 1) == 0;
  const bool above_low = (power == 2 && low < 0) || (even ? raised(low) <= expected : raised(low) < expected);
  return above_low && (even ? expected <= raised(high) : expected < raised(high));
}

/// Checks a DOUBLE result, which is an error when the exact one is out of range.
void expect_nearest(const std::string& got, const Rational& expected, int power = 1) {
  const Rational limit = power_of_two(1024) - power_of_two(970);  // half a step above the largest
  const Rational magnitude = boost::multiprecision::abs(expected);
  if (magnitude >= (power == 2 ? Rational(limit * limit) : limit)) {
    EXPECT_NE(got.find("beyond the range of DOUBLE"), std::string::npos) << got;
    return;
  }
  EXPECT_TRUE(is_nearest(to_double(got), expected, power)) << got << " for " << expected;
}

template <typename Check>
void for_types(const std::vector<ColumnType>& types, const Check& check) {
  for (const ColumnInfo& info : columns_of_every_type()) {
    if (std::find(types.begin(), types.end(), info.type) == types.end()) continue;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE(info.name + ", seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      std::vector<Cell> values = sample_values(info);
      if (seed % 2 == 0) {  // few of them, so that the very large ones are not always there
        std::shuffle(values.begin(), values.end(), random);
        values.resize(1 + random() % 5);
      }
      check(info, random_rows(values, random, 1 + random() % 12));
      if (testing::Test::HasFailure()) return;
    }
  }
}

const std::vector<ColumnType> kReals = {ColumnType::float32, ColumnType::float64};
const std::vector<ColumnType> kNumbers = {ColumnType::int8,       ColumnType::int64,      ColumnType::uint64,
                                          ColumnType::float32,    ColumnType::float64,    ColumnType::decimal64,
                                          ColumnType::decimal128, ColumnType::decimal256, ColumnType::uint16};

TEST(AggregateOracle, sums_and_averages_of_doubles_are_the_nearest_double) {
  for_types(kReals, [](const ColumnInfo& info, const std::vector<Row>& rows) {
    const std::vector<Rational> values = values_of(info, rows);
    const std::string sum = result_of(function_on(Function::sum, 0), info, rows);
    const std::string average = result_of(function_on(Function::avg, 0), info, rows);
    if (values.empty()) {
      EXPECT_EQ(sum + average, "--");
      return;
    }
    Rational total = 0;
    for (const Rational& value : values) total += value;
    expect_nearest(sum, total);
    expect_nearest(average, total / values.size());
  });
}

TEST(AggregateOracle, variances_and_deviations_are_the_nearest_double) {
  for_types(kNumbers, [](const ColumnInfo& info, const std::vector<Row>& rows) {
    const std::vector<Rational> values = values_of(info, rows);
    Rational total = 0;
    for (const Rational& value : values) total += value;
    Rational spread = 0;  // by the definition: distances from the mean
    for (const Rational& value : values) {
      const Rational distance = value - total / values.size();
      spread += distance * distance;
    }
    const auto check = [&](Function function, size_t divisor, bool has_value, int power) {
      const std::string got = result_of(function_on(function, 0), info, rows);
      if (has_value) {
        expect_nearest(got, spread / divisor, power);
      } else {
        EXPECT_EQ(got, "-");
      }
    };
    const size_t n = values.size();
    check(Function::var_pop, n, n > 0, 1);
    check(Function::stddev_pop, n, n > 0, 2);
    check(Function::var_samp, n - 1, n > 1, 1);
    check(Function::stddev_samp, n - 1, n > 1, 2);
  });
}

TEST(AggregateOracle, quantiles_are_within_one_percent) {
  for_types(kNumbers, [](const ColumnInfo& info, const std::vector<Row>& rows) {
    std::vector<Rational> values = values_of(info, rows);
    std::sort(values.begin(), values.end());
    for (const double fraction : {0.0, 0.25, 0.5, 0.99, 1.0}) {
      AggregateColumn column = function_on(Function::quantile, 0);
      column.fraction = fraction;
      const std::string got = result_of(column, info, rows);
      if (values.empty()) {
        EXPECT_EQ(got, "-");
        continue;
      }
      const Rational expected = values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
      const Rational error = boost::multiprecision::abs(Rational(exact(to_double(got)) - expected));
      EXPECT_LE(error * 100, boost::multiprecision::abs(expected)) << got << " for " << expected;
    }
  });
}

TEST(AggregateOracle, sums_of_integers_and_decimals) {
  for_types({ColumnType::int8, ColumnType::int64, ColumnType::uint64, ColumnType::decimal64, ColumnType::decimal128,
             ColumnType::decimal256},
            [](const ColumnInfo& info, const std::vector<Row>& rows) {
              Rational total = 0;
              const std::vector<Rational> values = values_of(info, rows);
              for (const Rational& value : values) total += value;
              const std::string got = result_of(function_on(Function::sum, 0), info, rows);
              if (values.empty()) {
                EXPECT_EQ(got, "-");
              } else {
                EXPECT_EQ(value_of(info, Cell(got)), total) << got;
              }
            });
}

TEST(AggregateOracle, lists_and_ends_of_texts) {
  for_types({ColumnType::text}, [](const ColumnInfo& info, const std::vector<Row>& rows) {
    std::vector<std::string> values;
    std::vector<std::pair<Micros, std::string>> timed;
    std::map<std::string, int> counts;
    for (const Row& row : rows) {
      const auto* text = std::get_if<std::string>(&row.cells[0]);
      if (text == nullptr) continue;
      values.push_back(*text);
      timed.emplace_back(row.time, *text);
      ++counts[*text];
    }
    std::sort(values.begin(), values.end());
    std::sort(timed.begin(), timed.end());
    std::string joined;
    for (size_t i = 0; i < values.size() && i < 3; ++i) joined += (i > 0 ? "," : "") + values[i];
    std::vector<std::pair<int, std::string>> frequent;
    for (const auto& [value, count] : counts) frequent.emplace_back(-count, value);
    std::sort(frequent.begin(), frequent.end());
    std::string top;
    for (size_t i = 0; i < frequent.size() && i < 3; ++i) top += (i > 0 ? ",\"" : "\"") + frequent[i].second + "\"";
    const bool any = !values.empty();
    EXPECT_EQ(result_of(function_on(Function::string_agg, 0), info, rows), any ? joined : "-");
    EXPECT_EQ(result_of(function_on(Function::top_k, 0), info, rows), any ? "[" + top + "]" : "-");
    EXPECT_EQ(result_of(function_on(Function::first, 0), info, rows), any ? timed.front().second : "-");
    EXPECT_EQ(result_of(function_on(Function::last, 0), info, rows), any ? timed.back().second : "-");
    EXPECT_EQ(result_of(function_on(Function::count_distinct, 0), info, rows), std::to_string(counts.size()));
    EXPECT_EQ(result_of(function_on(Function::approx_count_distinct, 0), info, rows), std::to_string(counts.size()));
  });
}

}  // namespace
}  // namespace tidemark::core::test
