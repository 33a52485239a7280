// SPDX-License-Identifier: Apache-2.0
//
// JSON text of cells and strings; see the header.
#include "core/batch/json_text.hpp"

#include <cmath>

#include "core/batch/cell_text.hpp"

namespace tidemark::core {
namespace {

constexpr int64_t kExactInDouble = int64_t{1} << 53;

/// Bytes of the UTF-8 sequence at the head of `text`; 0 when it is not valid (overlong and surrogates included).
size_t utf8_sequence(std::string_view text) noexcept {
  const auto at = [text](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const auto follows = [&at](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return follows(1) ? 2 : 0;
  if (first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && at(1) < 0xa0) return 0;
    return first == 0xed && at(1) >= 0xa0 ? 0 : 3;
  }
  if (first > 0xf4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  return first == 0xf4 && at(1) >= 0x90 ? 0 : 4;
}

bool is_plain(char c) noexcept {
  return static_cast<uint8_t>(c) >= 0x20 && static_cast<uint8_t>(c) < 0x80 && c != '"' && c != '\\';
}

void append_escaped(char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out.push_back(kHex[static_cast<uint8_t>(c) >> 4]);
      out.push_back(kHex[c & 15]);
  }
}

void append_quoted_cell(const Batch& rows, size_t column, uint32_t row, std::string& out) {
  out.push_back('"');
  append_cell_text(rows, column, row, out);
  out.push_back('"');
}

bool is_exact_integer(const Batch& rows, size_t column, uint32_t row) {
  const Int256 value = integer_cell(rows, column, row);
  return value >= Int256(-kExactInDouble) && value <= Int256(kExactInDouble);
}

bool is_finite(const Batch& rows, size_t column, uint32_t row, ColumnType type) {
  return type == ColumnType::float32 ? std::isfinite(rows.column(column).as<float>()[row])
                                     : std::isfinite(rows.column(column).as<double>()[row]);
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out.push_back('"');
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<uint8_t>(text[0]) < 0x80) {
      append_escaped(text[0], out);
      text.remove_prefix(1);
      continue;
    }
    const size_t size = utf8_sequence(text);
    out += size > 0 ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(size > 0 ? size : 1);
  }
  out.push_back('"');
}

void append_json_cell(const Batch& rows, size_t column, uint32_t row, std::string& out) {
  const ColumnInfo& info = rows.layout().columns[column];
  if (!rows.column(column).is_valid(row)) {
    out += "null";
    return;
  }
  if (info.type == ColumnType::text || info.type == ColumnType::json) {
    append_json_string(rows.bytes_at(column, row), out);
    return;
  }
  bool bare = info.type == ColumnType::boolean;
  if (is_floating(info.type)) bare = is_finite(rows, column, row, info.type);
  const bool whole = is_integer(info.type) || (is_decimal(info.type) && info.scale == 0);
  if (whole) bare = is_exact_integer(rows, column, row);
  if (bare) {
    append_cell_text(rows, column, row, out);
  } else {
    append_quoted_cell(rows, column, row, out);  // digits, dates and hex need no escaping
  }
}

}  // namespace tidemark::core
