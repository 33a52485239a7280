// SPDX-License-Identifier: Apache-2.0
// See the header. No state; any thread.
#include "binlog/heartbeat_event.hpp"

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint64_t kEnd = 0;
constexpr uint64_t kFileName = 1;
constexpr uint64_t kPosition = 2;

DecodeError damaged(const char* text) {
  return {ErrorKind::corrupt, text, {}, 0, {}};
}

// Fields of type, length, value; types of newer servers are stepped over.
Outcome<HeartbeatEvent> parse_v2(const EventView& event) {
  HeartbeatEvent heartbeat;
  ByteCursor cursor(event.body);
  while (cursor.ok() && !cursor.at_end()) {
    const uint64_t type = cursor.length_encoded();
    if (type == kEnd) break;
    const auto value = cursor.bytes(cursor.length_encoded());
    if (type == kFileName) {
      heartbeat.file = {reinterpret_cast<const char*>(value.data()), value.size()};
    } else if (type == kPosition) {
      ByteCursor number(value);
      heartbeat.position = number.length_encoded();
      heartbeat.wide = true;
      if (!number.ok() || !number.at_end()) return damaged("HEARTBEAT_V2 event has a damaged position");
    }
  }
  if (!cursor.ok()) return damaged("HEARTBEAT_V2 event is cut short");
  if (heartbeat.file.empty() || !heartbeat.wide) return damaged("HEARTBEAT_V2 event has no file or no position");
  return heartbeat;
}

}  // namespace

Outcome<HeartbeatEvent> parse_heartbeat_event(const EventView& event) {
  if (event.header.type == EventType::heartbeat_v2) return parse_v2(event);
  ByteCursor cursor(event.body);
  HeartbeatEvent heartbeat{cursor.rest_text(), event.header.end_position, false};
  if (heartbeat.file.empty()) return damaged("HEARTBEAT event has no file");
  return heartbeat;
}

}  // namespace tidemark::binlog
