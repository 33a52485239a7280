// SPDX-License-Identifier: Apache-2.0
// Cases from the field about single values: negative times, zero dates beside good ones, charsets mixed in one table.
// Rows as servers write them, through cells and through columns.
// One thread.
#include <gtest/gtest.h>

#include "binlog/cell.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/table_resolver.hpp"
#include "binlog_builder.hpp"
#include "column_batch.hpp"
#include "group_reading.hpp"

namespace tidemark::binlog {
namespace {

struct Column {
  uint8_t type;
  uint8_t meta_first;
  uint8_t meta_second;
  SqlType sql_type;
  const char* charset;
  const char* hex;  // the cell
};

/// One row of the columns: texts as `binlog cat` has them, and what a job's columns hold.
struct Decoded {
  std::vector<std::string> texts;
  std::vector<std::optional<std::string>> values;
  RowCounters counters;
};

Decoded decode(const std::vector<Column>& columns) {
  Decoded out;
  auto map = std::make_shared<TableMap>();
  map->database = "d";
  map->table = "t";
  map->metadata.resize(columns.size());
  TableSchema schema;
  Bytes row((columns.size() + 7) / 8);
  for (const Column& column : columns) {
    map->columns.push_back(describe_column(column.type, column.meta_first, column.meta_second, true));
    schema.columns.push_back({});
    schema.columns.back().name = "c" + std::to_string(schema.columns.size());
    schema.columns.back().type = column.sql_type;
    schema.columns.back().charset = column.charset;
    const Bytes cell = from_hex(column.hex);
    row.insert(row.end(), cell.begin(), cell.end());
  }
  const auto facts = column_facts(*map, &schema);
  std::vector<TargetColumn> targets;
  std::vector<TargetType> types;
  for (size_t i = 0; i < columns.size(); ++i) {
    Value value;
    const auto done = decode_cell(map->columns[i], facts[i], from_hex(columns[i].hex), value);
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    out.texts.push_back(value_text(value));
    types.push_back(natural_target(schema.columns[i]).value());
    targets.push_back({static_cast<int32_t>(i), types.back()});
  }
  auto program = ColumnProgram::compile(map, &schema, targets);
  EXPECT_TRUE(program.ok()) << program.error().to_string();
  const Bytes present((columns.size() + 7) / 8, 0xff);
  RowsEvent rows;
  rows.column_count = static_cast<uint32_t>(columns.size());
  rows.present = present;
  rows.rows = row;
  ColumnBatch batch(types, 1, 1024);
  RowCursor cursor;
  EXPECT_EQ(*program->decode(rows, cursor, batch.output()), FillState::event_done);
  for (size_t i = 0; i < columns.size(); ++i) out.values.push_back(batch.text(i, 0));
  out.counters = program->counters();
  return out;
}

using Texts = std::vector<std::string>;
using Values = std::vector<std::optional<std::string>>;

TEST(Values, case_B02_negative_times_of_mysql_8) {
  const Decoded row = decode({{19, 0, 0, SqlType::time, "", "7f ff ff"},
                              {19, 2, 0, SqlType::time, "", "7f ff ff ff"},
                              {19, 3, 0, SqlType::time, "", "7e fd fb f6 3c"},
                              {19, 6, 0, SqlType::time, "", "4b 91 05 00 00 00"}});
  EXPECT_EQ(row.texts, (Texts{"-00:00:01", "-00:00:00.01", "-16:08:04.250", "-838:59:59.000000"}));
  EXPECT_EQ(row.values, (Values{"-1000000", "-10000", "-58084250000", "-3020399000000"}));
}

TEST(Values, case_B02_negative_times_of_mariadb_without_mysql56_temporal_format) {
  const Decoded row = decode({{11, 0, 0, SqlType::time, "", "ff ff ff"},
                              {11, 0, 0, SqlType::time, "", "dc 8b fd"},
                              {11, 0, 0, SqlType::time, "", "59 0a 80"}});
  EXPECT_EQ(row.texts, (Texts{"-00:00:01", "-16:08:04", "-838:59:59"}));
  EXPECT_EQ(row.values, (Values{"-1000000", "-58084000000", "-3020399000000"}));
}

// With a fraction their width is not in the log: refused by what the DDL says, with FULL metadata too.
TEST(Values, case_B02_old_times_with_fractions_are_refused) {
  for (const bool has_names : {false, true}) {
    SchemaTracker tracker;
    tracker.on_statement({"d", "CREATE TABLE t (id INT, at TIME(3))", "f", 4, 0, 45, 45});
    TableMap map;
    map.database = "d";
    map.table = "t";
    map.flavor = Flavor::mariadb;
    map.columns = {describe_column(3, 0, 0, true), describe_column(11, 0, 0, true)};
    map.metadata.resize(2);
    map.has_names = has_names;
    if (has_names) {
      map.metadata[0].name = "id";
      map.metadata[1].name = "at";
    }
    const auto schema = resolve_schema(map, tracker);
    ASSERT_FALSE(schema.ok());
    EXPECT_NE(schema.error().text.find("column at of d.t is of MariaDB's temporal format before 10.1"),
              std::string::npos);
    EXPECT_NE(schema.error().remedy.find("ALTER TABLE d.t FORCE"), std::string::npos);
  }
}

TEST(Values, case_B02_old_temporals_of_mariadb_need_to_be_known_without_fraction) {
  TableMap map;
  map.database = "d";
  map.table = "t";
  map.flavor = Flavor::mariadb;
  map.columns = {describe_column(7, 0, 0, true)};
  map.metadata.resize(1);
  map.metadata[0].name = "at";
  map.has_names = true;
  SchemaTracker tracker;
  EXPECT_FALSE(resolve_schema(map, tracker).ok()) << "FULL metadata does not tell the fraction";
  EXPECT_FALSE(check_widths(map, tracker).ok());
  map.flavor = Flavor::mysql;  // had none
  EXPECT_TRUE(resolve_schema(map, tracker).ok());
  map.flavor = Flavor::mariadb;
  tracker.on_statement({"d", "CREATE TABLE t (at TIMESTAMP NULL)", "f", 4, 0, 45, 45});
  EXPECT_TRUE(resolve_schema(map, tracker).ok());
}

TEST(Values, network_types_under_full_metadata_come_from_the_ddl) {
  TableMap map;
  map.database = "d";
  map.table = "t";
  map.flavor = Flavor::mariadb;
  map.columns = {describe_column(254, 0xfe, 16, true), describe_column(254, 0xfe, 4, true)};
  map.metadata.resize(2);
  map.metadata[0].name = "u";
  map.metadata[1].name = "i";
  for (ColumnMetadata& column : map.metadata) column.collation = 63;
  map.has_names = true;
  SchemaTracker tracker;
  tracker.on_statement({"d", "CREATE TABLE t (u UUID, i INET4)", "f", 4, 0, 45, 45});
  auto schema = resolve_schema(map, tracker);
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ((*schema)->columns[0].type, SqlType::uuid);
  EXPECT_EQ((*schema)->columns[1].type, SqlType::inet4);
  map.metadata[0].name = "other";  // the DDL is not this table's
  schema = resolve_schema(map, tracker);
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ((*schema)->columns[0].type, SqlType::binary);
}

TEST(Values, case_B06_zero_dates_are_not_1970_and_leave_their_neighbours_alone) {
  const Decoded row = decode({{18, 6, 0, SqlType::datetime, "", "80 00 00 00 00 00 00 00"},
                              {18, 6, 0, SqlType::datetime, "", "99 b8 c4 31 05 09 27 c0"},
                              {17, 0, 0, SqlType::timestamp, "", "00 00 00 00"},
                              {10, 0, 0, SqlType::date, "", "a0 ce 0f"},
                              {17, 0, 0, SqlType::timestamp, "", "00 00 00 01"}});
  EXPECT_EQ(row.texts, (Texts{"0000-00-00 00:00:00.000000", "2026-01-02 03:04:05.600000", "0000-00-00 00:00:00",
                              "2023-05-00", "1970-01-01 00:00:01"}));
  EXPECT_EQ(row.values, (Values{std::nullopt, "1767323045600000", std::nullopt, std::nullopt, "1000000"}));
  EXPECT_EQ(row.counters.zero_dates, 3u);
}

TEST(Values, case_B08_charsets_and_binary_mixed_in_one_table) {
  std::string long_text = "2c 01 ";  // 300 bytes behind a length of two
  for (int i = 0; i < 300; ++i) long_text += "78";
  const Decoded row = decode({{15, 20, 0, SqlType::varchar, "latin1", "01 e9"},
                              {15, 80, 0, SqlType::varchar, "utf8mb4", "04 f0 9f 98 80"},
                              {254, 0xfe, 16, SqlType::binary, "", "01 eb"},
                              {15, 0x2c, 0x01, SqlType::varchar, "latin1", long_text.c_str()}});
  std::string sixteen(16, '\0');
  sixteen[0] = '\xeb';
  EXPECT_EQ(row.values, (Values{"\xc3\xa9", "😀", sixteen, std::string(300, 'x')}));
  EXPECT_EQ(row.texts[2], "EB000000000000000000000000000000");
  EXPECT_EQ(row.counters.invalid_text, 0u);
}

}  // namespace
}  // namespace tidemark::binlog
