// SPDX-License-Identifier: Apache-2.0
//
// Tables of column widths and names. Pure functions.
#include "core/batch/column_type.hpp"

namespace tidemark::core {

uint32_t value_width(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::boolean:
    case ColumnType::int8:
    case ColumnType::uint8:
      return 1;
    case ColumnType::int16:
    case ColumnType::uint16:
      return 2;
    case ColumnType::int32:
    case ColumnType::uint32:
    case ColumnType::float32:
    case ColumnType::date:
      return 4;
    case ColumnType::decimal128:
      return 16;
    case ColumnType::decimal256:
      return 32;
    case ColumnType::int64:
    case ColumnType::uint64:
    case ColumnType::float64:
    case ColumnType::decimal64:
    case ColumnType::time:
    case ColumnType::timestamp:
    case ColumnType::datetime:
    case ColumnType::text:
    case ColumnType::bytes:
    case ColumnType::json:
      return 8;
  }
  return 8;
}

std::string_view type_name(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::boolean:
      return "bool";
    case ColumnType::int8:
      return "int8";
    case ColumnType::int16:
      return "int16";
    case ColumnType::int32:
      return "int32";
    case ColumnType::int64:
      return "int64";
    case ColumnType::uint8:
      return "uint8";
    case ColumnType::uint16:
      return "uint16";
    case ColumnType::uint32:
      return "uint32";
    case ColumnType::uint64:
      return "uint64";
    case ColumnType::float32:
      return "float32";
    case ColumnType::float64:
      return "float64";
    case ColumnType::decimal64:
    case ColumnType::decimal128:
    case ColumnType::decimal256:
      return "decimal";
    case ColumnType::date:
      return "date";
    case ColumnType::time:
      return "time";
    case ColumnType::timestamp:
      return "timestamp";
    case ColumnType::datetime:
      return "datetime";
    case ColumnType::text:
      return "text";
    case ColumnType::bytes:
      return "bytes";
    case ColumnType::json:
      return "json";
  }
  return "?";
}

std::string type_text(const ColumnInfo& column) {
  std::string out(type_name(column.type));
  if (is_decimal(column.type)) {
    out += "(" + std::to_string(column.precision) + "," + std::to_string(column.scale) + ")";
  }
  return out;
}

int Schema::find(std::string_view name) const noexcept {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace tidemark::core
