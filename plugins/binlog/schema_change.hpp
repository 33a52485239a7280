// SPDX-License-Identifier: Apache-2.0
// What CREATE TABLE and ALTER TABLE do to a table's columns, by the rules of MySQL's mysql_prepare_alter_table.
//
// Invariants: pure functions; a change that cannot be applied with certainty is an error with its reason, and the
// old schema is left alone.
// Thread: any; no state.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "binlog/ddl_statement.hpp"

namespace tidemark::binlog {

/// MariaDB's system versioning.
enum class Versioning : uint8_t {
  none,
  hidden,   ///< the server added row_start and row_end as the last columns
  declared  ///< the statement declared the two columns
};

/// A table's columns with what later statements need besides.
struct TrackedTable {
  TableSchema schema;  ///< version and source are the caller's
  std::string default_charset;
  Versioning versioning = Versioning::none;
};

/// The table, or why it cannot be known.
using ChangeResult = std::variant<TrackedTable, std::string>;

/// `database_charset`: default charset of the table's database, kUnknownCharset if not known.
ChangeResult build_table(const TableRef& name, const CreateTable& create, std::string_view database_charset);

/// Actions in MySQL's order: drops, changes and renames at the old places, then placed and added columns one by one.
ChangeResult alter_table(const TrackedTable& old_table, const AlterTable& alter, std::string_view database_charset);

}  // namespace tidemark::binlog
