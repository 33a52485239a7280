// SPDX-License-Identifier: Apache-2.0
// Schemas against TABLE_MAPs: does a schema fit the event, and which schema does FULL metadata give.
// Invariant: a schema that does not fit is never used; what cannot be compared (unknown charset, say) is not held
// against it. No state; any thread.
#include <algorithm>

#include "binlog/cell.hpp"
#include "binlog/charset.hpp"
#include "binlog/table_map.hpp"
#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

namespace {

uint32_t enum_bytes(size_t members) {
  return members > 255 ? 2 : 1;
}

uint32_t set_bytes(size_t members) {
  const auto bytes = static_cast<uint32_t>((members + 7) / 8);
  return bytes > 4 ? 8 : bytes;
}

bool is_blob(const ColumnType& wire, uint8_t length_bytes) {
  return (wire.type == WireType::blob || wire.type == WireType::blob_compressed) && wire.prefix_bytes == length_bytes;
}

// Old types have no fraction in the log; with one declared, cells are wider than the log says.
std::string check_temporal(const ColumnSchema& column, const ColumnType& wire, WireType with_fsp, WireType old) {
  if (wire.type == with_fsp) {
    return wire.fsp == column.fsp ? "" : "has " + std::to_string(wire.fsp) + " fractional digits";
  }
  if (wire.type != old) return "has another type";
  return column.fsp == 0 ? ""
                         : "is in MariaDB's old format with a fraction: run ALTER TABLE ... FORCE with "
                           "mysql56_temporal_format=ON";
}

/// Compressed columns count their head byte too.
uint32_t value_bytes_max(const ColumnType& wire) {
  return wire.type == WireType::varchar_compressed ? static_cast<uint32_t>(compressed_size_max(wire)) : wire.max_bytes;
}

std::string check_bytes(const ColumnSchema& column, const ColumnType& wire, uint32_t max_char_bytes) {
  if (column.length == 0 || max_char_bytes == 0) return {};
  const uint32_t bytes = value_bytes_max(wire);
  if (uint64_t{column.length} * max_char_bytes == bytes) return {};
  return "has at most " + std::to_string(bytes) + " bytes";
}

std::string check_string(const ColumnSchema& column, const ColumnType& wire) {
  const bool variable = column.type == SqlType::varchar || column.type == SqlType::varbinary;
  const bool right_type = variable ? wire.type == WireType::varchar || wire.type == WireType::var_string ||
                                         wire.type == WireType::varchar_compressed
                                   : wire.type == WireType::string;
  if (!right_type) return "has another type";
  const bool binary = column.type == SqlType::binary || column.type == SqlType::varbinary;
  return check_bytes(column, wire, binary ? 1 : charset_max_bytes(column.charset));
}

std::string check_members(const ColumnSchema& column, const ColumnType& wire) {
  const bool is_enum = column.type == SqlType::enum_;
  if (wire.type != (is_enum ? WireType::enum_ : WireType::set_)) return "has another type";
  if (column.members.empty()) return {};
  const uint32_t bytes = is_enum ? enum_bytes(column.members.size()) : set_bytes(column.members.size());
  return bytes == wire.fixed_width ? "" : "has " + std::to_string(wire.fixed_width) + " bytes";
}

std::string same(bool right) {
  return right ? "" : "has another type";
}

std::string check_type(const ColumnSchema& column, const ColumnType& wire, Flavor flavor) {
  switch (column.type) {
    case SqlType::tinyint:
      return same(wire.type == WireType::tiny);
    case SqlType::smallint:
      return same(wire.type == WireType::short_);
    case SqlType::mediumint:
      return same(wire.type == WireType::int24);
    case SqlType::integer:
      return same(wire.type == WireType::long_);
    case SqlType::bigint:
      return same(wire.type == WireType::longlong);
    case SqlType::decimal:
      return same(wire.type == WireType::newdecimal && wire.precision == column.length && wire.scale == column.scale);
    case SqlType::float_:
      return same(wire.type == WireType::float_);
    case SqlType::double_:
      return same(wire.type == WireType::double_);
    case SqlType::bit:
      return same(wire.type == WireType::bit && (column.length == 0 || wire.bits == column.length));
    case SqlType::year:
      return same(wire.type == WireType::year);
    case SqlType::date:
      return same(wire.type == WireType::date || wire.type == WireType::newdate);
    case SqlType::time:
      return check_temporal(column, wire, WireType::time2, WireType::time);
    case SqlType::datetime:
      return check_temporal(column, wire, WireType::datetime2, WireType::datetime);
    case SqlType::timestamp:
      return check_temporal(column, wire, WireType::timestamp2, WireType::timestamp);
    case SqlType::char_:
    case SqlType::varchar:
    case SqlType::binary:
    case SqlType::varbinary:
      return check_string(column, wire);
    case SqlType::tinytext:
    case SqlType::tinyblob:
      return same(is_blob(wire, 1));
    case SqlType::text:
    case SqlType::blob:
      return same(is_blob(wire, 2));
    case SqlType::mediumtext:
    case SqlType::mediumblob:
      return same(is_blob(wire, 3));
    case SqlType::longtext:
    case SqlType::longblob:
      return same(is_blob(wire, 4));
    case SqlType::enum_:
    case SqlType::set_:
      return check_members(column, wire);
    case SqlType::json:
      return same(flavor == Flavor::mysql ? wire.type == WireType::json : is_blob(wire, 4));
    case SqlType::geometry:
      return same(wire.type == WireType::geometry);
    case SqlType::vector:
      return same(flavor == Flavor::mysql ? wire.type == WireType::vector : wire.type == WireType::varchar);
    case SqlType::uuid:
    case SqlType::inet6:
      return same(wire.type == WireType::string && wire.max_bytes == 16);
    case SqlType::inet4:
      return same(wire.type == WireType::string && wire.max_bytes == 4);
    case SqlType::unknown:
      return {};
  }
  return {};
}

bool is_integer(SqlType type) {
  return type <= SqlType::bigint;
}

std::string check_metadata(const ColumnSchema& column, const ColumnMetadata& metadata) {
  if (is_integer(column.type) && metadata.is_unsigned && *metadata.is_unsigned != column.is_unsigned) {
    return *metadata.is_unsigned ? "is unsigned" : "is signed";
  }
  if (!metadata.name.empty() && !column.name.empty() && metadata.name != column.name) {
    return "is called " + metadata.name;
  }
  const std::string_view charset = charset_of_collation(metadata.collation);
  const bool comparable =
      metadata.collation != 0 && charset != "unknown" && !column.charset.empty() && !charset.empty();
  if (comparable && charset_max_bytes(column.charset) != 0 && charset != column.charset) {
    return "has character set " + std::string(charset);
  }
  return {};
}

// TIMESTAMP's default nullability depends on a server variable, so a schema read from DDL may have it wrong.
bool nullability_differs(const ColumnSchema& column, const ColumnType& wire) {
  return column.type != SqlType::timestamp && column.type != SqlType::unknown && !column.generated &&
         column.nullable != wire.nullable;
}

SqlType blob_type(uint8_t length_bytes, bool binary) {
  switch (length_bytes) {
    case 1:
      return binary ? SqlType::tinyblob : SqlType::tinytext;
    case 2:
      return binary ? SqlType::blob : SqlType::text;
    case 3:
      return binary ? SqlType::mediumblob : SqlType::mediumtext;
    default:
      return binary ? SqlType::longblob : SqlType::longtext;
  }
}

void describe_string_column(const ColumnType& wire, const ColumnMetadata& metadata, ColumnSchema& column) {
  const bool binary = metadata.collation != 0 && charset_of_collation(metadata.collation).empty();
  column.charset = metadata.collation == 0 ? "unknown" : std::string(charset_of_collation(metadata.collation));
  if (wire.type == WireType::blob || wire.type == WireType::blob_compressed) {
    column.type = blob_type(wire.prefix_bytes, binary);
    return;
  }
  const uint32_t char_bytes = binary ? 1 : charset_max_bytes(column.charset);
  column.length = char_bytes == 0 ? 0 : value_bytes_max(wire) / char_bytes;
  if (wire.type == WireType::string) {
    column.type = binary ? SqlType::binary : SqlType::char_;
  } else {
    column.type = binary ? SqlType::varbinary : SqlType::varchar;
  }
}

void describe_member_column(const ColumnType& wire, const ColumnMetadata& metadata, ColumnSchema& column) {
  column.type = wire.type == WireType::enum_ ? SqlType::enum_ : SqlType::set_;
  column.charset = metadata.collation == 0 ? "utf8mb4" : std::string(charset_of_collation(metadata.collation));
  column.members = members_utf8(metadata);  // none rather than wrong ones
}

ColumnSchema describe_from_metadata(const ColumnType& wire, const ColumnMetadata& metadata) {
  ColumnSchema column;
  column.name = metadata.name;
  column.nullable = wire.nullable;
  column.is_unsigned = metadata.is_unsigned.value_or(false);
  column.fsp = wire.fsp;
  switch (wire.type) {
    case WireType::tiny:
      column.type = SqlType::tinyint;
      break;
    case WireType::short_:
      column.type = SqlType::smallint;
      break;
    case WireType::int24:
      column.type = SqlType::mediumint;
      break;
    case WireType::long_:
      column.type = SqlType::integer;
      break;
    case WireType::longlong:
      column.type = SqlType::bigint;
      break;
    case WireType::newdecimal:
      column.type = SqlType::decimal;
      column.length = wire.precision;
      column.scale = wire.scale;
      break;
    case WireType::float_:
      column.type = SqlType::float_;
      break;
    case WireType::double_:
      column.type = SqlType::double_;
      break;
    case WireType::bit:
      column.type = SqlType::bit;
      column.length = wire.bits;
      break;
    case WireType::year:
      column.type = SqlType::year;
      break;
    case WireType::date:
    case WireType::newdate:
      column.type = SqlType::date;
      break;
    case WireType::time:
    case WireType::time2:
      column.type = SqlType::time;
      break;
    case WireType::datetime:
    case WireType::datetime2:
      column.type = SqlType::datetime;
      break;
    case WireType::timestamp:
    case WireType::timestamp2:
      column.type = SqlType::timestamp;
      break;
    case WireType::enum_:
    case WireType::set_:
      describe_member_column(wire, metadata, column);
      break;
    case WireType::string:
    case WireType::varchar:
    case WireType::var_string:
    case WireType::blob:
    case WireType::varchar_compressed:
    case WireType::blob_compressed:
      describe_string_column(wire, metadata, column);
      break;
    case WireType::json:
      column.type = SqlType::json;
      break;
    case WireType::geometry:
      column.type = SqlType::geometry;
      break;
    case WireType::vector:
      column.type = SqlType::vector;
      break;
    default:
      break;
  }
  return column;
}

}  // namespace

std::string check_against_table_map(const TableSchema& schema, const TableMap& map) {
  if (!map.undecodable.empty()) return map.undecodable;
  if (schema.columns.size() != map.columns.size()) {
    return "the schema has " + std::to_string(schema.columns.size()) + " columns, the rows have " +
           std::to_string(map.columns.size());
  }
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    const ColumnSchema& column = schema.columns[i];
    std::string wrong = check_type(column, map.columns[i], map.flavor);
    if (wrong.empty()) wrong = check_metadata(column, map.metadata[i]);
    if (wrong.empty() && nullability_differs(column, map.columns[i])) {
      wrong = map.columns[i].nullable ? "is nullable" : "is NOT NULL";
    }
    if (!wrong.empty()) {
      return "column " + std::to_string(i + 1) + " (" + column.name + ") " + wrong + " in the rows (" +
             wire_type_name(map.columns[i].type) + ")";
    }
  }
  return {};
}

namespace {

bool is_old_temporal(WireType type) {
  return type == WireType::time || type == WireType::datetime || type == WireType::timestamp;
}

SqlType sql_type_of_old(WireType type) {
  if (type == WireType::time) return SqlType::time;
  return type == WireType::datetime ? SqlType::datetime : SqlType::timestamp;
}

}  // namespace

std::string unclear_old_temporal(const TableSchema* declared, const TableMap& map) {
  const bool same_count = declared != nullptr && declared->columns.size() == map.columns.size();
  for (size_t i = 0; i < map.columns.size(); ++i) {
    const WireType type = map.columns[i].type;
    if (!is_old_temporal(type)) continue;
    const std::string& name = map.metadata[i].name;
    const ColumnSchema* column = same_count ? &declared->columns[i] : nullptr;
    const bool known =
        column != nullptr && column->type == sql_type_of_old(type) && (name.empty() || name == column->name);
    // MySQL never wrote these types with a fraction.
    if (known ? column->fsp == 0 : map.flavor == Flavor::mysql) continue;
    if (!name.empty()) return name;
    return known ? column->name : "@" + std::to_string(i + 1);
  }
  return {};
}

std::optional<TableSchema> schema_from_metadata(const TableMap& map) {
  if (!map.has_names || !map.undecodable.empty()) return std::nullopt;
  TableSchema schema;
  schema.database = map.database;
  schema.table = map.table;
  schema.source = "row metadata";
  for (size_t i = 0; i < map.columns.size(); ++i) {
    schema.columns.push_back(describe_from_metadata(map.columns[i], map.metadata[i]));
  }
  for (const KeyPart& part : map.primary_key) schema.primary_key.push_back(part.column);
  return schema;
}

}  // namespace tidemark::binlog
