// SPDX-License-Identifier: Apache-2.0
//
// Text and division of 256-bit integers through Boost.Multiprecision: results only, never per row.
// Pure functions.
#include "core/base/int256.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <string_view>

namespace tidemark::core {
namespace {

using Wide = boost::multiprecision::cpp_int;

Wide to_wide(const Int256& value) {
  Int256 magnitude = value;
  if (value.is_negative()) sub_overflow(Int256(), value, magnitude);  // the minimum keeps its bits: 2^255
  Wide out = 0;
  for (size_t i = 4; i > 0; --i) out = (out << 64) + magnitude.limb[i - 1];
  return value.is_negative() ? Wide(-out) : out;
}

bool from_wide(const Wide& value, Int256& out) {
  const Wide limit = Wide(1) << 255;
  if (value >= limit || value < -limit) return false;
  Wide bits = value < 0 ? Wide(value + (Wide(1) << 256)) : value;
  for (uint64_t& limb : out.limb) {
    limb = static_cast<uint64_t>(bits & ~uint64_t{0});
    bits >>= 64;
  }
  return true;
}

Wide power_of_ten(unsigned exponent) {
  Wide out = 1;
  for (unsigned i = 0; i < exponent; ++i) out *= 10;
  return out;
}

}  // namespace

std::string to_decimal_text(const Int256& value, unsigned scale) {
  std::string digits;
  const Wide wide = to_wide(value);
  digits = Wide(boost::multiprecision::abs(wide)).str();
  if (scale > 0) {
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, ".");
  }
  return value.is_negative() ? "-" + digits : digits;
}

bool scaled_divide(const Int256& value, unsigned extra, uint64_t divisor, Int256& out) {
  const Wide numerator = to_wide(value) * power_of_ten(extra);
  const Wide magnitude = boost::multiprecision::abs(numerator);
  Wide quotient = (2 * magnitude + divisor) / (2 * Wide(divisor));
  if (numerator < 0) quotient = -quotient;
  return from_wide(quotient, out);
}

bool parse_decimal(std::string_view text, unsigned scale, Int256& out) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  Wide value = 0;
  unsigned fraction = 0;
  bool point = false;
  bool digits = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return false;
    digits = true;
    if (point && ++fraction > scale) return false;
    value = value * 10 + (c - '0');
  }
  if (!digits) return false;
  value *= power_of_ten(scale - fraction);
  return from_wide(negative ? Wide(-value) : value, out);
}

}  // namespace tidemark::core
