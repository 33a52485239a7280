// SPDX-License-Identifier: Apache-2.0
// The tracker's bytes: a version, then databases, temporary names, tables, and the base's tables and globs.
//
// Invariant: deserialise() accepts only what serialise() wrote, whole; anything else leaves an empty tracker.
// Thread: one at a time per object.
#include "binlog/schema_tracker.hpp"
#include "binlog/state_bytes.hpp"

namespace tidemark::binlog {
namespace {

constexpr uint64_t kStateVersion = 2;

void write_column(StateWriter& writer, const ColumnSchema& column) {
  writer.text(column.name);
  writer.integer(static_cast<uint64_t>(column.type));
  writer.integer((column.is_unsigned ? 1u : 0u) | (column.nullable ? 2u : 0u) | (column.generated ? 4u : 0u));
  writer.integer(column.length);
  writer.integer(column.scale);
  writer.integer(column.fsp);
  writer.text(column.charset);
  writer.integer(column.members.size());
  for (const std::string& member : column.members) writer.text(member);
}

ColumnSchema read_column(StateReader& reader) {
  ColumnSchema column;
  column.name = reader.text();
  const uint64_t type = reader.integer();
  column.type = type < static_cast<uint64_t>(SqlType::unknown) ? static_cast<SqlType>(type) : SqlType::unknown;
  const uint64_t flags = reader.integer();
  column.is_unsigned = (flags & 1) != 0;
  column.nullable = (flags & 2) != 0;
  column.generated = (flags & 4) != 0;
  column.length = static_cast<uint32_t>(reader.integer());
  column.scale = static_cast<uint32_t>(reader.integer());
  column.fsp = static_cast<uint32_t>(reader.integer());
  column.charset = reader.text();
  const uint64_t members = reader.count();
  for (uint64_t i = 0; i < members && reader.ok(); ++i) column.members.emplace_back(reader.text());
  return column;
}

void write_table(StateWriter& writer, const TrackedTable& table) {
  writer.text(table.default_charset);
  writer.integer(static_cast<uint64_t>(table.versioning));
  writer.text(table.schema.source);
  writer.integer(table.schema.version);
  writer.integer(table.schema.columns.size());
  for (const ColumnSchema& column : table.schema.columns) write_column(writer, column);
  writer.integer(table.schema.primary_key.size());
  for (const uint32_t index : table.schema.primary_key) writer.integer(index);
}

/// False: not a table.
bool read_table(StateReader& reader, TrackedTable& table) {
  table.default_charset = reader.text();
  const uint64_t versioning = reader.integer();
  if (versioning > static_cast<uint64_t>(Versioning::declared)) return false;
  table.versioning = static_cast<Versioning>(versioning);
  table.schema.source = reader.text();
  table.schema.version = reader.integer();
  const uint64_t columns = reader.count();
  for (uint64_t i = 0; i < columns && reader.ok(); ++i) table.schema.columns.push_back(read_column(reader));
  const uint64_t keys = reader.count();
  for (uint64_t i = 0; i < keys && reader.ok(); ++i) {
    const uint64_t index = reader.integer();
    if (index >= columns) return false;
    table.schema.primary_key.push_back(static_cast<uint32_t>(index));
  }
  if (table.versioning == Versioning::hidden && columns < 3) return false;
  return reader.ok();
}

}  // namespace

void SchemaTracker::serialise(std::string& out) const {
  StateWriter writer(out);
  writer.integer(kStateVersion);
  writer.integer(revision_);
  writer.integer(version_);
  writer.text(server_charset_);
  writer.text(blind_reason_);
  writer.integer(databases_.size());
  for (const auto& [name, database] : databases_) {
    writer.text(name);
    writer.text(database.default_charset);
    writer.flag(database.created);
  }
  writer.integer(temporary_.size());
  for (const Name& name : temporary_) {
    writer.text(name.database);
    writer.text(name.table);
  }
  writer.integer(reaching_.size());
  for (const Name& name : reaching_) {
    writer.text(name.database);
    writer.text(name.table);
  }
  const auto write_entry = [&](std::string_view database, std::string_view table, const Entry& known) {
    writer.text(database);
    writer.text(table);
    writer.integer(known.table ? 2 : known.absent ? 1 : 0);
    if (known.table) {
      write_table(writer, *known.table);
    } else if (!known.absent) {
      writer.text(known.reason);
    }
  };
  writer.integer(tables_.size());
  for (const auto& [name, known] : tables_) write_entry(name.database, name.table, known);
  writer.integer(base_.size());
  for (const auto& [name, known] : base_) write_entry(name.database, name.table, known);
  writer.integer(base_globs_.size());
  for (const Glob& glob : base_globs_) write_entry(glob.database, glob.table, glob.entry);
}

bool SchemaTracker::deserialise(std::string_view bytes) {
  *this = SchemaTracker();
  SchemaTracker read;
  StateReader reader(bytes);
  if (reader.integer() != kStateVersion) return false;
  read.revision_ = reader.integer();
  read.version_ = reader.integer();
  read.server_charset_ = reader.text();
  read.blind_reason_ = reader.text();
  for (uint64_t i = reader.count(); i > 0 && reader.ok(); --i) {
    Database& database = read.databases_[std::string(reader.text())];
    database.default_charset = reader.text();
    database.created = reader.flag();
  }
  for (auto* names : {&read.temporary_, &read.reaching_}) {
    for (uint64_t i = reader.count(); i > 0 && reader.ok(); --i) {
      std::string database(reader.text());
      names->insert({std::move(database), std::string(reader.text())});
    }
  }
  // In the base there are known tables only.
  const auto read_entry = [&](Name& name, Entry& known, bool of_base) {
    name.database = reader.text();
    name.table = reader.text();
    const uint64_t kind = reader.integer();
    if (kind > 2 || (of_base && kind != 2)) return false;
    if (kind == 1) {
      known.absent = true;
    } else if (kind == 0) {
      known.reason = reader.text();
    } else {
      TrackedTable table;
      table.schema.database = name.database;
      table.schema.table = name.table;
      if (!read_table(reader, table)) return false;
      known.table = std::make_shared<const TrackedTable>(std::move(table));
    }
    return true;
  };
  for (auto* tables : {&read.tables_, &read.base_}) {
    for (uint64_t i = reader.count(); i > 0 && reader.ok(); --i) {
      Name name;
      Entry known;
      if (!read_entry(name, known, tables == &read.base_)) return false;
      tables->insert_or_assign(std::move(name), std::move(known));
    }
  }
  for (uint64_t i = reader.count(); i > 0 && reader.ok(); --i) {
    Name name;
    Entry known;
    if (!read_entry(name, known, true)) return false;
    std::optional<Glob> glob = make_glob(name, known);
    if (!glob) return false;
    read.base_globs_.push_back(*std::move(glob));
  }
  if (!reader.at_end()) return false;
  *this = std::move(read);
  return true;
}

}  // namespace tidemark::binlog
