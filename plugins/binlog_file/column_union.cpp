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

std::string key_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "(" : ", ") + name;
  return text + ")";
}

std::vector<std::string> ColumnUnion::key() const {
  std::vector<std::string> names;
  const Schema schema = to_schema();
  for (const uint32_t column : schema.primary_key) names.push_back(columns_[column].name);
  return names;
}

void ColumnUnion::add(const binlog::TableSchema& schema, std::string_view file) {
  const std::string source =
      schema.source.find(" at ") != std::string::npos ? schema.source : schema.source + " in " + std::string(file);
  const std::string place = schema.database + "." + schema.table + " (" + source + ")";
  add_key(schema, place);
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

// The first thing that is wrong is told.
void ColumnUnion::add_key(const binlog::TableSchema& schema, const std::string& place) {
  if (!no_key_.empty()) return;
  std::vector<std::string> key;
  for (const uint32_t index : schema.primary_key) key.push_back(schema.columns[index].name);
  if (key.empty()) {
    no_key_ = place + " has no primary key";
  } else if (key_.empty()) {
    key_ = std::move(key);
    key_place_ = place;
  } else if (!std::is_permutation(key_.begin(), key_.end(), key.begin(), key.end(), binlog::equal_but_for_case)) {
    no_key_ = "the primary key is " + key_text(key_) + " in " + key_place_ + " and " + key_text(key) + " in " + place;
  }
}

Schema ColumnUnion::to_schema() const {
  std::vector<Column> columns;
  for (const UnionColumn& column : columns_) {
    columns.push_back({column.name, static_cast<Type>(column.type.type), true, column.type.precision, column.type.scale,
                       column.place});
  }
  Schema schema(std::move(columns));
  schema.no_key = no_key_;
  for (const std::string& name : no_key_.empty() ? key_ : std::vector<std::string>()) {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const UnionColumn& column) {
      return binlog::equal_but_for_case(column.name, name);
    });
    if (found == columns_.end()) {
      schema.primary_key.clear();
      schema.no_key = "column " + name + " of the primary key in " + key_place_ + " has a type that is not decoded";
      break;
    }
    schema.primary_key.push_back(static_cast<uint32_t>(found - columns_.begin()));
  }
  return schema;
}

}  // namespace tidemark::binlog_file
