// SPDX-License-Identifier: Apache-2.0
// See the header. Most rows come under the TABLE_MAP of the rows before, so that one comparison of addresses finds
// them. Thread: one at a time.
#include "binlog_file/table_programs.hpp"

#include <algorithm>

#include "binlog/ascii_text.hpp"
#include "binlog/table_resolver.hpp"

namespace tidemark::binlog_file {
namespace {
constexpr size_t kEntriesMax = 4096;
}  // namespace

binlog::Outcome<TableProgram*> TablePrograms::find(const std::shared_ptr<const binlog::TableMap>& map,
                                                   const binlog::SchemaTracker& tracker) {
  if (last_ != nullptr && last_->map == map && last_->revision == tracker.revision()) return last_;
  if (entries_.size() > kEntriesMax) clear();
  std::unique_ptr<TableProgram>& entry = entries_[map.get()];
  if (!entry) {
    entry = std::make_unique<TableProgram>();
    entry->map = map;
  } else if (entry->revision == tracker.revision()) {
    last_ = entry.get();
    return last_;
  }
  auto prepared = prepare(*entry, tracker);
  if (prepared) last_ = *prepared;
  return prepared;
}

binlog::Outcome<TableProgram*> TablePrograms::prepare(TableProgram& entry, const binlog::SchemaTracker& tracker) {
  const binlog::TableMap& map = *entry.map;
  const bool prepared_before = entry.schema != nullptr;
  if (!prepared_before && !filter_.matches(map.database, map.table)) {
    entry.revision = tracker.revision();
    return &entry;
  }
  const auto tracked = tracker.find(map.database, map.table).schema;
  if (prepared_before && tracked == entry.tracked) {
    entry.revision = tracker.revision();
    return &entry;
  }
  auto schema = resolve_schema(map, tracker);
  if (!schema) return std::move(schema).error();
  if (auto same = check_key(**schema); !same) return std::move(same).error();
  auto columns = targets(**schema);
  if (!columns) return std::move(columns).error();
  note_missing(**schema, *columns);
  auto program = binlog::ColumnProgram::compile(entry.map, schema->get(), *columns);
  if (!program) return std::move(program).error();
  if (entry.program) gone_ += entry.program->counters();
  entry.schema = std::move(*schema);
  entry.tracked = tracked;
  entry.program.emplace(std::move(program).value());
  entry.revision = tracker.revision();
  return &entry;
}

binlog::Outcome<std::vector<binlog::TargetColumn>> TablePrograms::targets(const binlog::TableSchema& schema) const {
  std::vector<binlog::TargetColumn> columns;
  for (const WantedColumn& wanted : wanted_) {
    binlog::TargetColumn column{-1, wanted.type};
    if (const auto index = find_column(schema, wanted.name)) {
      const std::optional<binlog::TargetType> type = natural_target(schema.columns[*index]);
      const std::optional<binlog::TargetType> common = type ? common_target(wanted.type, *type) : std::nullopt;
      if (!common || *common != wanted.type) {
        return binlog::DecodeError{binlog::ErrorKind::schema,
                                   "column '" + wanted.name + "' of " + schema.database + "." + schema.table + " is " +
                                       (type ? target_name(*type) : std::string("of a type that is not decoded")) +
                                       " here (" + schema.source + "), the job reads it as " +
                                       target_name(wanted.type) + ", the type it had in " + wanted.place,
                                   {},
                                   0,
                                   "start the job again with a new state path: it takes the wider type then, and "
                                   "the stored state is of the narrower one"};
      }
      column.source = static_cast<int32_t>(*index);
    }
    columns.push_back(column);
  }
  return columns;
}

// Rows are kept by their key: under another one they would be taken for each other.
binlog::Checked TablePrograms::check_key(const binlog::TableSchema& schema) const {
  std::vector<std::string> key;
  for (const uint32_t index : schema.primary_key) key.push_back(schema.columns[index].name);
  const bool same = std::is_permutation(key_.begin(), key_.end(), key.begin(), key.end(), binlog::equal_but_for_case);
  if (key_.empty() || same) return binlog::Done{};
  return binlog::DecodeError{binlog::ErrorKind::schema,
                             schema.database + "." + schema.table +
                                 (key.empty() ? " has no primary key" : " has the primary key " + key_text(key)) +
                                 " here (" + schema.source + "), the job keeps its rows by " + key_text(key_),
                             {},
                             0,
                             "leave the table out with 'exclude_tables', or start again with a new state path"};
}

// Tables of one logical input may differ: what one lacks is NULL there, which should not come as a surprise.
void TablePrograms::note_missing(const binlog::TableSchema& schema, const std::vector<binlog::TargetColumn>& columns) {
  std::string names;
  size_t count = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].source >= 0) continue;
    names += (count++ == 0 ? "'" : ", '") + wanted_[i].name + "'";
  }
  if (count == 0 || !known_gaps_.insert(names).second) return;
  missing_ = schema.database + "." + schema.table + " has no column" + (count == 1 ? " " : "s ") + names;
}

void TablePrograms::clear() {
  gone_ = counters();
  entries_.clear();
  last_ = nullptr;
}

binlog::RowCounters TablePrograms::counters() const {
  binlog::RowCounters sum = gone_;
  for (const auto& [map, entry] : entries_) {
    if (entry->program) sum += entry->program->counters();
  }
  return sum;
}

}  // namespace tidemark::binlog_file
