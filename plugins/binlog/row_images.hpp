// SPDX-License-Identifier: Apache-2.0
// Walks the row images of a rows event cell by cell, without decoding them: what `binlog cat` and tests use.
// Invariants: every cell is absent, NULL, a value or the changes to a JSON document; the event's body is consumed
// exactly or it is an error. Views into the event. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/table_map.hpp"

namespace tidemark::binlog {

enum class CellState : uint8_t {
  absent,
  null,
  value,
  json_diffs  ///< changes to the document of the before image (json_diff.hpp)
};

struct CellView {
  CellState state = CellState::absent;
  std::span<const uint8_t> bytes;  ///< the whole cell, length prefix included
};

enum class ImageKind : uint8_t { inserted, deleted, update_before, update_after };

struct RowImage {
  ImageKind kind = ImageKind::inserted;
  std::vector<CellView> cells;  ///< one per column of the TABLE_MAP
};

class RowImages {
 public:
  RowImages(const TableMap& map, const RowsEvent& rows) : map_(&map), rows_(&rows) {}

  /// False = no more images. Reuse `image`. Errors without file: the caller adds it.
  Outcome<bool> next(RowImage& image);

 private:
  /// The image's cells from its null bits on; `partial` as in PartialHead.
  Checked read_cells(RowImage& image, std::span<const uint8_t> present, std::span<const uint8_t> partial);

  const TableMap* map_;
  const RowsEvent* rows_;
  size_t offset_ = 0;
  bool after_ = false;
};

}  // namespace tidemark::binlog
