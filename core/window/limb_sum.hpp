// SPDX-License-Identifier: Apache-2.0
//
// LimbSum: a signed fixed-point sum of 64-bit limbs, two's complement, least significant first. Widths are chosen so
// that 2^63 rows cannot overflow them; whether a result fits is decided once, on the final sum, and not by the order
// in which rows or partial sums meet: the same answer at every parallelism, and a retraction undoes an excess.
// Trivially copyable: it stands in accumulator rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/int128.hpp"
#include "core/base/int256.hpp"

namespace tidemark::core {

template <size_t kLimbs>
struct LimbSum {
  std::array<uint64_t, kLimbs> limb{};

  static constexpr LimbSum of(const Int256& value) noexcept requires(kLimbs >= 4) {
    LimbSum out;
    for (size_t i = 0; i < kLimbs; ++i) out.limb[i] = i < 4 ? value.limb[i] : value.is_negative() ? ~uint64_t{0} : 0;
    return out;
  }
  static constexpr LimbSum of(Int128 value) noexcept {
    LimbSum out;
    const auto bits = static_cast<UInt128>(value);
    for (size_t i = 0; i < kLimbs; ++i) {
      out.limb[i] = i < 2 ? static_cast<uint64_t>(bits >> (64 * i)) : value < 0 ? ~uint64_t{0} : 0;
    }
    return out;
  }
  constexpr void add(const LimbSum& other) noexcept {
    UInt128 carry = 0;
    for (size_t i = 0; i < kLimbs; ++i) {
      carry += static_cast<UInt128>(limb[i]) + other.limb[i];
      limb[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  constexpr void subtract(const LimbSum& other) noexcept {
    UInt128 carry = 1;  // two's complement: a + ~b + 1
    for (size_t i = 0; i < kLimbs; ++i) {
      carry += static_cast<UInt128>(limb[i]) + ~other.limb[i];
      limb[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  /// Adds or subtracts magnitude * 2^shift.
  constexpr void add_at(UInt128 magnitude, size_t shift, bool subtracts) noexcept {
    const size_t first = shift / 64;
    const size_t bits = shift % 64;
    const auto low = static_cast<uint64_t>(magnitude);
    const auto high = static_cast<uint64_t>(magnitude >> 64);
    const std::array<uint64_t, 3> part = {low << bits, bits == 0 ? high : high << bits | low >> (64 - bits),
                                          bits == 0 ? 0 : high >> (64 - bits)};
    UInt128 carry = subtracts ? 1 : 0;
    for (size_t i = first; i < kLimbs; ++i) {
      const uint64_t value = i - first < part.size() ? part[i - first] : 0;
      carry += static_cast<UInt128>(limb[i]) + (subtracts ? ~value : value);
      limb[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  constexpr bool is_negative() const noexcept { return limb[kLimbs - 1] >> 63 != 0; }
  constexpr bool is_zero() const noexcept {
    return std::all_of(limb.begin(), limb.end(), [](uint64_t part) { return part == 0; });
  }
  /// False when the sum does not fit 256 bits.
  constexpr bool to_int256(Int256& out) const noexcept requires(kLimbs >= 4) {
    for (size_t i = 0; i < 4; ++i) out.limb[i] = limb[i];
    const uint64_t fill = out.is_negative() ? ~uint64_t{0} : 0;
    return std::all_of(limb.begin() + 4, limb.end(), [fill](uint64_t part) { return part == fill; });
  }
};

/// Of decimals of up to 76 digits.
using WideSum = LimbSum<5>;

/// Of squares: of values of up to 64 bits, and of decimals of up to 76 digits.
using NarrowSquares = LimbSum<3>;
using WideSquares = LimbSum<9>;

}  // namespace tidemark::core
