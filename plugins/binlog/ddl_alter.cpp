// SPDX-License-Identifier: Apache-2.0
// ALTER TABLE action by action (https://dev.mysql.com/doc/refman/8.4/en/alter-table.html,
// https://mariadb.com/kb/en/alter-table/).
//
// Invariant: partition maintenance ends the statement in the grammar, so its name lists are not split at commas.
// Thread: any; no state.
#include "binlog/ddl_alter.hpp"

#include "binlog/ddl_column.hpp"

namespace tidemark::binlog {
namespace {

bool at_constraint(const SqlCursor& cursor) {
  return cursor.at_any(
             {"PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK"}) ||
         (cursor.at("PERIOD") && cursor.peek(1).is("FOR")) ||
         (cursor.at("VECTOR") && SqlCursor::is_any(cursor.peek(1), {"KEY", "INDEX"}));
}

/// Optional IF [NOT] EXISTS.
bool accept_if_clause(SqlCursor& cursor) {
  if (!cursor.at("IF") || !SqlCursor::is_any(cursor.peek(1), {"EXISTS", "NOT"})) return false;
  cursor.next();
  cursor.accept("NOT");
  return cursor.expect("EXISTS");
}

template <class Action>
bool parse_place(SqlCursor& cursor, Action& action) {
  if (cursor.accept("FIRST")) {
    action.place = ColumnPlace::kFirst;
  } else if (cursor.accept("AFTER")) {
    std::optional<std::string> name = cursor.name();
    if (!name) return false;
    action.place = ColumnPlace::kAfter;
    action.after = std::move(*name);
  }
  return true;
}

class AlterParser {
 public:
  AlterParser(SqlCursor& cursor, std::string_view database, ParsedStatement& statement)
      : cursor_(cursor), database_(database), statement_(statement) {}

  void run() {
    AlterTable alter;
    while (!cursor_.at_end()) {
      if (!parse_action(alter.actions)) break;
      if (cursor_.at_end()) break;
      // Table options may follow each other without a comma, and partitioning may follow anything.
      if (!cursor_.accept(',') && !option_follows_ && !at_partition_action()) {
        cursor_.fail("',' or the statement's end expected");
        break;
      }
    }
    statement_.ddl = std::move(alter);
  }

 private:
  bool parse_action(std::vector<AlterAction>& actions) {
    option_follows_ = false;
    if (cursor_.accept("ADD")) return parse_add(actions);
    if (cursor_.accept("DROP")) return parse_drop(actions);
    if (cursor_.accept("MODIFY")) return parse_change(actions, false);
    if (cursor_.accept("CHANGE")) return parse_change(actions, true);
    if (cursor_.accept("RENAME")) return parse_rename(actions);
    if (cursor_.accept("ALTER")) return cursor_.skip_item();  // defaults and visibility: not in the row image
    if (cursor_.accept("CONVERT")) return parse_convert(actions);
    if (cursor_.accept("ORDER", "BY")) return skip_order_by();
    if (at_partition_action()) return skip_partition_action();
    return parse_option(actions);
  }

  bool parse_add(std::vector<AlterAction>& actions) {
    if (at_constraint(cursor_)) {
      std::vector<std::string> key;
      if (!parse_table_constraint(cursor_, key)) return false;
      if (!key.empty()) actions.emplace_back(SetPrimaryKey{std::move(key)});
      return true;
    }
    if (cursor_.at("PARTITION")) return skip_to_end();
    if (cursor_.accept("SYSTEM", "VERSIONING")) return set_versioning(actions, true);
    cursor_.accept("COLUMN");
    const bool if_not_exists = accept_if_clause(cursor_);
    if (cursor_.failed()) return false;
    if (!cursor_.at('(')) return parse_add_column(actions, if_not_exists);
    cursor_.next();
    do {
      if (at_constraint(cursor_)) {
        std::vector<std::string> key;
        if (!parse_table_constraint(cursor_, key)) return false;
        if (!key.empty()) actions.emplace_back(SetPrimaryKey{std::move(key)});
      } else if (!parse_add_column(actions, if_not_exists)) {
        return false;
      }
    } while (cursor_.accept(','));
    return cursor_.expect(')');
  }

  static bool set_versioning(std::vector<AlterAction>& actions, bool versioned) {
    actions.emplace_back(SetVersioning{versioned});
    return true;
  }

  bool parse_add_column(std::vector<AlterAction>& actions, bool if_not_exists) {
    AddColumn add;
    add.if_not_exists = if_not_exists;
    std::optional<std::string> name = cursor_.name();
    if (!name) return false;
    add.definition.column.name = std::move(*name);
    if (!parse_column_definition(cursor_, add.definition) || !parse_place(cursor_, add)) return false;
    const bool primary = add.definition.primary_key;
    std::string column = add.definition.column.name;
    actions.emplace_back(std::move(add));
    if (primary) actions.emplace_back(SetPrimaryKey{{std::move(column)}});
    return true;
  }

  bool parse_change(std::vector<AlterAction>& actions, bool renames) {
    cursor_.accept("COLUMN");
    ChangeColumn change;
    change.if_exists = accept_if_clause(cursor_);
    std::optional<std::string> name = cursor_.name();
    if (!name) return false;
    change.old_name = *name;
    if (renames) {
      name = cursor_.name();
      if (!name) return false;
    }
    change.definition.column.name = std::move(*name);
    if (!parse_column_definition(cursor_, change.definition) || !parse_place(cursor_, change)) return false;
    const bool primary = change.definition.primary_key;
    std::string column = change.definition.column.name;
    actions.emplace_back(std::move(change));
    if (primary) actions.emplace_back(SetPrimaryKey{{std::move(column)}});
    return true;
  }

  bool parse_drop(std::vector<AlterAction>& actions) {
    if (cursor_.accept("PRIMARY", "KEY")) {
      actions.emplace_back(SetPrimaryKey{});
      return true;
    }
    if (cursor_.at_any({"INDEX", "KEY", "CHECK", "FOREIGN"}) || (cursor_.at("PERIOD") && cursor_.peek(1).is("FOR"))) {
      return cursor_.skip_item();
    }
    if (cursor_.accept("CONSTRAINT")) {
      accept_if_clause(cursor_);
      std::optional<std::string> name = cursor_.name();
      if (name && (*name == "PRIMARY" || *name == "primary")) actions.emplace_back(SetPrimaryKey{});
      return name.has_value();
    }
    if (cursor_.at("PARTITION")) {
      statement_.removes_rows = true;
      return skip_to_end();
    }
    if (cursor_.accept("SYSTEM", "VERSIONING")) return set_versioning(actions, false);
    cursor_.accept("COLUMN");
    DropColumn drop;
    drop.if_exists = accept_if_clause(cursor_);
    std::optional<std::string> name = cursor_.name();
    if (!name) return false;
    drop.name = std::move(*name);
    cursor_.accept_any({"RESTRICT", "CASCADE"});
    actions.emplace_back(std::move(drop));
    return true;
  }

  bool parse_rename(std::vector<AlterAction>& actions) {
    if (cursor_.at_any({"INDEX", "KEY"})) return cursor_.skip_item();
    if (cursor_.accept("COLUMN")) {
      RenameColumn rename;
      rename.if_exists = accept_if_clause(cursor_);
      std::optional<std::string> from = cursor_.name();
      if (!from || !cursor_.expect("TO")) return false;
      std::optional<std::string> to = cursor_.name();
      if (!to) return false;
      rename.old_name = std::move(*from);
      rename.new_name = std::move(*to);
      actions.emplace_back(std::move(rename));
      return true;
    }
    if (!cursor_.accept('=')) cursor_.accept_any({"TO", "AS"});
    std::optional<TableRef> table = parse_table_name(cursor_, database_);
    if (!table) return false;
    statement_.targets.push_back(*table);
    actions.emplace_back(RenameTo{std::move(*table)});
    return true;
  }

  bool parse_convert(std::vector<AlterAction>& actions) {
    if (cursor_.at_any({"PARTITION", "TABLE"})) {  // MariaDB: rows move between a table and a partition
      statement_.removes_rows = true;
      statement_.inserts_rows = true;
      name_other_table();
      return cursor_.fail("partitions and tables are converted into each other");
    }
    if (!cursor_.expect("TO")) return false;
    ConvertCharset convert;
    if (!parse_charset_clause(cursor_, convert.charset)) return cursor_.fail("CHARACTER SET expected");
    std::string collation_only = convert.charset;
    if (cursor_.at("COLLATE")) parse_charset_clause(cursor_, collation_only);
    actions.emplace_back(std::move(convert));
    option_follows_ = true;
    return true;
  }

  bool skip_order_by() {
    while (!cursor_.at_end()) {
      while (!cursor_.at_end() && !cursor_.at(',')) cursor_.next();
      // Another sort column goes on with ',', the end, ASC or DESC; an action does not.
      const SqlToken& behind = cursor_.peek(2);
      if (!cursor_.at(',') ||
          !(behind.is(',') || behind.kind == TokenKind::kEnd || behind.is("ASC") || behind.is("DESC"))) {
        return true;
      }
      cursor_.next();
    }
    return true;
  }

  bool at_partition_action() const {
    if (cursor_.at("PARTITION") && cursor_.peek(1).is("BY")) return true;
    if (cursor_.at("REMOVE") && cursor_.peek(1).is("PARTITIONING")) return true;
    return cursor_.at_any({"COALESCE", "REORGANIZE", "EXCHANGE", "TRUNCATE", "ANALYZE", "CHECK", "OPTIMIZE", "REBUILD",
                           "REPAIR"}) &&
           cursor_.peek(1).is("PARTITION");
  }

  bool skip_partition_action() {
    if (cursor_.at_any({"TRUNCATE", "EXCHANGE"})) statement_.removes_rows = true;
    if (cursor_.at("EXCHANGE")) {
      statement_.inserts_rows = true;
      name_other_table();
    }
    return skip_to_end();
  }

  /// The table behind TABLE, which trades rows with this one.
  void name_other_table() {
    while (!cursor_.at_end() && !cursor_.accept("TABLE")) cursor_.next();
    if (cursor_.at_end()) return;
    if (std::optional<TableRef> other = parse_table_name(cursor_, database_)) {
      statement_.targets.push_back(std::move(*other));
    }
  }

  bool skip_to_end() {
    while (!cursor_.at_end()) {
      if (cursor_.peek().kind == TokenKind::kBad) return cursor_.fail("unterminated text");
      cursor_.next();
    }
    return true;
  }

  /// One table option; those that set the default charset are kept.
  bool parse_option(std::vector<AlterAction>& actions) {
    std::string charset;
    option_follows_ = true;
    if (parse_charset_clause(cursor_, charset)) {
      if (!charset.empty()) actions.emplace_back(SetDefaultCharset{std::move(charset)});
      return true;
    }
    if (cursor_.accept_any({"FORCE"})) return true;
    if (cursor_.accept_any({"DISABLE", "ENABLE"})) return cursor_.accept_any({"KEYS"}) || cursor_.fail("KEYS expected");
    if (cursor_.at_any({"DISCARD", "IMPORT"})) {
      (cursor_.at("IMPORT") ? statement_.inserts_rows : statement_.removes_rows) = true;
      return skip_to_end();
    }
    if (cursor_.at_any({"WITH", "WITHOUT"}) && cursor_.peek(1).is("VALIDATION")) {
      cursor_.next();
      cursor_.next();
      return true;
    }
    const TokenKind kind = cursor_.peek().kind;
    if (kind != TokenKind::kWord && kind != TokenKind::kQuotedName) return cursor_.fail("action not known");
    if (!at_known_option()) return cursor_.fail("action not known");
    cursor_.next();
    cursor_.accept_any({"DIRECTORY"});
    cursor_.accept('=');
    if (cursor_.at('(')) return cursor_.skip_parentheses();
    if (cursor_.at_end() || cursor_.at(',')) return cursor_.fail("an option's value expected");
    cursor_.next();
    return true;
  }

  /// name = value is an option whatever its name (engines define their own); without '=' it must be a known one.
  bool at_known_option() const {
    return cursor_.peek(1).is('=') || cursor_.at_any({"ENGINE",
                                                      "TYPE",
                                                      "AUTO_INCREMENT",
                                                      "AVG_ROW_LENGTH",
                                                      "CHECKSUM",
                                                      "COMMENT",
                                                      "COMPRESSION",
                                                      "CONNECTION",
                                                      "DATA",
                                                      "INDEX",
                                                      "DELAY_KEY_WRITE",
                                                      "ENCRYPTION",
                                                      "INSERT_METHOD",
                                                      "KEY_BLOCK_SIZE",
                                                      "MAX_ROWS",
                                                      "MIN_ROWS",
                                                      "PACK_KEYS",
                                                      "PASSWORD",
                                                      "ROW_FORMAT",
                                                      "STATS_AUTO_RECALC",
                                                      "STATS_PERSISTENT",
                                                      "STATS_SAMPLE_PAGES",
                                                      "TABLESPACE",
                                                      "STORAGE",
                                                      "UNION",
                                                      "ALGORITHM",
                                                      "LOCK",
                                                      "PAGE_CHECKSUM",
                                                      "TRANSACTIONAL",
                                                      "TABLE_CHECKSUM",
                                                      "AUTOEXTEND_SIZE",
                                                      "ENGINE_ATTRIBUTE",
                                                      "SECONDARY_ENGINE_ATTRIBUTE",
                                                      "SECONDARY_ENGINE",
                                                      "SECONDARY_LOAD",
                                                      "SECONDARY_UNLOAD",
                                                      "IETF_QUOTES",
                                                      "SEQUENCE"});
  }

  SqlCursor& cursor_;
  std::string_view database_;
  ParsedStatement& statement_;
  bool option_follows_ = false;
};

}  // namespace

bool parse_table_constraint(SqlCursor& cursor, std::vector<std::string>& primary_key) {
  if (cursor.accept("CONSTRAINT") && !cursor.at_any({"PRIMARY", "UNIQUE", "FOREIGN", "CHECK"})) {
    accept_if_clause(cursor);
    if (!cursor.name()) return false;
  }
  if (!cursor.accept("PRIMARY", "KEY")) return cursor.skip_item();
  accept_if_clause(cursor);
  while (!cursor.at('(')) {  // an index name that is ignored, USING BTREE
    if (cursor.at_end()) return cursor.fail("'(' expected");
    cursor.next();
  }
  cursor.next();
  do {
    std::optional<std::string> column = cursor.name();
    if (!column) return false;
    primary_key.push_back(std::move(*column));
    if (!cursor.skip_item()) return false;  // (prefix) ASC | DESC
  } while (cursor.accept(','));
  return cursor.expect(')') && cursor.skip_item();
}

void parse_alter_actions(SqlCursor& cursor, std::string_view database, ParsedStatement& statement) {
  AlterParser(cursor, database, statement).run();
}

}  // namespace tidemark::binlog
