// SPDX-License-Identifier: Apache-2.0
//
// Exact 256-bit arithmetic: carries, overflow, decimal text, rounding of averages.
#include "core/base/int256.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tidemark::core {
namespace {

Int256 parsed(std::string_view text, unsigned scale = 0) {
  Int256 out;
  EXPECT_TRUE(parse_decimal(text, scale, out)) << text;
  return out;
}

TEST(Int256Test, text_round_trip) {
  for (const char* text : {"0", "-1", "9223372036854775808", "199999999999999999999999999999999999998",
                           "-57896044618658097711785492504343953926634992332820282019728792003956564819968",
                           "57896044618658097711785492504343953926634992332820282019728792003956564819967"}) {
    EXPECT_EQ(to_decimal_text(parsed(text), 0), text);
  }
  EXPECT_EQ(to_decimal_text(parsed("-0.0001", 4), 4), "-0.0001");
  EXPECT_EQ(to_decimal_text(parsed("12.3", 4), 4), "12.3000");
  Int256 out;
  EXPECT_FALSE(parse_decimal("1.23456", 4, out));
  EXPECT_FALSE(parse_decimal("", 0, out));
  EXPECT_FALSE(parse_decimal("57896044618658097711785492504343953926634992332820282019728792003956564819968", 0, out));
}

TEST(Int256Test, overflow_is_reported_both_ways) {
  const Int256 largest = parsed("57896044618658097711785492504343953926634992332820282019728792003956564819967");
  Int256 out;
  EXPECT_TRUE(add_overflow(largest, 1, out));
  EXPECT_TRUE(sub_overflow(out, 1, out));
  EXPECT_EQ(out, largest);
  EXPECT_FALSE(add_overflow(largest, -1, out));
}

TEST(Int256Test, agrees_with_128_bits_on_random_values) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const Int128 a = (static_cast<Int128>(static_cast<int64_t>(random())) << 60) + static_cast<int64_t>(random());
    const Int128 b = (static_cast<Int128>(static_cast<int64_t>(random())) << 60) + static_cast<int64_t>(random());
    Int256 sum;
    Int256 difference;
    ASSERT_FALSE(add_overflow(Int256::from_i128(a), Int256::from_i128(b), sum));
    ASSERT_FALSE(sub_overflow(Int256::from_i128(a), Int256::from_i128(b), difference));
    ASSERT_EQ(sum, Int256::from_i128(a + b));
    ASSERT_EQ(difference, Int256::from_i128(a - b));
    ASSERT_EQ(Int256::from_i128(a) < Int256::from_i128(b), a < b);
  }
}

TEST(Int256Test, averages_round_half_away_from_zero) {
  Int256 out;
  ASSERT_TRUE(scaled_divide(31, 4, 3, out));
  EXPECT_EQ(to_decimal_text(out, 4), "10.3333");
  ASSERT_TRUE(scaled_divide(1, 0, 2, out));
  EXPECT_EQ(to_decimal_text(out, 0), "1");
  ASSERT_TRUE(scaled_divide(-1, 0, 2, out));
  EXPECT_EQ(to_decimal_text(out, 0), "-1");
}

}  // namespace
}  // namespace tidemark::core
