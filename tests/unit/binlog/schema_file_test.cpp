// SPDX-License-Identifier: Apache-2.0
// Schema files: what dumps and people write, which table a name means, where errors are, and what counts more.
// Thread: one.
#include "binlog/schema_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tidemark::binlog {
namespace {

class SchemaFileTest : public testing::Test {
 protected:
  void declare(std::string_view text) {
    SchemaTracker declared;
    const Checked done = declare_tables(text, "s.sql", declared);
    ASSERT_TRUE(done) << done.error().to_string();
    tracker_.set_base(declared);
  }
  static std::string error(std::string_view text) {
    SchemaTracker declared;
    const Checked done = declare_tables(text, "s.sql", declared);
    return done ? "" : done.error().to_string();
  }
  void sql(std::string_view text) { tracker_.on_statement("db", text, "binlog.000009", 100); }
  std::string columns(std::string_view database, std::string_view table) const {
    const SchemaTracker::Found found = tracker_.find(database, table);
    if (!found.schema) return "unknown";
    std::string text;
    for (const ColumnSchema& column : found.schema->columns) text += (text.empty() ? "" : ",") + column.name;
    return text;
  }

  SchemaTracker tracker_;
};

TEST_F(SchemaFileTest, DumpsAreRead) {
  declare(R"(/*M!999999\- enable the sandbox mode */
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;
CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET latin1 */
  /*!80016 DEFAULT ENCRYPTION='N' */; USE `shop`;
DROP TABLE IF EXISTS `orders`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE `orders` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'a;b',
  `name` varchar(20) DEFAULT NULL,
  `hidden` int /*!80023 INVISIBLE */,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY HASH (`id`) PARTITIONS 4 */;
CREATE TABLE IF NOT EXISTS copy LIKE orders; # a comment; with a semicolon
/*!50001 CREATE VIEW `v` AS SELECT 1 AS `a`*/;
UNLOCK TABLES; DO SETVAL(`numbers`, 1, 0);
CREATE TABLE other.t (a INT) )");
  EXPECT_EQ(columns("shop", "orders"), "id,name,hidden");
  EXPECT_EQ(columns("shop", "copy"), "id,name,hidden");
  EXPECT_EQ(columns("other", "t"), "a");
  EXPECT_EQ(columns("shop", "t"), "unknown");
  EXPECT_EQ(tracker_.find("shop", "orders").schema->source, "CREATE TABLE at s.sql:9");
  EXPECT_EQ(tracker_.find("shop", "orders").schema->columns[1].charset, "utf8mb4");
  EXPECT_EQ(tracker_.known_tables().size(), 3u);
}

TEST_F(SchemaFileTest, OneStatementDeclaresTheTablesOfAllShards) {
  declare(
      "CREATE TABLE `shop_*`.`orders_[0-9]*` (a INT); CREATE TABLE `shop_1`.`orders_7` (b INT);"
      "CREATE TABLE `shop_*`.`orders_*` (c INT); CREATE TABLE audit (d INT);"
      "CREATE TABLE `a\\*[!0-9]` (e INT)");
  EXPECT_EQ(columns("any", "a*x"), "e") << "globs as those of 'tables'";
  EXPECT_EQ(columns("any", "axx"), "unknown");
  EXPECT_EQ(columns("shop_02", "orders_0001"), "a");
  EXPECT_EQ(columns("shop_1", "orders_7"), "b") << "a name without wildcards counts first";
  EXPECT_EQ(columns("shop_1", "orders_x"), "c");
  EXPECT_EQ(columns("any", "audit"), "d") << "without a database: in any";
  EXPECT_EQ(columns("shop_1", "my_orders_7"), "unknown") << "whole names";
  sql("ALTER TABLE shop_02.orders_0001 ADD z INT");
  EXPECT_EQ(columns("shop_02", "orders_0001"), "a,z");
  EXPECT_EQ(columns("shop_02", "orders_0002"), "a") << "of the others nothing changes";
  EXPECT_EQ(tracker_.find("shop_02", "orders_0001").schema->table, "orders_0001");
}

TEST_F(SchemaFileTest, TheLogCountsMore) {
  declare("USE db; CREATE TABLE t (a INT); CREATE TABLE u (a INT); CREATE TABLE w (a INT); CREATE TABLE x (a INT)");
  sql("CREATE TABLE IF NOT EXISTS t (no INT)");
  EXPECT_EQ(columns("db", "t"), "a");
  sql("ALTER TABLE t ADD b INT FIRST");
  EXPECT_EQ(columns("db", "t"), "b,a");
  sql("CREATE TABLE u (z INT)");
  EXPECT_EQ(columns("db", "u"), "z");
  sql("RENAME TABLE w TO w2, x TO w, w2 TO x");
  EXPECT_EQ(columns("db", "x"), "a");
  sql("DROP TABLE w");
  EXPECT_EQ(columns("db", "w"), "unknown");
  sql("ALTER TABLE u DROP nope");
  EXPECT_EQ(columns("db", "u"), "unknown") << "not as the file says";
  declare("USE db; CREATE TABLE y (a INT); CREATE TABLE y2 LIKE y");
  sql("CREATE DATABASE db");
  EXPECT_EQ(columns("db", "y"), "unknown") << "the file's database was another one";
}

TEST_F(SchemaFileTest, AStoredTrackerKeepsWhatTheLogSaid) {
  declare("USE db; CREATE TABLE t (a INT); CREATE TABLE u (a INT); CREATE TABLE l (a INT); CREATE TABLE `g*` (a INT)");
  sql("ALTER TABLE l ADD b INT");
  sql("DROP TABLE g0");
  sql("ALTER TABLE u FROBNICATE");
  sql("ALTER TABLE w ADD a INT");
  std::string bytes;
  tracker_.serialise(bytes);
  ASSERT_TRUE(tracker_.deserialise(bytes));
  const auto adopt = [&](std::string_view text) {
    SchemaTracker declared;
    SchemaTracker base;
    ASSERT_TRUE(declare_tables(text, "new.sql", declared));
    base.set_base(declared);
    tracker_.adopt_base(base);
  };
  adopt("");
  EXPECT_EQ(columns("db", "t"), "a") << "no file: the stored one";
  adopt("USE db; CREATE TABLE t (a INT); CREATE TABLE u (a INT)");
  EXPECT_EQ(columns("db", "u"), "unknown") << "the file says no more than before";
  adopt(
      "USE db; CREATE TABLE t (z INT); CREATE TABLE u (a INT, b INT); CREATE TABLE w (c INT); CREATE TABLE n (d INT);"
      "CREATE TABLE l (z INT); CREATE TABLE g0 (z INT); CREATE TABLE g1 (e INT); CREATE TABLE `g*` (z INT)");
  EXPECT_EQ(columns("db", "t"), "z") << "the log has not named it";
  EXPECT_EQ(columns("db", "l"), "a,b") << "the log altered it";
  EXPECT_EQ(columns("db", "g0"), "unknown") << "the log dropped it";
  EXPECT_EQ(columns("db", "g1"), "e") << "an exact name under the stored glob";
  EXPECT_EQ(columns("db", "g2"), "z");
  EXPECT_EQ(columns("db", "u"), "a,b");
  EXPECT_EQ(columns("db", "w"), "c");
  EXPECT_EQ(columns("db", "n"), "d");
}

TEST_F(SchemaFileTest, ErrorsTellTheirPlace) {
  struct Case {
    const char* text;
    const char* place;
    const char* cause;
  };
  const Case cases[] = {
      {"CREATE TABLE db.t (\n  a INT,\n  b FROBNITZ(3)\n);", "s.sql:3:5: ", "column type not known near 'FROBNITZ'"},
      {"USE db;\nCREATE TABLE t (a INT);\n  CREATE TABLE t (b INT);", "s.sql:3:3: ", "db.t is declared already"},
      {"CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);", "s.sql:2:1: ", "'INSERT' declares no table"},
      {"/*!40101 SET a = 1; */;\n\nCREATE TABLE t (a INT);;\nFLUSH TABLES", "s.sql:4:1: ", "'FLUSH' declares no table"},
      {"\nCREATE TABLE `t[b-a]` (a INT)", "s.sql:2:1: ", "pattern \"t[b-a]\" is no regular expression"},
      {"DELIMITER ;;\nCREATE TABLE t (a INT);", "s.sql:1:1: ", "'DELIMITER' declares no table"},
      {"CREATE TABLE t (a INT COMMENT 'no end);", "s.sql:1:31: ", "no end"},
      {"CREATE TABLE t (a INT, );", "s.sql:1:24: ", "a name expected"},
      {"CREATE TABLE t (a INT", "s.sql:1:22: ", "')' expected at the end"},
      {"CREATE TABLE a LIKE b;", "s.sql:1:1: ", "copies *.b, whose columns are unknown"},
      {"\xef\xbb\xbf"
       "CREATE TEMPORARY TABLE t (a INT);",
       "s.sql:1:1: ", "temporary"},
      {"CREATE TABLE t SELECT 1 AS a;", "s.sql:1:", "columns come from a query"},
  };
  for (const Case& expected : cases) {
    const std::string text = error(expected.text);
    EXPECT_TRUE(text.starts_with(expected.place)) << text;
    EXPECT_NE(text.find(expected.cause), std::string::npos) << text;
  }
  const std::string missing[] = {"/nowhere/s.sql"};
  SchemaTracker tracker;
  const Checked done = load_schema_files(missing, tracker);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::io);
  EXPECT_NE(done.error().to_string().find("/nowhere/s.sql"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::binlog
