// SPDX-License-Identifier: Apache-2.0
// The binlog_file plugin through its C ABI: patterns, schemas by position, positions, refusals.
// One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

#include "tests/corpora_files.hpp"
#include "tests/unit/binlog_file/log_folder.hpp"
#include "tests/unit/binlog_file/plugin_session.hpp"
#include "tests/unit/binlog_file/table_log.hpp"

namespace tidemark::test {
namespace {

/// One row in each of six tables.
void write_named_tables(const std::filesystem::path& file) {
  TableLog log;
  uint64_t id = 10;
  for (const char* name : {"order_0", "order_1", "order_10", "my_order_0", "order_0_bak", "ORDER_2"}) {
    const LogTable table{name, "i", "shop", id++};
    log.ddl("CREATE TABLE " + table.name + " (id INT)", "shop");
    log.insert(table, {{int64_t{1}}});
  }
  log.write(file);
}

struct PatternCase {
  const char* pattern;
  const char* tables;  ///< in the split's note; "" = error
};

TEST_F(BinlogFile, case_A06) {
  write_named_tables(path("binlog.000001"));
  const PatternCase cases[] = {
      {"/order_[0-9]+/", "3 tables: shop.order_0, shop.order_1, shop.order_10"},
      {"order_*", "4 tables: shop.order_0, shop.order_0_bak, shop.order_1, shop.order_10"},
      {"order_?", "2 tables: shop.order_0, shop.order_1"},
      {"order_[01]", "2 tables: shop.order_0, shop.order_1"},
      {"ORDER_?", "1 table: shop.ORDER_2"},
      {"shop.order_1", "1 table: shop.order_1"},
      {"/sh.*/./order_1\\d?/", "2 tables: shop.order_1, shop.order_10"},
      {"sho?.*", "6 tables"},
      {"other.order_1", ""},
      {"orders_*", ""},
  };
  for (const PatternCase& expected : cases) {
    SCOPED_TRACE(expected.pattern);
    PluginSource source(options({{"tables", expected.pattern}}));
    source.schema();
    if (*expected.tables == '\0') {
      EXPECT_EQ(source.code(), TIDEMARK_E_CONFIG);
      EXPECT_TRUE(contains(source.error(), "option 'tables'"));
      EXPECT_TRUE(contains(source.error(), expected.pattern));
      EXPECT_TRUE(contains(source.error(), "near names: ") && contains(source.error(), "shop.order_0"))
          << source.error();
      continue;
    }
    ASSERT_EQ(source.error(), "");
    const auto splits = source.splits();
    ASSERT_EQ(splits.size(), 1u);
    EXPECT_TRUE(splits[0].second.starts_with(expected.tables)) << splits[0].second;
    EXPECT_TRUE(any_contains(source.logged(), "matched: shop.")) << "the list is logged";
  }
  PluginSource bad(options({{"exclude_tables", "/[/"}}));
  EXPECT_EQ(bad.code(), TIDEMARK_E_CONFIG);
  EXPECT_TRUE(contains(bad.error(), "option 'exclude_tables': pattern \"/[/\"")) << bad.error();
  EXPECT_EQ(read({{"tables", "order_*"}, {"exclude_tables", "*_bak"}, {"exclude_tables", "*_1*"}}), Texts{"+ id=1"});
}

TEST_F(BinlogFile, case_B14) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, first_name VARCHAR(20), uid INT) CHARSET utf8mb4");
  log.insert({"t", "isi"}, {{int64_t{1}, "ann", int64_t{5}}});
  log.ddl("ALTER TABLE t ADD middle_name VARCHAR(20) AFTER first_name");
  log.insert({"t", "issi", "db", 8}, {{int64_t{2}, "bob", "q", int64_t{6}}});
  log.ddl("ALTER TABLE t CHANGE uid user_id INT, ADD extra BIGINT AFTER user_id");
  log.insert({"t", "issib", "db", 9}, {{int64_t{3}, "cid", Cell{}, int64_t{7}, int64_t{8}}});
  log.write(path("binlog.000001"));
  EXPECT_EQ(read(), (Texts{
                        "+ id=1 first_name=ann uid=5 middle_name=NULL user_id=NULL extra=NULL",
                        "+ id=2 first_name=bob uid=6 middle_name=q user_id=NULL extra=NULL",
                        "+ id=3 first_name=cid uid=NULL middle_name=NULL user_id=7 extra=8",
                    }));
}

TEST_F(BinlogFile, case_B04) {
  TableLog log;
  const LogTable table{"t", "ie"};
  log.ddl("CREATE TABLE t (id INT, e ENUM('a','b','c') CHARSET utf8mb4)");
  log.insert(table, {{int64_t{1}, int64_t{0}}});  // 'bogus', which sql_mode='' stores as ''
  log.insert(table, {{int64_t{2}, int64_t{1}}});
  log.ddl("ALTER TABLE t MODIFY e ENUM('c','a','b') CHARSET utf8mb4");
  log.insert(table, {{int64_t{3}, int64_t{2}}});
  log.update(table, {{int64_t{2}, int64_t{2}}, {int64_t{2}, int64_t{1}}});  // 'a' to 'c'
  log.write(path("binlog.000001"));
  EXPECT_EQ(read(), (Texts{"+ id=1 e=", "+ id=2 e=a", "+ id=3 e=a", "< id=2 e=a", "> id=2 e=c"}));
}

TEST_F(BinlogFile, ASchemaFileDeclaresTablesWhoseCreateIsNotInTheLog) {
  TableLog log;
  log.insert({"t", "isi"}, {{int64_t{1}, "ann", int64_t{5}}});
  log.ddl("ALTER TABLE t ADD middle_name VARCHAR(20) AFTER first_name");
  log.insert({"t", "issi", "db", 8}, {{int64_t{2}, "bob", "q", int64_t{6}}});
  log.write(path("binlog.000001"));
  const auto write = [&](const char* text) { std::ofstream(path("tables.sql")) << text; };
  write("CREATE TABLE `t*` (id INT, first_name VARCHAR(20), uid INT) CHARSET utf8mb4;");
  const OptionList with_file = {{"schema_file", path("tables.sql")}};
  EXPECT_EQ(read(with_file),
            (Texts{"+ id=1 first_name=ann uid=5 middle_name=NULL", "+ id=2 first_name=bob uid=6 middle_name=q"}));
  write("CREATE TABLE db.t (id INT, first_name VARCHAR(20), uid BIGINT) CHARSET utf8mb4;");
  const Texts refused = read(with_file);
  EXPECT_TRUE(any_contains(refused, "tables.sql:1 does not fit the row event: column 3 (uid) has another type"))
      << refused.back();
  write("CREATE TABLE db.t (id INT,\n first_name VARCHAR(20) WHAT, uid BIGINT);");
  PluginSource source(options(with_file));
  EXPECT_EQ(source.code(), TIDEMARK_E_CONFIG);
  EXPECT_TRUE(contains(source.error(), "option 'schema_file': " + path("tables.sql") + ":2:25: ")) << source.error();
  EXPECT_TRUE(contains(source.error(), "column attribute not known near 'WHAT'")) << source.error();
}

TEST_F(BinlogFile, AChangedSchemaFileCountsWhereTheLogSaysNothing) {
  const LogTable altered{"altered", "iii", "db", 8};
  TableLog log;
  log.ddl("ALTER TABLE altered ADD w INT");
  log.insert({"t", "ii"}, {{int64_t{1}, int64_t{5}}});
  log.write(path("binlog.000001"));
  std::ofstream(path("tables.sql")) << "CREATE TABLE db.t (id INT, v INT); CREATE TABLE db.altered (id INT, v INT)";
  const OptionList with_file = {{"schema_file", path("tables.sql")}};
  std::string position;
  {
    PluginSource source(options(with_file));
    PluginReader reader(source);
    reader.add(0, folder_.string());
    reader.no_more_splits();
    EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
    position = reader.position(0);
  }
  log.insert({"t", "ii"}, {{int64_t{2}, int64_t{6}}});
  log.insert(altered, {{int64_t{3}, int64_t{4}, int64_t{5}}});
  log.write(path("binlog.000001"));
  std::ofstream(path("tables.sql")) << "CREATE TABLE db.t (v INT, id INT); CREATE TABLE db.altered (v INT, id INT)";
  PluginSource source(options(with_file));
  PluginReader reader(source);
  reader.add(0, folder_.string(), position);
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(reader.texts(0), (Texts{"+ v=2 id=6 w=NULL", "+ v=4 id=3 w=5"}));
}

TEST_F(BinlogFile, case_B14_without_a_schema_source) {
  TableLog log;
  log.insert({"t", "isi"}, {{int64_t{1}, "ann", int64_t{5}}});
  log.ddl("ALTER TABLE t ADD middle_name VARCHAR(20) AFTER first_name");
  log.write(path("binlog.000001"));
  const Texts texts = read();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(contains(texts[0], "binlog.000001:")) << texts[0];
  EXPECT_TRUE(contains(texts[0], "the columns of db.t are unknown: its CREATE TABLE is not in the log")) << texts[0];
  EXPECT_TRUE(contains(texts[0], "binlog_row_metadata=FULL")) << texts[0];
  EXPECT_TRUE(contains(texts[0], "'schema_file'")) << texts[0];
}

TEST_F(BinlogFile, case_B16) {
  TableLog log;
  const LogTable table{"t", "iii"};
  log.ddl("CREATE TABLE t (id INT, a INT, b INT)");
  log.insert(table, {{int64_t{1}, int64_t{10}, int64_t{20}}});
  log.ddl("ALTER TABLE t MODIFY a INT AFTER b");
  log.insert(table, {{int64_t{2}, int64_t{40}, int64_t{30}}});  // b, a; the same TABLE_MAP
  log.ddl("ALTER TABLE t MODIFY a INT AFTER id");
  log.insert(table, {{int64_t{3}, int64_t{50}, int64_t{60}}});
  log.write(path("binlog.000001"));
  EXPECT_EQ(read(), (Texts{"+ id=1 a=10 b=20", "+ id=2 a=30 b=40", "+ id=3 a=50 b=60"}));
}

void append_payload(TableLog& log, uint64_t compression) {
  binlog::Bytes inner;
  const auto add = [&](binlog::EventType type, const binlog::Bytes& body) {
    const binlog::Bytes event = binlog::make_event(type, body, 0, false);
    inner.insert(inner.end(), event.begin(), event.end());
  };
  add(binlog::EventType::query, binlog::query_body("BEGIN", "db"));
  add(binlog::EventType::table_map, table_map_body(kT));
  add(binlog::EventType::write_rows_v2, rows_body(kT, {{int64_t{2}, int64_t{1}}, {int64_t{3}, int64_t{2}}}, false));
  add(binlog::EventType::table_map, table_map_body(kT));
  add(binlog::EventType::write_rows_v2, rows_body(kT, {{int64_t{4}, int64_t{4}}}, false));
  add(binlog::EventType::xid, binlog::Bytes(8, uint8_t{1}));
  log.log.event(binlog::EventType::transaction_payload, binlog::payload_body(inner, compression));
}

TEST_F(BinlogFile, case_B12) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{0}}});
  const uint64_t at = log.gtid();
  append_payload(log, 0);
  const int64_t commit_time_us = log.commit_time_us();
  log.write(path("binlog.000001"));
  PluginSource source(options());
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(reader.texts(0), (Texts{"+ id=1 v=0", "+ id=2 v=1", "+ id=3 v=2", "+ id=4 v=4"}));
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(reader.rows(0)[i].event_time_us, commit_time_us);
    EXPECT_EQ(reader.rows(0)[i].origin,
              "00010203-0405-0607-0809-0a0b0c0d0e0f:3 binlog.000001 db.t " + std::to_string(at));
    EXPECT_EQ(reader.rows(0)[i].sequence, i + 1);
  }
  TableLog unknown;
  unknown.ddl("CREATE TABLE t (id INT, v INT)");
  unknown.gtid();
  append_payload(unknown, 7);
  unknown.write(path("binlog.000001"));
  EXPECT_TRUE(any_contains(read(), "compression"));
}

TEST_F(BinlogFile, ResumesAtEveryPositionWithEachRowOnce) {
  write_resume_log(folder_);
  PluginSource source(options({{"tables", "t"}}));
  for (const uint32_t capacity : {8u, 5u}) {
    PluginReader whole(source, capacity);
    whole.add(0, folder_.string());
    whole.no_more_splits();
    std::vector<std::pair<size_t, std::string>> positions{{0, whole.position(0)}};
    while (whole.poll() == TIDEMARK_OK) positions.emplace_back(whole.rows(0).size(), whole.position(0));
    positions.emplace_back(whole.rows(0).size(), whole.position(0));
    const Texts expected = whole.texts(0);
    ASSERT_EQ(expected.size(), 93u) << whole.error();
    EXPECT_EQ(expected[0], "+ id=1 v=1 w=NULL");
    EXPECT_EQ(expected[92], "+ id=2 v=NULL w=9");
    ASSERT_GT(positions.size(), 10u);
    for (const auto& [done, position] : positions) {
      PluginReader rest(source, 8);
      rest.add(0, folder_.string(), position);
      rest.no_more_splits();
      ASSERT_EQ(rest.run(), TIDEMARK_END) << rest.error();
      const Texts texts = rest.texts(0);
      ASSERT_EQ(texts, Texts(expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end())) << done;
      for (size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(rest.rows(0)[i].sequence, done + i + 1);
    }
    for (size_t i = 0; i + 1 < expected.size(); ++i) {
      if (expected[i][0] != '<') continue;
      EXPECT_EQ(whole.rows(0)[i].batch, whole.rows(0)[i + 1].batch) << i;
    }
  }
}

TEST_F(BinlogFile, StatementFormatIsHandedOnAsAProblemAndTruncateIsWarnedOf) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.ddl("TRUNCATE TABLE t");
  log.gtid();
  log.log.begin();
  log.log.query("UPDATE other SET v = 2");
  log.log.xid();
  log.insert(kT, {{int64_t{2}, int64_t{2}}});
  log.gtid();
  log.log.begin();
  const uint64_t at = log.log.query("UPDATE t SET v = 2");
  log.log.query("DELETE FROM t");
  log.log.xid();
  log.insert(kT, {{int64_t{3}, int64_t{3}}});
  log.write(path("binlog.000001"));
  PluginSource source(options({{"tables", "t"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  const Texts expected{"+ id=1 v=1", "+ id=2 v=2", "! id=NULL v=NULL", "! id=NULL v=NULL", "+ id=3 v=3"};
  EXPECT_EQ(reader.texts(0), expected);
  const std::string problem = reader.rows(0)[2].problem;
  EXPECT_TRUE(contains(problem, "binlog.000001:" + std::to_string(at))) << problem;
  EXPECT_TRUE(contains(problem, "db.t") && contains(problem, "binlog_format")) << problem;
  EXPECT_TRUE(contains(reader.rows(0)[3].problem, "DELETE FROM t"));
  EXPECT_EQ(reader.rows(0)[4].problem, "");
  EXPECT_TRUE(any_contains(reader.logged(), "TRUNCATE TABLE of db.t removes rows")) << reader.logged().size();

  for (size_t stop = 0; stop < expected.size(); ++stop) {  // a restart after any row, in the middle of a group too
    PluginReader first(source, 2);
    first.add(0, folder_.string());
    first.no_more_splits();
    while (first.texts(0).size() < stop && first.poll() == TIDEMARK_OK) {
    }
    Texts texts = first.texts(0);
    PluginReader second(source, 2);
    second.add(0, folder_.string(), first.position(0));
    second.no_more_splits();
    EXPECT_EQ(second.run(), TIDEMARK_END) << second.error();
    for (const std::string& text : second.texts(0)) texts.push_back(text);
    EXPECT_EQ(texts, expected) << "after " << stop;
  }
}

TEST_F(BinlogFile, WhatReachesTablesUnseenIsCountedAndRenamesAreTold) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.gtid();
  log.log.begin();
  log.log.query("UPDATE other SET v = f(2)");
  log.log.query("UPDATE other SET v = f(3)");
  log.log.query("UPDATE T SET v = 4");  // this table on servers that do not tell cases apart
  log.log.xid();
  log.ddl("RENAME TABLE t TO gone");
  log.write(path("binlog.000001"));
  PluginSource source(options({{"tables", "t"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(reader.texts(0), (Texts{"+ id=1 v=1", "! id=NULL v=NULL"}));
  EXPECT_TRUE(any_contains(reader.logged(), "counted as statement_changes_elsewhere"));
  EXPECT_TRUE(any_contains(reader.logged(), "db.t is now db.gone"));
}

TEST_F(BinlogFile, TypesAreWidenedOverVersionsAndIncompatibleOnesRefused) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{-5}}});
  log.ddl("ALTER TABLE t MODIFY v BIGINT");
  log.insert({"t", "ib", "db", 8}, {{int64_t{2}, int64_t{5'000'000'000}}});
  log.write(path("binlog.000001"));
  PluginSource source(options());
  EXPECT_EQ(source.schema_text(), "id:4 v:5");
  EXPECT_EQ(read(), (Texts{"+ id=1 v=-5", "+ id=2 v=5000000000"}));
  log.ddl("ALTER TABLE t MODIFY v VARCHAR(20)");
  log.insert({"t", "is", "db", 9}, {{int64_t{3}, "x"}});
  log.write(path("binlog.000001"));
  PluginSource mixed(options());
  mixed.schema();
  EXPECT_EQ(mixed.code(), TIDEMARK_E_CONFIG);
  EXPECT_TRUE(contains(mixed.error(), "column 'v' is int64 in db.t (ALTER TABLE at binlog.000001:")) << mixed.error();
  EXPECT_TRUE(contains(mixed.error(), "and text in db.t (ALTER TABLE at binlog.000001:")) << mixed.error();
}

TEST_F(BinlogFile, ReplacedTablesAreWarnedOf) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.ddl("CREATE OR REPLACE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{2}, int64_t{2}}});
  log.write(path("binlog.000001"));
  PluginSource source(options());
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(reader.texts(0), (Texts{"+ id=1 v=1", "+ id=2 v=2"}));
  EXPECT_TRUE(any_contains(reader.logged(), "CREATE OR REPLACE TABLE of db.t removes rows"));
}

TEST_F(BinlogFile, AnAssumedCharsetIsLoggedOncePerTable) {
  // The server's default is in the statement's status variables: client, connection and server collation utf8mb4.
  constexpr std::string_view kSql = "CREATE TABLE t (id INT, name VARCHAR(20), note TEXT)";
  binlog::Bytes body;
  binlog::put_le(body, 0, 8);
  body.push_back(2);
  binlog::put_le(body, 0, 2);
  const binlog::Bytes charsets = binlog::from_hex("04 2d00 2d00 2d00");
  binlog::put_le(body, charsets.size(), 2);
  body.insert(body.end(), charsets.begin(), charsets.end());
  binlog::put_text(body, "db");
  body.push_back(0);
  binlog::put_text(body, kSql);
  TableLog log;
  log.gtid();
  log.log.event(binlog::EventType::query, body);
  const LogTable table{"t", "ist"};
  for (int64_t i = 1; i <= 2; ++i) log.insert(table, {{i, "n", "\xc3\xbc"}});
  log.write(path("binlog.000001"));
  EXPECT_EQ(read(), (Texts{"+ id=1 name=n note=\xc3\xbc", "+ id=2 name=n note=\xc3\xbc"}));
  PluginSource source(options());
  source.schema();
  const Texts logged = source.logged();
  EXPECT_EQ(std::count_if(logged.begin(), logged.end(),
                          [](const std::string& line) {
                            return contains(line, "db.t: ") && contains(line, "column note: ") &&
                                   contains(line, "utf8mb4") && contains(line, "assumed");
                          }),
            1);
}

TEST_F(BinlogFile, ATypeThatIsWidenedWhileReadingNeedsANewState) {
  TableLog log(kInUse);
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.write(path("binlog.000001"));
  PluginSource source(options({{"follow", "true"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(wait_for_rows(reader, 1), 1u) << reader.error();
  log.ddl("ALTER TABLE t MODIFY v BIGINT");
  log.insert({"t", "ib", "db", 8}, {{int64_t{2}, int64_t{5'000'000'000}}});
  log.write(path("binlog.000001"));
  const std::string error = wait_for_error(reader);
  EXPECT_TRUE(contains(error, "column 'v' of db.t is int64 here") && contains(error, "new state path")) << error;
}

TEST_F(BinlogFile, SplitsArePausedAndCreditIsRespected) {
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(folder_ / name);
    TableLog log;
    log.ddl("CREATE TABLE t (id INT, v INT)");
    for (int64_t i = 0; i < 20; ++i) log.insert(kT, {{i, i}});
    log.write(folder_ / name / "binlog.000001");
  }
  PluginSource source({{"shards", path("?")}});
  ASSERT_EQ(source.splits().size(), 2u);
  PluginReader reader(source);
  reader.add(0, path("a"));
  reader.add(1, path("b"));
  reader.no_more_splits();
  reader.pause(1, true);
  reader.host().set_credit(false);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(reader.poll(), TIDEMARK_OK);
  EXPECT_TRUE(reader.rows(0).empty());
  reader.host().set_credit(true);
  reader.run();
  EXPECT_EQ(reader.rows(0).size(), 20u);
  EXPECT_TRUE(reader.rows(1).empty());
  reader.pause(1, false);
  EXPECT_EQ(reader.run(), TIDEMARK_END);
  EXPECT_EQ(reader.rows(1).size(), 20u);
  EXPECT_TRUE(contains(reader.host().said(0), "F"));
}

TEST_F(BinlogFile, OptionsAreChecked) {
  write_resume_log(folder_);
  PluginSource absent({{"shards", path("none-*")}});
  absent.schema();
  EXPECT_EQ(absent.code(), TIDEMARK_E_IO);
  EXPECT_TRUE(contains(absent.error(), "none-*")) << absent.error();
  EXPECT_TRUE(contains(PluginSource(options({{"read_limit", "fast"}})).error(), "read_limit"));
  EXPECT_TRUE(contains(PluginSource({}).error(), "shards"));
}

TEST_F(BinlogFile, ReadingIsThrottled) {
  write_resume_log(folder_);
  PluginSource source(options({{"tables", "t"}, {"read_limit", "1000/s"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  const auto begin = std::chrono::steady_clock::now();
  while (reader.poll() >= 0 && reader.rows(0).size() < 93) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(reader.rows(0).size(), 93u) << reader.error();
  // 50 ms of rows can be saved up at any time.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(40));
}

class OrdersCorpus : public testing::TestWithParam<const char*> {};

TEST_P(OrdersCorpus, AllShardsGiveAllRows) {
  const std::filesystem::path folder = corpus(GetParam());
  PluginSource source({{"shards", (folder / "shard-*").string()}, {"tables", "/shop_\\d+/./orders_\\d+/"}});
  ASSERT_EQ(source.schema_text(), "id:9 customer_id:4 region:19 status:19 amount:12 qty:7 created_at:18 note:19")
      << source.error();
  const auto splits = source.splits();
  ASSERT_EQ(splits.size(), 4u);
  PluginReader reader(source, 64);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(splits[i].second, "1 table: shop_0" + std::to_string(i + 1) + ".orders_0" + std::to_string(i + 1));
    reader.add(i, splits[i].first);
  }
  reader.no_more_splits();
  while (true) {
    const int32_t code = reader.poll();
    ASSERT_GE(code, 0) << reader.error();
    if (code == TIDEMARK_END) break;
  }
  size_t inserts = 0, left = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    std::multiset<std::string> rows;
    int64_t last_us = 0;
    for (const GotRow& row : reader.rows(i)) {
      inserts += row.text[0] == '+' ? 1 : 0;
      if (row.text[0] == '+' || row.text[0] == '>') {
        rows.insert(row.text.substr(1));
      } else {
        const auto found = rows.find(row.text.substr(1));
        ASSERT_NE(found, rows.end()) << row.text;
        rows.erase(found);
      }
      ASSERT_NE(row.event_time_us, TIDEMARK_NO_TIME);
      last_us = std::max(last_us, row.event_time_us);
    }
    left += rows.size();
  }
  EXPECT_EQ(inserts, 9947u);
  EXPECT_EQ(left, 9256u);
}

TEST_P(OrdersCorpus, ResumesInsideItsFiles) {
  const std::string shard = (corpus(GetParam()) / "shard-03").string();  // compressed by either server
  PluginSource source({{"shards", shard}, {"tables", "orders_03"}});
  PluginReader whole(source, 32);
  whole.add(0, shard);
  whole.no_more_splits();
  std::vector<std::pair<size_t, std::string>> positions;
  while (whole.poll() == TIDEMARK_OK) positions.emplace_back(whole.rows(0).size(), whole.position(0));
  const Texts expected = whole.texts(0);
  ASSERT_GT(positions.size(), 100u) << whole.error();
  for (size_t i = 0; i < positions.size(); i += 17) {
    PluginReader rest(source, 64);
    rest.add(0, shard, positions[i].second);
    rest.no_more_splits();
    ASSERT_EQ(rest.run(), TIDEMARK_END) << rest.error();
    const auto done = static_cast<std::ptrdiff_t>(positions[i].first);
    ASSERT_EQ(rest.texts(0), Texts(expected.begin() + done, expected.end())) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, OrdersCorpus, testing::Values("orders-mysql-9.7", "orders-mariadb-10.11"),
                         [](const auto& parameter) {
                           return std::string(parameter.param).find("mysql") != std::string::npos ? "MySql" : "MariaDb";
                         });

}  // namespace
}  // namespace tidemark::test
