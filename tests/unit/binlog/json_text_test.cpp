// SPDX-License-Identifier: Apache-2.0
// MySQL's JSON binary to text: the vectors of the format, the server's spelling of numbers and strings, and documents
// that no server writes.
// One thread.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "binlog/cell.hpp"
#include "binlog/json_text.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"

namespace tidemark::binlog {
namespace {

constexpr const char* kCorrupt = "<corrupt>";

std::string text_of(const Bytes& document) {
  std::string out;
  JsonSink sink(out);
  if (write_json_text(document, sink) != JsonResult::ok) return kCorrupt;
  JsonSink counter;
  EXPECT_EQ(write_json_text(document, counter), JsonResult::ok);
  EXPECT_EQ(counter.written(), out.size());
  EXPECT_LE(out.size(), document.size() * kJsonTextFactor + kJsonTextExtra);
  return out;
}

std::string text_of(std::string_view hex) {
  return text_of(from_hex(hex));
}

// A cell with its length prefix, through decode_cell and through a program that writes into a heap of just its size.
std::string cell_text(std::string_view hex) {
  const Bytes cell = from_hex(hex);
  auto map = std::make_shared<TableMap>();
  map->database = "d";
  map->table = "t";
  map->columns = {describe_column(245, 4, 0, true)};
  map->metadata.resize(1);
  Value value;
  const auto done = decode_cell(map->columns[0], column_facts(*map, nullptr)[0], cell, value);
  if (!done) return kCorrupt;
  const TargetColumn target{0, {TIDEMARK_JSON, 0, 0}};
  auto program = ColumnProgram::compile(map, nullptr, {&target, 1});
  EXPECT_TRUE(program.ok());
  Bytes row{0};
  row.insert(row.end(), cell.begin(), cell.end());
  const Bytes present{1};
  RowsEvent rows;
  rows.present = present;
  rows.rows = row;
  ColumnBatch batch({target.type}, 1, 0);
  RowCursor cursor;
  EXPECT_EQ(*program->decode(rows, cursor, batch.output()), FillState::heap_full);
  batch.grow_heap(program->heap_bytes_needed());
  EXPECT_EQ(*program->decode(rows, cursor, batch.output()), FillState::event_done);
  EXPECT_EQ(batch.text(0, 0), value.text);
  return value.text;
}

std::string opaque_text(std::string_view hex) {
  return text_of("0f" + std::string(hex));
}

std::string double_text(double number) {
  Bytes document{0x0b};
  put_le(document, std::bit_cast<uint64_t>(number), 8);
  return text_of(document);
}

Bytes string_document(std::string_view text) {
  Bytes document{0x0c};
  size_t length = text.size();
  for (; length > 0x7f; length >>= 7) document.push_back(static_cast<uint8_t>(length | 0x80));
  document.push_back(static_cast<uint8_t>(length));
  put_text(document, text);
  return document;
}

// [[...]]: `depth` arrays, the innermost empty.
Bytes nested_arrays(uint32_t depth) {
  Bytes document{0x03};
  for (uint32_t level = 1; level <= depth; ++level) {
    const uint32_t bytes = 8 + (depth - level) * 13;
    put_le(document, level == depth ? 0 : 1, 4);
    put_le(document, bytes, 4);
    if (level == depth) break;
    document.push_back(0x03);
    put_le(document, 13, 4);
  }
  return document;
}

TEST(JsonText, vec_75_object) {
  EXPECT_EQ(cell_text("0d 00 00 00 00 01 00 0c 00 0b 00 01 00 05 d2 04 61"), R"({"a": 1234})");
}
TEST(JsonText, vec_76_empty_object) {
  EXPECT_EQ(cell_text("05 00 00 00 00 00 00 04 00"), "{}");
}
TEST(JsonText, vec_77_opaque_date) {
  EXPECT_EQ(opaque_text("0a 08 00 00 00 00 00 e4 8b 19"), R"("2012-03-18")");
}
TEST(JsonText, vec_78_opaque_datetime) {
  EXPECT_EQ(opaque_text("0c 08 00 00 00 ad b7 e4 8b 19"), R"("2012-03-18 11:30:45.000000")");
  EXPECT_EQ(opaque_text("07 08 00 00 00 ad b7 e4 8b 19"), R"("2012-03-18 11:30:45.000000")");  // TIMESTAMP
}
TEST(JsonText, vec_79_opaque_time) {
  EXPECT_EQ(opaque_text("0b 08 f1 fb 09 ee 77 05 00 00"), R"("87:31:46.654321")");
  EXPECT_EQ(opaque_text("0b 08 0f 04 f6 11 88 fa ff ff"), R"("-87:31:46.654321")");
}
TEST(JsonText, vec_80_opaque_decimal) {
  EXPECT_EQ(opaque_text("f6 06 06 03 80 7b 01 c8"), "123.456");
}
TEST(JsonText, vec_81_opaque_decimal) {
  EXPECT_EQ(opaque_text("f6 07 0b 02 80 00 00 09 00"), "9.00");
  EXPECT_EQ(opaque_text("f6 03 01 01 81"), "0.1");  // with its leading zero
}
TEST(JsonText, vec_82_opaque_varchar) {
  EXPECT_EQ(opaque_text("0f 01 55"), R"("base64:type15:VQ==")");
}

TEST(JsonText, scalars) {
  EXPECT_EQ(cell_text("00 00 00 00"), "null");  // INSERT IGNORE
  EXPECT_EQ(text_of("04 00"), "null");
  EXPECT_EQ(text_of("04 01"), "true");
  EXPECT_EQ(text_of("04 02"), "false");
  EXPECT_EQ(text_of("05 00 80"), "-32768");
  EXPECT_EQ(text_of("06 ff ff"), "65535");
  EXPECT_EQ(text_of("07 00 00 00 80"), "-2147483648");
  EXPECT_EQ(text_of("08 ff ff ff ff"), "4294967295");
  EXPECT_EQ(text_of("09 00 00 00 00 00 00 00 80"), "-9223372036854775808");
  EXPECT_EQ(text_of("0a ff ff ff ff ff ff ff ff"), "18446744073709551615");
  for (const int32_t number : {0, 7, -7, 10, 99, 100, -9999, 10000, 1234567, 99999999, -99999999, 100000000}) {
    Bytes document{0x07};
    put_le(document, static_cast<uint32_t>(number), 4);
    EXPECT_EQ(text_of(document), std::to_string(number));
  }
  EXPECT_EQ(text_of("03 02 00 00 00 12 00 00 00 07 ff ff ff ff 08 ff ff ff ff"), "[-1, 4294967295]");
}

TEST(JsonText, doubles_as_the_server_writes_them) {
  EXPECT_EQ(double_text(1.0), "1.0");
  EXPECT_EQ(double_text(0.0), "0.0");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(double_text(-1.5), "-1.5");
  EXPECT_EQ(double_text(0.1), "0.1");
  EXPECT_EQ(double_text(1e308), "1e308");
  EXPECT_EQ(double_text(-2.2250738585072014e-308), "-2.2250738585072014e-308");
  EXPECT_EQ(double_text(5e-324), "5e-324");
  EXPECT_EQ(double_text(1234.5678), "1234.5678");
  EXPECT_EQ(double_text(-0.05), "-0.05");
  EXPECT_EQ(double_text(0.0001), "0.0001");
  EXPECT_EQ(double_text(0.00005), "0.00005");
  EXPECT_EQ(double_text(99999999999.99), "99999999999.99");
  EXPECT_EQ(double_text(100000000000.01), "100000000000.01");
  EXPECT_EQ(double_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(double_text(1e14), "100000000000000.0");
  EXPECT_EQ(double_text(1e15), "1e15");
  EXPECT_EQ(double_text(123456789012345680.0), "1.2345678901234568e17");
  EXPECT_EQ(double_text(1234567890123456.5), "1234567890123456.5");
  EXPECT_EQ(double_text(1e-15), "0.000000000000001");
  EXPECT_EQ(double_text(1e-16), "1e-16");
  EXPECT_EQ(double_text(-1.2345678901234568e-15), "-0.0000000000000012345678901234568");
  EXPECT_EQ(text_of("0b 00 00 00 00 00 00 f0 7f"), kCorrupt);  // infinity
}

TEST(JsonText, doubles_read_back) {
  uint64_t seed = 42;
  for (int i = 0; i < 20'000; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const double number = i % 2 == 0 ? std::bit_cast<double>(seed) : static_cast<double>(seed >> 20) / 1e4;
    if (!std::isfinite(number)) continue;
    const std::string text = double_text(number);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), number) << text;
    char shortest[64];
    const auto end = std::to_chars(shortest, shortest + sizeof shortest, number, std::chars_format::scientific).ptr;
    const auto digits = [](std::string_view of) {
      std::string out;
      for (const char c : of.substr(0, of.find('e'))) {
        if (c >= '0' && c <= '9') out += c;
      }
      out.erase(0, std::min(out.find_first_not_of('0'), out.size()));
      while (out.ends_with('0')) out.pop_back();
      return out;
    };
    EXPECT_EQ(digits(text), digits({shortest, end})) << text;
  }
}

TEST(JsonText, strings) {
  EXPECT_EQ(text_of(string_document("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f")),
            "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(text_of(string_document("日本 ü 😀")), "\"日本 ü 😀\"");
  std::string longer(300, 'x');
  longer.append("\n").append(16383, 'y');
  EXPECT_EQ(text_of(string_document(longer)).size(), longer.size() + 3);
  EXPECT_EQ(text_of("0c 02 c3 28"), kCorrupt);                 // not UTF-8
  EXPECT_EQ(text_of("0c 03 61 62"), kCorrupt);                 // longer than the document
  EXPECT_EQ(text_of("0c ff ff ff ff ff ff 01 61"), kCorrupt);  // a length of too many bytes
  Bytes blob{0x0f, 0xfc, 60};
  blob.insert(blob.end(), 60, 0);
  EXPECT_EQ(text_of(blob), "\"base64:type252:" + std::string(76, 'A') + "\\nAAAA\"");  // the server breaks lines
}

TEST(JsonText, depth) {
  EXPECT_EQ(text_of(nested_arrays(100)), std::string(100, '[') + std::string(100, ']'));
  EXPECT_EQ(text_of(nested_arrays(101)), kCorrupt);
}

TEST(JsonText, damaged_documents) {
  EXPECT_EQ(text_of("0d"), kCorrupt);                                      // unknown type
  EXPECT_EQ(text_of("04"), kCorrupt);                                      // no value
  EXPECT_EQ(text_of("04 03"), kCorrupt);                                   // unknown literal
  EXPECT_EQ(text_of("00 01 00"), kCorrupt);                                // header cut
  EXPECT_EQ(text_of("02 00 00 05 00"), kCorrupt);                          // larger than the document
  EXPECT_EQ(text_of("02 02 00 0a 00 05 01 00 05"), kCorrupt);              // entries cut
  EXPECT_EQ(text_of("02 01 00 09 00 0c 04 00 01 61"), kCorrupt);           // points into the entries
  EXPECT_EQ(text_of("02 01 00 09 00 0c 0a 00 01 61"), kCorrupt);           // points behind the container
  EXPECT_EQ(text_of("00 01 00 0c 00 0c 00 01 00 05 d2 04 61"), kCorrupt);  // key behind the end
  EXPECT_EQ(text_of("0f 0a 03 00 00 00"), kCorrupt);                       // a date of 3 bytes
  EXPECT_EQ(text_of("0f f6 05 42 02 80 00 00"), kCorrupt);                 // 66 digits
  EXPECT_EQ(text_of("0f f6 03 01 01 8f"), kCorrupt);                       // a digit of 15
  EXPECT_EQ(text_of("0f 0c 08 00 00 00 ad ff e4 8b 19"), kCorrupt);        // minute 63
}

// Many entries that point at one long string: the text would be far larger than the document.
TEST(JsonText, shared_children_do_not_multiply) {
  constexpr uint32_t kEntries = 10'000;
  Bytes document{0x03};
  const Bytes text = string_document(std::string(60'000, 'x'));
  put_le(document, kEntries, 4);
  put_le(document, 8 + kEntries * 5 + text.size() - 1, 4);
  for (uint32_t i = 0; i < kEntries; ++i) {
    document.push_back(0x0c);
    put_le(document, 8 + kEntries * 5, 4);
  }
  document.insert(document.end(), text.begin() + 1, text.end());
  std::string out;
  JsonSink sink(out);
  EXPECT_EQ(write_json_text(document, sink), JsonResult::corrupt);
  EXPECT_LT(out.size(), document.size() * kJsonTextFactor);
}

}  // namespace
}  // namespace tidemark::binlog
