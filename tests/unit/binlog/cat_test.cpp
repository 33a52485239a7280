// SPDX-License-Identifier: Apache-2.0
// `binlog cat`: JSON spelling of values, and whole files.
// One thread.
#include "binlog/cat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "binlog/cat_stats.hpp"
#include "binlog/change_json.hpp"
#include "binlog_builder.hpp"
#include "cat_file.hpp"
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
  /// The lines of the files; the error, if there is one, is the last.
  std::vector<std::string> cat(const std::vector<std::string>& paths, CatOptions options = {},
                               const CatFilterTexts& texts = {}) {
    const auto inputs = cat_inputs(paths);
    if (!inputs) return {"error: " + inputs.error().to_string()};
    auto filter = CatFilter::parse(texts, *inputs);
    if (!filter) return {"error: " + filter.error().to_string()};
    options.filter = std::move(filter).value();
    std::ostringstream out, notes;
    StreamOutput output(out, notes);
    const auto result = cat_files(*inputs, options, output);
    notes_ = notes.str();
    std::vector<std::string> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (!result) lines.push_back("error: " + result.error().to_string());
    return lines;
  }
  std::vector<std::string> cat_one(const std::filesystem::path& file, CatOptions options = {}) {
    return cat(std::vector<std::string>{file.string()}, options);
  }

  std::string notes_;
};

/// "t:3" of each line: the end of the table's name and the id.
std::vector<std::string> ids(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    const size_t table = line.find("\"table\":\"db.");
    const size_t id = line.find("\"id\":");
    if (table == std::string::npos || id == std::string::npos) return {line};
    out.push_back(line.substr(table + 12, line.find('"', table + 12) - table - 12) + ":" +
                  line.substr(id + 5, line.find_first_of(",}", id) - id - 5));
  }
  return out;
}

/// Five transactions of one row each in two files: t:1 t:2 | u:3 t:4 u:5, committed at seconds 10, 20, ...
struct TwoFiles {
  explicit TwoFiles(const std::string& name) : folder(test::fresh_folder(name)) {
    write(1, {{"t", 1}, {"t", 2}});
    write(2, {{"u", 3}, {"t", 4}, {"u", 5}});
  }

  void write(int number, const std::vector<std::pair<std::string, int32_t>>& rows) {
    BinlogBuilder log;
    for (const auto& [table, id] : rows) {
      starts.push_back(log.mysql_gtid(static_cast<uint64_t>(id), id * 10'000'000));
      log.begin();
      log.table_map(table);
      positions.push_back(log.insert(id, "x"));
      log.xid();
    }
    if (number == 1) {
      Bytes rotate(8, uint8_t{4});
      put_text(rotate, "b.000002");
      log.event(EventType::rotate, rotate);
    }
    log.write(folder / ("b.00000" + std::to_string(number)));
  }
  std::string path(int number) const { return (folder / ("b.00000" + std::to_string(number))).string(); }

  std::filesystem::path folder;
  std::vector<uint64_t> starts, positions;
};

using Lines = std::vector<std::string>;

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
  const auto named = cat_one(folder / "binlog.000002");
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0], head + "{\"id\":1,\"v\":\"x\"}}") << notes_;
  EXPECT_EQ(notes_, "");
  CatOptions alone;
  alone.use_earlier_files = false;
  const auto numbered = cat_one(folder / "binlog.000002", alone);
  ASSERT_EQ(numbered.size(), 1u);
  EXPECT_NE(numbered[0].find("\"@1\":"), std::string::npos) << numbered[0];
  EXPECT_NE(notes_.find("the columns of db.t are unknown"), std::string::npos) << notes_;
}

TEST_F(CatTest, CorporaGiveTheSameChangesInEveryForm) {
  // Four ways to write the same changes: FULL, MINIMAL and compressed metadata, two servers.
  const auto changes = [&](const char* name, const char* shard) {
    std::vector<std::string> lines;
    for (const auto& file : test::binlogs_in(test::corpus(name) / shard)) {
      for (std::string& line : cat_one(file)) {
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
  cat_one(test::corpus("variants") / "mariadb-10.11-statement-format.binlog");
  EXPECT_NE(notes_.find(":640: data was changed by a logged statement"), std::string::npos) << notes_;
  notes_.clear();
  BinlogBuilder statements;
  statements.mysql_gtid(1, 1);
  const uint64_t at = statements.query("ALTER TABLE a EXCHANGE PARTITION p WITH TABLE b");
  const auto statement_folder = test::fresh_folder("cat_statements");
  statements.write(statement_folder / "binlog.000001");
  cat_one(statement_folder / "binlog.000001");
  EXPECT_NE(notes_.find(":" + std::to_string(at) + ": data was changed by a logged statement"), std::string::npos);
  const auto folder = test::fresh_folder("cat_torn");
  BinlogBuilder log;
  log.mysql_gtid(1, 1);
  log.begin();
  log.table_map();
  log.write(folder / "binlog.000001");
  const auto torn = cat_one(folder / "binlog.000001");
  ASSERT_EQ(torn.size(), 1u);
  EXPECT_TRUE(torn[0].starts_with("error: ")) << torn[0];
  EXPECT_NE(torn[0].find("binlog.000001:"), std::string::npos);
}

TEST_F(CatTest, SeriesAreReadInOrder) {
  const TwoFiles files("cat_series");
  const Lines all{"t:1", "t:2", "u:3", "t:4", "u:5"};
  EXPECT_EQ(ids(cat({files.folder.string()})), all);
  EXPECT_EQ(ids(cat({files.path(2), files.path(1), files.path(2)})), all);
  std::filesystem::copy_file(files.path(2), files.folder / "b.000004");
  const Lines gap = cat({files.folder.string()});
  ASSERT_EQ(gap.size(), 1u);
  EXPECT_NE(gap[0].find("binlog 3 is missing between b.000002 and b.000004"), std::string::npos) << gap[0];
  EXPECT_EQ(cat({(files.folder / "none").string()})[0],
            "error: " + (files.folder / "none").string() +
                ": cannot open the file: No such file or directory; check the path and its permissions");
}

TEST_F(CatTest, RangesAreHalfOpen) {
  const TwoFiles files("cat_ranges");
  const std::vector<std::string> both{files.folder.string()};
  const auto place = [&](int file, uint64_t at) { return "b.00000" + std::to_string(file) + ":" + std::to_string(at); };
  const auto range = [&](std::string from, std::string to) { return ids(cat(both, {}, {from, to, {}})); };
  EXPECT_EQ(range(place(1, files.positions[1]), place(2, files.positions[3])), (Lines{"t:2", "u:3"}));
  EXPECT_EQ(range(place(1, files.positions[1] + 1), place(2, files.positions[3] + 1)), (Lines{"u:3", "t:4"}));
  EXPECT_EQ(range(place(2, files.starts[3]), ""), (Lines{"t:4", "u:5"}));
  EXPECT_EQ(range("", place(2, 0)), (Lines{"t:1", "t:2"}));
  EXPECT_EQ(range("1970-01-01T00:00:20Z", "1970-01-01T02:00:50.000000+02:00"), (Lines{"t:2", "u:3", "t:4"}));
  EXPECT_EQ(range("1970-01-01T00:00:20.000001Z", ""), (Lines{"u:3", "t:4", "u:5"}));
  EXPECT_EQ(ids(cat({files.path(1)}, {}, {std::to_string(files.positions[1]), {}, {}})), Lines{"t:2"});
  for (const char* bad : {"400", "c.000001:4", "2026-02-30T00:00:00Z", "yesterday", "b.000001:", "b.000001:-4"}) {
    const Lines refused = range(bad, "");
    ASSERT_EQ(refused.size(), 1u) << bad;
    EXPECT_TRUE(refused[0].starts_with("error: --from " + std::string(bad) + ": ")) << refused[0];
  }
}

TEST_F(CatTest, TablesAreChosenAsInJobs) {
  const TwoFiles files("cat_tables");
  const auto tables = [&](Lines patterns) { return ids(cat({files.folder.string()}, {}, {{}, {}, patterns})); };
  EXPECT_EQ(tables({"u"}), (Lines{"u:3", "u:5"}));
  EXPECT_EQ(tables({"d?.[a-t]", "/x.*/./u/"}), (Lines{"t:1", "t:2", "t:4"}));
  EXPECT_EQ(tables({"/u/."}), (Lines{"error: --table: pattern \"/u/.\" has an empty half; write \"table\" or "
                                     "\"database.table\""}));
}

TEST_F(CatTest, StatsCountWhatWouldBePrinted) {
  const TwoFiles files("cat_stats");
  CatStats stats;
  CatOptions options;
  options.stats = &stats;
  EXPECT_EQ(cat({files.folder.string()}, options, {"b.000001:" + std::to_string(files.positions[1]), {}, {}}), Lines{});
  ASSERT_EQ(stats.tables().size(), 2u);
  const TableStats& t = stats.tables().at("db.t");
  EXPECT_EQ(t.inserts, 2u);
  EXPECT_EQ(t.transactions, 2u);
  EXPECT_EQ(t.image_bytes, 2u * 7);  // null bits, INT, length and one character
  EXPECT_EQ(t.first_commit_us, 20'000'000);
  EXPECT_EQ(t.largest_gap_us, 20'000'000);
  EXPECT_EQ(t.gap_after_us, 20'000'000);
  ASSERT_EQ(stats.most_rows().size(), 4u);
  EXPECT_EQ(stats.most_rows()[0].position, files.starts[1]);  // of equal ones the first
  EXPECT_NE(stats.json().find("\"table\":\"db.u\",\"inserts\":2,"), std::string::npos) << stats.json();
  EXPECT_NE(stats.text().find("2 files, 4 transactions"), std::string::npos) << stats.text();
}

TEST_F(CatTest, AFileThatWasCutInTheMiddleOfASeriesIsAnError) {
  const TwoFiles files("cat_cut");
  std::filesystem::resize_file(files.path(1), files.positions[1] + 5);
  Lines lines = cat({files.folder.string()});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[1].starts_with("error: " + files.path(1) + ":" + std::to_string(files.starts[1]) +
                                   ": the file ends here without a ROTATE or STOP event"))
      << lines[1];
}

}  // namespace
}  // namespace tidemark::binlog
