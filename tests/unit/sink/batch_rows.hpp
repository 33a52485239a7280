// SPDX-License-Identifier: Apache-2.0
//
// Makes small batches for tests, cell by cell.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>

#include "core/batch/batch.hpp"

namespace tidemark::core {

inline void set_valid(Batch& batch, size_t column, uint32_t row) {
  uint8_t* validity = batch.mutable_columns()[column].validity;
  validity[row >> 3] = static_cast<uint8_t>(validity[row >> 3] | 1 << (row & 7));
}

template <typename T>
void set_value(Batch& batch, size_t column, uint32_t row, T value) {
  set_valid(batch, column, row);
  std::memcpy(static_cast<char*>(batch.mutable_columns()[column].values) + row * sizeof value, &value, sizeof value);
}

inline void set_text(Batch& batch, size_t column, uint32_t row, std::string_view text) {
  if (!batch.grow_heap(text.size())) return;
  if (!text.empty()) std::memcpy(batch.heap + batch.heap_used, text.data(), text.size());
  set_value(batch, column, row, Slice{static_cast<uint32_t>(batch.heap_used), static_cast<uint32_t>(text.size())});
  batch.heap_used += text.size();
}

}  // namespace tidemark::core
