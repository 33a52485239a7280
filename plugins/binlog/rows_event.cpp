// SPDX-License-Identifier: Apache-2.0
// Parses the frame of rows events. No state; any thread.
#include "binlog/rows_event.hpp"

#include "binlog/byte_cursor.hpp"
#include "binlog/query_event.hpp"

namespace tidemark::binlog {

namespace {

struct Shape {
  RowsKind kind;
  bool extra_data;  // version 2
  bool compressed;
};

Shape shape_of(EventType type) {
  switch (type) {
    case EventType::write_rows_v2:
      return {RowsKind::write, true, false};
    case EventType::update_rows_v2:
    case EventType::partial_update_rows:
      return {RowsKind::update, true, false};
    case EventType::delete_rows_v2:
      return {RowsKind::delete_, true, false};
    case EventType::update_rows_v1:
      return {RowsKind::update, false, false};
    case EventType::delete_rows_v1:
      return {RowsKind::delete_, false, false};
    case EventType::write_rows_compressed_v1:
      return {RowsKind::write, false, true};
    case EventType::update_rows_compressed_v1:
      return {RowsKind::update, false, true};
    case EventType::delete_rows_compressed_v1:
      return {RowsKind::delete_, false, true};
    case EventType::write_rows_compressed_v2:
      return {RowsKind::write, true, true};
    case EventType::update_rows_compressed_v2:
      return {RowsKind::update, true, true};
    case EventType::delete_rows_compressed_v2:
      return {RowsKind::delete_, true, true};
    default:
      return {RowsKind::write, false, false};
  }
}

DecodeError corrupt(const char* text) {
  return {ErrorKind::corrupt, text, {}, 0, {}};
}

}  // namespace

Outcome<RowsEvent> parse_rows_frame(const EventView& event, const FormatDescription& format) {
  RowsEvent rows;
  rows.kind = shape_of(event.header.type).kind;
  ByteCursor cursor(event.body);
  rows.table_id = cursor.le(format.table_id_bytes());
  rows.flags = cursor.u16();
  if (!cursor.ok()) return corrupt("rows event is cut short");
  return rows;
}

Outcome<RowsEvent> parse_rows_event(const EventView& event, const FormatDescription& format,
                                    std::vector<uint8_t>& scratch) {
  const Shape shape = shape_of(event.header.type);
  RowsEvent rows;
  rows.kind = shape.kind;
  rows.partial_json = event.header.type == EventType::partial_update_rows;
  ByteCursor cursor(event.body);
  rows.table_id = cursor.le(format.table_id_bytes());
  rows.flags = cursor.u16();
  if (shape.extra_data) {
    const uint16_t extra_bytes = cursor.u16();  // counts itself
    if (extra_bytes < 2) return corrupt("rows event has a damaged extra data length");
    cursor.skip(extra_bytes - 2u);
  }
  const uint64_t columns = cursor.length_encoded();
  const uint64_t bitmap_bytes = (columns + 7) / 8;
  if (columns > UINT16_MAX) return corrupt("rows event has a damaged column count");
  rows.column_count = static_cast<uint32_t>(columns);
  rows.present = cursor.bytes(bitmap_bytes);
  if (shape.kind == RowsKind::update) rows.present_after = cursor.bytes(bitmap_bytes);
  rows.rows = cursor.rest();
  if (!cursor.ok()) return corrupt("rows event is cut short");
  if (shape.compressed) {
    if (auto done = inflate_mariadb(rows.rows, scratch); !done) return std::move(done).error();
    rows.rows = scratch;
  }
  return rows;
}

std::optional<PartialHead> read_partial_head(std::span<const uint8_t> image, uint32_t json_columns) {
  constexpr uint64_t kPartialJson = 1;
  ByteCursor cursor(image);
  PartialHead head;
  const uint64_t options = cursor.length_encoded();
  if (options == kPartialJson) head.partial = cursor.bytes((json_columns + 7) / 8);
  if (!cursor.ok() || options > kPartialJson) return std::nullopt;
  head.size = cursor.offset();
  return head;
}

}  // namespace tidemark::binlog
