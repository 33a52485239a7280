// SPDX-License-Identifier: Apache-2.0
//
// Decimals as the ABI stores them: integers scaled by 10^scale of 64, 128 or 256 bits, little-endian two's
// complement. A Wide holds the magnitude of any of them. Nothing rounds: digits that do not fit are refused.
// Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tidemark {
inline namespace v1 {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// A decimal's integer of `value` units of 10^-scale: Unscaled{12345} in a column of scale 2 is 123.45.
struct Unscaled {
  int128 value = 0;
};

namespace detail {

/// 10^n for n <= 38.
constexpr uint128 power_of_ten(uint32_t n) noexcept {
  uint128 out = 1;
  while (n-- > 0) out *= 10;
  return out;
}
inline constexpr auto kPowersOfTen = [] {
  std::array<uint128, 39> out{};
  for (uint32_t n = 0; n < out.size(); ++n) out[n] = power_of_ten(n);
  return out;
}();

/// An unsigned 256-bit number; enough for 77 digits.
struct Wide {
  std::array<uint64_t, 4> limbs{};

  static Wide of(uint128 value) noexcept {
    return {{static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64), 0, 0}};
  }
  void times_ten_plus(uint32_t digit) noexcept {
    uint128 carry = digit;
    for (uint64_t& limb : limbs) {
      carry += uint128{limb} * 10;
      limb = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  void negate() noexcept {
    uint64_t carry = 1;
    for (uint64_t& limb : limbs) {
      limb = ~limb + carry;
      carry = carry != 0 && limb == 0 ? 1 : 0;
    }
  }
};

/// A decimal that text gave, as units of 10^-scale.
struct ParsedDecimal {
  bool ok = false;
  bool negative = false;
  uint32_t digits = 0;  ///< significant digits of `magnitude`
  Wide magnitude;
};

/// Reads "-123.45" exactly at `scale`; not ok when it is no number, or has more fraction digits than fit.
inline ParsedDecimal parse_decimal(std::string_view text, uint32_t scale) noexcept {
  ParsedDecimal out;
  size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) out.negative = text[at++] == '-';
  bool any = false, point = false;
  uint32_t fraction = 0;
  const auto push = [&out](uint32_t digit) {
    if (out.digits > 0 || digit > 0) ++out.digits;
    if (out.digits <= 76) out.magnitude.times_ten_plus(digit);
  };
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return out;
    any = true;
    if (point && fraction == scale) {
      if (c != '0') return out;
      continue;
    }
    if (point) ++fraction;
    push(static_cast<uint32_t>(c - '0'));
  }
  for (; fraction < scale; ++fraction) push(0);
  out.ok = any;
  return out;
}

}  // namespace detail
}  // namespace v1
}  // namespace tidemark
