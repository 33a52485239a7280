// SPDX-License-Identifier: Apache-2.0
// The columns of a source: the union over all matched tables and all versions of them in the log, types widened so
// that every version's values fit.
//
// Invariants: names compare without regard to ASCII case, as in the server; columns keep the order in which they were
// met; two types that no type holds both of are a SourceError that names both places; a column of a type that is not
// decoded is left out, with its place kept.
// Thread: one at a time; constant once the source is open.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tidemark/source.hpp>
#include <vector>

#include "binlog/table_schema.hpp"
#include "binlog/target_type.hpp"

namespace tidemark::binlog_file {

struct UnionColumn {
  std::string name;
  binlog::TargetType type;
  std::string place;  ///< of the version that last widened it: "db.t (CREATE TABLE at binlog.000001:157)"
};

class ColumnUnion {
 public:
  /// Adds a version of a matched table. `file`: for versions whose schema came with the rows.
  void add(const binlog::TableSchema& schema, std::string_view file);

  const std::vector<UnionColumn>& columns() const { return columns_; }
  /// Columns left out because their type is not decoded: "note (json) of db.t ...".
  const std::vector<std::string>& left_out() const { return left_out_; }
  /// Names of the primary key's columns, if it is the same in all versions of all tables and its columns are decoded.
  std::vector<std::string> key() const;
  /// With that key, or why there is none.
  Schema to_schema() const;

 private:
  UnionColumn* find(std::string_view name);
  void add_key(const binlog::TableSchema& schema, const std::string& place);

  std::vector<UnionColumn> columns_;
  std::vector<std::string> key_;  ///< names, in key order; empty: none was seen
  std::string key_place_;         ///< that it is from
  std::string no_key_;            ///< why there is none for all
  std::vector<std::string> left_out_;
};

/// "(a, b)".
std::string key_text(const std::vector<std::string>& names);

/// Index in the schema, names compared without regard to ASCII case; nullopt if this version lacks the column.
std::optional<uint32_t> find_column(const binlog::TableSchema& schema, std::string_view name);

}  // namespace tidemark::binlog_file
