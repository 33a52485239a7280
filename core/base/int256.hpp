// SPDX-License-Identifier: Apache-2.0
//
// Int256: signed 256-bit integer, little-endian limbs, two's complement; what exact sums are kept in. Addition
// and subtraction report overflow instead of wrapping (also where partial sums merge); division and decimal text
// go through Boost.Multiprecision. Trivially copyable: it stands in accumulators and pages as 32 bytes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/int128.hpp"

namespace tidemark::core {

struct Int256 {
  std::array<uint64_t, 4> limb{};

  constexpr Int256() = default;
  constexpr Int256(int64_t value)  // NOLINT(google-explicit-constructor)
      : limb{static_cast<uint64_t>(value), fill(value < 0), fill(value < 0), fill(value < 0)} {}
  static constexpr Int256 from_u64(uint64_t value) noexcept {
    Int256 out;
    out.limb[0] = value;
    return out;
  }
  static constexpr Int256 from_i128(Int128 value) noexcept {
    Int256 out;
    const auto bits = static_cast<UInt128>(value);
    out.limb = {static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64), fill(value < 0), fill(value < 0)};
    return out;
  }

  constexpr bool is_negative() const noexcept { return limb[3] >> 63 != 0; }
  constexpr bool is_zero() const noexcept { return (limb[0] | limb[1] | limb[2] | limb[3]) == 0; }
  constexpr bool operator==(const Int256&) const = default;
  constexpr std::strong_ordering operator<=>(const Int256& other) const noexcept {
    if (is_negative() != other.is_negative()) {
      return is_negative() ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    for (int i = 3; i >= 0; --i) {
      const auto at = static_cast<size_t>(i);
      if (limb[at] != other.limb[at]) {
        return limb[at] < other.limb[at] ? std::strong_ordering::less : std::strong_ordering::greater;
      }
    }
    return std::strong_ordering::equal;
  }

 private:
  static constexpr uint64_t fill(bool negative) noexcept { return negative ? ~uint64_t{0} : 0; }
};

/// out = a + b; true when it overflowed (out is then wrapped). `out` may alias.
constexpr bool add_overflow(const Int256& a, const Int256& b, Int256& out) noexcept {
  const bool same_sign = a.is_negative() == b.is_negative();
  const bool negative = a.is_negative();
  UInt128 carry = 0;
  for (size_t i = 0; i < 4; ++i) {
    carry += static_cast<UInt128>(a.limb[i]) + b.limb[i];
    out.limb[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return same_sign && out.is_negative() != negative;
}

/// out = a - b; true when it overflowed.
constexpr bool sub_overflow(const Int256& a, const Int256& b, Int256& out) noexcept {
  const bool different_sign = a.is_negative() != b.is_negative();
  const bool negative = a.is_negative();
  uint64_t borrow = 0;
  for (size_t i = 0; i < 4; ++i) {
    const UInt128 difference = static_cast<UInt128>(a.limb[i]) - b.limb[i] - borrow;
    out.limb[i] = static_cast<uint64_t>(difference);
    borrow = static_cast<uint64_t>(difference >> 64) & 1;
  }
  return different_sign && out.is_negative() != negative;
}

/// Decimal text of value / 10^scale: "-12.3400" for (-123400, 4); all digits of the scale are kept.
std::string to_decimal_text(const Int256& value, unsigned scale);

/// value * 10^extra / divisor, rounded half away from zero (MySQL's AVG); divisor > 0. False on overflow.
bool scaled_divide(const Int256& value, unsigned extra, uint64_t divisor, Int256& out);

/// Parses "[-]digits[.digits]" to an integer scaled by 10^scale; false when malformed, too precise or too large.
bool parse_decimal(std::string_view text, unsigned scale, Int256& out);

}  // namespace tidemark::core
