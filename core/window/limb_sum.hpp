// SPDX-License-Identifier: Apache-2.0
//
// WideSum: a 320-bit signed sum of decimals of up to 76 digits. It cannot overflow before 2^63 rows, so whether a
// result fits is decided once, on the final sum, and not by the order in which rows or partial sums meet: the
// same answer at every parallelism, and a retraction undoes an excess. Trivially copyable, 40 bytes.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/int256.hpp"

namespace tidemark::core {

struct WideSum {
  std::array<uint64_t, 5> limb{};

  static constexpr WideSum of(const Int256& value) noexcept {
    WideSum out;
    for (size_t i = 0; i < 4; ++i) out.limb[i] = value.limb[i];
    out.limb[4] = value.is_negative() ? ~uint64_t{0} : 0;
    return out;
  }
  constexpr void add(const WideSum& other) noexcept {
    UInt128 carry = 0;
    for (size_t i = 0; i < 5; ++i) {
      carry += static_cast<UInt128>(limb[i]) + other.limb[i];
      limb[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  constexpr void subtract(const WideSum& other) noexcept {
    UInt128 carry = 1;  // two's complement: a + ~b + 1
    for (size_t i = 0; i < 5; ++i) {
      carry += static_cast<UInt128>(limb[i]) + ~other.limb[i];
      limb[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  /// False when the sum does not fit 256 bits.
  constexpr bool to_int256(Int256& out) const noexcept {
    for (size_t i = 0; i < 4; ++i) out.limb[i] = limb[i];
    return limb[4] == (out.is_negative() ? ~uint64_t{0} : 0);
  }
};

}  // namespace tidemark::core
