// SPDX-License-Identifier: Apache-2.0
// See the header. No state; any thread.
#include "binlog/rows_query_event.hpp"

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

std::string_view rows_query_text(const EventView& event) {
  ByteCursor cursor(event.body);
  // MySQL's length has one byte and wraps beyond 255: the text goes to the event's end.
  if (event.header.type == EventType::rows_query) cursor.skip(1);
  return cursor.rest_text();
}

}  // namespace tidemark::binlog
