// SPDX-License-Identifier: Apache-2.0
// XA transactions of two phases through the plugin: over files, restarts and both verdicts. One thread.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "tests/unit/binlog_file/log_folder.hpp"

namespace tidemark::test {
namespace {

constexpr char kVerdictless[] = "X'6f',X'',1";

void prepare(TableLog& log, const std::string& gtrid, const LogTable& table, const std::vector<Cells>& rows) {
  log.gtid();
  log.log.query("XA START '" + gtrid + "'");
  log.log.event(binlog::EventType::table_map, table_map_body(table));
  log.log.event(binlog::EventType::write_rows_v2, rows_body(table, rows, false));
  log.log.event(binlog::EventType::table_map, table_map_body(table));
  log.log.event(binlog::EventType::delete_rows_v2, rows_body(table, {rows.front()}, false));
  log.log.query("XA END '" + gtrid + "'");
  log.log.xa_prepare(gtrid);
}

void verdict(TableLog& log, const std::string& text) {
  log.gtid();
  log.log.query(text);
}

// Prepared in each of two files, verdicts in the second and the third; one has none.
void write_xa_log(const std::filesystem::path& folder) {
  std::vector<Cells> many;
  for (int64_t i = 0; i < 20; ++i) many.push_back({100 + i, i});
  TableLog first;
  first.ddl("CREATE TABLE t (id INT, v INT)");
  prepare(first, "a", kT, many);
  prepare(first, "r", kT, {{int64_t{1}, int64_t{1}}});
  prepare(first, "o", kT, {{int64_t{2}, int64_t{2}}});
  first.insert(kT, {{int64_t{3}, int64_t{3}}});
  first.rotate("binlog.000002");
  first.write(folder / "binlog.000001");
  TableLog second;
  verdict(second, "XA ROLLBACK X'72',X'',1");
  prepare(second, "b", kT, {{int64_t{4}, int64_t{4}}});
  verdict(second, "XA COMMIT X'61',X'',1");
  second.ddl("ALTER TABLE t ADD w INT");
  second.insert({"t", "iii", "db", 9}, {{int64_t{5}, int64_t{5}, int64_t{5}}});
  second.rotate("binlog.000003");
  second.write(folder / "binlog.000002");
  TableLog third;
  verdict(third, "XA COMMIT X'7a',X'',1");  // prepared before the first file
  third.insert({"t", "iii", "db", 9}, {{int64_t{6}, int64_t{6}, int64_t{6}}});
  third.write(folder / "binlog.000003");
}

Texts run(PluginReader& reader, const std::string& folder, const std::string& position = {}) {
  reader.add(0, folder, position);
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  return reader.texts(0);
}

TEST_F(BinlogFile, XaRowsComeWithTheirCommit) {
  write_xa_log(folder_);
  PluginSource source(options());
  PluginReader reader(source);
  const Texts texts = run(reader, folder_.string());
  ASSERT_EQ(texts.size(), 24u);
  EXPECT_EQ(texts[0], "+ id=3 v=3 w=NULL");
  EXPECT_EQ(texts[1], "+ id=100 v=0 w=NULL");
  EXPECT_EQ(texts[21], "- id=100 v=0 w=NULL");
  EXPECT_EQ(texts[23], "+ id=6 v=6 w=6");
  const GotRow& committed = reader.rows(0)[1];
  EXPECT_TRUE(committed.origin.starts_with("00010203-0405-0607-0809-0a0b0c0d0e0f:3 binlog.000002 db.t"))
      << committed.origin;
  EXPECT_EQ(committed.event_time_us, kFirstCommitUs + 2'000'000) << "the verdict's time";
  EXPECT_TRUE(any_contains(reader.logged(), "XA COMMIT X'7a',X'',1, whose XA PREPARE is not in what was read"));
  EXPECT_TRUE(any_contains(reader.logged(), "2 XA transactions are prepared without"));
  EXPECT_TRUE(any_contains(reader.logged(), std::string("the first: ") + kVerdictless + " at binlog.000001:"));
}

TEST_F(BinlogFile, XaIsResumedAtEveryPosition) {
  write_xa_log(folder_);
  PluginSource source(options());
  PluginReader whole(source, 5);
  whole.add(0, folder_.string());
  whole.no_more_splits();
  std::vector<std::pair<size_t, std::string>> positions{{0, whole.position(0)}};
  while (whole.poll() == TIDEMARK_OK) positions.emplace_back(whole.rows(0).size(), whole.position(0));
  positions.emplace_back(whole.rows(0).size(), whole.position(0));
  const Texts expected = whole.texts(0);
  ASSERT_GT(positions.size(), 4u);
  for (const auto& [done, position] : positions) {
    PluginReader rest(source, 8);
    EXPECT_EQ(run(rest, folder_.string(), position),
              Texts(expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end()))
        << done;
    EXPECT_TRUE(any_contains(rest.logged(), "2 XA transactions are prepared without"));
  }
}

// Between the files: the log as it was after the prepare, then with the verdict.
TEST_F(BinlogFile, XaIsPreparedBeforeARestartAndEndsAfterIt) {
  for (const bool commits : {true, false}) {
    TableLog log;
    log.ddl("CREATE TABLE t (id INT, v INT)");
    prepare(log, "a", kT, {{int64_t{1}, int64_t{1}}, {int64_t{2}, int64_t{2}}});
    log.write(path("binlog.000001"));
    PluginSource source(options());
    std::string position;
    {
      PluginReader reader(source);
      EXPECT_TRUE(run(reader, folder_.string()).empty());
      position = reader.position(0);
    }
    verdict(log, commits ? "XA COMMIT X'61',X'',1" : "XA ROLLBACK X'61',X'',1");
    log.write(path("binlog.000001"));
    PluginReader reader(source);
    EXPECT_EQ(run(reader, folder_.string(), position),
              commits ? (Texts{"+ id=1 v=1", "+ id=2 v=2", "- id=1 v=1"}) : Texts{});
    EXPECT_FALSE(any_contains(reader.logged(), "XA"));
  }
}

TEST_F(BinlogFile, XaPreparedFileThatIsGoneIsAnError) {
  write_xa_log(folder_);
  PluginSource source(options());
  PluginReader reader(source, 8);
  reader.add(0, folder_.string());
  std::string position;
  while (position.find("binlog.000002") == std::string::npos && reader.poll() == TIDEMARK_OK) {
    position = reader.position(0);
  }
  ASSERT_NE(position.find("binlog.000002"), std::string::npos);
  std::filesystem::remove(path("binlog.000001"));
  PluginReader rest(source);
  rest.add(0, folder_.string(), position);
  rest.no_more_splits();
  EXPECT_EQ(rest.run(), TIDEMARK_E_IO);
  EXPECT_TRUE(contains(rest.error(), "binlog.000002:") && contains(rest.error(), "prepared at binlog.000001:"))
      << rest.error();
}

// Version 1 knew no prepared transactions.
TEST_F(BinlogFile, PositionsOfVersion1AreRead) {
  write_resume_log(folder_);
  PluginSource source(options({{"tables", "t"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.poll();
  std::string position = reader.position(0);
  const size_t rows = reader.rows(0).size();
  ASSERT_EQ(position.substr(position.size() - 6, 2), std::string("\1\0", 2)) << "an empty set of prepared transactions";
  position.resize(position.size() - 6);
  position[4] = 1;
  const uint32_t sum = libdeflate_crc32(0, position.data(), position.size());
  for (int i = 0; i < 4; ++i) position += static_cast<char>(sum >> (8 * i) & 0xff);
  PluginReader rest(source);
  EXPECT_EQ(run(rest, folder_.string(), position).size(), 93 - rows);
}

}  // namespace
}  // namespace tidemark::test
