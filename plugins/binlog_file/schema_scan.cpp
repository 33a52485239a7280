// SPDX-License-Identifier: Apache-2.0
// See the header. Events that are not looked at are stepped over by their size; the reader proper verifies them later.
// Thread: one at a time.
#include "binlog_file/schema_scan.hpp"

#include "binlog/gtid_event.hpp"
#include "binlog/query_event.hpp"
#include "binlog/table_resolver.hpp"
#include "binlog_file/read_error.hpp"

namespace tidemark::binlog_file {

using binlog::EventType;

void SchemaScan::scan(const Shard& shard) {
  shard_matched_ = &matched_[shard.id];
  tracker_ = declared_;
  const std::vector<std::string> files = log_files(shard);
  for (size_t i = 0; i < files.size(); ++i) {
    auto file = binlog::FileReader::open(shard.path_of(files[i]), keyring_file_);
    if (!file) {
      // The server may be about to write the head of the newest file.
      const bool waits = file.error().kind == binlog::ErrorKind::torn_tail && (i > 0 || follow_);
      if (!waits || i + 1 != files.size()) raise(file.error());
      headless_.push_back(shard.path_of(files[i]));
      break;
    }
    if (file->format().created_s != 0) tracker_.forget_temporary_tables();
    flavor_ = file->format().flavor;
    scan_file(*file);
  }
  take_known_tables(shard);
}

void SchemaScan::scan_file(binlog::FileReader& file) {
  maps_ = {};
  done_.clear();
  alter_pending_ = false;
  stands_alone_ = true;
  binlog::EventHeader header;
  for (uint64_t at = file.first_position();; at += header.size) {
    auto state = file.peek_header(at, header);
    if (!state) raise(state.error());
    if (*state != binlog::ReadState::ready) return;
    const bool wanted = header.type == EventType::table_map || header.type == EventType::query ||
                        header.type == EventType::query_compressed || header.type == EventType::transaction_payload ||
                        header.type == EventType::mariadb_gtid;
    if (!wanted) continue;
    binlog::EventView event;
    auto read = file.peek_event(at, event);
    if (!read) raise(read.error());
    if (*read != binlog::ReadState::ready) return;
    take_event(file, event);
  }
}

void SchemaScan::take_event(const binlog::FileReader& file, const binlog::EventView& event) {
  switch (event.header.type) {
    case EventType::table_map:
      return take_table_map(file, event);
    case EventType::query:
    case EventType::query_compressed:
      return take_query(file, event);
    case EventType::transaction_payload:
      return take_payload(file, event);
    case EventType::mariadb_gtid: {
      const auto gtid = binlog::parse_gtid_event(event);
      if (!gtid) raise(gtid.error(), file, event.position);
      alter_pending_ = !gtid.value().statement_takes_effect();
      stands_alone_ = gtid.value().stands_alone();
      return;
    }
    default:
      return;
  }
}

void SchemaScan::take_payload(const binlog::FileReader& file, const binlog::EventView& event) {
  if (const auto opened = payload_.open(event); !opened) raise(opened.error(), file, event.position);
  binlog::EventView inner;
  while (true) {
    const auto more = payload_.next(inner);
    if (!more) raise(more.error(), file, event.position);
    if (!more.value()) return;
    if (inner.header.type != EventType::transaction_payload) take_event(file, inner);
  }
}

void SchemaScan::take_query(const binlog::FileReader& file, const binlog::EventView& event) {
  const auto query = binlog::parse_query_event(event, scratch_);
  if (!query) raise(query.error(), file, event.position);
  if (alter_pending_) return;
  tracker_.on_statement(statement_at(query.value(), file.name(), event.position, flavor_, stands_alone_));
}

void SchemaScan::take_table_map(const binlog::FileReader& file, const binlog::EventView& event) {
  const auto added = maps_.add(event, file.format());
  if (!added) raise(added.error(), file, event.position);
  const std::shared_ptr<const binlog::TableMap>& map = added.value();
  const auto [done, fresh] = done_.try_emplace(map.get(), map, tracker_.revision());
  if (!fresh && done->second.second == tracker_.revision()) return;
  done->second.second = tracker_.revision();
  TableName name{map->database, map->table};
  seen_.insert(name);
  if (!filter_.matches(name.database, name.table)) return;
  shard_matched_->insert(name);
  const auto schema = resolve_schema(*map, tracker_);
  if (schema) {
    columns_.add(*schema.value(), file.name());
    note_assumptions(name, *schema.value());
  } else if (unknown_tables_.insert(std::move(name)).second) {
    unknown_.push_back(located(schema.error(), file.path(), event.position).to_string());
  }
}

void SchemaScan::note_assumptions(const TableName& name, const binlog::TableSchema& schema) {
  for (const binlog::ColumnSchema& column : schema.columns) {
    if (column.charset_assumed) assumed_[name][column.charset].insert(column.name);
  }
}

/// Tables that have no rows yet have columns all the same.
void SchemaScan::take_known_tables(const Shard& shard) {
  for (const binlog::TableRef& ref : tracker_.known_tables()) {
    TableName name{ref.database, ref.table};
    seen_.insert(name);
    if (!filter_.matches(name.database, name.table) || shard_matched_->contains(name)) continue;
    columns_.add(binlog::adapted_to(flavor_, *tracker_.find(ref.database, ref.table).schema), shard.id);
    shard_matched_->insert(std::move(name));
  }
}

}  // namespace tidemark::binlog_file
