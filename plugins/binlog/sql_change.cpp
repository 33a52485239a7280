// SPDX-License-Identifier: Apache-2.0
// Finds the tables of INSERT, REPLACE, UPDATE, DELETE and LOAD DATA without parsing expressions.
//
// Invariant: for multi-table statements every name in table position is taken, aliases included: a name too many
// refuses a statement, a name too few would lose rows.
// Thread: any; no state.
#include "binlog/sql_change.hpp"

#include "binlog/ascii_text.hpp"
#include "binlog/ddl_alter.hpp"
#include "binlog/statement_kind.hpp"

namespace tidemark::binlog {
namespace {

void add_table(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  if (cursor.peek(1).is('.') && cursor.peek(2).is('*')) {  // t.* in DELETE
    if (std::optional<std::string> name = cursor.name()) {
      statement.targets.push_back({std::string(database), std::move(*name)});
      cursor.next();
      cursor.next();
      return;
    }
  }
  std::optional<TableRef> table = parse_table_name(cursor, database);
  if (!table) {
    statement.targets_known = false;
    cursor.next();
    return;
  }
  if (cursor.accept('.')) cursor.accept('*');  // db.t.* in DELETE
  statement.targets.push_back(std::move(*table));
}

/// Names at the list's start, after ',' and after JOIN, at any depth, until one of the stop words at depth 0.
void collect_tables(SqlCursor& cursor, std::string_view database, std::initializer_list<std::string_view> stops,
                    ParsedStatement& statement, bool is_delete) {
  int depth = 0;
  bool expected = true;
  while (!cursor.at_end()) {
    if (depth == 0 && cursor.at_any(stops)) return;
    if (cursor.accept('(')) {
      ++depth;
    } else if (cursor.accept(')')) {
      --depth;
    } else if (cursor.accept(',') || cursor.accept_any({"JOIN", "STRAIGHT_JOIN"})) {
      expected = true;
    } else if (cursor.accept("USING")) {  // of a join, or of DELETE FROM a USING b
      expected = is_delete || !cursor.at('(');
      if (!expected && !cursor.skip_parentheses()) return;
    } else if (expected && !cursor.at_any({"SELECT", "LATERAL", "VALUES"})) {
      add_table(cursor, database, statement);
      expected = false;
    } else {
      expected = false;
      cursor.next();
    }
  }
}

void parse_insert(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  while (cursor.accept_any({"LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO"})) {
  }
  add_table(cursor, database, statement);
}

void parse_update(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  while (cursor.accept_any({"LOW_PRIORITY", "IGNORE"})) {
  }
  collect_tables(cursor, database, {"SET"}, statement, false);
}

void parse_delete(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  while (cursor.accept_any({"LOW_PRIORITY", "QUICK", "IGNORE", "HISTORY"})) {
  }
  if (!cursor.accept("FROM")) {  // DELETE a, b FROM ...
    collect_tables(cursor, database, {"FROM"}, statement, true);
    cursor.accept("FROM");
  }
  collect_tables(cursor, database, {"WHERE", "ORDER", "LIMIT", "RETURNING"}, statement, true);
}

void parse_load(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  while (!cursor.at_end()) {
    if (cursor.accept("INTO", "TABLE")) return add_table(cursor, database, statement);
    cursor.next();
  }
  statement.targets_known = false;
}

/// WITH ... or ANALYZE in front of a data change: find the verb at depth 0.
void skip_with(SqlCursor& cursor) {
  while (!cursor.at_end() && !cursor.at_any({"UPDATE", "DELETE", "INSERT", "REPLACE", "SELECT"})) {
    if (cursor.at('(')) {
      if (!cursor.skip_parentheses()) return;
    } else {
      cursor.next();
    }
  }
}

}  // namespace

void parse_change_or_transaction(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  statement.verb = cursor.peek().kind == TokenKind::kWord ? std::string(cursor.peek().text) : std::string();
  for (char& c : statement.verb) c = ascii_upper(c);
  if (cursor.at_any({"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "XA", "START"})) {
    statement.statement_class = StatementClass::kTransaction;
    return;
  }
  if (cursor.at_end() || changes_no_rows(cursor.peek(), cursor.peek(1))) return;  // kOther
  if (cursor.at("ANALYZE")) skip_with(cursor);  // MariaDB: ANALYZE [FORMAT = JSON] UPDATE ...
  if (cursor.at("WITH")) skip_with(cursor);
  statement.statement_class = StatementClass::kDml;
  if (cursor.at_any({"INSERT", "REPLACE"})) return parse_insert(cursor, database, statement);
  if (cursor.at("UPDATE")) return parse_update(cursor, database, statement);
  if (cursor.at("DELETE")) return parse_delete(cursor, database, statement);
  if (cursor.at("LOAD")) return parse_load(cursor, database, statement);
  // CALL, DO, SELECT and so on are logged only where what they call changed rows; a statement that is not known here
  // may change any.
  statement.targets_known = false;
}

}  // namespace tidemark::binlog
