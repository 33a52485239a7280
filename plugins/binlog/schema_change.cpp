// SPDX-License-Identifier: Apache-2.0
// ALTER TABLE in two passes over a copy of the columns: first every old column meets the drop, change or rename that
// names it, at its old place; then changed columns with FIRST or AFTER are moved and added ones are placed in the
// statement's order, AFTER meaning names as they are by then.
//
// Invariants: column names compare without regard to ASCII case, as in the server; actions name old columns by
// their old names, so that renames may swap them.
// Thread: any; no state.
#include "binlog/schema_change.hpp"

#include <algorithm>
#include <set>

#include "binlog/ascii_text.hpp"
#include "binlog/charset.hpp"
#include "binlog/ddl_column.hpp"

namespace tidemark::binlog {
namespace {

template <class Columns>
auto find_column(Columns& columns, std::string_view name) {
  return std::find_if(columns.begin(), columns.end(),
                      [&](const auto& column) { return equal_but_for_case(column.name, name); });
}

/// Resolves key names into indexes; key columns are NOT NULL.
bool set_primary_key(TableSchema& schema, const std::vector<std::string>& names, std::string& reason) {
  schema.primary_key.clear();
  for (const std::string& name : names) {
    const auto column = find_column(schema.columns, name);
    if (column == schema.columns.end()) {
      reason = "key column '" + name + "' is not in the table";
      return false;
    }
    column->nullable = false;
    schema.primary_key.push_back(static_cast<uint32_t>(column - schema.columns.begin()));
  }
  return true;
}

/// MariaDB 10.11 takes the bytes of ENUM and SET members for text of the new charset, without converting them.
bool keeps_members(const ColumnSchema& column, const std::string& charset) {
  const auto is_utf8 = [](const std::string& name) { return name == "utf8mb4" || name == "utf8mb3"; };
  if (column.charset == charset || (is_utf8(column.charset) && is_utf8(charset))) return true;
  const auto spells_ascii = [](const std::string& name) {  // in one byte each
    return name != "ucs2" && name != "utf16" && name != "utf16le" && name != "utf32";
  };
  if (!column.members.empty() && !(spells_ascii(column.charset) && spells_ascii(charset))) return false;
  return std::all_of(column.members.begin(), column.members.end(), [](const std::string& member) {
    return std::all_of(member.begin(), member.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  });
}

/// CONVERT TO CHARACTER SET: texts must hold as many characters as before, so TEXT types may grow.
void convert_charset(ColumnSchema& column, const std::string& charset) {
  if (column.type == SqlType::json) column.charset = charset;  // MariaDB's is LONGTEXT
  if (!has_charset(column.type) || column.charset.empty()) return;
  const uint64_t old_width = charset_max_bytes(column.charset);
  const uint64_t new_width = charset_max_bytes(charset);
  const bool is_text = column.type >= SqlType::tinytext && column.type <= SqlType::longtext;
  if (is_text && (old_width == 0 || new_width == 0)) {
    column.type = SqlType::unknown;
  } else if (is_text) {
    static constexpr uint64_t kBytesMax[] = {255, 65535, 16777215, 4294967295};
    const auto step = static_cast<size_t>(column.type) - static_cast<size_t>(SqlType::tinytext);
    const uint64_t bytes = kBytesMax[step] / old_width * new_width;
    size_t next = step;
    while (next < 3 && bytes > kBytesMax[next]) ++next;
    column.type = static_cast<SqlType>(static_cast<size_t>(SqlType::tinytext) + next);
  }
  ColumnDefinition definition{column, charset, false};
  definition.column.length = is_text ? 0 : column.length;
  resolve_charset(definition, charset);
  column = std::move(definition.column);
}

ColumnSchema row_time(const char* name) {
  ColumnSchema column;
  column.name = name;
  column.type = SqlType::timestamp;
  column.fsp = 6;
  column.nullable = false;
  column.generated = true;
  return column;
}

/// The hidden columns come last, and the end of a row's time is part of its primary key.
void add_row_times(TrackedTable& table) {
  table.versioning = Versioning::hidden;
  table.schema.columns.push_back(row_time("row_start"));
  table.schema.columns.push_back(row_time("row_end"));
  auto& key = table.schema.primary_key;
  if (!key.empty()) key.push_back(static_cast<uint32_t>(table.schema.columns.size() - 1));
}

void take_row_times(TrackedTable& table) {
  table.versioning = Versioning::none;
  auto& columns = table.schema.columns;
  columns.resize(columns.size() - 2);
  std::erase_if(table.schema.primary_key, [&](uint32_t index) { return index >= columns.size(); });
}

class Alteration {
 public:
  Alteration(const TrackedTable& old_table, const AlterTable& alter, std::string_view database_charset)
      : old_(old_table), alter_(alter), database_charset_(database_charset), result_(old_table) {}

  ChangeResult run() {
    for (const ColumnSchema& column : old_.schema.columns) names_now_.push_back(column.name);
    read_table_actions();
    if (reason_.empty() && collect() && change_old_columns() && place_new_columns()) {
      finish();
      if (reason_.empty()) return std::move(result_);
    }
    return std::move(reason_);
  }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  /// CONVERT TO is for the columns; the table's own default, if the statement names one, is the table's.
  void read_table_actions() {
    std::string default_charset;
    for (const AlterAction& action : alter_.actions) {
      if (const auto* charset = std::get_if<SetDefaultCharset>(&action)) default_charset = charset->charset;
      if (const auto* convert = std::get_if<ConvertCharset>(&action)) {
        converted_to_ = convert->charset.empty() ? std::string(database_charset_) : convert->charset;
      }
    }
    if (!converted_to_.empty()) result_.default_charset = converted_to_;
    if (!default_charset.empty()) result_.default_charset = default_charset;
    if (converted_to_.empty()) return;
    for (ColumnSchema& column : result_.schema.columns) {
      if (!keeps_members(column, converted_to_) && !is_replaced(column.name)) {
        fail("CONVERT TO leaves the strings of '" + column.name + "' unclear");
      }
      convert_charset(column, converted_to_);
    }
  }

  bool is_replaced(std::string_view column) const {
    return action_for<DropColumn>(column, &DropColumn::name) != nullptr ||
           action_for<ChangeColumn>(column, &ChangeColumn::old_name) != nullptr;
  }

  /// Every action must find its column, else the log and this table disagree.
  bool collect() {
    const auto& columns = old_.schema.columns;
    std::set<std::string> named;
    for (const AlterAction& action : alter_.actions) {
      const std::string* name = nullptr;
      bool if_exists = false;
      if (const auto* drop = std::get_if<DropColumn>(&action)) {
        name = &drop->name;
        if_exists = drop->if_exists;
      } else if (const auto* change = std::get_if<ChangeColumn>(&action)) {
        name = &change->old_name;
        if_exists = change->if_exists;
      } else if (const auto* rename = std::get_if<RenameColumn>(&action)) {
        name = &rename->old_name;
        if_exists = rename->if_exists;
      }
      if (name == nullptr) continue;
      if (!if_exists && find_column(columns, *name) == columns.end()) {
        return fail("the table has no column '" + *name + "'");
      }
      // Servers take the first and go on with the rest of the second in ways of their own.
      if (!named.insert(ascii_lowered(*name)).second) return fail("column '" + *name + "' is named by two actions");
    }
    return true;
  }

  template <class Action, class Name>
  const Action* action_for(std::string_view column, Name name) const {
    for (const AlterAction& action : alter_.actions) {
      const auto* candidate = std::get_if<Action>(&action);
      if (candidate != nullptr && equal_but_for_case(candidate->*name, column)) return candidate;
    }
    return nullptr;
  }

  bool change_old_columns() {
    std::vector<ColumnSchema> kept;
    for (size_t i = 0; i < result_.schema.columns.size(); ++i) {
      ColumnSchema& column = result_.schema.columns[i];
      if (action_for<DropColumn>(column.name, &DropColumn::name) != nullptr) {
        names_now_[i].clear();
        continue;
      }
      if (const auto* change = action_for<ChangeColumn>(column.name, &ChangeColumn::old_name)) {
        names_now_[i] = change->definition.column.name;
        kept.push_back(resolved(change->definition));
        continue;
      }
      if (const auto* rename = action_for<RenameColumn>(column.name, &RenameColumn::old_name)) {
        names_now_[i] = rename->new_name;
        column.name = rename->new_name;
      }
      kept.push_back(std::move(column));
    }
    result_.schema.columns = std::move(kept);
    return true;
  }

  /// CONVERT TO takes in what the same statement adds or changes, whatever charset that names.
  ColumnSchema resolved(ColumnDefinition definition) const {
    const bool converts = !converted_to_.empty();
    if (converts && definition.charset != "binary") definition.charset = converted_to_;
    resolve_charset(definition, result_.default_charset);
    if (converts && definition.column.type == SqlType::json) definition.column.charset = converted_to_;
    return std::move(definition.column);
  }

  bool place_new_columns() {
    for (const AlterAction& action : alter_.actions) {
      if (const auto* add = std::get_if<AddColumn>(&action)) {
        const bool existed = find_column(old_.schema.columns, add->definition.column.name) != old_.schema.columns.end();
        if (add->if_not_exists && existed) {
          if (action_for<DropColumn>(add->definition.column.name, &DropColumn::name) != nullptr) {
            return fail("column '" + add->definition.column.name + "' is dropped and added IF NOT EXISTS at once");
          }
          continue;
        }
        const auto& now = result_.schema.columns;
        if (add->if_not_exists && find_column(now, add->definition.column.name) != now.end()) continue;  // added twice
        if (!place(resolved(add->definition), add->place, add->after)) return false;
      } else if (const auto* change = std::get_if<ChangeColumn>(&action)) {
        if (change->place == ColumnPlace::kDefault) continue;
        if (find_column(old_.schema.columns, change->old_name) == old_.schema.columns.end()) continue;  // IF EXISTS
        auto& now = result_.schema.columns;
        const auto at = find_column(now, change->definition.column.name);
        if (at == now.end()) return fail("column '" + change->old_name + "' is changed twice");
        ColumnSchema moved = std::move(*at);
        now.erase(at);
        if (!place(std::move(moved), change->place, change->after)) return false;
      }
    }
    return true;
  }

  bool place(ColumnSchema column, ColumnPlace where, const std::string& after) {
    std::vector<ColumnSchema>& columns = result_.schema.columns;
    if (find_column(columns, column.name) != columns.end()) {
      return fail("the table has a column '" + column.name + "' already");
    }
    if (where == ColumnPlace::kFirst) {
      columns.insert(columns.begin(), std::move(column));
    } else if (where == ColumnPlace::kAfter) {
      const auto found = find_column(columns, after);
      if (found == columns.end())
        return fail("the table has no column '" + after + "' to place '" + column.name + "' after");
      columns.insert(found + 1, std::move(column));
    } else {
      columns.push_back(std::move(column));
    }
    return true;
  }

  void finish() {
    std::vector<std::string> key;
    for (const uint32_t index : old_.schema.primary_key) {
      if (!names_now_[index].empty()) key.push_back(names_now_[index]);
    }
    for (const AlterAction& action : alter_.actions) {
      if (const auto* set = std::get_if<SetPrimaryKey>(&action)) key = set->columns;
    }
    if (result_.schema.columns.empty()) {
      fail("no column is left");
      return;
    }
    set_primary_key(result_.schema, key, reason_);
  }

  const TrackedTable& old_;
  const AlterTable& alter_;
  std::string_view database_charset_;
  TrackedTable result_;
  std::string converted_to_;            ///< "" = no CONVERT TO
  std::vector<std::string> names_now_;  ///< of the old columns, by old index; empty = dropped
  std::string reason_;
};

}  // namespace

ChangeResult build_table(const TableRef& name, const CreateTable& create, std::string_view database_charset) {
  TrackedTable table;
  table.schema.database = name.database;
  table.schema.table = name.table;
  table.default_charset = create.default_charset.empty() ? std::string(database_charset) : create.default_charset;
  for (ColumnDefinition definition : create.columns) {
    resolve_charset(definition, table.default_charset);
    if (find_column(table.schema.columns, definition.column.name) != table.schema.columns.end()) {
      return "column '" + definition.column.name + "' is defined twice";
    }
    table.schema.columns.push_back(std::move(definition.column));
  }
  std::string reason;
  if (table.schema.columns.empty()) return "no columns are defined";
  if (!set_primary_key(table.schema, create.primary_key, reason)) return reason;
  const auto& columns = create.columns;
  const auto end = std::find_if(columns.begin(), columns.end(), [](const auto& column) { return column.row_end; });
  const bool versioned = create.versioned || std::any_of(columns.begin(), columns.end(),
                                                         [](const auto& column) { return column.versioned; });
  if (end != columns.end()) {
    table.versioning = Versioning::declared;
    auto& key = table.schema.primary_key;
    if (!key.empty()) key.push_back(static_cast<uint32_t>(end - columns.begin()));
  } else if (versioned) {
    add_row_times(table);
  }
  return table;
}

ChangeResult alter_table(const TrackedTable& old_table, const AlterTable& alter, std::string_view database_charset) {
  if (old_table.versioning == Versioning::declared) return "it has system versioning with columns of its own";
  TrackedTable plain = old_table;
  bool versioned = plain.versioning == Versioning::hidden;
  if (versioned) take_row_times(plain);
  for (const AlterAction& action : alter.actions) {
    if (const auto* set = std::get_if<SetVersioning>(&action)) versioned = set->versioned;
    const auto* add = std::get_if<AddColumn>(&action);
    if (add != nullptr && (add->definition.row_end || add->definition.versioned)) {
      return "system versioning with columns of its own is added";
    }
  }
  ChangeResult result = Alteration(plain, alter, database_charset).run();
  if (auto* table = std::get_if<TrackedTable>(&result); table != nullptr && versioned) add_row_times(*table);
  return result;
}

}  // namespace tidemark::binlog
