// SPDX-License-Identifier: Apache-2.0
//
// Decimals of up to 38 digits in Int128: multiplication, division and rescaling that round half away from zero and
// report what does not fit, and their texts. Products and quotients that outgrow 128 bits on the way go through wider
// integers, without allocation. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/int128.hpp"

namespace tidemark::core {

/// 10^exponent, for exponents up to 38.
Int128 power_of_ten(unsigned exponent) noexcept;

/// a * b / 10^drop (drop <= 60); false when it does not fit.
bool multiply_decimals(Int128 a, Int128 b, unsigned drop, Int128& out) noexcept;

/// a * 10^raise / b (raise <= 60, b not 0); false when it does not fit.
bool divide_decimals(Int128 a, Int128 b, unsigned raise, Int128& out) noexcept;

/// value / divisor (> 0), rounded half away from zero.
Int128 divide_rounded(Int128 value, Int128 divisor) noexcept;

enum class NumberText : uint8_t { ok, malformed, too_large };

/// "[sign]digits[.digits][e[sign]digits]" with blanks around, scaled by 10^scale and rounded half away from zero.
NumberText parse_decimal128(std::string_view text, unsigned scale, Int128& out) noexcept;

using NumberBuffer = std::array<char, 64>;
/// All digits of the scale: 12.3400.
std::string_view format_decimal128(Int128 value, unsigned scale, NumberBuffer& buffer) noexcept;

}  // namespace tidemark::core
