// SPDX-License-Identifier: Apache-2.0
//
// Quotients and roots are worked out as integers of more bits than a DOUBLE has, with a note whether anything was cut
// off; then rounded.
#include "core/window/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tidemark::core {
namespace {

namespace mp = boost::multiprecision;

constexpr int kDigits = 53;
constexpr int kSmallestExponent = -1074;

int bit_length(UInt128 value) noexcept {
  const auto high = static_cast<uint64_t>(value >> 64);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(value)));
}

int bit_length(const BigInt& value) {
  return value.is_zero() ? 0 : static_cast<int>(mp::msb(value)) + 1;
}

/// floor(numerator * 2^shift / denominator); tells whether it was cut.
BigInt shifted_quotient(BigInt numerator, BigInt denominator, int shift, bool& cut) {
  if (shift >= 0) {
    numerator <<= shift;
  } else {
    denominator <<= -shift;
  }
  BigInt quotient;
  BigInt rest;
  mp::divide_qr(numerator, denominator, quotient, rest);
  cut = !rest.is_zero();
  return quotient;
}

UInt128 to_u128(const BigInt& value) {
  const auto low = static_cast<uint64_t>(value & ~uint64_t{0});
  return static_cast<UInt128>(static_cast<uint64_t>(value >> 64)) << 64 | low;
}

}  // namespace

BigInt big_of(std::span<const uint64_t> limbs) {
  const bool negative = !limbs.empty() && limbs.back() >> 63 != 0;
  while (!limbs.empty() && limbs.back() == (negative ? ~uint64_t{0} : 0)) limbs = limbs.first(limbs.size() - 1);
  if (limbs.empty()) return negative ? -1 : 0;
  BigInt out;
  mp::import_bits(out, limbs.begin(), limbs.end(), 64, false);
  if (negative) out -= BigInt(1) << (64 * limbs.size());
  return out;
}

BigInt big_of(std::span<const uint64_t> limbs, unsigned shift) {
  return big_of(limbs) << shift;
}

double round_to_double(UInt128 magnitude, int exponent, bool inexact) {
  const int drop = std::max(bit_length(magnitude) - kDigits, kSmallestExponent - exponent);
  if (drop <= 0) return std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude)), exponent);
  if (drop > 128) return 0;  // less than half of the smallest
  const UInt128 half = static_cast<UInt128>(1) << (drop - 1);
  const UInt128 rest = magnitude & (half - 1 + half);
  auto kept = drop == 128 ? 0 : static_cast<uint64_t>(magnitude >> drop);
  if (rest > half || (rest == half && (inexact || (kept & 1) != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), exponent + drop);
}

double round_limbs(std::span<const uint64_t> limbs, int exponent) {
  const bool negative = !limbs.empty() && limbs.back() >> 63 != 0;
  size_t top = limbs.size();
  while (top > 0 && limbs[top - 1] == (negative ? ~uint64_t{0} : 0)) --top;
  if (top == 0) return negative ? -std::ldexp(1.0, exponent) : 0.0;
  if (negative || top > 2) {  // the two highest limbs of a magnitude may hold less than it takes
    return round_ratio(big_of(limbs.first(std::min(top + 1, limbs.size()))), 1, exponent);
  }
  const UInt128 high = top > 1 ? limbs[1] : 0;
  return round_to_double(high << 64 | limbs[0], exponent, false);
}

double round_ratio(const BigInt& numerator, const BigInt& denominator, int exponent) {
  if (numerator.is_zero()) return 0;
  const BigInt magnitude = mp::abs(numerator);
  const int shift = 2 + 64 - (bit_length(magnitude) - bit_length(denominator));  // a quotient of 66 or 67 bits
  bool cut = false;
  const BigInt quotient = shifted_quotient(magnitude, denominator, shift, cut);
  const double value = round_to_double(to_u128(quotient), exponent - shift, cut);
  return numerator < 0 ? -value : value;
}

double round_root(const BigInt& numerator, const BigInt& denominator, int exponent) {
  if (numerator.is_zero()) return 0;
  int shift = 130 - (bit_length(numerator) - bit_length(denominator));  // a root of 65 or 66 bits
  if ((exponent - shift) % 2 != 0) ++shift;
  bool cut = false;
  const BigInt quotient = shifted_quotient(numerator, denominator, shift, cut);
  BigInt rest;
  const BigInt root = mp::sqrt(quotient, rest);
  return round_to_double(to_u128(root), (exponent - shift) / 2, cut || !rest.is_zero());
}

}  // namespace tidemark::core
