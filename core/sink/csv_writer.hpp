// SPDX-License-Identifier: Apache-2.0
//
// Rows as CSV (RFC 4180 quoting, lines end with LF): a header with the column names, then one line per row.
// NULL is an empty field and empty text is "", so that the two stay apart. Numbers have all their digits,
// unquoted. Stateless but for the layout; one thread.
#pragma once

#include <string>
#include <string_view>

#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Appends one field, quoted where it must be.
void append_csv_field(std::string_view text, std::string& out);

void append_csv_header(const BatchLayout& layout, std::string& out);
void append_csv_row(const Batch& rows, uint32_t row, std::string& out);

}  // namespace tidemark::core
