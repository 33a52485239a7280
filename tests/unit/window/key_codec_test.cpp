// SPDX-License-Identifier: Apache-2.0
//
// Key bytes: their order is the values' order, every value has one encoding, and they decode to what went in.
#include "core/window/key_codec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {
namespace {

std::vector<std::string> encode_all(const KeyCodec& codec, const Batch& batch) {
  std::vector<uint32_t> rows(batch.rows);
  for (uint32_t row = 0; row < batch.rows; ++row) rows[row] = row;
  EncodedKeys keys;
  EXPECT_TRUE(codec.encode(batch, rows, keys));
  std::vector<std::string> out;
  for (uint32_t row = 0; row < batch.rows; ++row) out.emplace_back(keys.at(row));
  return out;
}

/// Two rows of cells in value order: NULL first, then numbers or bytes. Decimals are given as equal-scale integers.
std::weak_ordering compare_cells(const std::vector<Cell>& a, const std::vector<Cell>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] < b[i]) return std::weak_ordering::less;
    if (b[i] < a[i]) return std::weak_ordering::greater;
  }
  return std::weak_ordering::equivalent;
}

TEST(KeyCodec, order_of_bytes_is_order_of_values) {
  std::mt19937_64 random(7);
  const auto layout =
      layout_of({column("t", ColumnType::text), column("i", ColumnType::int32), column("f", ColumnType::float64),
                 column("s", ColumnType::text), column("u", ColumnType::uint64)});
  const auto text = [&]() -> Cell {
    if (random() % 6 == 0) return std::monostate{};
    std::string out;
    for (uint64_t i = random() % 4; i > 0; --i) out.push_back("\0\1a\xff"[random() % 4]);
    return out;
  };
  const auto number = [&](int64_t spread) -> Cell {
    if (random() % 6 == 0) return std::monostate{};
    return static_cast<int64_t>(random() % static_cast<uint64_t>(2 * spread + 1)) - spread;
  };
  std::vector<Row> rows;
  for (int i = 0; i < 600; ++i) {
    const Cell f = number(2);
    Cell floating = std::monostate{};
    if (const auto* value = std::get_if<int64_t>(&f)) floating = static_cast<double>(*value) * 1.5;
    rows.push_back({0, {text(), number(300), floating, text(), static_cast<int64_t>(random() % 3)}});
  }
  const BatchRef batch = make_batch(layout, rows);
  const KeyCodec codec({0, 1, 2, 3, 4}, *layout);
  const std::vector<std::string> keys = encode_all(codec, *batch);
  for (size_t a = 0; a < rows.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const auto expected = compare_cells(rows[a].cells, rows[b].cells);
      ASSERT_EQ(keys[a].compare(keys[b]) <=> 0, expected) << codec.describe(keys[a]) << codec.describe(keys[b]);
    }
  }
}

TEST(KeyCodec, every_type_decodes_to_what_it_was) {
  const auto layout =
      layout_of({column("b", ColumnType::boolean), column("i8", ColumnType::int8), column("u16", ColumnType::uint16),
                 column("i64", ColumnType::int64), column("f32", ColumnType::float32),
                 column("d64", ColumnType::decimal64, 18, 2), column("d128", ColumnType::decimal128, 38, 2),
                 column("d256", ColumnType::decimal256, 65, 0), column("date", ColumnType::date),
                 column("time", ColumnType::time), column("ts", ColumnType::timestamp), column("t", ColumnType::text)});
  const std::vector<Cell> cells = {int64_t{1},
                                   int64_t{-128},
                                   int64_t{65535},
                                   std::numeric_limits<int64_t>::min(),
                                   -2.5,
                                   "-12.34",
                                   "-99999999999999999999999999999999999.99",
                                   std::string(65, '9'),
                                   int64_t{-1},
                                   int64_t{-3'020'399'000'000},
                                   int64_t{-1},
                                   std::string("a\0b", 3)};
  const BatchRef batch = make_batch(layout, {{0, cells}, {0, std::vector<Cell>(cells.size())}});
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < cells.size(); ++i) all.push_back(i);
  const KeyCodec codec(all, *layout);
  const std::vector<std::string> keys = encode_all(codec, *batch);
  Batch out(layout, 2, 0);
  ASSERT_TRUE(codec.decode(keys[0], out, 0, 0));
  ASSERT_TRUE(codec.decode(keys[1], out, 0, 1));
  for (uint32_t at = 0; at < cells.size(); ++at) {
    std::string expected;
    std::string actual;
    append_cell_text(*batch, at, 0, expected);
    append_cell_text(out, at, 0, actual);
    EXPECT_EQ(actual, expected);
    EXPECT_FALSE(out.column(at).is_valid(1));
  }
  for (size_t size = 0; size < keys[0].size(); ++size) EXPECT_FALSE(codec.is_valid(keys[0].substr(0, size))) << size;
  EXPECT_FALSE(codec.is_valid(keys[0] + "x"));
}

TEST(KeyCodec, floats_have_one_zero_and_one_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(to_ordered(-0.0), to_ordered(0.0));
  EXPECT_EQ(to_ordered(nan), to_ordered(-nan));
  EXPECT_GT(to_ordered(nan), to_ordered(std::numeric_limits<double>::infinity()));
  EXPECT_LT(to_ordered(-1.0F), to_ordered(-0.5F));
  EXPECT_EQ(from_ordered<double>(to_ordered(-1.25)), -1.25);
}

TEST(KeyCodec, no_key_columns_is_one_group) {
  const auto layout = layout_of({column("i", ColumnType::int32)});
  const KeyCodec codec({}, *layout);
  const BatchRef batch = make_batch(layout, {{0, {int64_t{1}}}, {0, {int64_t{2}}}});
  EXPECT_EQ(encode_all(codec, *batch), (std::vector<std::string>{"", ""}));
  EXPECT_TRUE(codec.is_valid(""));
}

}  // namespace
}  // namespace tidemark::core::test
