// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of floating point values and of their squares. A value whose bits lie between 2^-74 and 2^40 is
// "common" and goes as an integer into a small fixed-point sum in the accumulator row; every other one (NaN,
// infinities, very large and very small values) goes to a RareDoubles beside it, which covers the whole range. Which
// of the two is a property of the value alone, so each part is an exact sum of its own: the same bytes in any order
// of rows and merges, and nothing after everything was taken back. -0.0 is 0. Not for more than one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/bytes.hpp"
#include "core/base/int128.hpp"
#include "core/window/limb_sum.hpp"

namespace tidemark::core {

/// A common value is a multiple of 2^-kCommonUnit below 2^40: at most 114 bits and its sign.
inline constexpr int kCommonUnit = 74;
using CommonSum = LimbSum<3>;      ///< in units of 2^-74
using CommonSquares = LimbSum<5>;  ///< in units of 2^-148

/// A finite value as magnitude * 2^(shift - 1074), without its sign.
struct DoubleParts {
  uint64_t magnitude = 0;  ///< below 2^53
  unsigned shift = 0;      ///< 0 to 2045
};

constexpr unsigned exponent_bits(double value) noexcept {
  return static_cast<unsigned>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff);
}
constexpr DoubleParts parts_of(double value) noexcept {
  const uint64_t fraction = std::bit_cast<uint64_t>(value) & ((uint64_t{1} << 52) - 1);
  const unsigned exponent = exponent_bits(value);
  return exponent == 0 ? DoubleParts{fraction, 0} : DoubleParts{fraction | uint64_t{1} << 52, exponent - 1};
}

inline constexpr unsigned kCommonShift = 1074 - kCommonUnit;  // DoubleParts::shift of the smallest common values

/// Zero is neither common nor rare: it adds nothing.
constexpr bool is_common(double value) noexcept {
  return exponent_bits(value) - 1U - kCommonShift <= 61U;
}
constexpr bool is_rare(double value) noexcept {
  return !is_common(value) && value != 0;
}
/// A common value's magnitude in units of 2^-74.
constexpr UInt128 common_magnitude(double value) noexcept {
  const DoubleParts parts = parts_of(value);
  return static_cast<UInt128>(parts.magnitude) << (parts.shift - kCommonShift);
}

/// Exact sums over the whole range of DOUBLE, 2^-1074 to 2^1024, of up to 2^63 rows.
class RareDoubles {
 public:
  using Sum = LimbSum<34>;      ///< in units of 2^-1074
  using Squares = LimbSum<67>;  ///< in units of 2^-2148

  /// Adds a rare value, or takes it back.
  void add(double value, bool takes_away) noexcept;
  void merge(const RareDoubles& other) noexcept;
  bool empty() const noexcept;
  /// True when a NaN or an infinity was taken back that was never added.
  bool lacks_base() const noexcept { return nan_ < 0 || positive_ < 0 || negative_ < 0; }

  int64_t nan_count() const noexcept { return nan_; }
  int64_t positive_infinities() const noexcept { return positive_; }
  int64_t negative_infinities() const noexcept { return negative_; }
  const Sum& sum() const noexcept { return sum_; }
  const Squares& squares() const noexcept { return squares_; }

  /// Equal content gives equal bytes.
  void encode(std::string& out) const;
  /// False when the bytes are malformed.
  bool decode(ByteReader& in);
  size_t memory_bytes() const noexcept { return sizeof *this; }

 private:
  int64_t nan_ = 0;
  int64_t positive_ = 0;
  int64_t negative_ = 0;
  Sum sum_;
  Squares squares_;
};

}  // namespace tidemark::core
