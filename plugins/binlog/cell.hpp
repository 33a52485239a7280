// SPDX-License-Identifier: Apache-2.0
// Single cells of a row image: their width (to skip them) and their value in a generic form (for people and tests;
// jobs use ColumnProgram). What is not decoded is an error, never a guess.
// Invariants: width and decode agree; decode reads exactly the cell.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "binlog/column_type.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/table_map.hpp"
#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

enum class ValueKind : uint8_t {
  absent,  ///< not in the row image (which is not NULL)
  null,
  integer,    ///< `integer`
  unsigned_,  ///< `bits`
  float32,    ///< `number` (exactly a float)
  float64,    ///< `number`
  decimal,    ///< `text`
  bit,        ///< `bits`, BIT(n)
  year,       ///< `integer`, 0 or 1901..2155
  date,       ///< `text`; `integer` = days since 1970-01-01 if has_number
  time,       ///< `text`; `integer` = signed microseconds
  datetime,   ///< `text`; `integer` = microseconds since 1970-01-01 if has_number
  timestamp,  ///< `text` in UTC; `integer` = microseconds UTC if has_number
  text,       ///< `text`, UTF-8
  bytes,      ///< `text` as bytes
  enum_,      ///< `bits` = index; `text` = member if known (has_text)
  set_,       ///< `bits` = mask; `text` = members joined by commas if known (has_text)
  json        ///< `text` = the document as the server prints it
};

/// One value; reuse it for many cells, its string keeps its memory.
struct Value {
  ValueKind kind = ValueKind::null;
  int64_t integer = 0;
  uint64_t bits = 0;
  double number = 0;
  std::string text;
  std::string
      raw;  ///< text: bytes as in the log if some of them belong to no character (`text` has U+FFFD); else empty
  bool has_number = false;  ///< false for zero dates and dates that no calendar has
  bool has_text = false;
};

/// What is known about a column beyond the wire: from the schema, else from the TABLE_MAP's metadata.
struct ColumnFacts {
  std::string name;                    ///< "@3" if no name is known
  std::optional<bool> is_unsigned;     ///< nullopt: not known
  std::optional<std::string> charset;  ///< nullopt: not known; "" = binary
  std::vector<std::string> members;    ///< UTF-8; empty if not known
  SqlType sql_type = SqlType::unknown;
};

/// ENUM and SET strings of the TABLE_MAP; empty if there are none or their charset is not known.
std::vector<std::string> members_utf8(const ColumnMetadata& metadata);

/// `schema` may be nullptr. One entry per column.
std::vector<ColumnFacts> column_facts(const TableMap& map, const TableSchema* schema);

/// Width of the cell at the start of `bytes`; nullopt if `bytes` ends inside it or the type has no known width.
std::optional<size_t> cell_width(const ColumnType& type, std::span<const uint8_t> bytes);

/// Decodes one cell (`bytes` = exactly the cell, length prefix included). Errors name the column, without file.
Checked decode_cell(const ColumnType& type, const ColumnFacts& facts, std::span<const uint8_t> bytes, Value& out);

}  // namespace tidemark::binlog
