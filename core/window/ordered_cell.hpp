// SPDX-License-Identifier: Apache-2.0
//
// From kept values back to cells: ordered numbers and bytes (ordered_value.hpp), and values with their event time in
// front, as first() and last() keep them. Runs when results are written. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.hpp"
#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// The ordered bytes of a valid cell: narrow ones in 8 bytes, wide ones in their width, texts as they are.
void append_ordered_cell(const Batch& batch, size_t column, uint32_t row, std::string& out);

/// Writes a narrow cell from its ordered number.
void put_ordered_number(Batch& out, uint32_t column, uint32_t row, uint64_t ordered);
/// Writes a wide or variable-width cell. Code::damage: bytes of a wrong size; Code::overflow: no room for a text.
Status put_ordered_bytes(Batch& out, uint32_t column, uint32_t row, std::string_view bytes);

/// Event time and value as bytes whose order is that of (time, value).
void make_timed_value(const Batch& batch, size_t column, uint32_t row, std::string& out);
/// Writes the value part of such bytes. Errors as put_ordered_bytes().
Status put_timed_value(Batch& out, uint32_t column, uint32_t row, std::string_view timed);

}  // namespace tidemark::core
