// SPDX-License-Identifier: Apache-2.0
// Statements that change rows by themselves (statement format) and transaction control.
//
// Invariant: a statement that may write rows is never classed as kOther; the tables named are a superset of those
// it writes to, or targets_known is false.
// Thread: any; no state.
#pragma once

#include <string_view>

#include "binlog/ddl_statement.hpp"
#include "binlog/sql_cursor.hpp"

namespace tidemark::binlog {

/// Everything that is not CREATE, ALTER, DROP, RENAME, TRUNCATE. Fills class, verb and targets.
void parse_change_or_transaction(SqlCursor& cursor, std::string_view database, ParsedStatement& statement);

}  // namespace tidemark::binlog
