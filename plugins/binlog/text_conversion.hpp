// SPDX-License-Identifier: Apache-2.0
// Conversions of cells whose content is not simply copied: text of any charset, MariaDB's compressed columns, and its
// UUID and INET types. column_conversion.cpp chooses among them.
//
// Invariants: as value_conversion.hpp's; text that reaches a column is valid UTF-8, and a cell in which bytes were
// replaced says so (CellResult::invalid_text). `..._heap_bytes` are the room a cell takes, exactly or at most.
// Any thread; no state but scratch memory per thread.
#pragma once

#include <cstdint>

#include "binlog/column_conversion.hpp"

namespace tidemark::binlog {

// Conversion::Function each.
CellResult convert_utf8(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_text(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_compressed_text(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                   HeapWriter& heap);
CellResult convert_compressed_bytes(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                    HeapWriter& heap);
CellResult convert_uuid(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_inet4(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_inet6(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);

// Conversion::HeapBytes each.
uint64_t text_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size);
uint64_t compressed_text_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size);
uint64_t compressed_bytes_heap_bytes(const Conversion& self, const uint8_t* at, uint32_t size);

}  // namespace tidemark::binlog
