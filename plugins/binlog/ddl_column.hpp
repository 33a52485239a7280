// SPDX-License-Identifier: Apache-2.0
// Parses a column's type and attributes in CREATE TABLE and ALTER TABLE, all types of MySQL 5.5 to 9 and
// MariaDB 10 to 12 (https://dev.mysql.com/doc/refman/8.4/en/create-table.html,
// https://mariadb.com/kb/en/create-table/).
//
// Invariant: what is not recognised fails the cursor, so that a definition is either right or unknown.
// Thread: any; no state.
#pragma once

#include <string_view>

#include "binlog/ddl_statement.hpp"
#include "binlog/sql_cursor.hpp"

namespace tidemark::binlog {

/// Type and attributes after the column's name, up to ',', ')', FIRST, AFTER or the end. False = cursor failed.
bool parse_column_definition(SqlCursor& cursor, ColumnDefinition& definition);

/// [DEFAULT] CHARACTER SET | CHARSET | COLLATE clause at the cursor, if there is one: sets `charset` (a COLLATE
/// whose name does not tell the charset leaves it). False = not such a clause.
bool parse_charset_clause(SqlCursor& cursor, std::string& charset);

/// Fills column.charset from the definition or the table's default; CHARACTER SET binary turns character types
/// into their binary counterparts, as the server does.
void resolve_charset(ColumnDefinition& definition, std::string_view table_charset);

/// True for types that hold text in a charset.
bool has_charset(SqlType type);

}  // namespace tidemark::binlog
