// SPDX-License-Identifier: Apache-2.0
// Parses GTID events. MySQL grew the untagged event's tail version by version, so every part of it may be missing.
// No state; any thread.
#include "binlog/gtid_event.hpp"

#include <charconv>

#include "binlog/byte_cursor.hpp"
#include "binlog/gtid_set.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint8_t kLogicalClock = 2;
constexpr uint64_t kCommitTimeBit = uint64_t{1} << 55;
constexpr uint32_t kVersionBit = 1u << 31;

DecodeError corrupt(const char* text) {
  return {ErrorKind::corrupt, text, {}, 0, {}};
}

int64_t commit_time(uint64_t raw) {
  return raw == 0 ? kNoTime : static_cast<int64_t>(raw);
}

Outcome<GtidEvent> parse_mysql(const EventView& event) {
  GtidEvent gtid;
  gtid.kind = event.header.type == EventType::gtid ? GtidKind::mysql : GtidKind::mysql_anonymous;
  ByteCursor cursor(event.body);
  gtid.flags = cursor.u8();
  for (auto& byte : gtid.uuid) byte = cursor.u8();
  gtid.number = cursor.u64();
  if (!cursor.ok()) return corrupt("GTID event is too short");
  if (cursor.left() < 17 || cursor.u8() != kLogicalClock) return gtid;
  gtid.last_committed = static_cast<int64_t>(cursor.u64());
  gtid.sequence_number = static_cast<int64_t>(cursor.u64());
  if (cursor.left() < 7) return gtid;
  const uint64_t immediate = cursor.le(7);
  gtid.immediate_commit_us = commit_time(immediate & ~kCommitTimeBit);
  gtid.original_commit_us = gtid.immediate_commit_us;
  if ((immediate & kCommitTimeBit) != 0) gtid.original_commit_us = commit_time(cursor.le(7));
  if (cursor.left() > 0) gtid.transaction_bytes = cursor.length_encoded();
  if (cursor.left() >= 4) {
    const uint32_t version = cursor.u32();
    gtid.immediate_server_version = version & ~kVersionBit;
    if ((version & kVersionBit) != 0) cursor.skip(4);
  }
  if (!cursor.ok()) return corrupt("GTID event is cut short");
  return gtid;
}

// The sign is in bit 0.
int64_t signed_varlen(ByteCursor& cursor) {
  const uint64_t raw = cursor.variable_length();
  return (raw & 1) != 0 ? -static_cast<int64_t>(raw >> 1) - 1 : static_cast<int64_t>(raw >> 1);
}

bool parse_tagged_field(ByteCursor& cursor, uint64_t field, GtidEvent& gtid) {
  switch (field) {
    case 0:
      gtid.flags = static_cast<uint8_t>(cursor.variable_length());
      return true;
    case 1:
      for (auto& byte : gtid.uuid) byte = static_cast<uint8_t>(cursor.variable_length());
      return true;
    case 2:
      gtid.number = static_cast<uint64_t>(signed_varlen(cursor));
      return true;
    case 3:
      gtid.tag = cursor.text(cursor.variable_length());
      return true;
    case 4:
      gtid.last_committed = signed_varlen(cursor);
      return true;
    case 5:
      gtid.sequence_number = signed_varlen(cursor);
      return true;
    case 6:
      gtid.immediate_commit_us = commit_time(cursor.variable_length());
      return true;
    case 7:
      gtid.original_commit_us = commit_time(cursor.variable_length());
      return true;
    case 8:
      gtid.transaction_bytes = cursor.variable_length();
      return true;
    case 9:
      gtid.immediate_server_version = static_cast<uint32_t>(cursor.variable_length());
      return true;
    case 10:
    case 11:
      cursor.variable_length();
      return true;
    default:
      return false;
  }
}

Outcome<GtidEvent> parse_tagged(const EventView& event) {
  GtidEvent gtid;
  gtid.kind = GtidKind::mysql_tagged;
  ByteCursor cursor(event.body);
  cursor.variable_length();  // version of the serialization format
  const uint64_t message_bytes = cursor.variable_length();
  cursor.variable_length();  // last field that a reader must know
  if (!cursor.ok() || message_bytes > event.body.size()) return corrupt("GTID_TAGGED event is damaged");
  bool original_seen = false;
  while (cursor.ok() && cursor.offset() < message_bytes) {
    const uint64_t field = cursor.variable_length();
    original_seen = original_seen || field == 7;
    // Fields come in ascending order; a later one than those known here is newer than this reader and not needed.
    if (!parse_tagged_field(cursor, field, gtid)) break;
  }
  if (!cursor.ok()) return corrupt("GTID_TAGGED event is cut short");
  if (!original_seen) gtid.original_commit_us = gtid.immediate_commit_us;
  return gtid;
}

Outcome<GtidEvent> parse_mariadb(const EventView& event) {
  GtidEvent gtid;
  gtid.kind = GtidKind::mariadb;
  gtid.server_id = event.header.server_id;
  ByteCursor cursor(event.body);
  gtid.number = cursor.u64();
  gtid.domain = cursor.u32();
  gtid.flags = cursor.u8();
  if (!cursor.ok()) return corrupt("MariaDB GTID event is too short");
  if ((gtid.flags & kMariadbGroupCommitId) != 0) cursor.skip(8);
  if ((gtid.flags & (kMariadbPreparedXa | kMariadbCompletedXa)) != 0) {
    cursor.skip(4);
    const uint32_t xid_bytes = static_cast<uint32_t>(cursor.u8()) + cursor.u8();
    cursor.skip(xid_bytes);
  }
  if (!cursor.ok()) return corrupt("MariaDB GTID event is cut short");
  // Without extra flags there is zero padding here (up to 19 bytes), which reads as "none".
  if (cursor.left() > 0) gtid.extra_flags = cursor.u8();
  return gtid;
}

void append_number(uint64_t number, std::string& out) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace

std::string GtidEvent::to_text() const {
  std::string out;
  write_text(out);
  return out;
}

void GtidEvent::write_text(std::string& out) const {
  out.clear();
  if (kind == GtidKind::mariadb) {
    append_number(domain, out);
    out += '-';
    append_number(server_id, out);
    out += '-';
    append_number(number, out);
    return;
  }
  // The tagged event also carries anonymous groups (number 0) and untagged ones.
  const bool named = kind == GtidKind::mysql || (kind == GtidKind::mysql_tagged && number != 0);
  if (!named) return;
  append_uuid(uuid, out);
  out += ':';
  if (!tag.empty()) out.append(tag).append(1, ':');
  append_number(number, out);
}

Outcome<GtidEvent> parse_gtid_event(const EventView& event) {
  switch (event.header.type) {
    case EventType::gtid:
    case EventType::anonymous_gtid:
      return parse_mysql(event);
    case EventType::gtid_tagged:
      return parse_tagged(event);
    default:
      return parse_mariadb(event);
  }
}

}  // namespace tidemark::binlog
