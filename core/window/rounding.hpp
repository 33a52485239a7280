// SPDX-License-Identifier: Apache-2.0
//
// Exact numbers to DOUBLE, rounded once: to the nearest, ties to the even one, subnormals included. What is beyond
// the range becomes an infinity, for the caller to report. Integer arithmetic throughout, so that every machine gives
// the same bits. Runs when results are written. Pure functions.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <span>

#include "core/base/int128.hpp"

namespace tidemark::core {

using BigInt = boost::multiprecision::cpp_int;

/// The value of two's complement limbs, least significant first.
BigInt big_of(std::span<const uint64_t> limbs);
/// The same * 2^shift.
BigInt big_of(std::span<const uint64_t> limbs, unsigned shift);

/// magnitude * 2^exponent. `inexact`: the true value is a little larger; then magnitude has at least 55 bits.
double round_to_double(UInt128 magnitude, int exponent, bool inexact);
/// Two's complement limbs * 2^exponent.
double round_limbs(std::span<const uint64_t> limbs, int exponent);
/// numerator / denominator * 2^exponent; denominator > 0.
double round_ratio(const BigInt& numerator, const BigInt& denominator, int exponent);
/// The square root of numerator / denominator * 2^exponent; numerator >= 0, denominator > 0.
double round_root(const BigInt& numerator, const BigInt& denominator, int exponent);

}  // namespace tidemark::core
