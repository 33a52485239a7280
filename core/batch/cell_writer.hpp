// SPDX-License-Identifier: Apache-2.0
//
// Writing single values into a batch that is being filled: results, what tests say, rarely an input row. A cell is NULL
// until it has a value. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/batch/batch.hpp"

namespace tidemark::core {

/// `T`: as wide as the column's values.
template <typename T>
void put_value(Batch& batch, size_t column, uint32_t row, T value) noexcept {
  Column& to = batch.mutable_columns()[column];
  std::memcpy(static_cast<char*>(to.values) + row * sizeof value, &value, sizeof value);
  to.set_valid(row);
}

/// Makes the cell NULL.
inline void clear_value(Batch& batch, size_t column, uint32_t row) noexcept {
  uint8_t& bits = batch.mutable_columns()[column].validity[row >> 3];
  bits = static_cast<uint8_t>(bits & ~(1U << (row & 7)));
}

/// A value of variable width; false when the batch's heap is full (4 GiB).
[[nodiscard]] inline bool put_text(Batch& batch, size_t column, uint32_t row, std::string_view text) {
  const std::optional<Slice> slice = batch.put_on_heap(text);
  if (slice) put_value(batch, column, row, *slice);
  return slice.has_value();
}

/// The same value in a column of the same type of another batch, a NULL leaving the cell as it is; false when its heap
/// is full.
[[nodiscard]] inline bool copy_cell(const Batch& from, uint32_t column, uint32_t row, Batch& out, uint32_t out_column,
                                    uint32_t out_row) {
  const Column& cells = from.column(column);
  if (!cells.is_valid(row)) return true;
  const ColumnType type = from.layout().columns[column].type;
  if (is_variable_width(type)) return put_text(out, out_column, out_row, from.bytes_at(column, row));
  const size_t width = value_width(type);
  Column& to = out.mutable_columns()[out_column];
  std::memcpy(static_cast<char*>(to.values) + out_row * width, cells.as<char>() + row * width, width);
  to.set_valid(out_row);
  return true;
}

}  // namespace tidemark::core
