// SPDX-License-Identifier: Apache-2.0
// Parses the statements of QUERY events as far as tables' columns and rows depend on them: CREATE, ALTER, RENAME,
// DROP and TRUNCATE TABLE, databases with their default charset, and what other statements write to.
//
// Invariants: a statement that is recognised but not understood has `failure` set and still names its tables, as
// far as they can be read; with no table at all it may concern any table. Never throws on bad text.
// Thread: any; no state.
#pragma once

#include <string_view>

#include "binlog/ddl_statement.hpp"
#include "binlog/sql_cursor.hpp"
#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

/// Steps over MariaDB's SET STATEMENT name = value, ... FOR, if the cursor is there; SET STATEMENT without FOR: stays
/// and gives false.
bool skip_set_statement(SqlCursor& cursor);

/// `current_database`: the QUERY event's schema, for names without a database.
ParsedStatement parse_statement(std::string_view current_database, std::string_view sql, SqlRules rules = {});

}  // namespace tidemark::binlog
