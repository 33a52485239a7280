// SPDX-License-Identifier: Apache-2.0
// See the header. Every column is declared nullable: a later version may lack it, and zero dates are NULL.
// Thread: one at a time.
#include "binlog_file/column_union.hpp"

#include <algorithm>

#include "binlog/ascii_text.hpp"

namespace tidemark::binlog_file {

std::optional<uint32_t> find_column(const binlog::TableSchema& schema, std::string_view name) {
  for (uint32_t i = 0; i < schema.columns.size(); ++i) {
    if (binlog::equal_but_for_case(schema.columns[i].name, name)) return i;
  }
  return std::nullopt;
}

UnionColumn* ColumnUnion::find(std::string_view name) {
  for (UnionColumn& column : columns_) {
    if (binlog::equal_but_for_case(column.name, name)) return &column;
  }
  return nullptr;
}

void ColumnUnion::add(const binlog::TableSchema& schema, std::string_view file) {
  const std::string source =
      schema.source.find(" at ") != std::string::npos ? schema.source : schema.source + " in " + std::string(file);
  const std::string place = schema.database + "." + schema.table + " (" + source + ")";
  for (const binlog::ColumnSchema& column : schema.columns) {
    const std::optional<binlog::TargetType> type = binlog::natural_target(column);
    if (!type) {
      std::string text = "'" + column.name + "' of " + place;
      if (std::find(left_out_.begin(), left_out_.end(), text) == left_out_.end()) left_out_.push_back(std::move(text));
      continue;
    }
    UnionColumn* known = find(column.name);
    if (known == nullptr) {
      columns_.push_back({column.name, *type, place});
      continue;
    }
    const std::optional<binlog::TargetType> common = binlog::common_target(known->type, *type);
    if (!common) {
      fail(SourceError("column '" + column.name + "' is " + target_name(known->type) + " in " + known->place + " and " +
                           target_name(*type) + " in " + place + ", and no type holds both",
                       {}, "take the tables apart with 'tables' and 'exclude_tables', in two sources")
               .kind(ErrorKind::config));
    }
    if (*common != known->type) *known = {known->name, *common, place};
  }
}

Schema ColumnUnion::to_schema() const {
  std::vector<Column> columns;
  for (const UnionColumn& column : columns_) {
    columns.push_back({column.name, static_cast<Type>(column.type.type), true, column.type.precision, column.type.scale,
                       column.place});
  }
  return Schema(std::move(columns));
}

}  // namespace tidemark::binlog_file
