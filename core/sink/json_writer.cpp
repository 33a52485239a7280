// SPDX-License-Identifier: Apache-2.0
//
// Rows as lines of JSON; see the header.
#include "core/sink/json_writer.hpp"

#include "core/batch/json_text.hpp"

namespace tidemark::core {

JsonWriter::JsonWriter(const BatchLayout& layout) {
  for (const ColumnInfo& column : layout.columns) {
    std::string name = names_.empty() ? "{" : ",";
    append_json_string(column.name, name);
    names_.push_back(name + ":");
  }
}

void JsonWriter::append_row(const Batch& rows, uint32_t row, std::string& out) const {
  if (names_.empty()) out.push_back('{');
  for (size_t column = 0; column < names_.size(); ++column) {
    out += names_[column];
    append_json_cell(rows, column, row, out);
  }
  out += "}\n";
}

}  // namespace tidemark::core
