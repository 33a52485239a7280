// SPDX-License-Identifier: Apache-2.0
// Statements that bring rows without row events become problems, in every spelling; those whose rows are logged as
// rows, and those of other tables, do not. One thread.
#include <gtest/gtest.h>

#include "tests/unit/binlog_file/log_folder.hpp"

namespace tidemark::test {
namespace {

const binlog::BuilderOptions kMysql{};
const binlog::BuilderOptions kMariadb{"10.11.6-MariaDB", true, false, 0};
constexpr uint8_t kStandalone = 1;

struct Spelling {
  const char* sql;
  bool mariadb = false;
};

class StatementChanges : public BinlogFile {
 protected:
  /// The statement as a group of its own behind a CREATE TABLE and one row, and before another one.
  Texts read_with(const Spelling& spelling) {
    TableLog log(spelling.mariadb ? kMariadb : kMysql);
    auto gtid = [&, number = uint64_t{1}](uint8_t flags) mutable {
      spelling.mariadb ? log.log.mariadb_gtid(number++, flags) : log.gtid();
    };
    const auto insert = [&](int64_t id) {
      gtid(0);
      if (!spelling.mariadb) log.log.begin();
      log.log.event(binlog::EventType::table_map, table_map_body(kT));
      log.log.event(binlog::EventType::write_rows_v2, rows_body(kT, {{id, id}}, false));
      log.log.xid();
    };
    gtid(kStandalone);
    log.log.query("CREATE TABLE t (id INT, v INT)");
    insert(1);
    gtid(kStandalone);
    log.log.query(spelling.sql);
    insert(2);
    log.write(path("binlog.000001"));
    PluginSource source(options({{"tables", "t"}, {"tables", "orders_*"}}));
    if (source.code() != TIDEMARK_OK) return {source.error()};
    PluginReader reader(source);
    reader.add(0, folder_.string());
    reader.no_more_splits();
    EXPECT_EQ(reader.run(), TIDEMARK_END) << spelling.sql << ": " << reader.error();
    problem_ = reader.rows(0).size() > 1 ? reader.rows(0)[1].problem : "";
    return reader.texts(0);
  }

  std::string problem_;
};

const Texts kWithProblem{"+ id=1 v=1", "! id=NULL v=NULL", "+ id=2 v=2"};
const Texts kWithout{"+ id=1 v=1", "+ id=2 v=2"};

TEST_F(StatementChanges, RowsWithoutRowEventsAreProblems) {
  const Spelling spellings[] = {
      {"SET STATEMENT sort_buffer_size=1 FOR CREATE TABLE orders_9 SELECT * FROM x", true},
      {"SET STATEMENT sort_buffer_size=1 FOR INSERT INTO orders_9 SELECT * FROM x", true},
      {"SET STATEMENT a=(SELECT b FROM c FOR UPDATE), d='FOR' FOR REPLACE INTO orders_9 VALUES (1, 2)", true},
      {"CREATE TABLE orders_9 SELECT 1 AS id"},
      {"CREATE TABLE orders_9 (id INT) ENGINE=InnoDB IGNORE SELECT 1 AS id"},
      {"CREATE TABLE IF NOT EXISTS orders_9 (id INT, what FROBNITZ) REPLACE SELECT 1 AS id"},
      {"CREATE OR REPLACE TABLE orders_9 AS SELECT 1 AS id", true},
      {"CREATE TABLE orders_9 TABLE x"},
      {"CREATE TABLE orders_9 (id INT) TABLE x"},
      {"CREATE TABLE orders_9 AS VALUES ROW(1, 2)"},
      {"CREATE TABLE orders_9 (id INT) VALUES (1)", true},
      {"CREATE TABLE orders_9 AS WITH q AS (SELECT 1 AS id) SELECT * FROM q"},
      {"CREATE TABLE orders_9 WITH q AS (SELECT 1 AS id) SELECT * FROM q"},
      {"CREATE TABLE orders_9 (SELECT 1 AS id)"},
      {"CREATE TABLE orders_9 ((SELECT 1 AS id) UNION (SELECT 2))"},
      {"CREATE TABLE orders_9 (id INT) /*!50100 PARTITION BY HASH (id) */ AS (SELECT 1 AS id)"},
      {"/*M!100100 CREATE TABLE x (a INT) */ INSERT INTO orders_9 VALUES (1, 2)"},
      {"/*M!100100 FLUSH TABLES */ INSERT INTO orders_9 VALUES (1, 2)"},
      {"/*!50701 SET a = */ INSERT INTO orders_9 VALUES (1, 2)", true},
      {"/*!50701 CREATE TABLE x (a INT) */ INSERT INTO orders_9 VALUES (1, 2)", true},
      {"ALTER TABLE staging EXCHANGE PARTITION p0 WITH TABLE orders_9"},
      {"ALTER TABLE orders_9 EXCHANGE PARTITION p0 WITH TABLE staging WITHOUT VALIDATION"},
      {"ALTER TABLE orders_9 CONVERT TABLE staging TO PARTITION p0 VALUES LESS THAN (9)", true},
      {"ALTER TABLE staging CONVERT PARTITION p0 TO TABLE orders_9", true},
      {"ALTER TABLE orders_9 IMPORT TABLESPACE"},
      {"ALTER TABLE orders_9 IMPORT PARTITION p0 TABLESPACE"},
  };
  for (const Spelling& spelling : spellings) {
    EXPECT_EQ(read_with(spelling), kWithProblem) << spelling.sql;
    EXPECT_TRUE(contains(problem_, "rows of db.orders_9 ")) << problem_;
  }
}

TEST_F(StatementChanges, StatementsWithoutRowsAreNone) {
  const Spelling spellings[] = {
      {"CREATE TABLE staging SELECT 1 AS id"},
      {"CREATE TEMPORARY TABLE orders_9 SELECT 1 AS id"},
      {"CREATE TABLE orders_9 (id INT, v INT) COMMENT 'AS SELECT' /* SELECT */"},
      {"CREATE TABLE orders_9 (id INT, v INT) PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (9))"},
      {"CREATE TABLE orders_9 (id INT, v INT AS (id + 1) STORED)"},
      {"CREATE TABLE orders_9 (LIKE t)"},
      {"SET STATEMENT sort_buffer_size=1 FOR CREATE TABLE orders_9 (id INT, v INT)", true},
      {"ALTER TABLE t1 EXCHANGE PARTITION p0 WITH TABLE staging"},
      {"CREATE VIEW orders_9 AS SELECT 1 AS id"},
  };
  for (const Spelling& spelling : spellings) EXPECT_EQ(read_with(spelling), kWithout) << spelling.sql;
}

// With rows as rows, MySQL ends the text in START TRANSACTION and MariaDB leaves the query out; the group goes on.
TEST_F(StatementChanges, ATableFromAQueryWhoseRowsAreLoggedIsNone) {
  for (const bool mariadb : {false, true}) {
    TableLog log(mariadb ? kMariadb : kMysql);
    mariadb ? log.log.mariadb_gtid(1, 0) : log.gtid();
    log.log.query(mariadb ? "CREATE OR REPLACE TABLE `t` (\n `id` int, `v` int\n) ENGINE=InnoDB"
                          : "CREATE TABLE `t` (\n `id` int, `v` int\n) ENGINE=InnoDB START TRANSACTION");
    log.log.event(binlog::EventType::table_map, table_map_body(kT));
    log.log.event(binlog::EventType::write_rows_v2, rows_body(kT, {{int64_t{1}, int64_t{1}}}, false));
    log.log.xid();
    log.write(path("binlog.000001"));
    EXPECT_EQ(read(), (Texts{"+ id=1 v=1"})) << mariadb;
  }
}

}  // namespace
}  // namespace tidemark::test
