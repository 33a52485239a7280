// SPDX-License-Identifier: Apache-2.0
// Text of all charsets to UTF-8: characters, and bytes that are none. (tests/integration/charsets.py compares every
// sequence with a server.)
// One thread.
#include <gtest/gtest.h>

#include <random>

#include "binlog/cell.hpp"
#include "binlog/change_json.hpp"
#include "binlog/charset.hpp"
#include "binlog/charset_decoder.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"

namespace tidemark::binlog {
namespace {

struct Text {
  const char* charset;
  const char* hex;
  const char* utf8;
  uint64_t replaced = 0;
};

class CharsetText : public ::testing::TestWithParam<Text> {};

TEST_P(CharsetText, becomes_utf8) {
  const Text& text = GetParam();
  const CharsetDecoder* charset = CharsetDecoder::find(text.charset);
  ASSERT_NE(charset, nullptr);
  // Also behind and before runs of ASCII that are taken eight bytes at a time.
  const bool wide =
      charset_rule(text.charset) == CharsetRule::convert && std::string_view(text.charset).starts_with("u");
  const std::string around = wide ? "" : "0123456789abcdef";
  const Bytes bytes = from_hex(text.hex);
  const std::string all = around + std::string(bytes.begin(), bytes.end()) + around;
  std::string out = "before ";
  EXPECT_EQ(charset->append(all, out), text.replaced);
  EXPECT_EQ(out, "before " + around + text.utf8 + around);
  const DecodedText measured = charset->measure(reinterpret_cast<const uint8_t*>(all.data()), all.size());
  EXPECT_EQ(measured.size, out.size() - 7);
  EXPECT_EQ(measured.replaced, text.replaced);
}

constexpr Text kCharacters[] = {
    {"utf8mb4", "c3a9 e697a5 f09f9880", "é日😀"},
    {"utf8mb3", "c3a9 e697a5", "é日"},
    {"latin1", "80 e9 8d", "€é\u008d"},
    {"latin2", "b1", "ą"},
    {"latin5", "f0", "ğ"},
    {"latin7", "c0", "Ą"},
    {"cp1250", "9c", "ś"},
    {"cp1251", "cf f0", "Пр"},
    {"cp1256", "c8", "ب"},
    {"cp1257", "e0", "ą"},
    {"cp850", "82", "é"},
    {"cp852", "a5", "ą"},
    {"cp866", "8f", "П"},
    {"koi8r", "f0", "П"},
    {"koi8u", "a6", "і"},
    {"greek", "e1", "α"},
    {"hebrew", "e0", "א"},
    {"tis620", "a1", "ก"},
    {"armscii8", "b2", "Ա"},
    {"geostd8", "c0", "ა"},
    {"keybcs2", "80", "Č"},
    {"dec8", "d7", "Œ"},
    {"hp8", "c5", "é"},
    {"macce", "88", "ą"},
    {"macroman", "8e", "é"},
    {"gbk", "c8d5", "日"},
    {"gb2312", "c8d5", "日"},
    {"gb18030", "c8d5 8130 8130 9439 fc36", "日\u0080😀"},
    {"big5", "a4e9", "日"},
    {"sjis", "93fa b1 5c", "日ｱ\\"},
    {"cp932", "93fa 8740", "日①"},
    {"ujis", "c6fc 8eb1 8fb0a1", "日ｱ丂"},
    {"eucjpms", "c6fc ada1", "日①"},
    {"euckr", "c7d1", "한"},
    {"ucs2", "0041 65e5", "A日"},
    {"utf16", "20ac d83d de00", "€😀"},
    {"utf16le", "ac20 3dd8 00de", "€😀"},
    {"utf32", "000065e5 0001f600", "日😀"},
};

constexpr Text kInvalid[] = {
    {"ascii", "41 e9", "A\ufffd", 1},
    {"utf8mb4", "ff", "\ufffd", 1},
    {"utf8mb4", "e697", "\ufffd\ufffd", 2},  // cut
    {"utf8mb4", "e697 41", "\ufffd\ufffdA", 2},
    {"utf8mb4", "c0af", "\ufffd\ufffd", 2},                  // overlong
    {"utf8mb4", "eda080", "\ufffd\ufffd\ufffd", 3},          // a surrogate
    {"utf8mb4", "f4908080", "\ufffd\ufffd\ufffd\ufffd", 4},  // beyond U+10FFFF
    {"utf8mb3", "c3a9 f09f9880", "é\ufffd\ufffd\ufffd\ufffd", 4},
    {"cp1250", "81 9c", "\ufffdś", 1},
    {"swe7", "ff", "\ufffd", 1},
    {"gbk", "80 c8d5", "\ufffd日", 1},
    {"gbk", "c8 21 c8d5", "\ufffd!日", 1},   // no trail byte
    {"gbk", "a2a0 41", "\ufffd\ufffdA", 2},  // unassigned
    {"gb18030", "8130 8141", "\ufffd0丄", 1},
    {"gb18030", "e3329a36 41", "\ufffd\ufffd\ufffd\ufffdA", 4},  // beyond U+10FFFF
    {"big5", "a4", "\ufffd", 1},
    {"sjis", "8740", "\ufffd\ufffd", 2},
    {"ujis", "8fa1", "\ufffd\ufffd", 2},
    {"euckr", "ff", "\ufffd", 1},
    {"ucs2", "d83d 0041", "\ufffd\ufffdA", 2},
    {"ucs2", "0041 65", "A\ufffd", 1},
    {"utf16", "d83d 0041 de00", "\ufffd\ufffdA\ufffd\ufffd", 4},
    {"utf16le", "3dd8", "\ufffd\ufffd", 2},
    {"utf32", "00110000 0000d800 00", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", 9},
};

INSTANTIATE_TEST_SUITE_P(characters, CharsetText, ::testing::ValuesIn(kCharacters));
INSTANTIATE_TEST_SUITE_P(invalid, CharsetText, ::testing::ValuesIn(kInvalid));

TEST(Charset, every_collation_has_a_decoder_or_is_binary) {
  for (uint32_t id = 1; id < 4096; ++id) {
    const std::string_view charset = charset_of_collation(id);
    if (charset == "unknown" || charset.empty()) continue;
    EXPECT_NE(charset_rule(charset), CharsetRule::unsupported) << id << " " << charset;
    EXPECT_GT(charset_max_bytes(charset), 0u) << charset;
  }
  EXPECT_EQ(CharsetDecoder::find("binary"), nullptr);
  EXPECT_EQ(CharsetDecoder::find("unknown"), nullptr);
}

TEST(Charset, any_bytes_become_valid_utf8_of_the_measured_size) {
  std::mt19937 random(7);
  const CharsetDecoder* utf8 = CharsetDecoder::find("utf8mb4");
  for (uint32_t id = 1; id < 256; ++id) {
    const CharsetDecoder* charset = CharsetDecoder::find(charset_of_collation(id));
    if (charset == nullptr) continue;
    Bytes bytes(random() % 300);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
    std::string out;
    const uint64_t replaced = charset->append({reinterpret_cast<char*>(bytes.data()), bytes.size()}, out);
    const auto* text = reinterpret_cast<const uint8_t*>(out.data());
    EXPECT_TRUE(utf8->is_valid_utf8(text, out.size())) << id;
    EXPECT_LE(out.size(), bytes.size() * CharsetDecoder::kGrowth);
    EXPECT_EQ(charset->measure(bytes.data(), bytes.size()).size, out.size());
    EXPECT_EQ(charset->measure(bytes.data(), bytes.size()).replaced, replaced);
  }
}

// The quick check against the loop that finds the place, on all short sequences of bytes that matter.
TEST(Charset, quick_check_of_utf8_agrees_with_decoding) {
  constexpr uint8_t kBytes[] = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2,
                                0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};
  for (const char* name : {"utf8mb3", "utf8mb4"}) {
    const CharsetDecoder* charset = CharsetDecoder::find(name);
    for (size_t i = 0; i < 160'000; ++i) {
      uint8_t text[12] = {'a', 'b', 'c', 'd', 'e', 'f'};
      size_t rest = i;
      for (size_t k = 6; k < 10; ++k, rest /= 20) text[k] = kBytes[rest % 20];
      for (const size_t size : {9u, 10u}) {
        ASSERT_EQ(charset->is_valid_utf8(text, size), charset->measure(text, size).replaced == 0) << name << i;
      }
    }
  }
}

/// A row of one VARCHAR column of the charset.
struct OneText {
  OneText(const char* charset, std::string_view content) {
    map->database = "d";
    map->table = "t";
    map->columns = {describe_column(15, 0xff, 0, true)};
    map->metadata.resize(1);
    ColumnSchema column;
    column.name = "c";
    column.type = SqlType::varchar;
    column.charset = charset;
    schema.columns = {column};
    row = {0, static_cast<uint8_t>(content.size())};
    put_text(row, content);
    rows.column_count = 1;
    rows.present = {&present, 1};
    rows.rows = row;
  }
  std::shared_ptr<TableMap> map = std::make_shared<TableMap>();
  TableSchema schema;
  Bytes row;
  const uint8_t present = 1;
  RowsEvent rows;
};

TEST(InvalidText, is_replaced_and_counted_by_cells) {
  const OneText one("utf8mb4", "a\xff\xfe z");
  const TargetColumn target{0, {TIDEMARK_TEXT, 0, 0}};
  auto program = ColumnProgram::compile(one.map, &one.schema, {&target, 1});
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  ColumnBatch batch({target.type}, 4, 64);
  for (int i = 0; i < 2; ++i) {
    RowCursor cursor;
    ASSERT_EQ(*program->decode(one.rows, cursor, batch.output()), FillState::event_done);
  }
  EXPECT_EQ(batch.text(0, 1), "a\ufffd\ufffd z");
  EXPECT_EQ(program->counters().invalid_text, 2u);
}

TEST(InvalidText, cat_shows_the_bytes) {
  const OneText one("gbk", "a\xff");
  const auto facts = column_facts(*one.map, &one.schema);
  Value value;
  ASSERT_TRUE(decode_cell(one.map->columns[0], facts[0], std::span(one.row).subspan(1), value).ok());
  EXPECT_EQ(value.text, "a\ufffd");
  std::string json;
  append_json_value(json, value);
  EXPECT_EQ(json, R"({"not_utf8":"0x61ff"})");
}

TEST(CharsetText, asks_for_no_more_heap_than_it_takes) {
  for (const char* charset : {"utf8mb4", "latin1", "gbk"}) {
    const OneText one(charset, "0123456789");
    const TargetColumn target{0, {TIDEMARK_TEXT, 0, 0}};
    auto program = ColumnProgram::compile(one.map, &one.schema, {&target, 1});
    ColumnBatch batch({target.type}, 4, 9);
    RowCursor cursor;
    ASSERT_EQ(*program->decode(one.rows, cursor, batch.output()), FillState::heap_full);
    EXPECT_EQ(program->heap_bytes_needed(), 10u);
    batch.grow_heap(10);
    ASSERT_EQ(*program->decode(one.rows, cursor, batch.output()), FillState::event_done);
    EXPECT_EQ(batch.text(0, 0), "0123456789");
  }
}

}  // namespace
}  // namespace tidemark::binlog
