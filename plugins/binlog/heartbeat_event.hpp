// SPDX-License-Identifier: Apache-2.0
// Heartbeats: what a server sends instead of events while it has none. They say how far the log was sent, and nothing
// about changes.
// Invariant: a position is told only where it is known: version 1 has 32 bits for it, which wrap beyond 4 GiB.
// Plain values; any thread. Source: MySQL "Heartbeat_event", "Heartbeat_event_v2"; MariaDB KB "HEARTBEAT_LOG_EVENT".
#pragma once

#include <cstdint>
#include <string_view>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"

namespace tidemark::binlog {

struct HeartbeatEvent {
  std::string_view file;  ///< borrows from the event
  uint64_t position = 0;  ///< end of what was sent; of version 1 its low 32 bits
  bool wide = false;      ///< all 64 bits of the position are there
};

/// `event` is of type heartbeat or heartbeat_v2. Errors without file.
Outcome<HeartbeatEvent> parse_heartbeat_event(const EventView& event);

}  // namespace tidemark::binlog
