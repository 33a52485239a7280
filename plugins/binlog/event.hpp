// SPDX-License-Identifier: Apache-2.0
// The frame of a binlog event: 19-byte header, body, optional CRC32.
// Invariants: positions are 64 bits and computed here (start + size), never taken from a header, whose 32-bit end
// position may be 0 (MariaDB 11.4+, events inside a payload) or wrapped (files beyond 4 GiB).
// Views borrow from the reader that made them. No state; any thread.
// Source: MySQL manual "Binary Log Event Header"; MariaDB knowledge base "2-Binlog Event Header".
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tidemark::binlog {

enum class EventType : uint8_t {
  unknown = 0,
  start_v3 = 1,
  query = 2,
  stop = 3,
  rotate = 4,
  intvar = 5,
  load = 6,
  slave = 7,
  create_file = 8,
  append_block = 9,
  exec_load = 10,
  delete_file = 11,
  new_load = 12,
  rand = 13,
  user_var = 14,
  format_description = 15,
  xid = 16,
  begin_load_query = 17,
  execute_load_query = 18,
  table_map = 19,
  write_rows_v0 = 20,
  update_rows_v0 = 21,
  delete_rows_v0 = 22,
  write_rows_v1 = 23,
  update_rows_v1 = 24,
  delete_rows_v1 = 25,
  incident = 26,
  heartbeat = 27,
  ignorable = 28,
  rows_query = 29,
  write_rows_v2 = 30,
  update_rows_v2 = 31,
  delete_rows_v2 = 32,
  gtid = 33,
  anonymous_gtid = 34,
  previous_gtids = 35,
  transaction_context = 36,
  view_change = 37,
  xa_prepare = 38,
  partial_update_rows = 39,
  transaction_payload = 40,
  heartbeat_v2 = 41,
  gtid_tagged = 42,
  large_transaction_header = 43,
  aurora_padding = 100,
  annotate_rows = 160,
  binlog_checkpoint = 161,
  mariadb_gtid = 162,
  gtid_list = 163,
  start_encryption = 164,
  query_compressed = 165,
  write_rows_compressed_v1 = 166,
  update_rows_compressed_v1 = 167,
  delete_rows_compressed_v1 = 168,
  write_rows_compressed_v2 = 169,
  update_rows_compressed_v2 = 170,
  delete_rows_compressed_v2 = 171,
  partial_row_data = 172
};

/// "TABLE_MAP", "WRITE_ROWS_V2", ... ; "UNKNOWN" for codes without a name here.
const char* event_type_name(EventType type);

/// Header flags.
inline constexpr uint16_t kFlagInUse = 0x0001;
inline constexpr uint16_t kFlagArtificial = 0x0020;
inline constexpr uint16_t kFlagRelayLog = 0x0040;
inline constexpr uint16_t kFlagIgnorable = 0x0080;
/// MariaDB, @@skip_replication: not to be replicated. The change was made all the same, so its rows count.
inline constexpr uint16_t kFlagSkipReplication = 0x8000;

inline constexpr uint32_t kHeaderBytes = 19;
inline constexpr uint32_t kChecksumBytes = 4;
inline constexpr uint32_t kEventBytesMax = 1u << 30;

struct EventHeader {
  uint32_t timestamp_s = 0;
  EventType type = EventType::unknown;
  uint32_t server_id = 0;
  /// Header, body and checksum.
  uint32_t size = 0;
  /// As written: 32 bits, may be 0 or wrapped.
  uint32_t end_position = 0;
  uint16_t flags = 0;

  bool ignorable() const { return (flags & kFlagIgnorable) != 0; }
};

/// One event. `body` borrows from the reader and holds neither header nor checksum.
struct EventView {
  EventHeader header;
  /// Start of the event in its file; of the payload event for events inside one.
  uint64_t position = 0;
  /// Start of the next event in the file.
  uint64_t next_position = 0;
  std::span<const uint8_t> body;
  bool inside_payload = false;
};

/// Reads a header; `bytes` must hold at least kHeaderBytes.
EventHeader parse_header(std::span<const uint8_t> bytes);

inline bool event_size_legal(const EventHeader& header) {
  return header.size >= kHeaderBytes && header.size <= kEventBytesMax;
}
/// What is wrong with a size that is not legal.
std::string event_size_error(const EventHeader& header);

/// True if the header's end position does not contradict `next_position` (0 in the header says nothing).
inline bool end_position_fits(const EventHeader& header, uint64_t next_position) {
  return header.end_position == 0 || header.end_position == static_cast<uint32_t>(next_position);
}

/// Rows events this decoder knows (v1, v2, MariaDB compressed, partial updates).
bool is_rows_event(EventType type);
/// GTID events of both families.
bool is_gtid_event(EventType type);

}  // namespace tidemark::binlog
