// SPDX-License-Identifier: Apache-2.0
// Column definitions of every type, and what statements are classed as.
// Thread: one.
#include "binlog/ddl_parser.hpp"

#include <gtest/gtest.h>

#include <string>

#include "binlog/ddl_column.hpp"

namespace tidemark::binlog {
namespace {

CreateTable create(std::string_view sql) {
  ParsedStatement statement = parse_statement("db", sql);
  EXPECT_EQ(statement.failure, "") << sql;
  EXPECT_EQ(statement.statement_class, StatementClass::kDdl);
  return std::get<CreateTable>(statement.ddl);
}

ColumnSchema column(std::string_view definition) {
  CreateTable table = create("CREATE TABLE t (c " + std::string(definition) + ")");
  EXPECT_EQ(table.columns.size(), 1u) << definition;
  resolve_charset(table.columns.at(0), "utf8mb4");
  return table.columns.at(0).column;
}

struct Expected {
  const char* definition;
  SqlType type;
  uint32_t length = 0;
  uint32_t scale = 0;
  uint32_t fsp = 0;
  bool is_unsigned = false;
  const char* charset = "";
};

TEST(DdlParser, EveryTypeSpelling) {
  const Expected cases[] = {
      {"TINYINT(1)", SqlType::tinyint},
      {"BOOLEAN DEFAULT FALSE", SqlType::tinyint},
      {"int2 unsigned", SqlType::smallint, 0, 0, 0, true},
      {"MIDDLEINT ZEROFILL", SqlType::mediumint, 0, 0, 0, true},
      {"INTEGER(11) SIGNED", SqlType::integer},
      {"INT8", SqlType::bigint},
      {"SERIAL", SqlType::bigint, 0, 0, 0, true},
      {"BIGINT UNSIGNED NOT NULL SERIAL DEFAULT VALUE", SqlType::bigint, 0, 0, 0, true},
      {"DECIMAL", SqlType::decimal, 10},
      {"NUMERIC(18,4) UNSIGNED", SqlType::decimal, 18, 4, 0, true},
      {"DEC(5)", SqlType::decimal, 5},
      {"FIXED(6,2)", SqlType::decimal, 6, 2},
      {"FLOAT", SqlType::float_},
      {"FLOAT(24)", SqlType::float_},
      {"FLOAT(25)", SqlType::double_},
      {"FLOAT(7,4)", SqlType::float_},
      {"DOUBLE PRECISION", SqlType::double_},
      {"REAL(10,2)", SqlType::double_},
      {"BIT", SqlType::bit, 1},
      {"BIT(10) DEFAULT b'101'", SqlType::bit, 10},
      {"YEAR(4)", SqlType::year},
      {"DATE", SqlType::date},
      {"TIME(6)", SqlType::time, 0, 0, 6},
      {"DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)", SqlType::datetime, 0, 0, 3},
      {"TIMESTAMP NULL DEFAULT NULL", SqlType::timestamp},
      {"CHAR", SqlType::char_, 1, 0, 0, false, "utf8mb4"},
      {"CHAR(5) BYTE", SqlType::binary, 5},
      {"CHARACTER VARYING(9)", SqlType::varchar, 9, 0, 0, false, "utf8mb4"},
      {"NCHAR(3)", SqlType::char_, 3, 0, 0, false, "utf8mb3"},
      {"NATIONAL VARCHAR(4)", SqlType::varchar, 4, 0, 0, false, "utf8mb3"},
      {"NVARCHAR(4)", SqlType::varchar, 4, 0, 0, false, "utf8mb3"},
      {"VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin", SqlType::varchar, 20, 0, 0, false, "latin1"},
      {"VARCHAR(20) COLLATE utf8_general_ci", SqlType::varchar, 20, 0, 0, false, "utf8mb3"},
      {"VARCHAR(20) CHARSET binary", SqlType::varbinary, 20},
      {"VARCHAR(20000) CHARSET utf8mb4", SqlType::mediumtext, 20000, 0, 0, false, "utf8mb4"},
      {"BINARY(8)", SqlType::binary, 8},
      {"VARBINARY(300)", SqlType::varbinary, 300},
      {"TEXT", SqlType::text, 0, 0, 0, false, "utf8mb4"},
      {"TEXT(63)", SqlType::tinytext, 63, 0, 0, false, "utf8mb4"},
      {"TEXT(64)", SqlType::text, 64, 0, 0, false, "utf8mb4"},
      {"BLOB(70000)", SqlType::mediumblob, 70000},
      {"LONG VARCHAR", SqlType::mediumtext, 0, 0, 0, false, "utf8mb4"},
      {"LONG VARBINARY", SqlType::mediumblob},
      {"LONGTEXT ASCII", SqlType::longtext, 0, 0, 0, false, "latin1"},
      {"JSON CHECK (json_valid(`c`))", SqlType::json, 0, 0, 0, false, "utf8mb4"},
      {"GEOMCOLLECTION NOT NULL SRID 4326", SqlType::geometry},
      {"VECTOR(3)", SqlType::vector, 3},
      {"UUID DEFAULT uuid()", SqlType::uuid},
      {"INET6", SqlType::inet6},
  };
  for (const Expected& expected : cases) {
    SCOPED_TRACE(expected.definition);
    const ColumnSchema got = column(expected.definition);
    EXPECT_EQ(got.type, expected.type);
    EXPECT_EQ(got.length, expected.length);
    EXPECT_EQ(got.scale, expected.scale);
    EXPECT_EQ(got.fsp, expected.fsp);
    EXPECT_EQ(got.is_unsigned, expected.is_unsigned);
    EXPECT_EQ(got.charset, expected.charset);
  }
}

TEST(DdlParser, AttributesInAnyOrder) {
  const char* definitions[] = {
      "INT NOT NULL DEFAULT -1 COMMENT 'a, b) NOT NULL' COLUMN_FORMAT DEFAULT STORAGE DISK",
      "INT GENERATED ALWAYS AS (a + (b * 2)) STORED NOT NULL",
      "INT CONSTRAINT pos CHECK (c > 0) NOT ENFORCED INVISIBLE NOT NULL",
      "INT REFERENCES o (id) MATCH FULL ON DELETE SET NULL ON UPDATE NO ACTION NOT NULL",
      "INT DEFAULT (1 + length('x')) UNIQUE KEY /*!80023 INVISIBLE */ NOT NULL",
      "INT AUTO_INCREMENT KEY",
      "VARCHAR(9) COMPRESSED DEFAULT _utf8mb4'x' NOT NULL",
  };
  for (const char* definition : definitions) EXPECT_FALSE(column(definition).nullable) << definition;
  EXPECT_TRUE(column("INT AS (1) VIRTUAL").generated);
  EXPECT_EQ(column("ENUM('a','b,c','d''e ','ü') NOT NULL").members, (std::vector<std::string>{"a", "b,c", "d'e", "ü"}));
}

TEST(DdlParser, KeysAndOptionsOfCreateTableAreNotColumns) {
  const CreateTable table = create(
      "CREATE TABLE IF NOT EXISTS `o`.`t` (`key` INT, b VARCHAR(10), PRIMARY KEY USING BTREE (`key`, b(4) DESC) "
      "COMMENT 'x',"
      " UNIQUE KEY u (b), FULLTEXT INDEX f (b) WITH PARSER ngram, CONSTRAINT c FOREIGN KEY (b) REFERENCES x (y) ON "
      "DELETE"
      " CASCADE, CHECK (`key` IN (1,2)), period INT) ENGINE=InnoDB DEFAULT CHARSET=latin1 COMMENT='SELECT AS'"
      " /*!50100 PARTITION BY RANGE (`key`) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN "
      "MAXVALUE) */");
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[2].column.name, "period");
  EXPECT_EQ(table.primary_key, (std::vector<std::string>{"key", "b"}));
  EXPECT_EQ(table.default_charset, "latin1");
  EXPECT_TRUE(table.if_not_exists);
}

TEST(DdlParser, WhatIsNotUnderstoodSaysSoAndNamesItsTable) {
  const char* statements[] = {
      "CREATE TABLE t (a INT) SELECT 1 AS b",
      "CREATE TABLE t AS SELECT 1",
      "CREATE TABLE t (a FROBNICATE)",
      "CREATE TABLE t (a INT FROBNICATE)",
      "CREATE TABLE t (a INT",
      "CREATE TABLE t (a INT) WITH SYSTEM FROBNICATE",
      "CREATE TABLE t ENGINE=CONNECT",
      "ALTER TABLE t FROBNICATE x",
      "ALTER TABLE t ADD c INT 'x'",
      "ALTER TABLE t ADD c INT, DROP",
      "CREATE TABLE t (a INT DEFAULT 'unterminated",
      "ALTER TABLE t ADD SYSTEM FROBNICATE",
  };
  for (const char* sql : statements) {
    const ParsedStatement statement = parse_statement("db", sql);
    EXPECT_NE(statement.failure, "") << sql;
    ASSERT_FALSE(statement.targets.empty()) << sql;
    EXPECT_EQ(statement.targets[0], (TableRef{"db", "t"})) << sql;
  }
  EXPECT_TRUE(parse_statement("db", "CREATE TABLE t (a INT) SELECT 1 AS b").inserts_rows);
  EXPECT_FALSE(parse_statement("db", "CREATE TABLE t (a INT) WITH SYSTEM VERSIONING").inserts_rows);
  EXPECT_TRUE(parse_statement("db", "CREATE TABLE t (a INT) COMMENT 'no end").inserts_rows) << "a query may be in it";
}

TEST(DdlParser, AlterActionsKeepTheirOrderAndOptionsAreSkipped) {
  const ParsedStatement statement = parse_statement(
      "db",
      "SET STATEMENT max_statement_time=(1+1) FOR ALTER ONLINE IGNORE TABLE `t` WAIT 5 ADD COLUMN (x INT, y INT), "
      "ENGINE=InnoDB"
      " ROW_FORMAT=DYNAMIC, ADD INDEX i (x), DROP KEY j, ALTER a SET DEFAULT 5, RENAME INDEX k TO l, ORDER BY a DESC, "
      "b,"
      " ALGORITHM=INPLACE, LOCK NONE, MODIFY z INT FIRST, CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,"
      " ADD PRIMARY KEY (x), DROP FOREIGN KEY fk, RENAME TO other.u, PARTITION BY HASH(x) PARTITIONS 4");
  EXPECT_EQ(statement.failure, "");
  const auto& actions = std::get<AlterTable>(statement.ddl).actions;
  ASSERT_EQ(actions.size(), 6u);
  EXPECT_EQ(std::get<AddColumn>(actions[1]).definition.column.name, "y");
  EXPECT_EQ(std::get<ChangeColumn>(actions[2]).place, ColumnPlace::kFirst);
  EXPECT_EQ(std::get<ConvertCharset>(actions[3]).charset, "utf8mb4");
  EXPECT_EQ(std::get<SetPrimaryKey>(actions[4]).columns, (std::vector<std::string>{"x"}));
  EXPECT_EQ(std::get<RenameTo>(actions[5]).table, (TableRef{"other", "u"}));
  EXPECT_TRUE(parse_statement("db", "ALTER TABLE t TRUNCATE PARTITION p0, p1").removes_rows);
  EXPECT_TRUE(parse_statement("db", "CREATE OR REPLACE TABLE t (a INT)").removes_rows);
  EXPECT_FALSE(parse_statement("db", "CREATE TABLE t (a INT)").removes_rows);
  EXPECT_FALSE(parse_statement("db", "CREATE OR REPLACE TEMPORARY TABLE t (a INT)").removes_rows);
}

struct Classed {
  const char* sql;
  StatementClass expected;
  const char* targets;
};

TEST(DdlParser, StatementsAreClassedWithTheirTables) {
  const Classed cases[] = {
      {"BEGIN", StatementClass::kTransaction, ""},
      {"/* c */ xa start 'x','y',1", StatementClass::kTransaction, ""},
      {"SAVEPOINT `s`", StatementClass::kTransaction, ""},
      {"TRUNCATE a.t", StatementClass::kTruncate, "a.t"},
      {"/*!40000 TRUNCATE */ TABLE `t`", StatementClass::kTruncate, "db.t"},
      {"INSERT /* x */ IGNORE INTO t VALUES (1)", StatementClass::kDml, "db.t"},
      {"REPLACE LOW_PRIORITY x.t SET a=1", StatementClass::kDml, "x.t"},
      {"UPDATE a, x.b AS q JOIN (SELECT 1) s ON a.id=s.id SET a.v=1, b.w=2", StatementClass::kDml, "db.a x.b"},
      {"WITH c AS (SELECT 1) UPDATE t JOIN c SET v=1", StatementClass::kDml, "db.t db.c"},
      {"DELETE FROM t WHERE id IN (SELECT id FROM u, v)", StatementClass::kDml, "db.t"},
      {"DELETE x.a.*, b FROM x.a JOIN b LEFT JOIN c ON 1 WHERE 1", StatementClass::kDml, "x.a db.b x.a db.b db.c"},
      {"DELETE FROM a, b USING a JOIN b", StatementClass::kDml, "db.a db.b db.a db.b"},
      {"DELETE FROM x USING orders AS x WHERE x.a = 7", StatementClass::kDml, "db.x db.orders"},
      {"DELETE QUICK a.* FROM orders AS a, (b JOIN c USING (id))", StatementClass::kDml,
       "db.a db.orders db.b db.c db.id"},
      {"UPDATE a JOIN b USING (id, k) SET a.v = b.v", StatementClass::kDml, "db.a db.b"},
      {"ANALYZE UPDATE t SET a = 1", StatementClass::kDml, "db.t"},
      {"analyze format=json delete from x.t", StatementClass::kDml, "x.t"},
      {"SET STATEMENT max_statement_time=1 FOR INSERT t VALUES ('a;b')", StatementClass::kDml, "db.t"},
      {"INSERT HIGH_PRIORITY `a``b`.`c` (SELECT 1) ON DUPLICATE KEY UPDATE a = 2", StatementClass::kDml, "a`b.c"},
      {"LOAD XML LOCAL INFILE 'INTO TABLE no' INTO TABLE x.t", StatementClass::kDml, "x.t"},
      {"WITH RECURSIVE c (n) AS (SELECT 1 UNION SELECT n FROM c), d AS (SELECT 1) DELETE t FROM t JOIN c",
       StatementClass::kDml, "db.t db.t db.c"},
      {"/*!50100 REPLACE */ /* INTO no */ INTO -- no\n t SELECT 1", StatementClass::kDml, "db.t"},
      {"ALTER TABLE t TRUNCATE PARTITION p0, p1", StatementClass::kDdl, "db.t"},
      {"ALTER TABLE t EXCHANGE PARTITION p WITH TABLE x.u WITHOUT VALIDATION", StatementClass::kDdl, "db.t x.u"},
      {"LOAD DATA INFILE 'f' REPLACE INTO TABLE `t` FIELDS TERMINATED BY ','", StatementClass::kDml, "db.t"},
      {"DROP TABLE IF EXISTS `a`, b.`c` /* generated by server */", StatementClass::kDdl, "db.a b.c"},
      {"RENAME TABLE t TO o, n TO t", StatementClass::kDdl, "db.t db.o db.n db.t"},
      {"CREATE PROCEDURE p() INSERT INTO t VALUES (1)", StatementClass::kOther, ""},
      {"CREATE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS SELECT 1", StatementClass::kDdl, ""},
      {"GRANT ALL ON *.* TO x", StatementClass::kOther, ""},
      {"ANALYZE TABLE t", StatementClass::kOther, ""},
      {"", StatementClass::kOther, ""},
      {"# Dummy event replacing event type 160", StatementClass::kOther, ""},
  };
  for (const Classed& expected : cases) {
    const ParsedStatement statement = parse_statement("db", expected.sql);
    EXPECT_EQ(statement.statement_class, expected.expected) << expected.sql;
    EXPECT_TRUE(statement.targets_known) << expected.sql;
    std::string targets;
    for (const TableRef& table : statement.targets) {
      targets += (targets.empty() ? "" : " ") + table.database + "." + table.table;
    }
    EXPECT_EQ(targets, expected.targets) << expected.sql;
  }
  for (const char* sql : {"SELECT `db`.`f`(1)", "CALL p()", "DO f()", "FROBNICATE t", "UPDATE t SET a = 'no end",
                          "INSERT INTO (SELECT 1)", "LOAD DATA INFILE 'x'", "WITH c AS (SELECT 1) SELECT f() FROM c"}) {
    const ParsedStatement statement = parse_statement("db", sql);
    EXPECT_EQ(statement.statement_class, StatementClass::kDml) << sql;
    EXPECT_FALSE(statement.names_its_targets()) << sql;
  }
}

TEST(DdlParser, WhatRemovesRowsInEverySpelling) {
  for (const char* sql :
       {"TRUNCATE t", "truncate table db.t", "TRUNCATE TABLE `t` WAIT 5", "/* x */ TRUNCATE/**/TABLE t", "DROP TABLE t",
        "DROP TABLES IF EXISTS a, t CASCADE", "CREATE OR REPLACE TABLE t (a INT)",
        "ALTER TABLE t TRUNCATE PARTITION ALL", "ALTER TABLE t DROP PARTITION IF EXISTS p0, p1",
        "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u", "ALTER TABLE t DISCARD TABLESPACE",
        "ALTER TABLE t CONVERT PARTITION p TO TABLE u", "SET STATEMENT a=1 FOR TRUNCATE t"}) {
    EXPECT_TRUE(parse_statement("db", sql).removes_rows) << sql;
  }
  for (const char* sql :
       {"DROP TEMPORARY TABLE t", "ALTER TABLE t DROP INDEX `partition`", "DROP VIEW t",
        "ALTER TABLE t ADD PARTITION (PARTITION p1 VALUES LESS THAN (5))", "CREATE TABLE t (a INT)"}) {
    EXPECT_FALSE(parse_statement("db", sql).removes_rows) << sql;
  }
}

TEST(DdlParser, SqlModesAndServersChangeTheText) {
  SqlRules rules;
  rules.real_as_float = true;
  const auto type_of = [&](std::string_view sql) {
    ParsedStatement statement = parse_statement("db", sql, rules);
    const auto* table = std::get_if<CreateTable>(&statement.ddl);
    return table == nullptr || !statement.failure.empty() ? SqlType::unknown : table->columns.back().column.type;
  };
  EXPECT_EQ(type_of("CREATE TABLE t (a REAL)"), SqlType::float_);
  rules = {};
  rules.oracle = true;
  EXPECT_EQ(type_of("CREATE TABLE t (a DATE)"), SqlType::unknown) << "MariaDB makes it a DATETIME";
  EXPECT_EQ(type_of("CREATE TABLE t (a INT)"), SqlType::integer);
  rules = {};
  const char* sql = "CREATE TABLE t (a INT /*M! , b BIGINT */ /*!80000 , c CHAR(1) */ /*M!999999 , d TEXT */)";
  EXPECT_EQ(type_of(sql), SqlType::char_);
  rules.dialect = SqlDialect::mysql;
  EXPECT_EQ(type_of("CREATE TABLE t (a INT /*M! , b BIGINT */)"), SqlType::integer);
  rules.dialect = SqlDialect::mariadb;
  EXPECT_EQ(type_of(sql), SqlType::bigint);
}

}  // namespace
}  // namespace tidemark::binlog
