// SPDX-License-Identifier: Apache-2.0
// Numbers in JSON text as MySQL's server spells them: integers; doubles with the fewest digits that read back, always
// with a fraction or an exponent (1.0, 1e308); packed decimals with every digit.
// Each writes to `to` and gives the end of what it wrote. Any thread; no state.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace tidemark::binlog {

inline constexpr size_t kJsonNumberMax = 64;   ///< bytes that an integer or double may write over
inline constexpr size_t kJsonDecimalMax = 80;  ///< a decimal

/// Eight decimal digits of a number below 10^8, one per byte, the first in the low byte: two numbers of four digits,
/// then four of two, then eight of one are divided at once.
inline uint64_t eight_digits(uint32_t number) {
  const uint64_t fours = uint64_t{number / 10'000} | uint64_t{number % 10'000} << 32;
  const uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000007f0000007f;
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
  return tens | (twos - 10 * tens) << 8;
}

/// Without branches for numbers of up to eight digits: in documents they come in any length.
template <class Integer>
char* write_json_integer(Integer number, char* to) {
  constexpr uint64_t kEightDigits = 100'000'000;
  uint64_t size = static_cast<uint64_t>(number);
  bool negative = false;
  if constexpr (std::is_signed_v<Integer>) {
    negative = number < 0;
    size = negative ? 0 - size : size;
  }
  if (size >= kEightDigits) return std::to_chars(to, to + kJsonNumberMax, number).ptr;
  *to = '-';
  to += negative ? 1 : 0;
  const uint64_t digits = eight_digits(static_cast<uint32_t>(size));
  const auto zeros = static_cast<uint32_t>(std::countr_zero(digits | uint64_t{1} << 56)) / 8;  // leading; 7 at most
  const uint64_t text = (digits | 0x3030303030303030) >> 8 * zeros;
  std::memcpy(to, &text, sizeof text);
  return to + 8 - zeros;
}
static_assert(std::endian::native == std::endian::little, "eight_digits() gives digits in the order of memory");

/// `number` in `width` digits.
inline char* write_padded(char* to, uint32_t number, uint32_t width) {
  for (uint32_t i = width; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + width;
}

/// A finite number.
char* write_json_double(double number, char* to);

/// Precision, scale, packed digits; nullptr = not a decimal.
char* write_json_decimal(std::string_view bytes, char* to);

}  // namespace tidemark::binlog
