// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the fixed-size families: weights, counts, sums, minima and maxima. "Narrow" columns hold up to 8
// bytes (sums in 128 bits, which 2^63 rows cannot overflow), "wide" ones are decimal128 and decimal256 (sums in
// 320 bits); floating ones have exact sums of their common values (exact_double.hpp). One call handles one column for
// all targets; the type is decided once per call. Any thread; no state.
#pragma once

#include "core/window/accumulator_slots.hpp"

namespace tidemark::core {

/// Adds the rows' weights at offset 0.
void update_weights(const UpdateInput& input);
/// Counts non-NULL values only (any type, also text).
void update_counts(const ArgumentSlots& slots, const UpdateInput& input);
void update_narrow(const ArgumentSlots& slots, const UpdateInput& input);
void update_wide(const ArgumentSlots& slots, const UpdateInput& input);
/// Sums and squares of floating columns' common values; their counts and extremes are update_narrow's.
void update_common(const ArgumentSlots& slots, const UpdateInput& input);
/// Squares of integers and decimals.
void update_squares(const ArgumentSlots& slots, const UpdateInput& input);
/// Counts what is not 0, in a boolean or integer column.
void update_truths(const ArgumentSlots& slots, const UpdateInput& input);

/// Writes the neutral values of the parts (all others are zero).
void init_fixed(const ArgumentSlots& slots, std::byte* row);
void merge_fixed(const ArgumentSlots& slots, std::byte* into, const std::byte* from);
/// True when values were taken back that were never added: counts below zero, or a sum although there is no value.
bool fixed_lacks_base(const ArgumentSlots& slots, const std::byte* row);

}  // namespace tidemark::core
