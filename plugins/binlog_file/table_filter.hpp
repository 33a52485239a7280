// SPDX-License-Identifier: Apache-2.0
// Which tables a source takes: patterns "[database.]table", each half a glob or a /regular expression/.
//
// Invariants: a pattern matches whole names, case-sensitively; without a database half any database but the server's
// own (mysql, sys, information_schema, performance_schema). A bad pattern is a SourceError that names option and
// pattern. Constant after construction.
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace tidemark::binlog_file {

struct TableName {
  std::string database;
  std::string table;
  auto operator<=>(const TableName&) const = default;
  std::string text() const { return database + "." + table; }
};

class TablePattern {
 public:
  /// `option`: the option's name, for messages.
  TablePattern(std::string_view option, std::string_view text);

  bool matches(std::string_view database, std::string_view table) const;
  bool matches_database(std::string_view database) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> database_;  ///< nullptr: any but the server's own
  std::shared_ptr<const re2::RE2> table_;
};

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
