// SPDX-License-Identifier: Apache-2.0
// Applies parsed DDL to the map of tables.
//
// Invariants: an entry is known, unknown with a reason, or absent; a name without an entry was never heard of. A
// statement that failed makes the tables it names unknown, or all tables if it names none.
// Thread: one at a time per object.
#include "binlog/schema_tracker.hpp"

#include <algorithm>
#include <tuple>

#include "binlog/ascii_text.hpp"
#include "binlog/charset.hpp"
#include "binlog/ddl_parser.hpp"
#include "binlog/statement_kind.hpp"

namespace tidemark::binlog {
namespace {

std::string place(const ParsedStatement& statement, const StatementAt& at) {
  return statement.verb + " at " + std::string(at.file) + ":" + std::to_string(at.position);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The commonest statements of a log need no parsing.
bool is_group_mark(std::string_view sql) {
  return sql == "BEGIN" || sql == "COMMIT" || sql == "ROLLBACK";
}

/// Name of the server's default charset for new databases; collation_server must be set.
std::string server_charset(const StatementAt& at) {
  const std::string_view charset = charset_of_collation(at.collation_server);
  return charset.empty() ? "binary" : std::string(charset);
}

/// A text that the server made in UTF-8 and with escapes, whatever the session's settings: the CREATE TABLE of a CREATE
/// TABLE ... SELECT, whose rows follow in the group. (Its DROP TABLE is in the client's charset.)
bool is_by_server(const StatementAt& at) {
  const bool creates = at.sql.starts_with("CREATE TABLE ") || at.sql.starts_with("CREATE OR REPLACE TABLE ");
  return creates && (at.stands_alone ? opens_transaction(at.sql, at.dialect) : at.dialect == SqlDialect::mariadb);
}

/// Statement text as UTF-8. False: it has characters of a charset that is not converted here.
bool to_utf8(const StatementAt& at, std::string& converted, std::string_view& sql) {
  sql = at.sql;
  if (is_ascii(at.sql) || at.collation_client == 0 || is_by_server(at)) return true;
  const std::string_view charset = charset_of_collation(at.collation_client);
  if (charset.empty() || charset.starts_with("utf8")) return true;
  if (!append_utf8(charset, at.sql, converted)) return false;
  sql = converted;
  return true;
}

constexpr const char* kCaseHint =
    " (a server with lower_case_table_names? write binlogs with binlog_row_metadata=FULL there)";

}  // namespace

StatementAt statement_at(const QueryEvent& query, std::string_view file, uint64_t position, Flavor flavor,
                         bool stands_alone) {
  return {query.schema,
          query.text,
          file,
          position,
          query.has_sql_mode ? query.sql_mode : 0,
          query.collation_client,
          query.collation_server,
          dialect_of(flavor),
          stands_alone};
}

ParsedStatement SchemaTracker::on_declaration(const StatementAt& at) {
  declaring_ = true;
  ParsedStatement statement = on_statement(at);
  declaring_ = false;
  return statement;
}

void SchemaTracker::set_base(const SchemaTracker& declared) {
  ++revision_;
  base_.clear();
  base_globs_.clear();
  std::vector<std::pair<const Name*, const Entry*>> in_order;
  for (const auto& [name, known] : declared.tables_) {
    if (known.table) in_order.emplace_back(&name, &known);
  }
  std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
    return a.second->table->schema.version < b.second->table->schema.version;
  });
  for (const auto& [name, known] : in_order) {
    const bool wild = NameGlob::has_wildcards(name->database) || NameGlob::has_wildcards(name->table);
    std::optional<Glob> glob = wild ? make_glob(*name, *known) : std::nullopt;
    if (glob) {
      base_globs_.push_back(*std::move(glob));
    } else {
      base_[*name] = *known;
    }
  }
  for (const auto& [name, database] : declared.databases_) {
    if (!database.default_charset.empty()) databases_[name].default_charset = database.default_charset;
  }
}

ParsedStatement SchemaTracker::on_statement(const StatementAt& at) {
  if (is_group_mark(at.sql)) return {StatementClass::kTransaction, std::string(at.sql), {}, true, false, false, {}, {}};
  std::string converted;
  std::string_view sql;
  const bool readable = to_utf8(at, converted, sql);
  SqlRules rules = sql_rules(at.sql_mode, at.dialect);
  if (is_by_server(at)) rules.backslash_escapes = true;
  ParsedStatement statement = parse_statement(at.database, sql, rules);
  const bool tracked = statement.statement_class == StatementClass::kDdl;
  if (tracked && !readable && statement.failure.empty()) {
    statement.failure = "text in charset " + std::string(charset_of_collation(at.collation_client));
  }
  if (!readable) statement.targets_known = false;
  if (!statement.failure.empty()) {
    if (tracked) fail(statement, at);
  } else if (tracked) {
    doubt_other_cases(statement, at);
    apply(statement, at);
  }
  if (statement.statement_class == StatementClass::kDml && !reaching_.empty()) {
    const auto reaches = [&](const TableRef& table) { return reaching_.contains({table.database, table.table}); };
    if (std::any_of(statement.targets.begin(), statement.targets.end(), reaches)) statement.targets_known = false;
  }
  return statement;
}

/// Nothing if the name is no glob.
std::optional<SchemaTracker::Glob> SchemaTracker::make_glob(const Name& name, const Entry& known) {
  auto database = NameGlob::parse(name.database);
  auto table = NameGlob::parse(name.table);
  if (!database || !table) return std::nullopt;
  return Glob{name.database, name.table, known, std::move(database).value(), std::move(table).value()};
}

void SchemaTracker::adopt_base(const SchemaTracker& declared) {
  if (declared.base_.empty() && declared.base_globs_.empty()) return;
  ++revision_;
  for (auto& [name, known] : tables_) {
    const Entry* now = declared.declared_entry(name.database, name.table);
    if (known.table || known.absent || now == nullptr) continue;
    const Entry* before = declared_entry(name.database, name.table);
    if (before != nullptr && before->table->schema.columns == now->table->schema.columns) continue;
    set_known({name.database, name.table}, *now->table, now->table->schema.source);
  }
  base_ = declared.base_;
  base_globs_ = declared.base_globs_;
  for (const auto& [name, database] : declared.databases_) databases_.try_emplace(name, database);
}

void SchemaTracker::forget_temporary_tables() {
  if (temporary_.empty()) return;
  temporary_.clear();
  ++revision_;
}

// Names are told apart by case, as most servers do. Where a statement names a known table in another case, the server
// may be one that does not (lower_case_table_names): then it means that table, else another.
void SchemaTracker::doubt_other_cases(const ParsedStatement& statement, const StatementAt& at) {
  if (std::holds_alternative<CreateTable>(statement.ddl)) return;  // see find()
  for (const TableRef& target : statement.targets) {
    if (entry(target.database, target.table) != nullptr) continue;
    const std::optional<TableRef> other = in_another_case(target.database, target.table);
    if (other) set_unknown(*other, place(statement, at) + " names it in another case" + kCaseHint);
  }
}

std::optional<TableRef> SchemaTracker::in_another_case(std::string_view database, std::string_view table) const {
  for (const auto& [name, known] : tables_) {
    const bool same = equal_but_for_case(name.database, database) && equal_but_for_case(name.table, table);
    if (same && known.table && (name.database != database || name.table != table)) {
      return TableRef{name.database, name.table};
    }
  }
  return std::nullopt;
}

void SchemaTracker::apply(const ParsedStatement& statement, const StatementAt& at) {
  ++revision_;
  if (at.collation_server != 0) server_charset_ = server_charset(at);
  if (const auto* create = std::get_if<CreateTable>(&statement.ddl)) {
    create_table(statement, *create, at);
  } else if (const auto* change = std::get_if<AlterTable>(&statement.ddl)) {
    alter(statement, *change, at);
  } else if (const auto* renames = std::get_if<RenameTables>(&statement.ddl)) {
    rename(*renames, at);
  } else if (const auto* further = std::get_if<ReachesFurther>(&statement.ddl)) {
    reaching_.insert({further->table.database, further->table.table});
  } else if (const auto* dropped = std::get_if<DropTables>(&statement.ddl)) {
    drop(statement, *dropped);
  } else if (const auto* database = std::get_if<CreateDatabase>(&statement.ddl)) {
    create_database(*database);
  } else if (const auto* defaults = std::get_if<AlterDatabase>(&statement.ddl)) {
    if (!defaults->default_charset.empty()) databases_[defaults->database].default_charset = defaults->default_charset;
  } else if (const auto* gone = std::get_if<DropDatabase>(&statement.ddl)) {
    drop_database(gone->database);
  }
}

void SchemaTracker::create_table(const ParsedStatement& statement, const CreateTable& create, const StatementAt& at) {
  const TableRef& name = statement.targets.front();
  if (create.temporary) {
    temporary_.insert({name.database, name.table});
    return;
  }
  if (create.if_not_exists && !surely_absent(name)) {
    const Entry* existing = entry(name.database, name.table);
    if (existing != nullptr) return;  // it exists, known or not: the statement did nothing
    return set_unknown(name, place(statement, at) +
                                 " says IF NOT EXISTS, and the log before it does not tell whether the table was there "
                                 "with other columns");
  }
  if (create.like) {
    const Entry* model = entry(create.like->database, create.like->table);
    if (model == nullptr || !model->table) {
      const std::string reason = model != nullptr && !model->reason.empty() ? ": " + model->reason : std::string();
      return set_unknown(
          name, place(statement, at) + " copies " + create.like->full_name() + ", whose columns are unknown" + reason);
    }
    return set_known(name, *model->table, place(statement, at));
  }
  ChangeResult result = build_table(name, create, database_charset(name.database));
  if (auto* reason = std::get_if<std::string>(&result)) return set_unknown(name, place(statement, at) + ": " + *reason);
  set_known(name, std::get<TrackedTable>(std::move(result)), place(statement, at));
}

void SchemaTracker::alter(const ParsedStatement& statement, const AlterTable& change, const StatementAt& at) {
  TableRef name = statement.targets.front();
  if (temporary_.contains({name.database, name.table})) {
    if (const Entry* base = entry(name.database, name.table); base == nullptr || !base->table) return;
    return set_unknown(name, place(statement, at) + " may mean the temporary table of the same name");
  }
  const Entry* current = entry(name.database, name.table);
  if (current != nullptr && current->table) {
    ChangeResult result = alter_table(*current->table, change, database_charset(name.database));
    if (auto* reason = std::get_if<std::string>(&result)) {
      set_unknown(name, place(statement, at) + ": " + *reason);
    } else {
      set_known(name, std::get<TrackedTable>(std::move(result)), place(statement, at));
    }
  } else if (current == nullptr || current->absent) {
    set_unknown(name, "its CREATE TABLE is not in the log, which begins with " + place(statement, at));
  }
  for (const AlterAction& action : change.actions) {
    if (const auto* to = std::get_if<RenameTo>(&action)) {
      rename({{{name, to->table}}, false}, at);
      name = to->table;
    }
  }
}

void SchemaTracker::rename(const RenameTables& renames, const StatementAt& at) {
  for (const auto& [from, to] : renames.renames) {
    if (from == to) continue;
    const Entry* before = entry(from.database, from.table);
    if (renames.if_exists && before != nullptr && before->absent) continue;
    if (reaching_.contains({from.database, from.table})) reaching_.insert({to.database, to.table});
    Entry moved = take(from);
    if (moved.table) {
      TrackedTable table = *moved.table;
      table.schema.database = to.database;
      table.schema.table = to.table;
      table.schema.version = ++version_;
      moved.table = std::make_shared<const TrackedTable>(std::move(table));
    } else if (moved.reason.empty()) {
      moved.reason = "it was renamed from " + from.full_name() + " at " + std::string(at.file) + ":" +
                     std::to_string(at.position) + ", whose CREATE TABLE is not in the log";
    }
    moved.absent = false;
    tables_[{to.database, to.table}] = std::move(moved);
  }
}

void SchemaTracker::drop(const ParsedStatement& statement, const DropTables& dropped) {
  for (const TableRef& name : statement.targets) {
    if (dropped.temporary) {
      temporary_.erase({name.database, name.table});
    } else {
      take(name);
    }
  }
}

void SchemaTracker::create_database(const CreateDatabase& create) {
  if (create.or_replace) drop_database(create.database);
  Database& database = databases_[create.database];
  const bool known = !database.default_charset.empty();
  if (create.if_not_exists && known) return;
  if (!create.if_not_exists) database.created = true;
  database.default_charset = create.default_charset.empty() ? server_charset_ : create.default_charset;
}

void SchemaTracker::drop_database(const std::string& database) {
  databases_.erase(database);
  databases_[database].created =
      true;  // the base does not hold any more; from here on its tables are those that the log creates
  std::erase_if(tables_, [&](const auto& item) { return item.first.database == database; });
}

void SchemaTracker::fail(const ParsedStatement& statement, const StatementAt& at) {
  ++revision_;
  const std::string reason = place(statement, at) + " was not understood (" + statement.failure + ")";
  if (const auto* create = std::get_if<CreateTable>(&statement.ddl); create != nullptr && create->temporary) {
    if (!statement.targets.empty()) temporary_.insert({statement.targets[0].database, statement.targets[0].table});
    return;
  }
  if (const auto* dropped = std::get_if<DropTables>(&statement.ddl); dropped != nullptr && dropped->temporary) return;
  if (statement.targets.empty()) {
    blind_reason_ = reason;
    for (auto& [name, known] : tables_) known = {nullptr, reason, false};
    return;
  }
  for (const TableRef& name : statement.targets) set_unknown(name, reason);
}

bool SchemaTracker::surely_absent(const TableRef& table) const {
  if (const Entry* known = entry(table.database, table.table)) return known->absent;
  if (declaring_) return true;
  const auto database = databases_.find(table.database);
  return database != databases_.end() && database->second.created && blind_reason_.empty();
}

void SchemaTracker::set_known(const TableRef& name, TrackedTable table, std::string source) {
  table.schema.database = name.database;
  table.schema.table = name.table;
  table.schema.version = ++version_;
  table.schema.source = std::move(source);
  tables_[{name.database, name.table}] = {std::make_shared<const TrackedTable>(std::move(table)), {}, false};
}

void SchemaTracker::set_unknown(const TableRef& name, std::string reason) {
  tables_[{name.database, name.table}] = {nullptr, std::move(reason), false};
}

/// The table is gone under this name.
SchemaTracker::Entry SchemaTracker::take(const TableRef& name) {
  if (!tables_.contains(NameView{name.database, name.table})) {
    if (const Entry* base = base_entry(name.database, name.table)) tables_[{name.database, name.table}] = *base;
  }
  Entry& slot = tables_[{name.database, name.table}];
  Entry taken = std::move(slot);
  slot = {nullptr, {}, true};
  return taken;
}

std::string SchemaTracker::database_charset(const std::string& database) const {
  const auto found = databases_.find(database);
  return found != databases_.end() && !found->second.default_charset.empty() ? found->second.default_charset
                                                                             : std::string(kUnknownCharset);
}

const SchemaTracker::Entry* SchemaTracker::entry(std::string_view database, std::string_view table) const {
  const auto found = tables_.find(NameView{database, table});
  return found == tables_.end() ? base_entry(database, table) : &found->second;
}

/// Nothing once the log makes the database itself, or a statement may have changed any table.
const SchemaTracker::Entry* SchemaTracker::base_entry(std::string_view database, std::string_view table) const {
  if ((base_.empty() && base_globs_.empty()) || !blind_reason_.empty()) return nullptr;
  const auto made = databases_.find(database);
  if (made != databases_.end() && made->second.created) return nullptr;
  return declared_entry(database, table);
}

const SchemaTracker::Entry* SchemaTracker::declared_entry(std::string_view database, std::string_view table) const {
  if (const auto found = base_.find(NameView{database, table}); found != base_.end()) return &found->second;
  for (const Glob& glob : base_globs_) {
    if (glob.database_glob.matches(database) && glob.table_glob.matches(table)) return &glob.entry;
  }
  return nullptr;
}

SchemaTracker::Found SchemaTracker::find(std::string_view database, std::string_view table) const {
  const Entry* known = entry(database, table);
  if (known != nullptr && known->table) {
    return {std::shared_ptr<const TableSchema>(known->table, &known->table->schema), {}, server_charset_};
  }
  if (known != nullptr && known->absent) return {nullptr, "the log drops or renames it before this position", {}};
  if (known != nullptr) return {nullptr, known->reason, {}};
  if (!blind_reason_.empty()) return {nullptr, blind_reason_, {}};
  if (const auto other = in_another_case(database, table)) {
    return {nullptr, "the log has " + other->full_name() + ", named in another case" + kCaseHint, {}};
  }
  return {nullptr, "its CREATE TABLE is not in the log before this position", {}};
}

std::vector<TableRef> SchemaTracker::known_tables() const {
  std::vector<TableRef> names;
  for (const auto& [name, known] : tables_) {
    if (known.table) names.push_back({name.database, name.table});
  }
  for (const auto& [name, known] : base_) {
    if (entry(name.database, name.table) == &known) names.push_back({name.database, name.table});
  }
  const auto key = [](const TableRef& table) { return std::tie(table.database, table.table); };
  std::sort(names.begin(), names.end(), [&](const TableRef& a, const TableRef& b) { return key(a) < key(b); });
  return names;
}

}  // namespace tidemark::binlog
