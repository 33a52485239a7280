// SPDX-License-Identifier: Apache-2.0
//
// Table layout. Widths count code points, which fits all but double-width scripts.
#include "core/sink/table_writer.hpp"

#include <algorithm>

#include "core/batch/cell_text.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kRowsPerHeader = 40;
constexpr size_t kCellWidthMax = 60;  // longer text is cut for display

size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string displayable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const bool starts = (byte & 0xc0) != 0x80;
    if (starts && ++width > kCellWidthMax) return out + "…";
    if (byte < 0x20 || byte == 0x7f) {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\x";
      if (c != '\n' && c != '\t') out += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

TableWriter::TableWriter(const BatchLayout& layout) {
  for (const ColumnInfo& column : layout.columns) {
    names_.push_back(displayable(column.name));
    right_.push_back(is_integer(column.type) || is_decimal(column.type) || is_floating(column.type));
    widths_.push_back(width_of(names_.back()));
  }
}

void TableWriter::add(const Batch& rows, uint32_t row) {
  Cells cells(names_.size());
  for (size_t column = 0; column < cells.size(); ++column) {
    std::string text = "NULL";
    if (rows.column(column).is_valid(row)) {
      text.clear();
      append_cell_text(rows, column, row, text);
    }
    cells[column] = displayable(text);
    if (const size_t width = width_of(cells[column]); width > widths_[column]) {
      widths_[column] = width;
      header_due_ = true;
    }
  }
  block_.push_back(std::move(cells));
}

void TableWriter::append_line(const Cells& cells, std::string& out) const {
  for (size_t column = 0; column < cells.size(); ++column) {
    if (column > 0) out += "  ";
    const std::string padding(widths_[column] - std::min(widths_[column], width_of(cells[column])), ' ');
    if (right_[column]) out += padding;
    out += cells[column];
    if (!right_[column] && column + 1 < cells.size()) out += padding;
  }
  out.push_back('\n');
}

void TableWriter::append_header(std::string& out) const {
  append_line(names_, out);
  for (size_t column = 0; column < widths_.size(); ++column) {
    if (column > 0) out += "  ";
    for (size_t i = 0; i < widths_[column]; ++i) out += "─";
  }
  out.push_back('\n');
}

void TableWriter::render(std::string& out) {
  for (const Cells& cells : block_) {
    if (header_due_ || rows_since_header_ >= kRowsPerHeader) {
      append_header(out);
      header_due_ = false;
      rows_since_header_ = 0;
    }
    append_line(cells, out);
    ++rows_since_header_;
  }
  block_.clear();
}

}  // namespace tidemark::core
