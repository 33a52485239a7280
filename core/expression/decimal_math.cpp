// SPDX-License-Identifier: Apache-2.0
//
// Fast paths in 128 bits; the rest in 512, which hold any product of what comes in.
#include "core/expression/decimal_math.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

namespace tidemark::core {
namespace {

using Wide = boost::multiprecision::int512_t;  // fixed width, no allocation

constexpr auto kPowers = [] {
  std::array<Int128, 39> out{};
  out[0] = 1;
  for (size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1] * 10;
  return out;
}();

UInt128 magnitude_of(Int128 value) noexcept {
  return value < 0 ? 0 - static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

bool negative_to(UInt128 magnitude, bool negative, Int128& out) noexcept {
  constexpr UInt128 kLimit = UInt128{1} << 127;
  if (magnitude >= kLimit) return false;  // the minimum itself is no decimal of 38 digits
  out = negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
  return true;
}

Wide to_wide(UInt128 value) {
  Wide out = static_cast<uint64_t>(value >> 64);
  return (out << 64) + static_cast<uint64_t>(value);
}

Wide wide_power(unsigned exponent) {
  Wide out = 1;
  for (; exponent >= 18; exponent -= 18) out *= uint64_t{1'000'000'000'000'000'000};
  return out * static_cast<uint64_t>(kPowers[exponent]);
}

// numerator / denominator rounded half up, both >= 0; false when it does not fit.
bool wide_quotient(const Wide& numerator, const Wide& denominator, bool negative, Int128& out) {
  const Wide quotient = (2 * numerator + denominator) / (2 * denominator);
  if ((quotient >> 127) != 0) return false;
  const auto high = static_cast<uint64_t>(Wide(quotient >> 64));
  const auto low = static_cast<uint64_t>(Wide(quotient & ~uint64_t{0}));
  return negative_to(static_cast<UInt128>(high) << 64 | low, negative, out);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The parts of a number's text; digits_left and digits_right may be empty, not both.
struct NumberParts {
  bool negative = false;
  std::string_view left;
  std::string_view right;
  int exponent = 0;
};

bool split_number(std::string_view text, NumberParts& out) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const auto take_digits = [&text] {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
  };
  out.left = take_digits();
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    out.right = take_digits();
  }
  if (out.left.empty() && out.right.empty()) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  const bool down = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::string_view digits = take_digits();
  if (digits.empty() || !text.empty()) return false;
  for (const char c : digits) out.exponent = std::min(out.exponent * 10 + (c - '0'), 100'000);
  if (down) out.exponent = -out.exponent;
  return true;
}

}  // namespace

Int128 power_of_ten(unsigned exponent) noexcept {
  return kPowers[std::min<size_t>(exponent, kPowers.size() - 1)];
}

bool multiply_decimals(Int128 a, Int128 b, unsigned drop, Int128& out) noexcept {
  if (drop == 0) return !__builtin_mul_overflow(a, b, &out);
  return wide_quotient(to_wide(magnitude_of(a)) * to_wide(magnitude_of(b)), wide_power(drop), (a < 0) != (b < 0), out);
}

bool divide_decimals(Int128 a, Int128 b, unsigned raise, Int128& out) noexcept {
  const UInt128 divisor = magnitude_of(b);
  UInt128 numerator = 0;
  if (raise <= 38 && divisor >> 126 == 0 &&
      !__builtin_mul_overflow(magnitude_of(a), static_cast<UInt128>(kPowers[raise]), &numerator)) {
    UInt128 quotient = numerator / divisor;
    const UInt128 rest = numerator % divisor;
    if (rest * 2 >= divisor) ++quotient;
    return negative_to(quotient, (a < 0) != (b < 0), out);
  }
  return wide_quotient(to_wide(magnitude_of(a)) * wide_power(raise), to_wide(divisor), (a < 0) != (b < 0), out);
}

Int128 divide_rounded(Int128 value, Int128 divisor) noexcept {
  const Int128 quotient = value / divisor;
  const Int128 rest = value % divisor;
  const Int128 magnitude = rest < 0 ? -rest : rest;
  if (magnitude < divisor - magnitude) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

NumberText parse_decimal128(std::string_view text, unsigned scale, Int128& out) noexcept {
  NumberParts parts;
  if (!split_number(text, parts)) return NumberText::malformed;
  // The number is left.right * 10^exponent: its digits down to the scale, and the one behind them.
  const int wanted = static_cast<int>(parts.left.size()) + parts.exponent + static_cast<int>(scale);
  const auto have = static_cast<int>(parts.left.size() + parts.right.size());
  const auto digit = [&parts](int index) {
    const auto at = static_cast<size_t>(index);
    return at < parts.left.size() ? parts.left[at] - '0' : parts.right[at - parts.left.size()] - '0';
  };
  UInt128 magnitude = 0;
  for (int i = 0; i < wanted; ++i) {
    if (magnitude == 0 && i >= have) break;  // nothing but zeros behind a zero
    if (magnitude >= static_cast<UInt128>(kPowers[37])) {
      return NumberText::too_large;
    }
    magnitude = magnitude * 10 + (i < have ? static_cast<UInt128>(digit(i)) : 0);
  }
  if (wanted >= 0 && wanted < have && digit(wanted) >= 5) ++magnitude;
  return negative_to(magnitude, parts.negative, out) ? NumberText::ok : NumberText::too_large;
}

std::string_view format_decimal128(Int128 value, unsigned scale, NumberBuffer& buffer) noexcept {
  size_t at = buffer.size();
  UInt128 rest = magnitude_of(value);
  for (unsigned digits = 0; rest != 0 || digits <= scale; ++digits) {
    if (digits == scale && scale > 0) buffer[--at] = '.';
    buffer[--at] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (value < 0) buffer[--at] = '-';
  return {buffer.data() + at, buffer.size() - at};
}

}  // namespace tidemark::core
