// SPDX-License-Identifier: Apache-2.0
// Parses the actions of ALTER TABLE and the table-level constraints it shares with CREATE TABLE.
//
// Invariant: an action that is not known fails the cursor; actions keep their order.
// Thread: any; no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/ddl_statement.hpp"
#include "binlog/sql_cursor.hpp"

namespace tidemark::binlog {

/// [database.]table; nullopt = cursor failed.
std::optional<TableRef> parse_table_name(SqlCursor& cursor, std::string_view database);

/// A key, CHECK, FOREIGN KEY or PERIOD of a table, up to ',' or ')'. `primary_key`: its columns if it is one.
bool parse_table_constraint(SqlCursor& cursor, std::vector<std::string>& primary_key);

/// Everything after ALTER TABLE <name>; fills statement.ddl, removes_rows and further targets.
void parse_alter_actions(SqlCursor& cursor, std::string_view database, ParsedStatement& statement);

}  // namespace tidemark::binlog
