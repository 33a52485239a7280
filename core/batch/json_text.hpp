// SPDX-License-Identifier: Apache-2.0
//
// Cells and strings as JSON values, the same wherever JSON is written (sinks, aggregates, reports):
//   NULL null; bool true/false; floats numbers (NaN and infinities: strings, JSON has no such numbers)
//   integers, and decimals of scale 0 (sums of integers): numbers within +-2^53, strings beyond, since readers
//   with doubles would round them
//   decimals with digits after the point: strings, always
//   dates, times, text, bytes (hex) and JSON columns: strings
// Invalid UTF-8 becomes U+FFFD, so that the text is always valid JSON. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string_view text, std::string& out);
/// Appends the cell as a JSON value.
void append_json_cell(const Batch& rows, size_t column, uint32_t row, std::string& out);

}  // namespace tidemark::core
