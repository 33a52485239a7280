// SPDX-License-Identifier: Apache-2.0
// What the text of a QUERY event means for the stream: begin or end of a group, savepoints, XA, a data change that
// was logged as a statement, DDL, or something else. Reads leading words only; ddl_parser.hpp tells the tables.
// Invariant: comments, executable comments and quoted names are understood; a data change is never taken for "other".
// No state; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

enum class StatementKind : uint8_t {
  empty,  ///< nothing but comments
  begin,
  commit,
  rollback,
  savepoint,
  release_savepoint,
  rollback_to_savepoint,
  xa_start,
  xa_end,
  xa_prepare,
  xa_commit,
  xa_rollback,
  data_change,  ///< INSERT, UPDATE, DELETE, REPLACE, LOAD and the like
  ddl,          ///< CREATE, ALTER, DROP, RENAME, TRUNCATE; ParsedStatement::changes_rows() tells whether rows come too
  other         ///< GRANT, FLUSH, ANALYZE, SET PASSWORD, ...
};

/// Of statements that begin with these two words: they leave the rows of tables alone, or rows are logged as rows. The
/// one list of such statements: all others but DDL and transaction control count as changes of rows.
bool changes_no_rows(const SqlToken& first, const SqlToken& second);

/// `rules`: sql_rules() of the event, the same as for parse_statement().
StatementKind classify_statement(std::string_view text, const SqlRules& rules);

/// The savepoint's name, for the savepoint kinds; without quotes.
std::string savepoint_name(std::string_view text, const SqlRules& rules);

/// True for the CREATE TABLE that MySQL 8.0.21+ writes for CREATE TABLE ... SELECT: its text ends in
/// START TRANSACTION, and the group goes on with rows. The server makes that text, with escapes whatever the sql_mode.
bool opens_transaction(std::string_view text, SqlDialect dialect);

}  // namespace tidemark::binlog
