// SPDX-License-Identifier: Apache-2.0
// One wire type turned into one target type: chosen and checked when a program is compiled, then called per cell
// through one function pointer.
// Invariants: the target holds every value of the wire type exactly, or the conversion is refused when it is made;
// a conversion writes one value and perhaps heap bytes, nothing else.
// Any thread; a Conversion is constant once made.
#pragma once

#include <tidemark/abi.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/charset_decoder.hpp"
#include "binlog/decimal.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/target_type.hpp"

namespace tidemark::binlog {

enum class CellResult : uint8_t {
  value,
  zero_date,     ///< no calendar has this date: NULL, and counted
  invalid_text,  ///< a value, in which U+FFFD stands for bytes that belong to no character; counted
  heap_full,
  no_member,   ///< an ENUM index or SET bit without a string: the schema is wrong
  undecodable  ///< the cell's bytes are damaged
};

/// The heap that variable-width values go to. Offsets are 32 bits, so its capacity is at most 4 GiB.
struct HeapWriter {
  char* data = nullptr;
  uint64_t used = 0;
  uint64_t capacity = 0;

  bool has_room(uint64_t bytes) const { return capacity - used >= bytes; }
  /// Where the next bytes go; keep() takes what was written there.
  char* next() const { return data + used; }
  /// The `size` bytes at next() become the value.
  void keep(uint64_t size, void* value) {
    const tidemark_slice slice{static_cast<uint32_t>(used), static_cast<uint32_t>(size)};
    std::memcpy(value, &slice, sizeof slice);
    used += size;
  }
  /// Copies the value there.
  CellResult put(const void* bytes, uint64_t size, void* value) {
    if (!has_room(size)) return CellResult::heap_full;
    if (size != 0) std::memcpy(next(), bytes, static_cast<size_t>(size));
    keep(size, value);
    return CellResult::value;
  }
};

/// What ENUM indexes, or masks of short SETs, mean: one entry each, from 0 on.
struct MemberTexts {
  static constexpr uint32_t kSlack = 16;  ///< bytes behind the last text

  struct Entry {
    uint32_t offset;
    uint32_t size;
  };
  std::vector<Entry> entries;
  std::string bytes;

  void add(std::string_view text);
};

struct Conversion {
  /// `content`: the cell without its length prefix; `value`: where the value goes.
  using Function = CellResult (*)(const Conversion& self, const uint8_t* content, uint32_t size, void* value,
                                  HeapWriter& heap);
  /// Heap bytes that a cell takes, where that is found out only by converting.
  using HeapBytes = uint64_t (*)(const Conversion& self, const uint8_t* content, uint32_t size);

  Function convert = nullptr;
  HeapBytes heap_bytes = nullptr;  ///< nullptr: by heap_factor and heap_extra
  uint32_t value_bytes = 0;        ///< width of one value in the target column
  uint8_t fsp = 0;
  uint32_t pad_to = 0;       ///< BINARY: trailing zeros were cut
  uint32_t heap_factor = 0;  ///< heap bytes per content byte at most ...
  uint64_t heap_extra = 0;   ///< ... plus these
  const CharsetDecoder* charset = nullptr;
  uint64_t size_max = 0;  ///< compressed columns: bytes of a value
  DecimalLayout decimal;
  uint32_t more_digits = 0;          ///< target scale - wire scale
  Int128 multiplier = 1;             ///< 10^more_digits, where it fits
  std::vector<std::string> members;  ///< SET
  MemberTexts texts;                 ///< ENUM, and SETs of few members
};

/// Errors name the column, without table and file.
Outcome<Conversion> make_conversion(const ColumnType& wire, const ColumnFacts& facts, const TargetType& target);

}  // namespace tidemark::binlog
