// SPDX-License-Identifier: Apache-2.0
// `binlog cat`: JSON spelling of values, and whole files.
// One thread.
#include "binlog/cat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "binlog/change_json.hpp"
#include "binlog_builder.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

std::string json(const Value& value) {
  std::string out;
  append_json_value(out, value);
  return out;
}

Value text_value(ValueKind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  value.has_text = true;
  return value;
}

Value integer_value(int64_t integer) {
  Value value;
  value.kind = ValueKind::integer;
  value.integer = integer;
  return value;
}

Value unsigned_value(uint64_t bits) {
  Value value;
  value.kind = ValueKind::unsigned_;
  value.bits = bits;
  return value;
}

TEST(ChangeJson, ValuesKeepEveryDigit) {
  EXPECT_EQ(json(integer_value(9007199254740992)), "9007199254740992");
  EXPECT_EQ(json(integer_value(-9007199254740993)), "\"-9007199254740993\"");
  EXPECT_EQ(json(unsigned_value(18446744073709551615u)), "\"18446744073709551615\"");
  EXPECT_EQ(json(text_value(ValueKind::decimal, "-0.0100")), "\"-0.0100\"");
  EXPECT_EQ(json(text_value(ValueKind::text, "a\"\\\n\x01ü")), "\"a\\\"\\\\\\n\\u0001ü\"");
  EXPECT_EQ(json(text_value(ValueKind::text, "\xff")), "{\"not_utf8\":\"0xff\"}");
  EXPECT_EQ(json(text_value(ValueKind::text, "\xed\xa0\x80")), "{\"not_utf8\":\"0xeda080\"}");
  EXPECT_EQ(json(text_value(ValueKind::bytes, std::string("\x00\xab", 2))), "\"0x00ab\"");
  EXPECT_EQ(json(Value{}), "null");
  Value number;
  number.kind = ValueKind::float32;
  number.number = 3.4028235e38f;
  EXPECT_EQ(json(number), "3.4028235e+38");
  EXPECT_EQ(rfc3339_utc(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(rfc3339_utc(1'774'742'400'000'000), "2026-03-29T00:00:00.000000Z");
}

class CatTest : public testing::Test {
 protected:
  /// The lines of the file; the error, if there is one, is the last.
  std::vector<std::string> cat(const std::filesystem::path& file, CatOptions options = {}) {
    std::ostringstream out, notes;
    const auto result = cat_file(file, options, out, notes);
    notes_ = notes.str();
    std::vector<std::string> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (!result) lines.push_back("error: " + result.error().to_string());
    return lines;
  }

  std::string notes_;
};

TEST_F(CatTest, NamesComeFromTheLogOrAreNumbersWithANote) {
  const auto folder = test::fresh_folder("cat_names");
  BinlogBuilder first;
  first.query("CREATE TABLE t (id INT NOT NULL, v VARCHAR(20)) CHARSET utf8mb4");
  first.write(folder / "binlog.000001");
  BinlogBuilder second;
  second.mysql_gtid(7, 1'774'742'400'000'000);
  second.begin();
  // db.t: INT NOT NULL, VARCHAR of 80 bytes, and no optional metadata.
  second.event(EventType::table_map, from_hex("07 00 00 00 00 00 01 00 02 64 62 00 01 74 00 02 03 0f 02 50 00 02"));
  const uint64_t at = second.insert(1, "x");
  second.xid();
  second.write(folder / "binlog.000002");
  const std::string head =
      "{\"file\":\"binlog.000002\",\"position\":" + std::to_string(at) +
      ",\"gtid\":\"00010203-0405-0607-0809-0a0b0c0d0e0f:7\",\"commit_time\":"
      "\"2026-03-29T00:00:00.000000Z\",\"table\":\"db.t\",\"op\":\"insert\",\"before\":null,\"after\":";
  const auto named = cat(folder / "binlog.000002");
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0], head + "{\"id\":1,\"v\":\"x\"}}") << notes_;
  EXPECT_EQ(notes_, "");
  const auto numbered = cat(folder / "binlog.000002", {false});
  ASSERT_EQ(numbered.size(), 1u);
  EXPECT_NE(numbered[0].find("\"@1\":"), std::string::npos) << numbered[0];
  EXPECT_NE(notes_.find("the columns of db.t are unknown"), std::string::npos) << notes_;
}

TEST_F(CatTest, CorporaGiveTheSameChangesInEveryForm) {
  // Four ways to write the same changes: FULL, MINIMAL and compressed metadata, two servers.
  const auto changes = [&](const char* name, const char* shard) {
    std::vector<std::string> lines;
    for (const auto& file : test::binlogs_in(test::corpus(name) / shard)) {
      for (std::string& line : cat(file)) {
        const size_t table = line.find(",\"table\":");
        EXPECT_NE(table, std::string::npos) << line;
        if (table == std::string::npos) return lines;
        lines.push_back(line.substr(table));
      }
    }
    std::erase_if(lines, [](const std::string& line) { return line.find(".audit\"") != std::string::npos; });
    return lines;
  };
  for (const char* shard : {"shard-01", "shard-03"}) {
    const auto mysql = changes("orders-mysql-9.7", shard);
    const auto mariadb = changes("orders-mariadb-10.11", shard);
    ASSERT_GT(mysql.size(), 3000u);
    EXPECT_EQ(mysql, mariadb);
  }
}

TEST_F(CatTest, WhatCannotBeShownIsSaid) {
  cat(test::corpus("variants") / "mariadb-10.11-statement-format.binlog");
  EXPECT_NE(notes_.find(":640: data was changed by a logged statement"), std::string::npos) << notes_;
  const auto folder = test::fresh_folder("cat_torn");
  BinlogBuilder log;
  log.mysql_gtid(1, 1);
  log.begin();
  log.table_map();
  log.write(folder / "binlog.000001");
  const auto torn = cat(folder / "binlog.000001");
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_TRUE(torn[0].starts_with("error: ")) << torn[0];
  EXPECT_NE(torn[0].find("binlog.000001:"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::binlog
