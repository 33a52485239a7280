// SPDX-License-Identifier: Apache-2.0
//
// Multisets with signed counts against an ordered map, over random additions and removals in any order.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/window/byte_multiset.hpp"
#include "core/window/number_multiset.hpp"

namespace tidemark::core {
namespace {

template <typename Multiset, typename ToValue>
void compare_with_map(uint64_t seed, const ToValue& to_value) {
  std::mt19937_64 random(seed);
  Multiset values;
  std::map<uint64_t, int64_t> model;
  for (int step = 0; step < 4000; ++step) {
    const uint64_t number = random() % 60 * 0x1'0000'0001ULL;
    const int64_t count = random() % 2 == 0 ? 1 : -1;
    values.add(to_value(number), count);
    if ((model[number] += count) == 0) model.erase(number);
    int64_t positive = 0;
    for (const auto& [value, n] : model) positive += n > 0 ? 1 : 0;
    ASSERT_EQ(values.distinct(), positive);
    ASSERT_EQ(values.empty(), model.empty());
  }
  Multiset rebuilt;  // the same content on another way
  for (auto at = model.rbegin(); at != model.rend(); ++at) rebuilt.add(to_value(at->first), at->second);
  std::string bytes;
  std::string rebuilt_bytes;
  values.encode(bytes);
  rebuilt.encode(rebuilt_bytes);
  EXPECT_EQ(bytes, rebuilt_bytes);

  Multiset decoded;
  ByteReader reader(bytes);
  ASSERT_TRUE(decoded.decode(reader));
  EXPECT_EQ(decoded.distinct(), values.distinct());
  Multiset cut;
  ByteReader short_reader(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_FALSE(cut.decode(short_reader));

  for (const auto& [value, count] : model) values.add(to_value(value), -count);
  EXPECT_TRUE(values.empty());
}

TEST(Multiset, numbers_like_a_map) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    compare_with_map<NumberMultiset>(seed, [](uint64_t value) { return value; });
  }
}

TEST(Multiset, bytes_like_a_map) {
  compare_with_map<ByteMultiset>(1, [](uint64_t value) { return std::to_string(value); });
}

TEST(Multiset, extremes_do_not_show_negative_counts) {
  NumberMultiset numbers;
  numbers.add(1, -1);
  EXPECT_FALSE(numbers.smallest().has_value());
  numbers.add(5, 1);
  numbers.add(9, 2);
  EXPECT_EQ(numbers.smallest(), 5U);
  EXPECT_EQ(numbers.largest(), 9U);
  ByteMultiset bytes;
  bytes.add("z", -1);
  EXPECT_EQ(bytes.largest(), nullptr);
  bytes.add("k", 1);
  EXPECT_EQ(*bytes.largest(), "k");
  EXPECT_EQ(*bytes.smallest(), "k");
}

TEST(Multiset, only_what_encode_writes_is_decoded) {
  // The same value twice with counts whose sum overflows, values out of order, and a count of zero.
  using Pairs = std::vector<std::pair<std::string, int64_t>>;
  for (const Pairs& pairs : {Pairs{{"a", INT64_MAX}, {"a", 1}}, Pairs{{"b", 1}, {"a", 1}}, Pairs{{"a", 0}}}) {
    std::string bytes;
    std::string numbers;
    ByteWriter writer(bytes);
    ByteWriter number_writer(numbers);
    writer.varint(pairs.size());
    number_writer.varint(pairs.size());
    uint64_t previous = 0;
    for (const auto& [text, count] : pairs) {
      writer.text(text);
      writer.fixed(count);
      const uint64_t value = static_cast<uint8_t>(text.front());
      number_writer.varint(value - previous);
      number_writer.varint(static_cast<uint64_t>(count) << 1);
      previous = value;
    }
    ByteReader reader(bytes);
    EXPECT_FALSE(ByteMultiset().decode(reader));
    ByteReader number_reader(numbers);
    EXPECT_FALSE(NumberMultiset().decode(number_reader));
  }
}

}  // namespace
}  // namespace tidemark::core
