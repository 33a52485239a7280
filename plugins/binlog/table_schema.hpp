// SPDX-License-Identifier: Apache-2.0
// The schema of a captured table as a reader knows it: column names, signedness, charsets, ENUM and SET strings.
// It comes from FULL row metadata of a TABLE_MAP or from the DDL in the log; either way it is checked against
// each TABLE_MAP before it is used. A schema that does not match is never used.
// Invariant: columns are in the order of the row image (generated and invisible columns included).
// Plain values; no thread of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::binlog {

struct TableMap;

/// SQL types as declared, finer than the wire's type codes.
enum class SqlType : uint8_t {
  tinyint,
  smallint,
  mediumint,
  integer,
  bigint,
  decimal,
  float_,
  double_,
  bit,
  year,
  date,
  time,
  datetime,
  timestamp,
  char_,
  varchar,
  binary,
  varbinary,
  tinytext,
  text,
  mediumtext,
  longtext,
  tinyblob,
  blob,
  mediumblob,
  longblob,
  enum_,
  set_,
  json,
  geometry,
  vector,
  uuid,
  inet4,
  inet6,
  unknown
};

struct ColumnSchema {
  std::string name;
  SqlType type = SqlType::unknown;
  bool is_unsigned = false;
  bool nullable = true;
  /// Characters for strings, bits for BIT, precision for DECIMAL; 0 = not known.
  uint32_t length = 0;
  uint32_t scale = 0;
  /// Fractional digits of TIME, DATETIME and TIMESTAMP.
  uint32_t fsp = 0;
  /// Charset name as the server spells it ("utf8mb4"); "" = binary or none.
  std::string charset;
  /// The charset is the server's default, and nothing in the log confirms it.
  bool charset_assumed = false;
  /// Strings of ENUM and SET, in declaration order.
  std::vector<std::string> members;
  bool generated = false;
  bool operator==(const ColumnSchema&) const = default;
};

struct TableSchema {
  std::string database;
  std::string table;
  std::vector<ColumnSchema> columns;
  /// Indexes into columns, in key order; empty = no primary key or not known.
  std::vector<uint32_t> primary_key;
  /// Where it is from, for messages: "row metadata", "CREATE TABLE at file:pos", ...
  std::string source;
  uint64_t version = 0;
};

/// Compares type codes, metadata widths and column count. Empty = the schema fits the event; else what differs,
/// naming the column. Same count and types in another order cannot be detected.
std::string check_against_table_map(const TableSchema& schema, const TableMap& map);

/// The first TIME, DATETIME or TIMESTAMP column in the format from before mysql56_temporal_format whose fraction is not
/// known to be none: MariaDB's cells are wider with one than the log says, so no row can be told from the next. "" =
/// none such. `declared` may be nullptr.
std::string unclear_old_temporal(const TableSchema* declared, const TableMap& map);

/// The schema that binlog_row_metadata=FULL carries; nullopt if the TABLE_MAP has no column names.
/// MariaDB's UUID, INET, JSON look like BINARY and LONGTEXT there, as the metadata does not tell them apart.
std::optional<TableSchema> schema_from_metadata(const TableMap& map);

}  // namespace tidemark::binlog
