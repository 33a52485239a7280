// SPDX-License-Identifier: Apache-2.0
// Packed DECIMAL: groups of 9 digits in 4 big-endian bytes, shorter groups at both ends, sign in the top bit.
// Invariants: the value is exact for up to 65 digits; how many bytes and digits each group has is worked out once.
// No state; any thread. Source: MySQL strings/decimal.c, "decimal2bin" (format description).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

struct DecimalGroup {
  uint8_t bytes = 0;
  uint8_t digits = 0;
  uint32_t power = 1;  ///< 10^digits
};

struct DecimalLayout {
  std::array<DecimalGroup, 18> groups{};
  uint8_t group_count = 0;
  uint8_t integer_groups = 0;
  uint8_t width = 0;

  DecimalLayout() = default;
  /// precision 1..65, scale 0..precision.
  DecimalLayout(uint32_t precision, uint32_t scale);
};

inline bool decimal_negative(const uint8_t* at) {
  return (*at & 0x80) == 0;
}

/// The digits of one group; `first` = the group at the start of the cell.
inline uint32_t decimal_group(const uint8_t* at, uint32_t bytes, bool first, bool negative) {
  auto raw = static_cast<uint32_t>(load_be(at, bytes));
  if (first) raw ^= 0x80u << (8 * (bytes - 1));
  if (negative) raw ^= bytes == 4 ? ~0u : (1u << (8 * bytes)) - 1;
  return raw;
}

/// Damaged digits give a wrong number, but no undefined one: arithmetic on them wraps.
template <class Integer>
using WrappingInteger = std::conditional_t<sizeof(Integer) == sizeof(UInt128), UInt128, uint64_t>;

/// The unscaled value times `multiplier`, for layouts whose precision fits (18 digits in int64_t, 38 in Int128).
template <class Integer>
Integer unpack_decimal(const DecimalLayout& layout, const uint8_t* at, Integer multiplier = 1) {
  using Unsigned = WrappingInteger<Integer>;
  const bool negative = decimal_negative(at);
  Unsigned value = 0;
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    const DecimalGroup& group = layout.groups[i];
    value = value * group.power + decimal_group(at, group.bytes, i == 0, negative);
    at += group.bytes;
  }
  value *= static_cast<Unsigned>(multiplier);
  return static_cast<Integer>(negative ? 0 - value : value);
}

/// 256 bits, little-endian two's complement, as TIDEMARK_DECIMAL256.
struct Wide256 {
  std::array<uint64_t, 4> words{};

  void multiply_add(uint32_t factor, uint32_t addend);
  void negate();
};

/// The unscaled value times 10^`more_digits`; up to 76 digits in all.
Wide256 unpack_decimal_wide(const DecimalLayout& layout, const uint8_t* at, uint32_t more_digits);

/// "-123.450": all digits of the scale, at least one before the point. Replaces `out`.
void decimal_text(const DecimalLayout& layout, const uint8_t* at, std::string& out);

}  // namespace tidemark::binlog
