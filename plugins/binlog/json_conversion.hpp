// SPDX-License-Identifier: Apache-2.0
// Conversions of MySQL's JSON columns to JSON text in a batch: whole documents, and documents that an event changes in
// part.
// Invariants: as value_conversion's; what is no right document is CellResult::undecodable and writes nothing.
// Any thread; no state.
#pragma once

#include <cstdint>
#include <span>

#include "binlog/column_conversion.hpp"

namespace tidemark::binlog {

// Conversion::Function.
CellResult convert_json(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
/// Heap bytes that convert_json takes, exactly; 0 for what is undecodable.
uint64_t json_heap_bytes(const Conversion&, const uint8_t* at, uint32_t size);

/// A document and the operations on it (cells without their length prefixes).
struct JsonChange {
  std::span<const uint8_t> document;
  std::span<const uint8_t> diffs;
};
CellResult convert_json_change(const JsonChange& change, void* value, HeapWriter& heap);
uint64_t json_change_heap_bytes(const JsonChange& change);

}  // namespace tidemark::binlog
