// SPDX-License-Identifier: Apache-2.0
// What a parsed SQL statement of a binlog means for a reader: its class, the tables it writes, and for DDL the
// changes in terms of tables and columns.
//
// Invariants: names are unquoted; a table reference has its database filled in from the statement or from the
// QUERY event's current database. `failure` is set where a DDL statement was recognised but not understood:
// then nothing else of it may be applied, and the tables it names have an unknown schema.
// Plain values; no thread of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "binlog/table_schema.hpp"

namespace tidemark::binlog {

struct TableRef {
  std::string database;
  std::string table;
  bool operator==(const TableRef&) const = default;

  /// "database.table".
  std::string full_name() const { return database + "." + table; }
};

enum class StatementClass : uint8_t {
  kDdl,
  kDml,          ///< changes rows by itself: statement format
  kTransaction,  ///< BEGIN, COMMIT, ROLLBACK, SAVEPOINT, XA ...
  kTruncate,
  kOther  ///< no effect on rows or columns of tables
};

/// A column as a CREATE or ALTER statement defines it.
struct ColumnDefinition {
  /// charset is "" until resolved against the table's default, see resolve_charset().
  ColumnSchema column;
  std::string charset;  ///< as written (also through COLLATE); "" = the table's default
  bool primary_key = false;
  /// MariaDB's system versioning: WITH SYSTEM VERSIONING, AS ROW START and AS ROW END.
  bool versioned = false;
  bool row_start = false;
  bool row_end = false;
};

/// Character set name for types with text, "" for the others and for binary strings; what a table's default is
/// unknown stays kUnknownCharset.
inline constexpr const char* kUnknownCharset = "unknown";

enum class ColumnPlace : uint8_t { kDefault, kFirst, kAfter };

struct AddColumn {
  ColumnDefinition definition;
  ColumnPlace place = ColumnPlace::kDefault;
  std::string after;
  bool if_not_exists = false;
};

/// MODIFY (old_name = the definition's name) and CHANGE.
struct ChangeColumn {
  std::string old_name;
  ColumnDefinition definition;
  ColumnPlace place = ColumnPlace::kDefault;
  std::string after;
  bool if_exists = false;
};

struct DropColumn {
  std::string name;
  bool if_exists = false;
};

struct RenameColumn {
  std::string old_name;
  std::string new_name;
  bool if_exists = false;
};

struct SetPrimaryKey {
  std::vector<std::string> columns;  ///< empty = dropped
};

struct SetDefaultCharset {
  std::string charset;
};

struct ConvertCharset {
  std::string charset;  ///< "" = the database's default
};

struct RenameTo {
  TableRef table;
};

/// ADD and DROP SYSTEM VERSIONING.
struct SetVersioning {
  bool versioned = false;
};

using AlterAction = std::variant<AddColumn, ChangeColumn, DropColumn, RenameColumn, SetPrimaryKey, SetDefaultCharset,
                                 ConvertCharset, RenameTo, SetVersioning>;

struct CreateTable {
  bool if_not_exists = false;
  bool temporary = false;
  std::optional<TableRef> like;
  std::vector<ColumnDefinition> columns;
  std::vector<std::string> primary_key;
  std::string default_charset;  ///< "" = the database's
  bool versioned = false;       ///< WITH SYSTEM VERSIONING
};

struct AlterTable {
  std::vector<AlterAction> actions;
};

struct RenameTables {
  std::vector<std::pair<TableRef, TableRef>> renames;  ///< in order: a swap goes through a third name
  bool if_exists = false;
};

struct DropTables {
  bool temporary = false;
};

struct CreateDatabase {
  std::string database;
  bool if_not_exists = false;
  bool or_replace = false;
  std::string default_charset;  ///< "" = the server's
};

struct AlterDatabase {
  std::string database;
  std::string default_charset;
};

struct DropDatabase {
  std::string database;
};

/// A view, or a table that has a trigger: a statement that changes rows of it changes those of other tables.
struct ReachesFurther {
  TableRef table;
};

using Ddl = std::variant<std::monostate, CreateTable, AlterTable, RenameTables, DropTables, CreateDatabase,
                         AlterDatabase, DropDatabase, ReachesFurther>;

struct ParsedStatement {
  StatementClass statement_class = StatementClass::kOther;
  /// First words, upper case, for messages: "ALTER TABLE".
  std::string verb;
  /// Tables written or altered. For CREATE and ALTER TABLE the first one is the statement's table.
  std::vector<TableRef> targets;
  /// False: the statement writes tables that its text does not tell (CALL, a function with side effects).
  bool targets_known = true;
  /// Rows appear in a target without row events: CREATE TABLE from a query (where its rows are logged as rows, the
  /// server leaves the query out of the text), partitions and tables that are exchanged, tablespaces that are imported.
  bool inserts_rows = false;
  /// Rows vanish without row events: TRUNCATE, DROP, CREATE OR REPLACE, partition maintenance.
  bool removes_rows = false;
  Ddl ddl;
  /// Why a DDL statement could not be understood; "" = understood.
  std::string failure;
  /// Bytes of the statement before the text that `failure` is about.
  size_t failure_offset = 0;

  /// Rows come or change that no row event tells. TRUNCATE and the like only remove rows: see removes_rows.
  bool changes_rows() const { return statement_class == StatementClass::kDml || inserts_rows; }
  /// Of a statement that changes rows: `targets` has every table that it may change.
  bool names_its_targets() const { return targets_known && !targets.empty(); }
};

}  // namespace tidemark::binlog
