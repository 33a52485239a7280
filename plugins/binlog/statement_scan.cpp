// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: one at a time.
#include "binlog/statement_scan.hpp"

#include "binlog/gtid_event.hpp"
#include "binlog/query_event.hpp"

namespace tidemark::binlog {
namespace {

DecodeError located(const FileReader& file, uint64_t position, DecodeError error) {
  error.file = file.path();
  error.position = position;
  return error;
}

}  // namespace

Checked track_statements(FileReader& file, SchemaTracker& tracker) {
  if (file.format().created_s != 0) tracker.forget_temporary_tables();
  std::vector<uint8_t> scratch;
  bool alter_pending = false;
  bool stands_alone = true;
  EventHeader header;
  for (uint64_t at = file.first_position();; at += header.size) {
    auto state = file.peek_header(at, header);
    if (!state) return state.error();
    if (*state != ReadState::ready) return Done{};
    const bool is_query = header.type == EventType::query || header.type == EventType::query_compressed;
    if (!is_query && header.type != EventType::mariadb_gtid) continue;
    EventView event;
    auto read = file.peek_event(at, event);
    if (!read) return read.error();
    if (is_query) {
      const auto query = parse_query_event(event, scratch);
      if (!query) return located(file, at, query.error());
      if (!alter_pending)
        tracker.on_statement(statement_at(query.value(), file.name(), at, file.format().flavor, stands_alone));
    } else {
      const auto gtid = parse_gtid_event(event);
      if (!gtid) return located(file, at, gtid.error());
      alter_pending = !gtid.value().statement_takes_effect();
      stands_alone = gtid.value().stands_alone();
    }
  }
}

}  // namespace tidemark::binlog
