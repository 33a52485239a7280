// SPDX-License-Identifier: Apache-2.0
// Which tables a source takes: those that one of `tables` matches and none of `exclude_tables`.
//
// Invariants: a bad pattern is a SourceError that names option and pattern; constant after construction.
// Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "binlog/table_pattern.hpp"

namespace tidemark::binlog_file {

struct TableName {
  std::string database;
  std::string table;
  auto operator<=>(const TableName&) const = default;
  std::string text() const { return database + "." + table; }
};

using binlog::TablePattern;

class TableFilter {
 public:
  TableFilter(const std::vector<std::string>& tables, const std::vector<std::string>& exclude_tables);

  bool matches(std::string_view database, std::string_view table) const;
  /// Some table of the database may match.
  bool matches_database(std::string_view database) const;
  const std::vector<TablePattern>& tables() const { return tables_; }

 private:
  std::vector<TablePattern> tables_;
  std::vector<TablePattern> exclude_tables_;
};

/// Up to 8 of `names` that the pattern's author may have meant, nearest first.
std::vector<TableName> near_names(const TablePattern& pattern, const std::vector<TableName>& names);

}  // namespace tidemark::binlog_file
