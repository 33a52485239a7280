// SPDX-License-Identifier: Apache-2.0
//
// Values as unsigned numbers or bytes whose order is the values' order: the common ground of key bytes, minima,
// maxima and sets of values. Types of up to 8 bytes ("narrow") become a uint64 of their width; decimal128 and
// decimal256 ("wide") become an Int256. Floating values have a total order: -0.0 equals 0.0, every NaN is one
// value above all others. Pure functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/base/int256.hpp"
#include "core/batch/column_type.hpp"

namespace tidemark::core {

constexpr bool is_wide(ColumnType type) noexcept {
  return type == ColumnType::decimal128 || type == ColumnType::decimal256;
}
constexpr bool is_narrow(ColumnType type) noexcept {
  return !is_wide(type) && !is_variable_width(type);
}

template <size_t kBytes>
using UintOf =
    std::conditional_t<kBytes == 1, uint8_t,
                       std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

/// Unsigned number of the same width whose order is that of `value`.
template <typename T>
constexpr UintOf<sizeof(T)> to_ordered(T value) noexcept {
  using Bits = UintOf<sizeof(T)>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>) {
    if (value == T{0}) value = T{0};
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    const auto bits = std::bit_cast<Bits>(value);
    return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(static_cast<Bits>(value) ^ kSign);
  } else {
    return value;
  }
}

/// The value that to_ordered() made `ordered` from.
template <typename T>
constexpr T from_ordered(uint64_t ordered) noexcept {
  using Bits = UintOf<sizeof(T)>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  const auto bits = static_cast<Bits>(ordered);
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(static_cast<Bits>((bits & kSign) != 0 ? bits ^ kSign : ~bits));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(bits ^ kSign);
  } else {
    return bits;
  }
}

/// Calls `use(std::type_identity<T>{})` with the C++ type of a narrow column's values.
template <typename Use>
decltype(auto) with_narrow_type(ColumnType type, Use&& use) {
  switch (type) {
    case ColumnType::boolean:
    case ColumnType::uint8:
      return use(std::type_identity<uint8_t>{});
    case ColumnType::int8:
      return use(std::type_identity<int8_t>{});
    case ColumnType::int16:
      return use(std::type_identity<int16_t>{});
    case ColumnType::uint16:
      return use(std::type_identity<uint16_t>{});
    case ColumnType::int32:
    case ColumnType::date:
      return use(std::type_identity<int32_t>{});
    case ColumnType::uint32:
      return use(std::type_identity<uint32_t>{});
    case ColumnType::uint64:
      return use(std::type_identity<uint64_t>{});
    case ColumnType::float32:
      return use(std::type_identity<float>{});
    case ColumnType::float64:
      return use(std::type_identity<double>{});
    default:
      return use(std::type_identity<int64_t>{});  // int64, decimal64, time, timestamp, datetime
  }
}

/// A value of a decimal128 or decimal256 column.
inline Int256 load_wide(ColumnType type, const void* values, uint32_t row) noexcept {
  const auto* bytes = static_cast<const char*>(values);
  if (type == ColumnType::decimal128) {
    Int128 value = 0;
    std::memcpy(&value, bytes + size_t{row} * sizeof value, sizeof value);
    return Int256::from_i128(value);
  }
  Int256 value;
  std::memcpy(value.limb.data(), bytes + size_t{row} * sizeof value, sizeof value);
  return value;
}

/// Stores into a decimal128 or decimal256 column; the value fits.
inline void store_wide(ColumnType type, void* values, uint32_t row, const Int256& value) noexcept {
  const size_t width = type == ColumnType::decimal128 ? 16 : 32;
  std::memcpy(static_cast<char*>(values) + row * width, value.limb.data(), width);
}

/// Big-endian bytes of the low `width` (1 to 8) bytes of a number.
inline void store_big_endian(char* out, uint64_t value, uint32_t width) noexcept {
  const uint64_t swapped = __builtin_bswap64(value << (64 - 8 * width));
  std::memcpy(out, &swapped, width);
}
inline uint64_t load_big_endian(const char* in, uint32_t width) noexcept {
  uint64_t value = 0;
  std::memcpy(&value, in, width);
  return __builtin_bswap64(value) >> (64 - 8 * width);
}

/// `width` (16 or 32) bytes whose memcmp order is numeric order.
inline void store_ordered_wide(char* out, const Int256& value, uint32_t width) noexcept {
  const uint32_t limbs = width / 8;
  for (uint32_t i = 0; i < limbs; ++i) {
    const uint64_t limb = value.limb[limbs - 1 - i];
    store_big_endian(out + size_t{8} * i, i == 0 ? limb ^ (uint64_t{1} << 63) : limb, 8);
  }
}
inline Int256 load_ordered_wide(const char* in, uint32_t width) noexcept {
  const uint32_t limbs = width / 8;
  const uint64_t top = load_big_endian(in, 8) ^ (uint64_t{1} << 63);
  Int256 value(static_cast<int64_t>(top) < 0 ? -1 : 0);
  value.limb[limbs - 1] = top;
  for (uint32_t i = 1; i < limbs; ++i) value.limb[limbs - 1 - i] = load_big_endian(in + size_t{8} * i, 8);
  return value;
}

}  // namespace tidemark::core
