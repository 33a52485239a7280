// SPDX-License-Identifier: Apache-2.0
// TABLE_MAP: which table an id stands for, its columns' wire types, and the optional metadata (signedness, charsets,
// names, ENUM and SET strings, keys). TableMapCache keeps those that rows events may refer to.
// Invariants: a rows event is decoded with the TABLE_MAP of its own statement; identical TABLE_MAPs are one object,
// so that what was compiled for it can be kept by its address.
// One thread at a time. Source: MySQL "Table_map_event"; differences of MariaDB as verified on its files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binlog/column_type.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"
#include "binlog/format_description.hpp"

namespace tidemark::binlog {

struct KeyPart {
  uint32_t column = 0;
  uint32_t prefix = 0;  ///< Characters; 0 = whole column.
};

/// Optional metadata of one column.
struct ColumnMetadata {
  std::string name;                  ///< "" unless FULL
  std::optional<bool> is_unsigned;   ///< numeric columns, if signedness was written
  uint32_t collation = 0;            ///< 0 = not written
  std::vector<std::string> members;  ///< ENUM and SET strings, as bytes of `collation`
  std::optional<uint32_t> geometry_type;
  std::optional<uint32_t> vector_dimension;
  bool visible = true;
};

struct TableMap {
  uint64_t table_id = 0;
  uint16_t flags = 0;
  Flavor flavor = Flavor::mysql;
  std::string database;
  std::string table;
  std::vector<ColumnType> columns;
  std::vector<ColumnMetadata> metadata;  ///< one per column, always
  std::vector<KeyPart> primary_key;      ///< empty unless written
  bool has_signedness = false;
  bool has_names = false;
  /// Not empty: a column has a type whose cells cannot even be skipped, so `columns` is empty and rows of this table
  /// cannot be read. Says which.
  std::string undecodable;

  /// "database.table".
  std::string full_name() const { return database + "." + table; }
};

/// Columns of MySQL's JSON type.
inline uint32_t json_column_count(const TableMap& map) {
  return static_cast<uint32_t>(std::ranges::count(map.columns, WireType::json, &ColumnType::type));
}

/// Errors without file: the caller adds it.
Outcome<TableMap> parse_table_map(const EventView& event, const FormatDescription& format);

/// TABLE_MAPs by id, as long as they are valid.
class TableMapCache {
 public:
  /// Registers the event's map. The same bytes under the same id give the same object as before.
  Outcome<std::shared_ptr<const TableMap>> add(const EventView& event, const FormatDescription& format);
  /// nullptr if the id is not mapped in the current statement.
  std::shared_ptr<const TableMap> find(uint64_t table_id) const;
  /// Statement end: ids mean nothing until they are mapped again.
  void end_statement();

 private:
  struct Entry {
    std::vector<uint8_t> body;
    std::shared_ptr<const TableMap> map;
    bool active = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace tidemark::binlog
