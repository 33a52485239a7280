// SPDX-License-Identifier: Apache-2.0
// See the header. Invariant: the tracker's schema is copied before anything is changed in it.
// Thread: any; no state.
#include "binlog/table_resolver.hpp"

#include "binlog/charset.hpp"
#include "binlog/ddl_column.hpp"
#include "binlog/sql_charset.hpp"

namespace tidemark::binlog {
namespace {

constexpr const char* kRemedy =
    "start with the binlog that holds the table's CREATE TABLE, name a file of CREATE TABLE statements ('schema_file' "
    "of "
    "a job, --schema of binlog cat), or write binlogs with binlog_row_metadata=FULL";

DecodeError unknown(const TableMap& map, const std::string& reason) {
  return {ErrorKind::schema, "the columns of " + map.full_name() + " are unknown: " + reason, {}, 0, kRemedy};
}

/// The log does not tell a column's charset, and the event neither: take the server's default where the widths of the
/// column agree with it, or where there is none to compare.
void assume_server_charset(ColumnSchema& column, const ColumnType& wire, const std::string& server_charset) {
  if (column.charset != kUnknownCharset || server_charset.empty() || server_charset == "binary") return;
  const uint64_t bytes = uint64_t{column.length} * charset_max_bytes(server_charset);
  const bool has_width = column.type == SqlType::char_ || column.type == SqlType::varchar;
  if (has_width && bytes != wire.max_bytes) return;
  column.charset = server_charset;
  column.charset_assumed = !has_width;
}

Checked widths_are_known(const TableMap& map, const SchemaTracker::Found& found) {
  const std::string column = unclear_old_temporal(found.schema.get(), map);
  if (column.empty()) return Done{};
  const std::string table = map.full_name();
  return DecodeError{ErrorKind::unsupported,
                     "column " + column + " of " + table +
                         " is of MariaDB's temporal format before 10.1, whose width depends on its fraction, which the "
                         "log does not tell",
                     {},
                     0,
                     "run ALTER TABLE " + table +
                         " FORCE with mysql56_temporal_format=ON and start behind it, declare a column without "
                         "fraction in a 'schema_file', or leave the table out"};
}

/// UUID and INET are BINARY in the row metadata; DDL that fits the event tells them apart.
void take_network_types(TableSchema& full, const SchemaTracker::Found& found, const TableMap& map) {
  if (!found.schema || found.schema->columns.size() != full.columns.size()) return;
  const TableSchema tracked = adapted_to(map.flavor, *found.schema);
  if (!check_against_table_map(tracked, map).empty()) return;
  for (size_t i = 0; i < full.columns.size(); ++i) {
    const ColumnSchema& column = tracked.columns[i];
    const bool network = column.type == SqlType::uuid || column.type == SqlType::inet4 || column.type == SqlType::inet6;
    if (network && column.name == full.columns[i].name) full.columns[i].type = column.type;
  }
}

}  // namespace

TableSchema adapted_to(Flavor flavor, TableSchema schema) {
  for (ColumnSchema& column : schema.columns) {
    if (flavor != Flavor::mariadb || column.type != SqlType::json) continue;
    column.type = SqlType::longtext;
    if (column.charset.empty()) column.charset = "utf8mb4";
  }
  return schema;
}

Checked check_widths(const TableMap& map, const SchemaTracker& tracker) {
  return widths_are_known(map, tracker.find(map.database, map.table));
}

Outcome<std::shared_ptr<const TableSchema>> resolve_schema(const TableMap& map, const SchemaTracker& tracker) {
  const SchemaTracker::Found found = tracker.find(map.database, map.table);
  if (auto known = widths_are_known(map, found); !known) return std::move(known).error();
  if (map.has_names) {
    if (auto full = schema_from_metadata(map)) {
      take_network_types(*full, found, map);
      std::shared_ptr<const TableSchema> schema = std::make_shared<const TableSchema>(std::move(*full));
      return schema;
    }
  }
  if (!found.schema) return unknown(map, found.reason);
  auto schema = std::make_shared<TableSchema>(adapted_to(map.flavor, *found.schema));
  schema->database = map.database;  // a base's table may be under a glob
  schema->table = map.table;
  if (const std::string difference = check_against_table_map(*schema, map); !difference.empty()) {
    return unknown(map, schema->source + " does not fit the row event: " + difference);
  }
  for (size_t i = 0; i < schema->columns.size(); ++i) {
    ColumnSchema& column = schema->columns[i];
    const ColumnMetadata& metadata = map.metadata[i];
    if (metadata.collation != 0 && has_charset(column.type)) column.charset = charset_of_collation(metadata.collation);
    assume_server_charset(column, map.columns[i], found.server_charset);
    for (std::string& member : column.members) member = representable(column.charset, member);
    if (metadata.is_unsigned) column.is_unsigned = *metadata.is_unsigned;
    column.nullable = map.columns[i].nullable;
  }
  return std::shared_ptr<const TableSchema>(std::move(schema));
}

}  // namespace tidemark::binlog
