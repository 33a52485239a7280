// SPDX-License-Identifier: Apache-2.0
// Event headers and type names. No state; any thread.
#include "binlog/event.hpp"

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

struct TypeName {
  EventType type;
  const char* name;
};

constexpr TypeName kTypeNames[] = {
    {EventType::start_v3, "START_V3"},
    {EventType::query, "QUERY"},
    {EventType::stop, "STOP"},
    {EventType::rotate, "ROTATE"},
    {EventType::intvar, "INTVAR"},
    {EventType::load, "LOAD"},
    {EventType::slave, "SLAVE"},
    {EventType::create_file, "CREATE_FILE"},
    {EventType::append_block, "APPEND_BLOCK"},
    {EventType::exec_load, "EXEC_LOAD"},
    {EventType::delete_file, "DELETE_FILE"},
    {EventType::new_load, "NEW_LOAD"},
    {EventType::rand, "RAND"},
    {EventType::user_var, "USER_VAR"},
    {EventType::format_description, "FORMAT_DESCRIPTION"},
    {EventType::xid, "XID"},
    {EventType::begin_load_query, "BEGIN_LOAD_QUERY"},
    {EventType::execute_load_query, "EXECUTE_LOAD_QUERY"},
    {EventType::table_map, "TABLE_MAP"},
    {EventType::write_rows_v0, "WRITE_ROWS_V0"},
    {EventType::update_rows_v0, "UPDATE_ROWS_V0"},
    {EventType::delete_rows_v0, "DELETE_ROWS_V0"},
    {EventType::write_rows_v1, "WRITE_ROWS_V1"},
    {EventType::update_rows_v1, "UPDATE_ROWS_V1"},
    {EventType::delete_rows_v1, "DELETE_ROWS_V1"},
    {EventType::incident, "INCIDENT"},
    {EventType::heartbeat, "HEARTBEAT"},
    {EventType::ignorable, "IGNORABLE"},
    {EventType::rows_query, "ROWS_QUERY"},
    {EventType::write_rows_v2, "WRITE_ROWS_V2"},
    {EventType::update_rows_v2, "UPDATE_ROWS_V2"},
    {EventType::delete_rows_v2, "DELETE_ROWS_V2"},
    {EventType::gtid, "GTID"},
    {EventType::anonymous_gtid, "ANONYMOUS_GTID"},
    {EventType::previous_gtids, "PREVIOUS_GTIDS"},
    {EventType::transaction_context, "TRANSACTION_CONTEXT"},
    {EventType::view_change, "VIEW_CHANGE"},
    {EventType::xa_prepare, "XA_PREPARE"},
    {EventType::partial_update_rows, "PARTIAL_UPDATE_ROWS"},
    {EventType::transaction_payload, "TRANSACTION_PAYLOAD"},
    {EventType::heartbeat_v2, "HEARTBEAT_V2"},
    {EventType::gtid_tagged, "GTID_TAGGED"},
    {EventType::large_transaction_header, "LARGE_TRANSACTION_HEADER"},
    {EventType::aurora_padding, "AURORA_PADDING"},
    {EventType::annotate_rows, "ANNOTATE_ROWS"},
    {EventType::binlog_checkpoint, "BINLOG_CHECKPOINT"},
    {EventType::mariadb_gtid, "MARIADB_GTID"},
    {EventType::gtid_list, "GTID_LIST"},
    {EventType::start_encryption, "START_ENCRYPTION"},
    {EventType::query_compressed, "QUERY_COMPRESSED"},
    {EventType::write_rows_compressed_v1, "WRITE_ROWS_COMPRESSED_V1"},
    {EventType::update_rows_compressed_v1, "UPDATE_ROWS_COMPRESSED_V1"},
    {EventType::delete_rows_compressed_v1, "DELETE_ROWS_COMPRESSED_V1"},
    {EventType::write_rows_compressed_v2, "WRITE_ROWS_COMPRESSED_V2"},
    {EventType::update_rows_compressed_v2, "UPDATE_ROWS_COMPRESSED_V2"},
    {EventType::delete_rows_compressed_v2, "DELETE_ROWS_COMPRESSED_V2"},
    {EventType::partial_row_data, "PARTIAL_ROW_DATA"},
};

}  // namespace

const char* event_type_name(EventType type) {
  for (const auto& entry : kTypeNames) {
    if (entry.type == type) return entry.name;
  }
  return "UNKNOWN";
}

EventHeader parse_header(std::span<const uint8_t> bytes) {
  const uint8_t* at = bytes.data();
  EventHeader header;
  header.timestamp_s = static_cast<uint32_t>(load_le(at, 4));
  header.type = static_cast<EventType>(at[4]);
  header.server_id = static_cast<uint32_t>(load_le(at + 5, 4));
  header.size = static_cast<uint32_t>(load_le(at + 9, 4));
  header.end_position = static_cast<uint32_t>(load_le(at + 13, 4));
  header.flags = static_cast<uint16_t>(load_le(at + 17, 2));
  return header;
}

std::string event_size_error(const EventHeader& header) {
  if (header.size < kHeaderBytes) {
    return "event size " + std::to_string(header.size) + " is below the 19 bytes of a header";
  }
  return "event size " + std::to_string(header.size) + " is above 1 GiB";
}

bool is_rows_event(EventType type) {
  switch (type) {
    case EventType::write_rows_v1:
    case EventType::update_rows_v1:
    case EventType::delete_rows_v1:
    case EventType::write_rows_v2:
    case EventType::update_rows_v2:
    case EventType::delete_rows_v2:
    case EventType::partial_update_rows:
    case EventType::write_rows_compressed_v1:
    case EventType::update_rows_compressed_v1:
    case EventType::delete_rows_compressed_v1:
    case EventType::write_rows_compressed_v2:
    case EventType::update_rows_compressed_v2:
    case EventType::delete_rows_compressed_v2:
      return true;
    default:
      return false;
  }
}

bool is_gtid_event(EventType type) {
  return type == EventType::gtid || type == EventType::anonymous_gtid || type == EventType::gtid_tagged ||
         type == EventType::mariadb_gtid;
}

}  // namespace tidemark::binlog
