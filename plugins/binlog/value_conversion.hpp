// SPDX-License-Identifier: Apache-2.0
// The functions that a Conversion calls, one per wire type and target: column_conversion.cpp chooses among them.
//
// Invariants: each reads only the content's bytes and writes one value, and heap bytes if the value has any; the
// checks that the types fit have been made by whoever chose the function.
// Any thread; no state.
#pragma once

#include <cstdint>

#include "binlog/column_conversion.hpp"

namespace tidemark::binlog {

/// For the integer types of `width` bytes; `target_bytes` is 1, 2, 4 or 8.
Conversion::Function integer_conversion(uint32_t width, bool is_unsigned, uint32_t target_bytes);
Conversion::Function integer_to_decimal64_conversion(uint32_t width, bool is_unsigned);
Conversion::Function integer_to_decimal128_conversion(uint32_t width, bool is_unsigned);
/// By Conversion::texts; `width` is 1 or 2.
Conversion::Function member_conversion(uint32_t width);

// Conversion::Function each.
CellResult convert_integer(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_year(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_bit(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_copy4(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_copy8(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult float_to_double(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_decimal64(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_decimal128(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_decimal256(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_date(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_datetime2(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_old_datetime(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                HeapWriter& heap);
CellResult convert_timestamp2(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_old_timestamp(const Conversion& self, const uint8_t* at, uint32_t size, void* value,
                                 HeapWriter& heap);
CellResult convert_time2(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_old_time(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_bytes(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_padded(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);
CellResult convert_set(const Conversion& self, const uint8_t* at, uint32_t size, void* value, HeapWriter& heap);

}  // namespace tidemark::binlog
