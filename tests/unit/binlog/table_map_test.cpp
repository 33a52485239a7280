// SPDX-License-Identifier: Apache-2.0
// TABLE_MAP metadata: which columns each field counts, on both servers; schemas against TABLE_MAPs. One thread.
#include <gtest/gtest.h>

#include "binlog/charset.hpp"
#include "binlog/table_map.hpp"
#include "binlog/table_schema.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

// A TABLE_MAP body of table d.t: type codes, type metadata, null bits and optional metadata in hex.
Bytes body_of(const char* types, const char* type_metadata, const char* null_bits, const char* metadata) {
  Bytes body;
  put_le(body, 7, 6);
  put_le(body, 1, 2);
  const Bytes names = from_hex("01 64 00 01 74 00");
  body.insert(body.end(), names.begin(), names.end());
  const Bytes codes = from_hex(types);
  body.push_back(static_cast<uint8_t>(codes.size()));
  body.insert(body.end(), codes.begin(), codes.end());
  const Bytes meta = from_hex(type_metadata);
  body.push_back(static_cast<uint8_t>(meta.size()));
  body.insert(body.end(), meta.begin(), meta.end());
  for (const char* part : {null_bits, metadata}) {
    const Bytes bytes = from_hex(part);
    body.insert(body.end(), bytes.begin(), bytes.end());
  }
  return body;
}

Outcome<TableMap> parse(const Bytes& body, Flavor flavor) {
  EventView event;
  event.header.type = EventType::table_map;
  event.body = body;
  FormatDescription format;
  format.flavor = flavor;
  format.post_header_lengths.assign(40, 8);
  return parse_table_map(event, format);
}

// (YEAR, INT UNSIGNED, VARCHAR, VECTOR, VARCHAR) of MySQL 9: YEAR has a signedness bit, VECTOR a charset entry.
TEST(TableMap, mysql_year_and_vector) {
  const Bytes body = body_of("0d 03 0f f2 0f", "50 00 04 50 00", "1f", "01 01 40  02 07 3f 00 fc ff 00 02 08");
  const auto map = parse(body, Flavor::mysql);
  ASSERT_TRUE(map.ok()) << map.error().text;
  EXPECT_EQ(map->metadata[0].is_unsigned, false);
  EXPECT_EQ(map->metadata[1].is_unsigned, true);
  EXPECT_EQ(map->metadata[2].collation, 255u);  // three bytes
  EXPECT_EQ(map->metadata[3].collation, 63u);
  EXPECT_EQ(map->metadata[4].collation, 8u);
  EXPECT_EQ(charset_of_collation(map->metadata[2].collation), "utf8mb4");
}

// (YEAR, INT, GEOMETRY, VARCHAR latin1) of MariaDB: GEOMETRY counts as a character column there.
TEST(TableMap, mariadb_year_and_geometry) {
  const Bytes body = body_of("0d 03 ff 0f", "04 14 00", "0f", "01 01 80  03 02 3f 08  07 01 01");
  const auto map = parse(body, Flavor::mariadb);
  ASSERT_TRUE(map.ok()) << map.error().text;
  EXPECT_EQ(map->metadata[0].is_unsigned, true);
  EXPECT_EQ(map->metadata[1].is_unsigned, false);
  EXPECT_EQ(map->metadata[2].collation, 63u);
  EXPECT_EQ(map->metadata[2].geometry_type, 1u);
  EXPECT_EQ(map->metadata[3].collation, 8u);
  // MySQL does not count it: there the same bytes do not fit.
  EXPECT_FALSE(parse(body, Flavor::mysql).ok());
}

TEST(TableMap, keys_members_visibility) {
  const Bytes body = body_of("03 fe fe", "f7 01 f8 01", "06",
                             "01 01 00  04 06 01 61 01 62 01 63  06 05 02 01 78 01 79  05 04 01 02 70 71  0a 01 2d "
                             "09 02 00 00  0c 01 a0  e0 02 00 00");
  const auto map = parse(body, Flavor::mysql);
  ASSERT_TRUE(map.ok()) << map.error().text;
  const auto schema = schema_from_metadata(*map);
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->columns[1].members, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(schema->columns[2].members, (std::vector<std::string>{"pq"}));
  EXPECT_EQ(schema->primary_key, std::vector<uint32_t>{0});
  EXPECT_FALSE(map->metadata[1].visible);
  EXPECT_TRUE(map->metadata[2].visible);
  EXPECT_EQ(check_against_table_map(*schema, *map), "");
}

TEST(TableMap, schemas_that_do_not_fit) {
  const auto map =
      parse(body_of("03 0f f6", "50 00 12 04", "04", ""), Flavor::mysql);  // INT, VARCHAR(20), DECIMAL(18,4)
  ASSERT_TRUE(map.ok());
  EXPECT_FALSE(schema_from_metadata(*map));
  const auto column = [](SqlType type, bool nullable, uint32_t length, uint32_t scale, const char* charset) {
    ColumnSchema out;
    out.name = "c";
    out.type = type;
    out.nullable = nullable;
    out.length = length;
    out.scale = scale;
    out.charset = charset;
    return out;
  };
  TableSchema schema;
  schema.columns = {column(SqlType::integer, false, 0, 0, ""), column(SqlType::varchar, false, 20, 0, "utf8mb4"),
                    column(SqlType::decimal, true, 18, 4, "")};
  EXPECT_EQ(check_against_table_map(schema, *map), "");
  TableSchema other = schema;
  other.columns.pop_back();
  EXPECT_NE(check_against_table_map(other, *map).find("2 columns"), std::string::npos);
  other = schema;
  other.columns[0].type = SqlType::bigint;
  EXPECT_NE(check_against_table_map(other, *map).find("column 1 (c)"), std::string::npos);
  other = schema;
  other.columns[1].charset = "latin1";
  EXPECT_NE(check_against_table_map(other, *map).find("80 bytes"), std::string::npos);
  other = schema;
  other.columns[2].scale = 2;
  EXPECT_NE(check_against_table_map(other, *map), "");
  other = schema;
  other.columns[2].nullable = false;
  EXPECT_NE(check_against_table_map(other, *map).find("nullable"), std::string::npos);
}

// MariaDB's old temporal types with a fraction: the log does not tell their width.
TEST(TableMap, old_temporal_types_with_fraction) {
  const auto map = parse(body_of("0c", "", "01", ""), Flavor::mariadb);
  ASSERT_TRUE(map.ok());
  TableSchema schema;
  ColumnSchema column;
  column.name = "at";
  column.type = SqlType::datetime;
  schema.columns = {column};
  EXPECT_EQ(check_against_table_map(schema, *map), "");
  schema.columns[0].fsp = 3;
  EXPECT_NE(check_against_table_map(schema, *map).find("mysql56_temporal_format"), std::string::npos);
}

// Identical bytes are one object; a statement's end makes ids void.
TEST(TableMap, cache) {
  const Bytes first = table_map_body("t", 7);
  const Bytes second = table_map_body("u", 7);
  FormatDescription format;
  format.post_header_lengths.assign(40, 8);
  TableMapCache cache;
  EventView event;
  event.body = first;
  const auto a = *cache.add(event, format);
  EXPECT_EQ(cache.find(7), a);
  EXPECT_EQ(cache.find(8), nullptr);
  cache.end_statement();
  EXPECT_EQ(cache.find(7), nullptr);
  EXPECT_EQ(*cache.add(event, format), a);
  event.body = second;  // the id names another table now
  const auto b = *cache.add(event, format);
  EXPECT_NE(a, b);
  EXPECT_EQ(cache.find(7)->table, "u");
  EXPECT_EQ(a->table, "t");
}

TEST(TableMap, unknown_type_code) {
  const auto map = parse(body_of("03 14", "", "03", ""), Flavor::mysql);
  ASSERT_TRUE(map.ok());  // the table can be named; its rows cannot be read
  EXPECT_EQ(map->table, "t");
  EXPECT_NE(map->undecodable.find("type code 20"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::binlog
