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

/// A value of variable width; false when the batch's heap is full (4 GiB).
[[nodiscard]] inline bool put_text(Batch& batch, size_t column, uint32_t row, std::string_view text) {
  const std::optional<Slice> slice = batch.put_on_heap(text);
  if (slice) put_value(batch, column, row, *slice);
  return slice.has_value();
}

}  // namespace tidemark::core
