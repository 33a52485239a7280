// SPDX-License-Identifier: Apache-2.0
//
// Values of variable size: multisets (exact distinct counts, extremes that rows can be taken back from, frequencies,
// joined texts, first and last, quantiles), single texts in append mode, registers of distinct counts, sums of
// doubles out of the common range. A row owns its objects through pointers (owned_object.hpp). Any thread; no state
// of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"
#include "core/window/accumulator_slots.hpp"

namespace tidemark::core {

/// Applies the rows; returns by how many bytes the rows' objects grew or shrank.
int64_t update_values(const ValueSlot& slot, const UpdateInput& input);
/// Merges the object of `from` into that of `into`; returns the growth in bytes.
int64_t merge_values(const ValueSlot& slot, std::byte* into, const std::byte* from);
/// Frees the object; the pointer becomes null.
void destroy_values(const ValueSlot& slot, std::byte* row);
size_t value_bytes(const ValueSlot& slot, const std::byte* row);
/// True when something was taken back that was never added.
bool values_lack_base(const ValueSlot& slot, const std::byte* row);

/// Canonical bytes: equal content, equal bytes.
void encode_values(const ValueSlot& slot, const std::byte* row, std::string& out);
/// The row's pointer must be null. False when malformed (the row then still owns what was read).
bool decode_values(const ValueSlot& slot, ByteReader& in, std::byte* row);

int64_t distinct_values(const ValueSlot& slot, const std::byte* row);
/// About how many different values a registers slot has seen.
int64_t estimated_values(const ValueSlot& slot, const std::byte* row);
/// The smallest or largest value: ordered number of narrow columns, else its bytes (wide: ordered; timed: with its
/// event time in front). None = NULL.
std::optional<uint64_t> extreme_number(const ValueSlot& slot, const std::byte* row, bool largest);
std::optional<std::string_view> extreme_bytes(const ValueSlot& slot, const std::byte* row, bool largest);

}  // namespace tidemark::core
