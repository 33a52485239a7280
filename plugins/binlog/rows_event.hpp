// SPDX-License-Identifier: Apache-2.0
// Rows events: WRITE, UPDATE, DELETE in versions 1 and 2, MariaDB's compressed ones and MySQL's UPDATE with JSON
// documents changed in part. Only the frame is read here:
// table id, flags, bitmaps of present columns, and where the row images are.
// Invariant: bitmaps and rows are views into the event, or into `scratch` for compressed ones.
// Any thread. Source: MySQL "Rows_event"; MariaDB KB "ROWS_EVENT_V1/V2", "ROWS_COMPRESSED_EVENT_V1".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"
#include "binlog/format_description.hpp"

namespace tidemark::binlog {

enum class RowsKind : uint8_t { write, update, delete_ };

inline constexpr uint16_t kRowsStatementEnd = 1;
/// A rows event with this id changes nothing: it only ends a statement.
inline constexpr uint64_t kDummyTableId = 0xffffff;

struct RowsEvent {
  RowsKind kind = RowsKind::write;
  uint64_t table_id = 0;
  uint16_t flags = 0;
  uint32_t column_count = 0;
  /// Bit i (LSB first) = column i is in the image. WRITE: of the new row; DELETE: of the old row.
  std::span<const uint8_t> present;
  /// UPDATE: columns of the after image; `present` is of the before image.
  std::span<const uint8_t> present_after;
  /// PARTIAL_UPDATE_ROWS: after images start with a PartialHead.
  bool partial_json = false;
  /// Row images, one after the other.
  std::span<const uint8_t> rows;

  bool statement_end() const { return (flags & kRowsStatementEnd) != 0; }
};

/// Just the table id and flags of a rows event (no decompression).
Outcome<RowsEvent> parse_rows_frame(const EventView& event, const FormatDescription& format);

/// The whole event; `scratch` takes the rows of compressed ones and must live as long as the result.
Outcome<RowsEvent> parse_rows_event(const EventView& event, const FormatDescription& format,
                                    std::vector<uint8_t>& scratch);

/// What stands before the null bits of an after image of PARTIAL_UPDATE_ROWS.
struct PartialHead {
  /// Bit i = the i-th of the table's JSON columns, present or not, holds a run of JSON diffs instead of a document.
  /// Empty: none does.
  std::span<const uint8_t> partial;
  size_t size = 0;  ///< in bytes
};
/// `image`: from the after image's start on; nullopt = damaged, or of a kind not known.
std::optional<PartialHead> read_partial_head(std::span<const uint8_t> image, uint32_t json_columns);

inline bool bit_set(std::span<const uint8_t> bitmap, uint32_t index) {
  return (bitmap[index >> 3] >> (index & 7) & 1) != 0;
}

}  // namespace tidemark::binlog
