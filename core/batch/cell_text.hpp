// SPDX-License-Identifier: Apache-2.0
//
// Cells of a batch as text, by type: what sinks print and what late rows show. The same value has one text on
// every machine (no locale, no machine time zone). NULL is the caller's business. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/int256.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Appends the text of a valid cell (not NULL):
///   boolean    true, false
///   integers   decimal digits
///   floats     shortest text that reads back as the same value; NaN, Infinity, -Infinity
///   decimals   all digits of the scale: 12.3400
///   date       2026-03-29; beyond the range of event time: the day number
///   time       -838:59:59, with .mmm or .uuuuuu where it is not zero
///   timestamp  2026-03-29T00:00:00Z (RFC 3339), fraction as for time
///   datetime   the same without the Z: it has no zone
///   text, json as it is
///   bytes      lowercase hexadecimal digits
void append_cell_text(const Batch& batch, size_t column, uint32_t row, std::string& out);

/// The integer behind an integer or decimal cell (decimals: scaled by 10^scale).
Int256 integer_cell(const Batch& batch, size_t column, uint32_t row);

}  // namespace tidemark::core
