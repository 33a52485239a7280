// SPDX-License-Identifier: Apache-2.0
// Schemas by position: what CREATE, ALTER, RENAME and DROP make of tables, and where they must be unknown.
// Thread: one.
#include "binlog/schema_tracker.hpp"

#include <gtest/gtest.h>

#include <string>

#include "binlog/state_bytes.hpp"

namespace tidemark::binlog {
namespace {

class SchemaTrackerTest : public testing::Test {
 protected:
  void sql(std::string_view text) { tracker_.on_statement("db", text, "binlog.000001", position_ += 100); }

  /// Column names in order, or "unknown".
  std::string columns(std::string_view table, std::string_view database = "db") const {
    const SchemaTracker::Found found = tracker_.find(database, table);
    if (!found.schema) return "unknown";
    std::string text;
    for (const ColumnSchema& column : found.schema->columns) text += (text.empty() ? "" : ",") + column.name;
    return text;
  }
  std::string reason(std::string_view table) const { return tracker_.find("db", table).reason; }

  SchemaTracker tracker_;
  uint64_t position_ = 0;
};

TEST_F(SchemaTrackerTest, case_B14_columns_added_and_renamed_in_one_statement) {
  sql("CREATE TABLE t (id INT PRIMARY KEY, first_name VARCHAR(20), uid INT)");
  EXPECT_EQ(columns("t"), "id,first_name,uid");
  const uint64_t before = tracker_.find("db", "t").schema->version;
  sql("ALTER TABLE t ADD middle_name VARCHAR(20) AFTER first_name");
  EXPECT_EQ(columns("t"), "id,first_name,middle_name,uid");
  EXPECT_GT(tracker_.find("db", "t").schema->version, before);
  sql("ALTER TABLE t CHANGE first_name given_name VARCHAR(40), ADD nick VARCHAR(9) AFTER given_name");
  EXPECT_EQ(columns("t"), "id,given_name,nick,middle_name,uid");
  sql("ALTER TABLE t RENAME COLUMN uid TO user_id, ADD x INT AFTER user_id, ADD COLUMN y INT FIRST, ADD z INT");
  EXPECT_EQ(columns("t"), "y,id,given_name,nick,middle_name,user_id,x,z");
  EXPECT_EQ(tracker_.find("db", "t").schema->primary_key, (std::vector<uint32_t>{1}));
}

TEST_F(SchemaTrackerTest, case_B16_columns_reordered) {
  sql("CREATE TABLE t (id INT, a INT, b INT)");
  sql("ALTER TABLE t MODIFY a INT AFTER b");
  EXPECT_EQ(columns("t"), "id,b,a");
  sql("ALTER TABLE t MODIFY COLUMN a INT AFTER id");
  EXPECT_EQ(columns("t"), "id,a,b");
}

TEST_F(SchemaTrackerTest, OneStatementFollowsTheServersOrder) {
  sql("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT)");
  // Names of old columns are the old ones, AFTER means the new ones; names swap in one statement.
  sql("ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a, DROP c, ADD c BIGINT AFTER b, MODIFY id BIGINT");
  EXPECT_EQ(columns("t"), "id,b,c,a");
  EXPECT_EQ(tracker_.find("db", "t").schema->columns[0].type, SqlType::bigint);
  EXPECT_FALSE(tracker_.find("db", "t").schema->columns[0].nullable);
  sql("ALTER TABLE t DROP COLUMN IF EXISTS nope, ADD COLUMN IF NOT EXISTS a INT, ADD COLUMN IF NOT EXISTS d INT");
  EXPECT_EQ(columns("t"), "id,b,c,a,d");
}

TEST_F(SchemaTrackerTest, ChangedColumnsStayInPlaceUntilTheyAreMoved) {
  sql("CREATE TABLE t (id INT, c INT, g INT)");
  sql("ALTER TABLE t ADD u INT AFTER c, MODIFY c BIGINT AFTER g");
  EXPECT_EQ(columns("t"), "id,u,g,c");
  sql("ALTER TABLE t ADD IF NOT EXISTS x TIMESTAMP NULL, ADD IF NOT EXISTS x FLOAT FIRST");
  EXPECT_EQ(columns("t"), "id,u,g,c,x");
  sql("CREATE TABLE u (a INT, b INT)");
  sql("ALTER TABLE u MODIFY a BIGINT, CHANGE A c INT");
  EXPECT_EQ(columns("u"), "unknown");
  sql("ALTER TABLE t ADD y INT DEFAULT 4 REMOVE PARTITIONING");
  sql("ALTER TABLE t ADD z INT AFTER id PARTITION BY HASH (id) PARTITIONS 2");
  EXPECT_EQ(columns("t"), "id,z,u,g,c,x,y");
}

TEST_F(SchemaTrackerTest, SystemVersioningAddsItsColumnsAtTheEnd) {
  sql("CREATE TABLE t (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING");
  EXPECT_EQ(columns("t"), "id,a,row_start,row_end");
  EXPECT_EQ(tracker_.find("db", "t").schema->primary_key, (std::vector<uint32_t>{0, 3}));
  sql("ALTER TABLE t ADD b INT, ADD c INT FIRST");
  EXPECT_EQ(columns("t"), "c,id,a,b,row_start,row_end");
  std::string bytes;
  tracker_.serialise(bytes);
  ASSERT_TRUE(tracker_.deserialise(bytes));
  sql("ALTER TABLE t DROP SYSTEM VERSIONING");
  EXPECT_EQ(columns("t"), "c,id,a,b");
  EXPECT_EQ(tracker_.find("db", "t").schema->primary_key, (std::vector<uint32_t>{1}));
  sql("CREATE TABLE u (a INT, b INT WITH SYSTEM VERSIONING)");
  EXPECT_EQ(columns("u"), "a,b,row_start,row_end");
  sql("CREATE TABLE w (a INT PRIMARY KEY, s TIMESTAMP(6) AS ROW START, e TIMESTAMP(6) AS ROW END, PERIOD FOR "
      "SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING");
  EXPECT_EQ(columns("w"), "a,s,e");
  sql("ALTER TABLE w ADD x INT");
  EXPECT_EQ(columns("w"), "unknown");
}

TEST_F(SchemaTrackerTest, ConvertingTakesInAllTextColumnsOfTheStatement) {
  sql("CREATE TABLE t (a VARCHAR(20) CHARSET latin1, e ENUM('b','\xc3\xbc') CHARSET latin1, j JSON) CHARSET latin1");
  EXPECT_EQ(tracker_.find("db", "t").schema->columns[1].members[1], "\xc3\xbc");
  sql("ALTER TABLE t DROP e, CONVERT TO CHARACTER SET utf8mb4, ADD b VARCHAR(9) CHARSET latin1, ADD c BLOB");
  const auto schema = tracker_.find("db", "t").schema;
  ASSERT_TRUE(schema) << reason("t");
  EXPECT_EQ(schema->columns[0].charset, "utf8mb4");
  EXPECT_EQ(schema->columns[2].charset, "utf8mb4");
  sql("CREATE TABLE u (e ENUM('\xc3\xbc') CHARSET utf8mb4)");
  sql("ALTER TABLE u CONVERT TO CHARACTER SET latin1");
  EXPECT_NE(reason("u").find("unclear"), std::string::npos) << reason("u");
  sql("CREATE TABLE u (e ENUM('a') CHARSET ucs2)");
  sql("ALTER TABLE u CONVERT TO CHARACTER SET latin1");
  EXPECT_EQ(columns("u"), "unknown") << "even ASCII is not converted";
  sql("CREATE TABLE w (a VARCHAR(5) CHARSET utf8mb3)");
  sql("ALTER TABLE w DEFAULT CHARSET ascii, CONVERT TO CHARACTER SET utf8mb4, ADD b VARCHAR(5)");
  sql("ALTER TABLE w ADD c VARCHAR(5)");
  const auto both = tracker_.find("db", "w").schema;
  ASSERT_TRUE(both) << reason("w");
  EXPECT_EQ(both->columns[0].charset + both->columns[1].charset + both->columns[2].charset, "utf8mb4utf8mb4ascii");
  sql("CREATE TABLE a (e ENUM('gr\xc3\xbc\xc3\x9f') CHARSET ascii)");
  EXPECT_EQ(tracker_.find("db", "a").schema->columns[0].members[0], "gr??");
}

TEST_F(SchemaTrackerTest, SequencesAreTablesAndDatabasesAreReplaced) {
  sql("CREATE SEQUENCE s START WITH 5");
  EXPECT_TRUE(columns("s").starts_with("next_not_cached_value,minimum_value")) << columns("s");
  sql("DROP SEQUENCE s");
  EXPECT_EQ(columns("s"), "unknown");
  sql("CREATE TABLE t (a INT)");
  sql("RENAME TABLE IF EXISTS s TO t");
  EXPECT_EQ(columns("t"), "a") << "what does not exist is not renamed";
  sql("CREATE OR REPLACE DATABASE db");
  EXPECT_EQ(columns("t"), "unknown");
}

TEST_F(SchemaTrackerTest, ViewsAndTablesWithTriggersReachFurther) {
  const auto known = [&](std::string_view text) {
    return tracker_.on_statement("db", text, "f", 4).names_its_targets();
  };
  EXPECT_TRUE(known("INSERT INTO v VALUES (1)"));
  sql("CREATE ALGORITHM=UNDEFINED DEFINER=`` SQL SECURITY DEFINER VIEW `v` AS select * from a0");
  sql("CREATE DEFINER=`a`@`%` TRIGGER tr AFTER INSERT ON db.t FOR EACH ROW UPDATE orders SET a = 1");
  EXPECT_FALSE(known("INSERT INTO v VALUES (1)"));
  EXPECT_FALSE(known("DELETE FROM t"));
  sql("RENAME TABLE t TO t2");
  EXPECT_FALSE(known("DELETE FROM t2"));
  EXPECT_TRUE(known("DELETE FROM u"));
}

TEST_F(SchemaTrackerTest, RenamesSwapAndTablesAreCopied) {
  sql("CREATE TABLE t (a INT)");
  sql("CREATE TABLE _t_gho LIKE t");
  sql("ALTER TABLE _t_gho ADD b INT FIRST");
  sql("RENAME TABLE t TO _t_del, _t_gho TO t");
  EXPECT_EQ(columns("t"), "b,a");
  EXPECT_EQ(columns("_t_del"), "a");
  EXPECT_EQ(columns("_t_gho"), "unknown");
  sql("ALTER TABLE t RENAME TO other.u, ADD c INT");
  EXPECT_EQ(columns("u", "other"), "b,a,c");
  EXPECT_EQ(tracker_.find("other", "u").schema->database, "other");
  sql("DROP TABLE IF EXISTS _t_del, other.u");
  EXPECT_EQ(columns("u", "other"), "unknown");
}

TEST_F(SchemaTrackerTest, UnknownNeverWrong) {
  sql("ALTER TABLE old ADD x INT");
  EXPECT_NE(reason("old").find("its CREATE TABLE is not in the log"), std::string::npos) << reason("old");
  EXPECT_NE(reason("old").find("binlog.000001:100"), std::string::npos);
  sql("CREATE TABLE IF NOT EXISTS maybe (a INT)");
  EXPECT_NE(reason("maybe").find("IF NOT EXISTS"), std::string::npos);
  sql("CREATE TABLE t (a INT)");
  sql("CREATE TABLE IF NOT EXISTS t (b INT)");
  EXPECT_EQ(columns("t"), "a");
  sql("ALTER TABLE t DROP nope");
  EXPECT_NE(reason("t").find("no column 'nope'"), std::string::npos);
  sql("CREATE OR REPLACE TABLE t (c INT)");
  EXPECT_EQ(columns("t"), "c");
  sql("ALTER TABLE t FROBNICATE");
  EXPECT_NE(reason("t").find("ALTER TABLE at binlog.000001:700 was not understood"), std::string::npos) << reason("t");
  sql("CREATE TABLE s AS SELECT 1 AS x");
  EXPECT_EQ(columns("s"), "unknown");
  sql("CREATE TABLE copy LIKE s");
  EXPECT_NE(reason("copy").find("db.s, whose columns are unknown"), std::string::npos);
  sql("RENAME TABLE s TO s2");
  EXPECT_EQ(columns("s2"), "unknown");
  sql("CREATE TABLE good (a INT)");
  sql("ALTER TABLE 'oops' ADD b INT");  // no table can be read: any may be meant
  EXPECT_EQ(columns("good"), "unknown");
}

TEST_F(SchemaTrackerTest, IfNotExistsCountsWhereTheLogShowsThatTheTableIsNew) {
  sql("CREATE DATABASE db");
  sql("CREATE TABLE IF NOT EXISTS t (a INT)");
  EXPECT_EQ(columns("t"), "a");
  sql("DROP TABLE t");
  sql("CREATE TABLE IF NOT EXISTS t (b INT)");
  EXPECT_EQ(columns("t"), "b");
  sql("DROP DATABASE db");
  EXPECT_EQ(columns("t"), "unknown");
}

TEST_F(SchemaTrackerTest, TemporaryTablesDoNotCount) {
  sql("CREATE TABLE t (a INT)");
  sql("CREATE TEMPORARY TABLE x (z INT)");
  sql("DROP TEMPORARY TABLE IF EXISTS t");
  EXPECT_EQ(columns("t"), "a");
  EXPECT_EQ(columns("x"), "unknown");
  sql("CREATE TEMPORARY TABLE t (z INT)");
  EXPECT_EQ(columns("t"), "a");
  sql("ALTER TABLE t ADD b INT");  // which of the two is meant, the log does not tell
  EXPECT_EQ(columns("t"), "unknown");
}

TEST_F(SchemaTrackerTest, CharsetsComeFromColumnTableDatabaseServer) {
  StatementAt at{"db", "CREATE DATABASE db CHARACTER SET latin1", "f", 4};
  tracker_.on_statement(at);
  sql("CREATE TABLE t (a VARCHAR(10), b VARCHAR(10) CHARSET utf8, c TEXT) ");
  auto schema = tracker_.find("db", "t").schema;
  EXPECT_EQ(schema->columns[0].charset, "latin1");
  EXPECT_EQ(schema->columns[1].charset, "utf8mb3");
  sql("ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4");
  schema = tracker_.find("db", "t").schema;
  EXPECT_EQ(schema->columns[1].charset, "utf8mb4");
  EXPECT_EQ(schema->columns[2].type, SqlType::mediumtext);  // as many characters as before
  // Without a CREATE DATABASE in the log, the server's default is no more than likely.
  tracker_.on_statement({"other", "CREATE TABLE u (a VARCHAR(10))", "f", 9, 0, 255, 255});
  EXPECT_EQ(tracker_.find("other", "u").schema->columns[0].charset, kUnknownCharset);
  EXPECT_EQ(tracker_.find("other", "u").server_charset, "utf8mb4");
}

TEST_F(SchemaTrackerTest, TextOfOtherClientCharsets) {
  tracker_.on_statement({"db", "CREATE TABLE t (s ENUM('\xfc'))", "f", 4, 0, 8, 8});  // latin1
  EXPECT_EQ(tracker_.find("db", "t").schema->columns[0].members[0], "ü");
  tracker_.on_statement({"db", "CREATE TABLE g (s ENUM('\xd6\xd0', '\xd5\x5c'))", "f", 4, 0, 28, 28});  // gbk
  EXPECT_EQ(tracker_.find("db", "g").schema->columns[0].members, (std::vector<std::string>{"中", "誠"}));
  tracker_.on_statement({"db", "CREATE TABLE u (s ENUM('\xd6'))", "f", 4, 0, 100, 100});  // no charset's id
  EXPECT_NE(reason("u").find("unknown"), std::string::npos);
}

TEST_F(SchemaTrackerTest, NamesHaveNoBytesThatTheClientsCharsetDoesNotKnow) {
  tracker_.on_statement({"db", "CREATE TABLE a (x\xe4 INT)", "f", 4, 0, 11, 8});  // ascii
  EXPECT_EQ(columns("a"), "x\xef\xbf\xbd");
}

TEST_F(SchemaTrackerTest, TextsThatTheServerMadeAreUtf8WithEscapes) {
  // A latin1 client under NO_BACKSLASH_ESCAPES; the text is the server's, as rows follow in the group.
  const char* sql = "CREATE TABLE `\xc3\xa4` (\n  `\xc3\xbc` enum('a\\\\b') DEFAULT NULL\n)";
  StatementAt at{"db", sql, "f", 4, kSqlModeNoBackslashEscapes, 8, 8, SqlDialect::mariadb, false};
  tracker_.on_statement(at);
  EXPECT_EQ(columns("\xc3\xa4"), "\xc3\xbc");
  EXPECT_EQ(tracker_.find("db", "\xc3\xa4").schema->columns[0].members[0], "a\\b");
  at.sql = "DROP TABLE `\xe4` /* generated by server */";
  at.stands_alone = true;
  tracker_.on_statement(at);
  EXPECT_EQ(columns("\xc3\xa4"), "unknown");
  at.sql = sql;
  tracker_.on_statement(at);
  EXPECT_EQ(columns("\xc3\xa4"), "unknown") << "a user's text is in the client's charset";
  EXPECT_EQ(columns("\xc3\x83\xc2\xa4"), "\xc3\x83\xc2\xbc");
}

TEST_F(SchemaTrackerTest, DamagedStatementsAreSurvived) {
  const std::string statements[] = {
      "CREATE TABLE t (id SERIAL, e ENUM('a','b''c') DEFAULT 'a', d DECIMAL(10,2) AS (id + (1)) STORED, PRIMARY KEY "
      "(id))"
      " ENGINE=InnoDB CHARSET=utf8 /*!50100 PARTITION BY HASH(id) */",
      "ALTER TABLE `t` ADD (x INT, y TEXT), CHANGE e f SET('x') AFTER d, RENAME COLUMN d TO g, ORDER BY a, b, DROP z",
      "RENAME TABLE a TO b, `c`.d TO \"e\".f",
      "SET STATEMENT a=1 FOR DELETE a.*, b FROM a JOIN (SELECT 1) b WHERE c = 'x'",
  };
  for (const std::string& statement : statements) {
    for (size_t i = 0; i < statement.size(); ++i) {
      sql(std::string_view(statement).substr(0, i));
      for (const char damage : {'(', ')', '\'', '`', ',', '*', '\\', '\xff'}) {
        std::string text = statement;
        text[i] = damage;
        sql(text);
      }
    }
  }
  std::string bytes;
  tracker_.serialise(bytes);
  EXPECT_TRUE(SchemaTracker().deserialise(bytes));
}

TEST_F(SchemaTrackerTest, ABaseWithoutColumnsIsNoState) {
  for (const bool glob : {false, true}) {
    for (const uint64_t kind : {0, 1, 3}) {
      std::string bytes;
      StateWriter writer(bytes);
      for (const uint64_t number : {2, 0, 0}) writer.integer(number);  // version of the state, revision, schemas made
      for (const char* text : {"latin1", ""}) writer.text(text);       // charset, no blind reason
      for (int empty = 0; empty < 4; ++empty) writer.integer(0);       // databases, temporary, reaching, tables
      if (glob) writer.integer(0);
      writer.integer(1);
      for (const char* text : {"db", "t"}) writer.text(text);
      writer.integer(kind);
      if (kind != 1) writer.text("a reason");
      if (!glob) writer.integer(0);
      EXPECT_FALSE(tracker_.deserialise(bytes)) << glob << kind;
    }
  }
}

TEST_F(SchemaTrackerTest, StateSurvivesAsBytes) {
  sql("CREATE DATABASE db CHARSET latin1");
  sql("CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, e ENUM('a','b'), d DECIMAL(18,4), ts DATETIME(3), v "
      "VARCHAR(9))");
  sql("ALTER TABLE ghost ADD x INT");
  sql("CREATE TEMPORARY TABLE tmp (a INT)");
  sql("DROP TABLE gone");
  std::string bytes;
  tracker_.serialise(bytes);
  SchemaTracker restored;
  ASSERT_TRUE(restored.deserialise(bytes));
  std::string again;
  restored.serialise(again);
  EXPECT_EQ(again, bytes);
  const auto schema = restored.find("db", "t").schema;
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->columns[1].members, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(schema->columns[0].is_unsigned);
  EXPECT_EQ(restored.find("db", "ghost").reason, reason("ghost"));
  EXPECT_EQ(restored.revision(), tracker_.revision());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(SchemaTracker().deserialise(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(restored.deserialise(bytes + "x"));
  EXPECT_TRUE(restored.known_tables().empty());
}

TEST(SchemaTracker, NamesInAnotherCaseMakeASchemaUnknownNotWrong) {
  SchemaTracker tracker;
  tracker.on_statement("d", "CREATE TABLE orders (a INT, b INT)", "f", 4);
  tracker.on_statement("d", "ALTER TABLE Orders MODIFY a INT AFTER b", "f", 5);
  const auto altered = tracker.find("d", "orders");
  EXPECT_EQ(altered.schema, nullptr);
  EXPECT_NE(altered.reason.find("lower_case_table_names"), std::string::npos) << altered.reason;
  tracker.on_statement("d", "CREATE TABLE Shop (a INT)", "f", 6);
  EXPECT_NE(tracker.find("d", "shop").reason.find("d.Shop, named in another case"), std::string::npos);
  EXPECT_NE(tracker.find("d", "Shop").schema, nullptr);
}

}  // namespace
}  // namespace tidemark::binlog
