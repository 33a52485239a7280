// SPDX-License-Identifier: Apache-2.0
// Test vectors of column cells: facts about bytes that servers wrote. Each through decode_cell, and where a target is
// given also through a compiled program of one column.
// One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "binlog/cell.hpp"
#include "binlog/temporal.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"
#include "group_reading.hpp"

namespace tidemark::binlog {
namespace {

struct Vector {
  const char* name;
  uint8_t type;
  uint8_t meta_first;
  uint8_t meta_second;
  const char* hex;                    // prefix included where the type has one
  const char* expected;               // as value_text
  TargetType target{};                // type 0 = none
  const char* target_text = nullptr;  // nullptr = NULL
  bool is_unsigned = false;
  const char* charset = nullptr;
  std::vector<std::string> members{};
  SqlType sql_type = SqlType::unknown;
};

constexpr TargetType kInt64{TIDEMARK_INT64, 0, 0};
constexpr TargetType kUint64{TIDEMARK_UINT64, 0, 0};
constexpr TargetType kTime{TIDEMARK_TIME, 0, 0};
constexpr TargetType kDatetime{TIDEMARK_DATETIME, 0, 0};
constexpr TargetType kTimestamp{TIDEMARK_TIMESTAMP, 0, 0};
constexpr TargetType kDate{TIDEMARK_DATE, 0, 0};
constexpr TargetType kText{TIDEMARK_TEXT, 0, 0};
constexpr TargetType kBytes{TIDEMARK_BYTES, 0, 0};

TargetType decimal(uint32_t precision, uint32_t scale) {
  return {precision <= 18   ? uint32_t{TIDEMARK_DECIMAL64}
          : precision <= 38 ? uint32_t{TIDEMARK_DECIMAL128}
                            : uint32_t{TIDEMARK_DECIMAL256},
          precision, scale};
}

const std::vector<Vector>& integers() {
  static const std::string huge = std::to_string(1e308);
  static const std::vector<Vector> vectors{
      {"vec_b1", 1, 0, 0, "80", "-128", kInt64, "-128"},
      {"vec_b2", 1, 0, 0, "ff", "255", kInt64, "255", true},
      {"vec_b3", 2, 0, 0, "00 80", "-32768", kInt64, "-32768"},
      {"vec_b4", 9, 0, 0, "00 00 80", "-8388608", {TIDEMARK_INT32, 0, 0}, "-8388608"},
      {"vec_b5", 9, 0, 0, "ff ff ff", "16777215", {TIDEMARK_INT32, 0, 0}, "16777215", true},
      {"vec_b6", 8, 0, 0, "00 00 00 00 00 00 00 80", "-9223372036854775808", kInt64, "-9223372036854775808"},
      {"vec_b7", 8, 0, 0, "ff ff ff ff ff ff ff ff", "18446744073709551615", kUint64, "18446744073709551615", true},
      {"vec_b7_decimal",
       8,
       0,
       0,
       "ff ff ff ff ff ff ff ff",
       "18446744073709551615",
       {TIDEMARK_DECIMAL128, 20, 0},
       "18446744073709551615",
       true},
      {"vec_b8", 4, 4, 0, "00 00 c0 bf", "-1.5", {TIDEMARK_FLOAT64, 0, 0}, "-1.500000"},
      {"vec_b9",
       4,
       4,
       0,
       "ff ff 7f 7f",
       "3.4028235e+38",
       {TIDEMARK_FLOAT32, 0, 0},
       "340282346638528859811704183484516925440.000000"},
      {"vec_b10", 5, 8, 0, "a0 c8 eb 85 f3 cc e1 7f", "1e+308", {TIDEMARK_FLOAT64, 0, 0}, huge.c_str()},
      {"vec_b21_bit1", 16, 1, 0, "01", "1", {TIDEMARK_BOOL, 0, 0}, "1"},
      {"vec_b21_bit9", 16, 1, 1, "01 01", "257", kUint64, "257"},
      {"vec_b22_bit3", 16, 3, 0, "04", "4", kUint64, "4"},
      {"vec_b22_bit8", 16, 0, 1, "20", "32", kUint64, "32"},
      {"vec_b23", 16, 0, 8, "80 00 00 00 00 00 00 01", "9223372036854775809", kUint64, "9223372036854775809"},
      {"vec_b24_0000", 13, 0, 0, "00", "0000", {TIDEMARK_UINT16, 0, 0}, "0"},
      {"vec_b24_1901", 13, 0, 0, "01", "1901", {TIDEMARK_UINT16, 0, 0}, "1901"},
      {"vec_b24_1970", 13, 0, 0, "46", "1970", {TIDEMARK_INT16, 0, 0}, "1970"},
      {"vec_b24_2155", 13, 0, 0, "ff", "2155", {TIDEMARK_INT64, 0, 0}, "2155"},
  };
  return vectors;
}

const std::vector<Vector>& decimals() {
  static const std::vector<Vector> vectors{
      {"vec_b11", 246, 10, 2, "7f ff ff ff fe", "-0.01", decimal(10, 2), "-0.01"},
      {"vec_b11_wider", 246, 10, 2, "7f ff ff ff fe", "-0.01", decimal(20, 4), "-0.0100"},
      {"vec_b12", 246, 10, 2, "85 f5 e0 ff 63", "99999999.99", decimal(18, 4), "99999999.9900"},
      {"vec_b13", 246, 4, 2, "75 c8", "-10.55", decimal(4, 2), "-10.55"},
      {"vec_b14", 246, 5, 0, "7f ff f4", "-11", decimal(5, 0), "-11"},
      {"vec_b15", 246, 13, 2, "e3 3b 9a c9 ff 63", "99999999999.99", decimal(13, 2), "99999999999.99"},
      {"vec_b16", 246, 15, 14, "80 07 5b b2 90 01 81 cd", "0.12345000098765", decimal(15, 14), "0.12345000098765"},
      {"vec_b17", 246, 30, 30, "85 f5 e1 00 00 00 00 00 00 00 00 00 00 00", "0.100000000000000000000000000000",
       decimal(31, 30), "0.100000000000000000000000000000"},
      {"vec_b18", 246, 30, 25, "80 00 00 00 bc 61 4e 35 b7 bf 87 00 87 fd d9", "0.0123456789012345678912345",
       decimal(30, 25), "0.0123456789012345678912345"},
      {"vec_b19", 246, 40, 16, "7f ff 84 e4 ce 6b 05 f2 01 e1 e8 f8 a4 32 ea ff fe 1d bf",
       "-123456234234234757655.1234567890123456", decimal(40, 16), "-123456234234234757655.1234567890123456"},
      {"vec_b20", 246, 65, 30,
       "7f ff ff ff ff ff ff ff ff ff ff ff ff ff ff fe ff ff ff ff ff ff ff ff ff ff ff ff ff fe",
       "-1.000000000000000000000000000001", decimal(66, 31), "-1.0000000000000000000000000000010"},
  };
  return vectors;
}

const std::vector<Vector>& times() {
  static const std::vector<Vector> vectors{
      {"vec_b28", 19, 0, 0, "7f ff ff", "-00:00:01", kTime, "-1000000"},
      {"vec_b29_max", 19, 0, 0, "b4 6e fb", "838:59:59", kTime, "3020399000000"},
      {"vec_b29_min", 19, 0, 0, "4b 91 05", "-838:59:59", kTime, "-3020399000000"},
      {"vec_b30", 19, 0, 0, "60 43 e5", "-507:48:27", kTime, "-1828107000000"},
      {"vec_b31", 19, 0, 0, "80 f1 05", "15:04:05", kTime, "54245000000"},
      {"vec_b31_zero", 19, 0, 0, "80 00 00", "00:00:00", kTime, "0"},
      {"vec_b32", 19, 1, 0, "7f ff ff f6", "-00:00:00.1", kTime, "-100000"},
      {"vec_b33", 19, 1, 0, "81 7e fb 5a", "23:59:59.9", kTime, "86399900000"},
      {"vec_b34", 19, 2, 0, "7f ff ff ff", "-00:00:00.01", kTime, "-10000"},
      {"vec_b35", 19, 2, 0, "7f 0e fa f4", "-15:04:05.12", kTime, "-54245120000"},
      {"vec_b36", 19, 2, 0, "4b 91 05 f4", "-838:59:58.12", kTime, "-3020398120000"},
      {"vec_b37", 19, 3, 0, "4b 91 05 d8 fa", "-838:59:58.999", kTime, "-3020398999000"},
      {"vec_b38", 19, 3, 0, "80 00 00 00 0a", "00:00:00.001", kTime, "1000"},
      {"vec_b39", 19, 3, 0, "7e fd fb f6 3c", "-16:08:04.250", kTime, "-58084250000"},
      {"vec_b40", 19, 4, 0, "7f ff ff ff ff", "-00:00:00.0001", kTime, "-100"},
      {"vec_b41", 19, 6, 0, "7f ff ff ff ff ff", "-00:00:00.000001", kTime, "-1"},
      {"vec_b42", 19, 6, 0, "7f 0e fa fe 1d c0", "-15:04:05.123456", kTime, "-54245123456"},
      {"vec_b43", 19, 6, 0, "7e fd fb ff d8 75", "-16:08:04.010123", kTime, "-58084010123"},
      {"vec_b44", 19, 6, 0, "b4 6e fb 00 00 00", "838:59:59.000000", kTime, "3020399000000"},
      {"vec_b56_second", 11, 0, 0, "ff ff ff", "-00:00:01", kTime, "-1000000"},
      {"vec_b56_max", 11, 0, 0, "a7 f5 7f", "838:59:59", kTime, "3020399000000"},
      {"vec_b56_min", 11, 0, 0, "59 0a 80", "-838:59:59", kTime, "-3020399000000"},
  };
  return vectors;
}

const std::vector<Vector>& dates() {
  static const std::vector<Vector> vectors{
      {"vec_b25", 10, 0, 0, "00 00 00", "0000-00-00", kDate, nullptr},
      {"vec_b26", 10, 0, 0, "9f 1f 4e", "9999-12-31", kDate, "2932896"},
      {"vec_b27", 10, 0, 0, "1c c0 0f", "2016-00-28", kDate, nullptr},
      {"vec_b45", 18, 0, 0, "80 00 00 00 00", "0000-00-00 00:00:00", kDatetime, nullptr},
      {"vec_b46", 18, 0, 0, "8c b2 42 00 00", "1000-01-01 00:00:00", kDatetime, "-30610224000000000"},
      {"vec_b47", 18, 0, 0, "99 9a b8 f7 aa", "2016-10-28 15:30:42", kDatetime, "1477668642000000"},
      {"vec_b48", 18, 0, 0, "99 98 38 f7 aa", "2016-00-28 15:30:42", kDatetime, nullptr},
      {"vec_b49", 18, 0, 0, "80 00 02 f1 05", "0000-00-01 15:04:05", kDatetime, nullptr},
      {"vec_b50", 18, 3, 0, "99 84 80 00 00 13 88", "2010-00-00 00:00:00.500", kDatetime, nullptr},
      {"vec_b51", 18, 3, 0, "80 03 82 00 00 04 ce", "0001-01-01 00:00:00.123", kDatetime, "-62135596799877000"},
      {"vec_b52", 18, 6, 0, "99 02 c2 00 00 00 00 01", "1970-01-01 00:00:00.000001", kDatetime, "1"},
      {"vec_b53", 18, 6, 0, "fe f3 ff 7e fb 0f 42 3f", "9999-12-31 23:59:59.999999", kDatetime, "253402300799999999"},
      {"vec_b54_zero", 17, 0, 0, "00 00 00 00", "0000-00-00 00:00:00", kTimestamp, nullptr},
      {"vec_b54_second", 17, 0, 0, "00 00 00 01", "1970-01-01 00:00:01", kTimestamp, "1000000"},
      {"timestamp_of_2106", 17, 0, 0, "ff ff ff ff", "2106-02-07 06:28:15", kTimestamp, "4294967295000000"},
      {"old_timestamp_of_2106", 7, 0, 0, "ff ff ff ff", "2106-02-07 06:28:15", kTimestamp, "4294967295000000"},
      {"vec_b55", 17, 6, 0, "7f ff ff ff 0f 42 3f", "2038-01-19 03:14:07.999999", kTimestamp, "2147483647999999"},
      {"vec_b57", 12, 0, 0, "d2 de eb 1a 56 12 00 00", "2016-10-28 15:30:42", kDatetime, "1477668642000000"},
      {"vec_b58", 12, 0, 0, "77 87 d1 05 f1 5a 00 00", "9999-12-31 23:59:59", kDatetime, "253402300799000000"},
      {"vec_b59", 7, 0, 0, "22 6f 13 58", "2016-10-28 15:30:42", kTimestamp, "1477668642000000"},
  };
  return vectors;
}

std::vector<std::string> numbered(size_t count) {
  std::vector<std::string> members;
  for (size_t i = 1; i <= count; ++i) members.push_back("m" + std::to_string(i));
  return members;
}

const std::vector<Vector>& strings() {
  static const std::string many_b = "'" + std::string(200, 'b') + "'";
  static const std::string many_b_unquoted(200, 'b');
  static const std::string many_b_hex = [] {
    std::string hex;
    for (int i = 0; i < 200; ++i) hex += "62";
    return hex;
  }();
  static const std::vector<Vector> vectors{
      {"vec_b60", 254, 0xfe, 0x0a, "02 61 62", "'ab'", kText, "ab", false, "latin1"},
      {"vec_b61", 254, 0xce, 0xfc, "02 00 c3 a9", "'é'", kText, "é", false, "utf8mb4"},
      {"vec_b62", 254, 0xfe, 0x28, "06 e6 97 a5 e6 9c ac", "'日本'", kText, "日本", false, "utf8mb4"},
      {"vec_b63", 254, 0xfe, 0x05, "01 61", "6100000000", kBytes, "a\0\0\0\0", false, ""},
      {"vec_b64", 15, 0x2c, 0x01, "03 00 78 66 66", "786666", kBytes, "xff", false, ""},
      {"vec_b65", 15, 0x00, 0x01, "01 00 79", "'y'", kText, "y", false, "latin1"},
      {"vec_b66", 254, 0xf7, 1, "02", "'b'", kText, "b", false, nullptr, {"a", "b"}},
      {"vec_b66_invalid", 254, 0xf7, 1, "00", "''", kText, "", false, nullptr, {"a", "b"}},
      {"vec_b67", 254, 0xf7, 2, "01 01", "'m257'", kText, "m257", false, nullptr,
       [] {
         std::vector<std::string> members(257, "x");
         members.back() = "m257";
         return members;
       }()},
      {"vec_b68", 254, 0xf8, 1, "05", "'x,z'", kText, "x,z", false, nullptr, {"x", "y", "z"}},
      {"vec_b69_utf16", 252, 1, 0, "02 20 ac", "'€'", kText, "€", false, "utf16"},
      {"vec_b69_utf32", 252, 1, 0, "04 00 00 65 e5", "'日'", kText, "日", false, "utf32"},
      {"vec_b70_sjis", 252, 1, 0, "02 93 fa", "'日'", kText, "日", false, "sjis"},
      {"vec_b70_gbk", 252, 1, 0, "02 c8 d5", "'日'", kText, "日", false, "gbk"},
      {"vec_b71", 255, 4, 0, "19 00 00 00 e6 10 00 00 01 01 00 00 00 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 40",
       "E6100000010100000000000000"
       "0000F03F0000000000000040",
       kBytes, "\xe6\x10"},
      {"vec_b72",
       254,
       0xfe,
       0x10,
       "0f 12 3e 45 67 e8 9b 12 d3 a4 56 42 66 55 44 00",
       "'123e4567-e89b-12d3-a456-426655440000'",
       kText,
       "123e4567-e89b-12d3-a456-426655440000",
       false,
       "",
       {},
       SqlType::uuid},
      {"vec_b73_inet6",
       254,
       0xfe,
       0x10,
       "10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01",
       "'::1'",
       kText,
       "::1",
       false,
       "",
       {},
       SqlType::inet6},
      {"vec_b73_inet4",
       254,
       0xfe,
       0x04,
       "04 c0 00 02 01",
       "'192.0.2.1'",
       kText,
       "192.0.2.1",
       false,
       "",
       {},
       SqlType::inet4},
      {"vec_b74", 242, 4, 0, "0c 00 00 00 cd cc 8c 3f cd cc 0c 40 33 33 53 40", "CDCC8C3FCDCC0C4033335340", kBytes,
       "\xcd\xcc\x8c?\xcd\xcc\x0c@33S@"},
      {"set_of_64", 254, 0xf8, 8, "01 00 00 00 00 00 00 80", "'m1,m64'", kText, "m1,m64", false, nullptr, numbered(64)},
      {"varchar_compressed", 141, 0x2d, 0x01, "08 00 89 c8 4b 4a 1a 1e 00 00", many_b.c_str(), kText,
       many_b_unquoted.c_str(), false, "latin1"},
      {"varchar_compressed_raw", 141, 0x2d, 0x01, "02 00 00 e9", "'é'", kText, "é", false, "latin1"},
      {"blob_compressed", 140, 2, 0, "08 00 89 c8 4b 4a 1a 1e 00 00", many_b_hex.c_str(), kBytes, "bbbbbbbb", false,
       ""},
      {"blob_compressed_empty", 140, 1, 0, "00", "", kBytes, "", false, ""},
      {"inet6_short_zero_run",
       254,
       0xfe,
       0x10,
       "10 00 01 00 00 00 02 00 03 00 04 00 05 00 06 00 07",
       "'1::2:3:4:5:6:7'",
       kText,
       "1::2:3:4:5:6:7",
       false,
       "",
       {},
       SqlType::inet6},
      {"inet6_with_inet4",
       254,
       0xfe,
       0x10,
       "10 00 00 00 00 00 00 00 00 00 00 ff ff 01 02 03 04",
       "'::ffff:1.2.3.4'",
       kText,
       "::ffff:1.2.3.4",
       false,
       "",
       {},
       SqlType::inet6},
      {"inet6_zeros_cut", 254, 0xfe, 0x10, "02 00 01", "'1::'", kText, "1::", false, "", {}, SqlType::inet6},
      {"latin1_is_cp1252", 15, 0x14, 0, "03 80 ff 8d", "'€ÿ\u008d'", kText, "€ÿ\u008d", false, "latin1"},
  };
  return vectors;
}

class CellVector : public ::testing::TestWithParam<Vector> {};
class ColumnVector : public ::testing::TestWithParam<Vector> {};

std::vector<Vector> with_target(const std::vector<Vector>& all) {
  std::vector<Vector> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), [](const Vector& v) { return v.target.type != 0; });
  return out;
}

ColumnFacts facts_of(const Vector& vector) {
  ColumnFacts facts;
  facts.name = "c";
  facts.is_unsigned = vector.is_unsigned;
  if (vector.charset != nullptr) facts.charset = vector.charset;
  facts.members = vector.members;
  facts.sql_type = vector.sql_type;
  return facts;
}

TEST_P(CellVector, decodes) {
  const Vector& vector = GetParam();
  const ColumnType type = describe_column(vector.type, vector.meta_first, vector.meta_second, true);
  Value value;
  const Bytes cell = from_hex(vector.hex);
  const auto done = decode_cell(type, facts_of(vector), cell, value);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(value_text(value), vector.expected);
  // One byte more or less is not this cell.
  Bytes longer = cell;
  longer.push_back(0);
  EXPECT_FALSE(decode_cell(type, facts_of(vector), longer, value).ok());
  EXPECT_EQ(cell_width(type, std::span(cell).first(cell.size() - 1)), std::nullopt);
}

TEST_P(ColumnVector, fills_a_column) {
  const Vector& vector = GetParam();
  auto map = std::make_shared<TableMap>();
  map->database = "d";
  map->table = "t";
  map->columns = {describe_column(vector.type, vector.meta_first, vector.meta_second, true)};
  map->metadata.resize(1);
  TableSchema schema;
  ColumnSchema column;
  column.name = "c";
  column.type = vector.sql_type;
  column.is_unsigned = vector.is_unsigned;
  column.members = vector.members;
  if (vector.charset != nullptr && vector.sql_type == SqlType::unknown) {
    const bool binary = *vector.charset == '\0';
    column.type = binary ? SqlType::varbinary : SqlType::varchar;
    column.charset = vector.charset;
  }
  schema.columns = {column};
  const TargetColumn target{0, vector.target};
  auto program = ColumnProgram::compile(map, &schema, {&target, 1});
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  Bytes row{0};
  const Bytes cell = from_hex(vector.hex);
  row.insert(row.end(), cell.begin(), cell.end());
  const uint8_t present = 1;
  RowsEvent rows;
  rows.column_count = 1;
  rows.present = {&present, 1};
  rows.rows = row;
  ColumnBatch batch({vector.target}, 8, 1024);
  RowCursor cursor;
  auto fill = program->decode(rows, cursor, batch.output());
  ASSERT_TRUE(fill.ok()) << fill.error().to_string();
  ASSERT_EQ(*fill, FillState::event_done);
  ASSERT_EQ(batch.rows(), 1u);
  const auto text = batch.text(0, 0);
  EXPECT_EQ(text.has_value(), vector.target_text != nullptr);
  EXPECT_EQ(program->counters().zero_dates, vector.target_text != nullptr ? 0u : 1u);
  if (!text || vector.target_text == nullptr) return;
  if (vector.target.type == TIDEMARK_BYTES) {
    EXPECT_EQ(text->substr(0, std::string_view(vector.target_text).size()), vector.target_text);
  } else {
    EXPECT_EQ(*text, vector.target_text);
  }
}

std::string name_of(const ::testing::TestParamInfo<Vector>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(integers, CellVector, ::testing::ValuesIn(integers()), name_of);
INSTANTIATE_TEST_SUITE_P(integers, ColumnVector, ::testing::ValuesIn(with_target(integers())), name_of);
INSTANTIATE_TEST_SUITE_P(decimals, CellVector, ::testing::ValuesIn(decimals()), name_of);
INSTANTIATE_TEST_SUITE_P(decimals, ColumnVector, ::testing::ValuesIn(with_target(decimals())), name_of);
INSTANTIATE_TEST_SUITE_P(times, CellVector, ::testing::ValuesIn(times()), name_of);
INSTANTIATE_TEST_SUITE_P(times, ColumnVector, ::testing::ValuesIn(with_target(times())), name_of);
INSTANTIATE_TEST_SUITE_P(dates, CellVector, ::testing::ValuesIn(dates()), name_of);
INSTANTIATE_TEST_SUITE_P(dates, ColumnVector, ::testing::ValuesIn(with_target(dates())), name_of);
INSTANTIATE_TEST_SUITE_P(strings, CellVector, ::testing::ValuesIn(strings()), name_of);
INSTANTIATE_TEST_SUITE_P(strings, ColumnVector, ::testing::ValuesIn(with_target(strings())), name_of);

// Vectors 28 to 44, packed again.
TEST(Temporal, times_round_trip) {
  for (const Vector& vector : times()) {
    if (vector.type != 19) continue;
    const uint32_t fsp = vector.meta_first;
    const Bytes cell = from_hex(vector.hex);
    const int64_t micros = unpack_time2(cell.data(), fsp);
    const int64_t size = micros < 0 ? -micros : micros;
    const uint32_t fraction = fraction_bytes(fsp);
    const int64_t seconds = size / 1'000'000;
    int64_t packed = (seconds / 3600) << 12 | (seconds / 60 % 60) << 6 | seconds % 60;
    packed = packed << 8 * fraction | size % 1'000'000 / kPowersOfTen[6 - 2 * fraction];
    packed = (int64_t{1} << (8 * (3 + fraction) - 1)) + (micros < 0 ? -packed : packed);
    EXPECT_EQ(static_cast<uint64_t>(packed), load_be(cell.data(), 3 + fraction)) << vector.name;
  }
}

// Types that no column of a living server has, and compressed values that are damaged: refused, with the way out.
TEST(CellVector, what_cannot_be_decoded_is_refused) {
  for (const uint8_t code : {uint8_t{0}, uint8_t{6}, uint8_t{20}, uint8_t{243}}) {
    const ColumnType type = describe_column(code, 0, 0, true);
    EXPECT_FALSE(type.width_known()) << int{code};
    EXPECT_NE(std::string_view(undecoded_reason(type.type)), "") << int{code};
  }
  const ColumnType text = describe_column(141, 0x2d, 0x01, true);
  ColumnFacts facts;
  facts.name = "c";
  facts.charset = "latin1";
  Value value;
  for (const char* hex : {"08 00 89 c9 4b 4a 1a 1e 00 00",     // another size
                          "08 00 89 c8 4b 4a 1a 1e 00 01",     // another stream
                          "02 00 79 01",                       // another algorithm
                          "05 00 8c ff ff ff ff",              // larger than any
                          "01 00 89",                          // cut
                          "08 00 8a 01 2d 4b 4a 1a 1e 00"}) {  // larger than the column
    const auto done = decode_cell(text, facts, from_hex(hex), value);
    ASSERT_FALSE(done.ok()) << hex;
    EXPECT_EQ(done.error().kind, ErrorKind::corrupt);
  }
}

// A charset that nobody knows is refused, never passed through.
TEST(CellVector, unknown_charset_is_refused) {
  const ColumnType text = describe_column(252, 1, 0, true);
  ColumnFacts facts;
  facts.name = "c";
  facts.charset = "unknown";
  Value value;
  const auto done = decode_cell(text, facts, from_hex("02 c8 d5"), value);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::unsupported);
  EXPECT_NE(done.error().text.find("unknown"), std::string::npos);
  EXPECT_FALSE(done.error().remedy.empty());
}

// Calendar arithmetic against its own inverse over all days of years 0 to 9999.
TEST(Temporal, calendar_round_trip) {
  EXPECT_EQ(days_from_civil(1970, 1, 1), 0);
  EXPECT_EQ(days_from_civil(2000, 3, 1), 11017);
  EXPECT_EQ(days_from_civil(0, 1, 1), -719528);
  DateTimeParts before{};
  for (int32_t days = -719528; days <= 2932896; ++days) {
    const DateTimeParts parts = civil_from_days(days);
    ASSERT_EQ(days_from_civil(parts.year, parts.month, parts.day), days);
    ASSERT_TRUE(date_exists(parts.year, parts.month, parts.day));
    const bool next_day = parts.day == before.day + 1 || (parts.day == 1 && before.day >= 28) || before.year == 0;
    ASSERT_TRUE(next_day);
    before = parts;
  }
  EXPECT_FALSE(date_exists(1900, 2, 29));
  EXPECT_TRUE(date_exists(2000, 2, 29));
  EXPECT_FALSE(date_exists(2024, 4, 31));
}

}  // namespace
}  // namespace tidemark::binlog
