// SPDX-License-Identifier: Apache-2.0
// ShardReader, the part that looks at statements: what they change without row events is handed on as a problem, or, of
// tables that lose all their rows, as a truncate where the job wants that; the rest is told and counted.
// Each such change has a number in its transaction, whether or not its table is read. Thread: one at a time.
#include <algorithm>
#include <utility>

#include "binlog/ascii_text.hpp"
#include "binlog_file/shard_reader.hpp"

namespace tidemark::binlog_file {
namespace {

/// Of a statement's text in messages.
constexpr size_t kStatementTextMax = 200;

/// The database that loses all its tables; "" = none does.
std::string emptied_database(const binlog::ParsedStatement& statement) {
  if (!statement.removes_rows) return {};
  if (const auto* dropped = std::get_if<binlog::DropDatabase>(&statement.ddl)) return dropped->database;
  const auto* created = std::get_if<binlog::CreateDatabase>(&statement.ddl);
  return created != nullptr ? created->database : std::string();
}

}  // namespace

/// What was submitted before the restart is left out.
bool ShardReader::hand_on(UnreadChange change) {
  if (change.number < at_.row_event) return false;
  unread_.push_back(std::move(change));
  return true;
}

void ShardReader::take_statement() {
  const binlog::StatementAt where = statement_at(item_.query, at_.file, item_.position, reader_->format().flavor,
                                                 reader_->group().gtid.stands_alone());
  if (item_.kind == binlog::ItemKind::statement && item_.statement != binlog::StatementKind::ddl) return;
  if (!schemas_at_start_) schemas_at_start_ = schema_bytes();
  const binlog::ParsedStatement statement = tracker_.on_statement(where);
  if (options_.truncates) take_removals(statement);
  if (item_.kind == binlog::ItemKind::statement_change || statement.changes_rows()) {
    const uint64_t index = next_row_event_++;  // counts as one: it may leave a row
    const bool matches = !statement.names_its_targets() ||
                         std::any_of(statement.targets.begin(), statement.targets.end(),
                                     [this](const binlog::TableRef& table) { return captures(table); });
    if (matches) set_aside_statement(statement, index);
    if (!matches) note_statement_elsewhere();
  }
  if (!options_.truncates) warn_of_removed_rows(statement);
  warn_of_renames(statement);
}

// The name that rows of the table come under: in a statement's text names keep the case they were typed in.
std::optional<binlog::TableRef> ShardReader::captured_name(const binlog::TableRef& table) const {
  if (filter_.matches(table.database, table.table)) return table;
  binlog::TableRef lowered{binlog::ascii_lowered(table.database), binlog::ascii_lowered(table.table)};
  if (filter_.matches(lowered.database, lowered.table)) return lowered;
  return std::nullopt;
}

// Which tables lose all their rows; where a statement does not tell which rows go, or where they go, that is a problem.
void ShardReader::take_removals(const binlog::ParsedStatement& statement) {
  const auto truncate = [&](bool captured, binlog::TableRef table) {
    const uint64_t number = next_row_event_++;
    if (!captured) return;
    UnreadChange change;
    change.database = std::move(table.database);
    change.table = std::move(table.table);
    change.truncates = true;
    change.number = number;
    if (hand_on(std::move(change))) count("rows_removed_by_statement");
  };
  const auto* alter = std::get_if<binlog::AlterTable>(&statement.ddl);
  if (statement.removes_rows && alter == nullptr) {
    if (const std::string database = emptied_database(statement); !database.empty()) {
      return truncate(filter_.matches_database(database), {database, {}});
    }
    for (const binlog::TableRef& table : statement.targets) {
      const std::optional<binlog::TableRef> name = captured_name(table);
      truncate(name.has_value(), name.value_or(table));
    }
  }
  if (const std::string moved = moved_rows(statement); !moved.empty()) set_aside_removal(statement, moved);
}

/// Why kept rows would not be those of their tables any more; "" = they are.
std::string ShardReader::moved_rows(const binlog::ParsedStatement& statement) const {
  const auto captured = [this](const binlog::TableRef& table) { return captured_name(table).has_value(); };
  const auto both = [&](const binlog::TableRef& from, const binlog::TableRef& to) {
    return captured(from) && captured(to) && from != to;
  };
  if (const auto* renames = std::get_if<binlog::RenameTables>(&statement.ddl)) {
    for (const auto& [from, to] : renames->renames) {
      if (both(from, to)) return from.full_name() + " is now " + to.full_name() + ", and the rows of both are read";
      const auto& gone = from;  // a swap, as of online schema changes, puts the same rows under the name
      const bool swapped = std::any_of(renames->renames.begin(), renames->renames.end(),
                                       [&gone](const auto& rename) { return rename.second == gone; });
      if (captured(from) && !swapped) return from.full_name() + " is now " + to.full_name() + ", which is not read";
    }
  }
  const bool any = std::any_of(statement.targets.begin(), statement.targets.end(), captured);
  const auto* alter = std::get_if<binlog::AlterTable>(&statement.ddl);
  if (alter != nullptr) {
    for (const binlog::AlterAction& action : alter->actions) {
      const auto* to = std::get_if<binlog::RenameTo>(&action);
      if (to == nullptr || !captured(statement.targets.front()) || statement.targets.front() == to->table) continue;
      return statement.targets.front().full_name() + " is now " + to->table.full_name() +
             (captured(to->table) ? ", and the rows of both are read" : ", which is not read");
    }
    const bool told = statement.changes_rows();  // as rows that come, by set_aside_statement()
    if (statement.removes_rows && any && !told) {
      return "rows of " + statement.targets.front().full_name() +
             " are removed by a logged statement, which does not tell which they are";
    }
    return {};
  }
  const bool unclear = statement.removes_rows && !statement.failure.empty() &&
                       !std::holds_alternative<binlog::CreateTable>(statement.ddl);
  return unclear && (any || statement.targets.empty()) ? "tables are emptied by a statement that is not understood"
                                                       : "";
}

void ShardReader::set_aside_removal(const binlog::ParsedStatement& statement, const std::string& what) {
  UnreadChange change;
  change.number = next_row_event_++;
  if (!statement.targets.empty()) {
    const binlog::TableRef name = captured_name(statement.targets.front()).value_or(statement.targets.front());
    change.database = name.database;
    change.table = name.table;
  }
  const binlog::DecodeError error{binlog::ErrorKind::schema,
                                  what + " (" + std::string(item_.query.text.substr(0, kStatementTextMax)) + ")",
                                  {},
                                  0,
                                  "start behind this position, leave the table out with 'exclude_tables', or take "
                                  "on_truncate = \"ignore\""};
  change.text = located(error, reader_->file().path(), item_.position).to_string();
  if (hand_on(std::move(change))) count("statement_changes");
}

bool ShardReader::captures(const binlog::TableRef& table) const {
  return captured_name(table).has_value();
}

// Its functions, triggers, views and cascades may reach a captured table without naming it: said once, counted always.
void ShardReader::note_statement_elsewhere() {
  const std::string metric = "statement_changes_elsewhere";
  if (count(metric) > 1) return;
  host_.log(
      LogLevel::warning,
      shard_.path_of(at_.file) + ":" + std::to_string(item_.position) +
          ": data of tables that are not read was changed by a logged statement (binlog_format was not ROW); what "
          "functions, triggers, views or cascades changed with it in tables that are read is not in the log. "
          "Further ones are counted as " +
          metric);
}

void ShardReader::warn_of_renames(const binlog::ParsedStatement& statement) {
  const auto* renames = std::get_if<binlog::RenameTables>(&statement.ddl);
  if (renames == nullptr) return;
  for (const auto& [from, to] : renames->renames) {
    const bool before = filter_.matches(from.database, from.table);
    if (before == filter_.matches(to.database, to.table)) continue;
    notice("tables_renamed", shard_.path_of(at_.file) + ":" + std::to_string(item_.position) + ": " + from.full_name() +
                                 " is now " + to.full_name() + ": " +
                                 (before ? "its changes are not read any more; its rows stay in the results"
                                         : "its changes are read from here on; the rows it has are in no result"));
  }
}

// INSERT INTO t VALUES () with MINIMAL images: not even how many rows there were is in the log.
void ShardReader::set_aside_empty_images() {
  const binlog::TableMap& map = *item_.table;
  const binlog::DecodeError error{
      binlog::ErrorKind::schema,
      "rows of " + map.full_name() + " are changed, but their images hold no column (binlog_row_image)",
      {},
      0,
      "set binlog_row_image=FULL on the source"};
  hand_on({.reason = TIDEMARK_MISSING_COLUMN,
           .database = map.database,
           .table = map.table,
           .text = located(error, reader_->file().path(), item_.position).to_string(),
           .truncates = false,
           .number = next_row_event_ - 1});
}

void ShardReader::set_aside_statement(const binlog::ParsedStatement& statement, uint64_t number) {
  UnreadChange change;
  change.number = number;
  std::string tables;
  for (const binlog::TableRef& table : statement.targets) {
    if (!captures(table)) continue;
    if (tables.empty()) {
      change.database = table.database;
      change.table = table.table;
    }
    tables += (tables.empty() ? "" : ", ") + table.full_name();
  }
  const bool moved = std::holds_alternative<binlog::AlterTable>(statement.ddl);  // whatever the format
  const binlog::DecodeError error{
      binlog::ErrorKind::schema,
      "rows of " + (tables.empty() ? std::string("a table that the text does not name") : tables) +
          (moved ? " come from another table or from files by a logged statement, which no row events tell ("
                 : " are changed by a logged statement, not by row events: binlog_format was not ROW in that "
                   "session (") +
          std::string(item_.query.text.substr(0, kStatementTextMax)) + ")",
      {},
      0,
      std::string(moved ? "start" : "set binlog_format=ROW on the server and in all sessions, and start") +
          " behind this position, or leave the table out with 'exclude_tables'"};
  change.text = located(error, reader_->file().path(), item_.position).to_string();
  if (hand_on(std::move(change))) count("statement_changes");
}

void ShardReader::warn_of_removed_rows(const binlog::ParsedStatement& statement) {
  if (!statement.removes_rows) return;
  std::string tables;
  for (const binlog::TableRef& table : statement.targets) {
    if (!captures(table)) continue;
    tables += (tables.empty() ? "" : ", ") + table.full_name();
  }
  if (const std::string database = emptied_database(statement); !database.empty()) {
    if (filter_.matches_database(database)) tables = database + ".*";
  }
  if (tables.empty()) return;
  notice("rows_removed_by_statement", shard_.path_of(at_.file) + ":" + std::to_string(item_.position) + ": " +
                                          statement.verb + " of " + tables +
                                          " removes rows without row events; they stay in the results (on_truncate = "
                                          "\"ignore\")");
}

}  // namespace tidemark::binlog_file
