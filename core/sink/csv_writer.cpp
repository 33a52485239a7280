// SPDX-License-Identifier: Apache-2.0
//
// CSV text of rows.
#include "core/sink/csv_writer.hpp"

#include "core/batch/cell_text.hpp"

namespace tidemark::core {

void append_csv_field(std::string_view text, std::string& out) {
  if (!text.empty() && text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

void append_csv_header(const BatchLayout& layout, std::string& out) {
  for (size_t column = 0; column < layout.columns.size(); ++column) {
    if (column > 0) out.push_back(',');
    append_csv_field(layout.columns[column].name, out);
  }
  out.push_back('\n');
}

void append_csv_row(const Batch& rows, uint32_t row, std::string& out) {
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    if (column > 0) out.push_back(',');
    if (!rows.column(column).is_valid(row)) continue;
    if (is_variable_width(rows.layout().columns[column].type)) {
      std::string text;
      append_cell_text(rows, column, row, text);
      append_csv_field(text, out);
    } else {
      append_cell_text(rows, column, row, out);
    }
  }
  out.push_back('\n');
}

}  // namespace tidemark::core
