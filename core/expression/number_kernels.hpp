// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the functions of numbers, with MySQL's results. Doubles that would not be finite are failures; logarithms
// and roots outside their range are NULL.
// Pure functions over vectors; see kernel.hpp.
#pragma once

#include "core/expression/kernel.hpp"
#include "core/expression/value_type.hpp"

namespace tidemark::core {

enum class Rounding : uint8_t { half_away, down, floor, ceiling };

/// Of integer, decimal or floating.
Kernel absolute_kernel(ValueKind kind);
/// -1, 0 or 1 as an integer.
Kernel sign_kernel(ValueKind kind);

/// Integers: to multiples of 10^parameter.integer. Decimals: the last parameter.decimal digits go, and
/// parameter.integer zeros come behind the rest.
Kernel round_kernel(Rounding rounding, ValueKind kind);
/// Doubles: to parameter.integer digits behind the point (ties to even) or, negative, before it.
Kernel round_double_kernel(Rounding rounding);

// double -> double
void square_root_kernel(const Frame& frame, const Step& step);
void exponential_kernel(const Frame& frame, const Step& step);
void natural_logarithm_kernel(const Frame& frame, const Step& step);
void decimal_logarithm_kernel(const Frame& frame, const Step& step);
void binary_logarithm_kernel(const Frame& frame, const Step& step);
/// double, double -> double
void power_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
