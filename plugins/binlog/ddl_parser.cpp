// SPDX-License-Identifier: Apache-2.0
// Statement level: leading words, CREATE, RENAME, DROP, TRUNCATE and databases; ALTER TABLE's actions are in
// ddl_alter.cpp, columns in ddl_column.cpp, statements that change rows in sql_change.cpp.
//
// Invariant: each parse function either understands its whole part or fails the cursor.
// Thread: any; no state.
#include "binlog/ddl_parser.hpp"

#include <algorithm>

#include "binlog/ddl_alter.hpp"
#include "binlog/ddl_column.hpp"
#include "binlog/sql_change.hpp"

namespace tidemark::binlog {
namespace {

/// Skips IF [NOT] EXISTS; true if it was there.
bool accept_if_exists(SqlCursor& cursor) {
  if (!cursor.at("IF")) return false;
  cursor.next();
  cursor.accept("NOT");
  return cursor.accept("EXISTS");
}

bool parse_create_item(SqlCursor& cursor, CreateTable& create) {
  if (cursor.at_any({"PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK"}) ||
      (cursor.at("PERIOD") && cursor.peek(1).is("FOR")) ||
      (cursor.at("VECTOR") && SqlCursor::is_any(cursor.peek(1), {"KEY", "INDEX"}))) {
    std::vector<std::string> key;
    if (!parse_table_constraint(cursor, key)) return false;
    if (!key.empty()) create.primary_key = std::move(key);
    return true;
  }
  std::optional<std::string> name = cursor.name();
  if (!name) return false;
  ColumnDefinition definition;
  definition.column.name = std::move(*name);
  if (!parse_column_definition(cursor, definition)) return false;
  if (definition.primary_key) create.primary_key = {definition.column.name};
  create.columns.push_back(std::move(definition));
  return true;
}

/// True where rows or columns come from a query that begins at the cursor, behind a CREATE TABLE's columns or options.
bool query_follows(const SqlCursor& cursor) {
  if (cursor.at_any({"SELECT", "AS", "VALUES", "TABLE"})) return true;
  if (cursor.at("WITH")) return !SqlCursor::is_any(cursor.peek(1), {"SYSTEM", "PARSER"});
  size_t inner = 0;
  while (cursor.peek(inner).is('(')) ++inner;
  return inner > 0 && SqlCursor::is_any(cursor.peek(inner), {"SELECT", "WITH", "VALUES", "TABLE"});
}

/// The same for all that follows a CREATE TABLE's name, whether or not its columns can be read. Text that has no end
/// may hide a query.
bool has_query(SqlCursor cursor) {
  while (!cursor.at_end()) {
    if (cursor.peek().kind == TokenKind::kBad || query_follows(cursor)) return true;
    if (!cursor.at('(')) {
      cursor.next();
    } else if (!cursor.skip_parentheses()) {
      return true;
    }
  }
  return false;
}

bool parse_table_options(SqlCursor& cursor, CreateTable& create) {
  while (!cursor.at_end()) {
    if (query_follows(cursor)) return cursor.fail("columns come from a query");
    if (cursor.accept("WITH", "SYSTEM")) {
      create.versioned = true;
      if (!cursor.expect("VERSIONING")) return false;
      continue;
    }
    if (parse_charset_clause(cursor, create.default_charset)) continue;
    if (cursor.peek().kind == TokenKind::kBad) return cursor.fail("unterminated text");
    if (cursor.at('(')) {
      if (!cursor.skip_parentheses()) return false;
    } else {
      cursor.next();
    }
  }
  return true;
}

bool parse_create_table_body(SqlCursor& cursor, std::string_view database, CreateTable& create) {
  const bool in_parentheses = cursor.at('(') && cursor.peek(1).is("LIKE");
  if (in_parentheses) cursor.next();
  if (cursor.accept("LIKE")) {
    create.like = parse_table_name(cursor, database);
    return create.like.has_value();
  }
  if (query_follows(cursor) || !cursor.accept('('))
    return parse_table_options(cursor, create) && cursor.fail("no column list");
  do {
    if (!parse_create_item(cursor, create)) return false;
  } while (cursor.accept(','));
  return cursor.expect(')') && parse_table_options(cursor, create);
}

void parse_create_table(SqlCursor& cursor, std::string_view database, bool temporary, ParsedStatement& statement) {
  statement.statement_class = StatementClass::kDdl;
  CreateTable create;
  create.temporary = temporary;
  create.if_not_exists = accept_if_exists(cursor);
  std::optional<TableRef> table = parse_table_name(cursor, database);
  if (!table) return;
  statement.targets.push_back(*table);
  statement.inserts_rows = !temporary && has_query(cursor);
  parse_create_table_body(cursor, database, create);
  statement.ddl = std::move(create);
}

/// The one-row table that a sequence is (https://mariadb.com/kb/en/create-sequence/).
void parse_create_sequence(SqlCursor& cursor, std::string_view database, bool temporary, ParsedStatement& statement) {
  statement.statement_class = StatementClass::kDdl;
  CreateTable create;
  create.temporary = temporary;
  create.if_not_exists = accept_if_exists(cursor);
  std::optional<TableRef> table = parse_table_name(cursor, database);
  if (!table) return;
  if (cursor.at("AS")) {  // 11.5: another integer type
    cursor.fail("a sequence with a type of its own");
    return;
  }
  statement.targets.push_back(std::move(*table));
  for (const char* name : {"next_not_cached_value", "minimum_value", "maximum_value", "start_value", "increment",
                           "cache_size", "cycle_option", "cycle_count"}) {
    ColumnDefinition definition;
    definition.column.name = name;
    definition.column.type = definition.column.name == "cycle_option" ? SqlType::tinyint : SqlType::bigint;
    definition.column.is_unsigned = definition.column.name == "cache_size" || definition.column.name == "cycle_option";
    definition.column.nullable = false;
    create.columns.push_back(std::move(definition));
  }
  statement.ddl = std::move(create);
}

/// Other objects: a view, or the table that a trigger is on. The rest makes no columns and no rows.
void parse_create_other(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  statement.statement_class = StatementClass::kOther;
  while (!cursor.at_end() && !cursor.at_any({"VIEW", "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE", "USER",
                                             "ROLE", "SERVER", "INDEX", "TABLESPACE", "AS", "ON"})) {
    cursor.next();
  }
  const bool trigger = cursor.at("TRIGGER");
  if (!trigger && !cursor.at("VIEW")) return;
  cursor.next();
  accept_if_exists(cursor);
  std::optional<TableRef> table = parse_table_name(cursor, database);
  if (trigger) {
    while (!cursor.at_end() && !cursor.accept("ON")) cursor.next();
    table = parse_table_name(cursor, database);
  }
  if (!table) return;
  statement.verb = trigger ? "CREATE TRIGGER" : "CREATE VIEW";
  statement.statement_class = StatementClass::kDdl;
  statement.ddl = ReachesFurther{std::move(*table)};
}

void parse_create_database(SqlCursor& cursor, bool replaces, ParsedStatement& statement) {
  statement.statement_class = StatementClass::kDdl;
  statement.removes_rows = replaces;
  CreateDatabase create;
  create.or_replace = replaces;
  create.if_not_exists = accept_if_exists(cursor);
  std::optional<std::string> name = cursor.name();
  if (!name) return;
  create.database = std::move(*name);
  while (!cursor.at_end()) {
    if (!parse_charset_clause(cursor, create.default_charset)) cursor.next();
  }
  statement.ddl = std::move(create);
}

void parse_create(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  statement.verb = "CREATE";
  const bool replaces = cursor.accept("OR", "REPLACE");
  const bool temporary = cursor.accept("TEMPORARY");
  if (cursor.accept("TABLE")) {
    statement.verb = replaces ? "CREATE OR REPLACE TABLE" : "CREATE TABLE";
    statement.removes_rows = replaces && !temporary;
    return parse_create_table(cursor, database, temporary, statement);
  }
  if (cursor.accept_any({"DATABASE", "SCHEMA"})) {
    statement.verb = "CREATE DATABASE";
    return parse_create_database(cursor, replaces, statement);
  }
  if (cursor.accept("SEQUENCE")) {
    statement.verb = "CREATE SEQUENCE";
    return parse_create_sequence(cursor, database, temporary, statement);
  }
  parse_create_other(cursor, database, statement);
}

void parse_drop_tables(SqlCursor& cursor, std::string_view database, bool temporary, ParsedStatement& statement) {
  statement.statement_class = StatementClass::kDdl;
  accept_if_exists(cursor);
  statement.ddl = DropTables{temporary};
  statement.removes_rows = !temporary;
  do {
    std::optional<TableRef> table = parse_table_name(cursor, database);
    if (!table) return;
    statement.targets.push_back(std::move(*table));
  } while (cursor.accept(','));
}

void parse_drop(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  statement.verb = "DROP";
  const bool temporary = cursor.accept("TEMPORARY");
  if (cursor.accept_any({"TABLE", "TABLES", "SEQUENCE"})) {
    statement.verb = "DROP TABLE";
    return parse_drop_tables(cursor, database, temporary, statement);
  }
  if (!cursor.accept_any({"DATABASE", "SCHEMA"})) return;
  statement.verb = "DROP DATABASE";
  statement.statement_class = StatementClass::kDdl;
  accept_if_exists(cursor);
  if (std::optional<std::string> name = cursor.name()) {
    statement.ddl = DropDatabase{std::move(*name)};
    statement.removes_rows = true;
  }
}

/// MariaDB: WAIT n | NOWAIT after a table's name.
void skip_wait(SqlCursor& cursor) {
  if (cursor.accept("NOWAIT")) return;
  if (cursor.accept("WAIT")) cursor.next();
}

void parse_rename(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  statement.verb = "RENAME";
  if (!cursor.accept_any({"TABLE", "TABLES"})) return;
  statement.verb = "RENAME TABLE";
  statement.statement_class = StatementClass::kDdl;
  RenameTables renames;
  renames.if_exists = accept_if_exists(cursor);
  do {
    std::optional<TableRef> from = parse_table_name(cursor, database);
    if (!from) break;
    statement.targets.push_back(*from);
    skip_wait(cursor);
    if (!cursor.expect("TO")) break;
    std::optional<TableRef> to = parse_table_name(cursor, database);
    if (!to) break;
    statement.targets.push_back(*to);
    renames.renames.emplace_back(std::move(*from), std::move(*to));
  } while (cursor.accept(','));
  if (!cursor.failed() && !cursor.at_end()) cursor.fail("the statement's end expected");
  statement.ddl = std::move(renames);
}

void parse_truncate(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  cursor.accept("TABLE");
  statement.verb = "TRUNCATE TABLE";
  statement.statement_class = StatementClass::kTruncate;
  statement.removes_rows = true;
  if (std::optional<TableRef> table = parse_table_name(cursor, database))
    statement.targets.push_back(std::move(*table));
}

void parse_alter(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  cursor.next();
  statement.verb = "ALTER";
  while (cursor.accept_any({"ONLINE", "OFFLINE", "IGNORE"})) {
  }
  if (cursor.accept_any({"DATABASE", "SCHEMA"})) {
    statement.verb = "ALTER DATABASE";
    statement.statement_class = StatementClass::kDdl;
    AlterDatabase alter{std::string(database), {}};
    if (!cursor.at_any({"DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "READ", "ENCRYPTION"})) {
      if (std::optional<std::string> name = cursor.name()) alter.database = std::move(*name);
    }
    while (!cursor.at_end()) {
      if (!parse_charset_clause(cursor, alter.default_charset)) cursor.next();
    }
    statement.ddl = std::move(alter);
    return;
  }
  if (!cursor.accept("TABLE")) return;
  statement.verb = "ALTER TABLE";
  statement.statement_class = StatementClass::kDdl;
  accept_if_exists(cursor);
  std::optional<TableRef> table = parse_table_name(cursor, database);
  if (!table) return;
  statement.targets.push_back(*table);
  skip_wait(cursor);
  parse_alter_actions(cursor, database, statement);
}

}  // namespace

bool skip_set_statement(SqlCursor& cursor) {
  if (!cursor.at("SET") || !cursor.peek(1).is("STATEMENT")) return true;
  SqlCursor ahead = cursor;
  while (!ahead.at_end() && !ahead.at("FOR")) {
    if (!ahead.at('(')) {
      ahead.next();
    } else if (!ahead.skip_parentheses()) {
      return false;
    }
  }
  if (!ahead.accept("FOR")) return false;
  cursor = ahead;
  return true;
}

std::optional<TableRef> parse_table_name(SqlCursor& cursor, std::string_view database) {
  std::optional<std::string> first = cursor.name();
  if (!first) return std::nullopt;
  if (!cursor.accept('.')) return TableRef{std::string(database), std::move(*first)};
  std::optional<std::string> second = cursor.name(true);
  if (!second) return std::nullopt;
  return TableRef{std::move(*first), std::move(*second)};
}

ParsedStatement parse_statement(std::string_view current_database, std::string_view sql, SqlRules rules) {
  const std::vector<SqlToken> tokens = tokenize(sql, rules);
  SqlCursor cursor(tokens, rules);
  ParsedStatement statement;
  if (!skip_set_statement(cursor)) {
    statement.statement_class = StatementClass::kDml;  // of what, no one can tell
    statement.targets_known = false;
  } else if (cursor.at("CREATE")) {
    parse_create(cursor, current_database, statement);
  } else if (cursor.at("ALTER")) {
    parse_alter(cursor, current_database, statement);
  } else if (cursor.at("DROP")) {
    parse_drop(cursor, current_database, statement);
  } else if (cursor.at("RENAME")) {
    parse_rename(cursor, current_database, statement);
  } else if (cursor.at("TRUNCATE")) {
    parse_truncate(cursor, current_database, statement);
  } else {
    parse_change_or_transaction(cursor, current_database, statement);
  }
  const auto is_bad = [](const SqlToken& token) { return token.kind == TokenKind::kBad; };
  if (std::any_of(tokens.begin(), tokens.end(), is_bad)) statement.targets_known = false;
  statement.failure = cursor.failure();
  if (cursor.failed()) statement.failure_offset = static_cast<size_t>(cursor.failed_at().data() - sql.data());
  if (statement.statement_class == StatementClass::kDml && !statement.failure.empty()) statement.targets_known = false;
  return statement;
}

}  // namespace tidemark::binlog
