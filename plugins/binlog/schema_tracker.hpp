// SPDX-License-Identifier: Apache-2.0
// Knows the columns of every table from the DDL in the log, as of a position.
//
// Invariants: statements are given in log order, each once, only if they took effect; a schema is either exactly what
// the DDL says or unknown with a reason, never a guess. CREATE TABLE IF NOT EXISTS counts only where the log shows
// that the table did not exist. Every schema is still to be checked against each TABLE_MAP.
// Below the log's tables lies the base: tables as they were before the first statement (a schema file's), which hold
// until the log says otherwise. A base name may be a glob, for shards of one layout.
// Values: copying is cheap per table (schemas are shared); serialises to bytes, so that a position can carry it.
// Thread: one at a time per object.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "binlog/ddl_statement.hpp"
#include "binlog/format_description.hpp"
#include "binlog/query_event.hpp"
#include "binlog/schema_change.hpp"
#include "binlog/sql_tokenizer.hpp"
#include "binlog/table_pattern.hpp"

namespace tidemark::binlog {

/// A statement with where it stands and how it is to be read.
struct StatementAt {
  std::string_view database;  ///< the QUERY event's schema
  std::string_view sql;
  std::string_view file;
  uint64_t position = 0;
  uint64_t sql_mode = 0;
  uint16_t collation_client = 0;  ///< ids; 0 = not known
  uint16_t collation_server = 0;
  SqlDialect dialect = SqlDialect::any;
  bool stands_alone = true;  ///< false: the group goes on after it (GtidEvent::stands_alone)
};

/// The fields of `query` at (file, position) of a server's log; `stands_alone`: GtidEvent::stands_alone() of the group.
StatementAt statement_at(const QueryEvent& query, std::string_view file, uint64_t position, Flavor flavor,
                         bool stands_alone = true);

class SchemaTracker {
 public:
  /// A schema, or why there is none.
  struct Found {
    std::shared_ptr<const TableSchema> schema;
    std::string reason;
    /// The server's default charset as last seen: likely for columns whose charset is kUnknownCharset, because the
    /// log does not hold the CREATE DATABASE.
    std::string server_charset;
  };

  /// Applies DDL; gives what the statement is and which tables it writes (statements other than DDL change nothing).
  ParsedStatement on_statement(const StatementAt& at);
  ParsedStatement on_statement(std::string_view current_database, std::string_view sql, std::string_view file,
                               uint64_t position) {
    return on_statement(StatementAt{current_database, sql, file, position});
  }

  /// The same for a file that declares tables: what it does not declare does not exist. The result is for set_base().
  ParsedStatement on_declaration(const StatementAt& at);
  /// Takes the known tables and databases of `declared` as the base, in place of the base there was.
  void set_base(const SchemaTracker& declared);
  /// For a tracker that was stored: takes the base of `declared` in place of its own, unless that is empty. What the
  /// log said stays; a table that the log made unknown is from now on what `declared` says, unless that is what the
  /// base said before.
  void adopt_base(const SchemaTracker& declared);

  /// A server start drops all temporary tables (FORMAT_DESCRIPTION with its `created` time).
  void forget_temporary_tables();

  Found find(std::string_view database, std::string_view table) const;
  /// Names of the tables with a known schema, sorted by (database, table); of the base those without a glob.
  std::vector<TableRef> known_tables() const;

  /// Changes with every statement that changed anything; starts at 0.
  uint64_t revision() const { return revision_; }

  /// Appends the whole state to `out`.
  void serialise(std::string& out) const;
  /// False = not bytes of serialise(); the tracker is empty then.
  bool deserialise(std::string_view bytes);

 private:
  struct Name {
    std::string database;
    std::string table;
    auto operator<=>(const Name&) const = default;
  };
  struct NameView {
    std::string_view database;
    std::string_view table;
  };
  struct NameLess {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      const int order = std::string_view(a.database).compare(std::string_view(b.database));
      return order != 0 ? order < 0 : std::string_view(a.table) < std::string_view(b.table);
    }
  };
  struct Entry {
    std::shared_ptr<const TrackedTable> table;  ///< nullptr: unknown (reason) or absent
    std::string reason;
    bool absent = false;  ///< the log shows that there is no such table
  };
  struct Glob {
    std::string database;
    std::string table;
    Entry entry;
    NameGlob database_glob;
    NameGlob table_glob;
  };
  struct Database {
    std::string default_charset;
    bool created = false;  ///< in this log, so that tables never heard of do not exist
  };

  void doubt_other_cases(const ParsedStatement& statement, const StatementAt& at);
  /// A known table whose name differs by the case of ASCII letters alone.
  std::optional<TableRef> in_another_case(std::string_view database, std::string_view table) const;
  void apply(const ParsedStatement& statement, const StatementAt& at);
  void create_table(const ParsedStatement& statement, const CreateTable& create, const StatementAt& at);
  void alter(const ParsedStatement& statement, const AlterTable& alter, const StatementAt& at);
  void rename(const RenameTables& renames, const StatementAt& at);
  void drop(const ParsedStatement& statement, const DropTables& drop);
  void create_database(const CreateDatabase& create);
  void drop_database(const std::string& database);
  void fail(const ParsedStatement& statement, const StatementAt& at);

  static std::optional<Glob> make_glob(const Name& name, const Entry& known);
  bool surely_absent(const TableRef& table) const;
  void set_known(const TableRef& name, TrackedTable table, std::string source);
  void set_unknown(const TableRef& name, std::string reason);
  Entry take(const TableRef& name);
  std::string database_charset(const std::string& database) const;
  const Entry* entry(std::string_view database, std::string_view table) const;
  const Entry* base_entry(std::string_view database, std::string_view table) const;
  /// The base as it was declared, whether or not it still holds.
  const Entry* declared_entry(std::string_view database, std::string_view table) const;

  std::map<Name, Entry, NameLess> tables_;
  std::map<Name, Entry, NameLess> base_;
  std::vector<Glob> base_globs_;  ///< in the file's order: the first that matches counts
  std::map<std::string, Database, std::less<>> databases_;
  std::set<Name> temporary_;  ///< names of temporary tables seen: ALTER may mean these
  /// Views and tables with triggers that the log made: a logged change of one may change any table.
  std::set<Name> reaching_;
  std::string server_charset_ = kUnknownCharset;
  std::string blind_reason_;  ///< a DDL statement whose table could not be read
  uint64_t revision_ = 0;
  uint64_t version_ = 0;  ///< of the last schema made
  bool declaring_ = false;
};

}  // namespace tidemark::binlog
