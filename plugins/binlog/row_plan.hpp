// SPDX-License-Identifier: Apache-2.0
// How a ColumnProgram goes over row images of one shape (bitmap of present columns): one step per cell that it must
// look at. Two forms: dense, for rows without NULL, where runs of unneeded fixed-width columns are one pointer bump,
// and sparse.
// Invariant: both forms move over every byte of an image. Constant once made; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/table_map.hpp"

namespace tidemark::binlog {

inline constexpr int32_t kNoTarget = -1;
inline constexpr int32_t kNotJson = -1;

/// One cell to pass over, perhaps converting it. Several targets may want one cell: all but the last do not move on.
struct Step {
  uint32_t skip_before = 0;  ///< dense plans: bytes of unneeded columns
  uint32_t fixed_width = 0;
  uint8_t prefix_bytes = 0;
  bool moves_on = true;
  int32_t target = kNoTarget;
  uint32_t null_bit = 0;
  int32_t json_index = kNotJson;  ///< which of the table's JSON columns this is
};

struct RowPlan {
  std::vector<uint8_t> present;
  uint32_t present_count = 0;
  uint32_t null_bytes = 0;
  uint8_t last_null_mask = 0;  ///< the bits of the last byte that mean columns
  std::vector<Step> dense;
  std::vector<Step> sparse;
  uint32_t tail_skip = 0;                ///< dense: after the last step
  std::vector<int32_t> missing_targets;  ///< targets whose column is not in the image

  bool has_null(const uint8_t* nulls) const {
    if (null_bytes == 0) return false;
    uint32_t any = nulls[null_bytes - 1] & last_null_mask;  // the bits behind it are set by some servers
    for (uint32_t i = 0; i + 1 < null_bytes; ++i) any |= nulls[i];
    return any != 0;
  }
};

inline bool is_null(const Step& step, const uint8_t* nulls) {
  return (nulls[step.null_bit >> 3] >> (step.null_bit & 7) & 1) != 0;
}

/// `targets_of_column`: per column of the map, which targets want it. `present`: as in a rows event of that map.
RowPlan make_row_plan(const TableMap& map, std::span<const std::vector<int32_t>> targets_of_column,
                      std::span<const uint8_t> present);

/// What of the event's rows is still to be read.
struct ImageBytes {
  const uint8_t* at;
  const uint8_t* end;

  size_t left() const { return static_cast<size_t>(end - at); }
};

inline uint32_t load_prefix(const uint8_t* at, uint32_t bytes) {
  switch (bytes) {
    case 1:
      return at[0];
    case 2:
      return static_cast<uint32_t>(at[0] | at[1] << 8);
    default:
      return static_cast<uint32_t>(load_le(at, bytes));
  }
}

/// Splits the cell at image.at into content and size; false if it does not fit.
inline bool cell_content(const Step& step, const ImageBytes& image, const uint8_t*& content, uint32_t& size) {
  if (step.prefix_bytes == 0) {
    content = image.at;
    size = step.fixed_width;
    return image.left() >= size;
  }
  if (image.left() < step.prefix_bytes) return false;
  size = load_prefix(image.at, step.prefix_bytes);
  content = image.at + step.prefix_bytes;
  return image.left() - step.prefix_bytes >= size;
}

}  // namespace tidemark::binlog
