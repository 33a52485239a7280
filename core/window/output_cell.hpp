// SPDX-License-Identifier: Apache-2.0
//
// Writing single values into a result batch that is still being filled. Called by the key codec and the
// accumulators when a pane fires, never per input row. One thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/batch/batch.hpp"

namespace tidemark::core {

inline void set_valid(Batch& batch, uint32_t column, uint32_t row) noexcept {
  uint8_t& bits = batch.mutable_columns()[column].validity[row >> 3];
  bits = static_cast<uint8_t>(bits | 1U << (row & 7));
}

template <typename T>
void put_value(Batch& batch, uint32_t column, uint32_t row, T value) noexcept {
  std::memcpy(static_cast<char*>(batch.mutable_columns()[column].values) + row * sizeof value, &value, sizeof value);
  set_valid(batch, column, row);
}

/// Where `size` bytes of a text value may be written; null when the batch's heap is full (4 GiB).
inline char* put_text(Batch& batch, uint32_t column, uint32_t row, size_t size) {
  if (!batch.grow_heap(size)) return nullptr;
  const Slice slice{static_cast<uint32_t>(batch.heap_used), static_cast<uint32_t>(size)};
  batch.heap_used += size;
  put_value(batch, column, row, slice);
  return batch.heap + slice.offset;
}

}  // namespace tidemark::core
