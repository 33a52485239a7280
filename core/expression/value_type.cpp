// SPDX-License-Identifier: Apache-2.0
//
// Tables of types: columns to values, widening, names.
#include "core/expression/value_type.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::core {

uint32_t value_bits(ValueKind kind) noexcept {
  switch (kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return 1;
    case ValueKind::decimal:
    case ValueKind::text:
      return 128;
    default:
      return 64;
  }
}

std::string describe(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::null:
      return "NULL";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::integer:
      return "integer";
    case ValueKind::decimal:
      return fmt::format("decimal({},{})", type.precision, type.scale);
    case ValueKind::floating:
      return "double";
    case ValueKind::text:
      return "text";
    case ValueKind::date:
      return "date";
    case ValueKind::datetime:
      return "datetime";
    case ValueKind::timestamp:
      return "timestamp";
  }
  return "";
}

std::optional<ValueType> value_type_of(const ColumnInfo& column) {
  switch (column.type) {
    case ColumnType::boolean:
      return ValueType{ValueKind::boolean};
    case ColumnType::int8:
    case ColumnType::int16:
    case ColumnType::int32:
    case ColumnType::int64:
    case ColumnType::uint8:
    case ColumnType::uint16:
    case ColumnType::uint32:
      return ValueType{ValueKind::integer};
    case ColumnType::uint64:
      return decimal_type(20, 0);
    case ColumnType::float32:
    case ColumnType::float64:
      return ValueType{ValueKind::floating};
    case ColumnType::decimal64:
    case ColumnType::decimal128:
    case ColumnType::decimal256:
      if (column.scale > kDecimalScaleMax) return std::nullopt;
      return decimal_type(column.precision, column.scale);
    case ColumnType::date:
      return ValueType{ValueKind::date};
    case ColumnType::timestamp:
      return ValueType{ValueKind::timestamp};
    case ColumnType::datetime:
      return ValueType{ValueKind::datetime};
    case ColumnType::text:
    case ColumnType::json:
      return ValueType{ValueKind::text};
    case ColumnType::time:
    case ColumnType::bytes:
      return std::nullopt;
  }
  return std::nullopt;
}

ValueType decimal_type(unsigned precision, unsigned scale) noexcept {
  const unsigned cut = std::min<unsigned>(scale, kDecimalScaleMax);
  const unsigned digits = std::clamp<unsigned>(precision, std::max(cut, 1u), kDecimalDigitsMax);
  return {ValueKind::decimal, static_cast<uint8_t>(digits), static_cast<uint8_t>(cut)};
}

ValueType as_decimal(const ValueType& number) noexcept {
  if (number.kind == ValueKind::decimal) return number;
  return decimal_type(number.kind == ValueKind::boolean ? 1 : 19, 0);
}

std::optional<ValueType> common_type(const ValueType& a, const ValueType& b) {
  if (a.kind == ValueKind::null) return b;
  if (b.kind == ValueKind::null) return a;
  if (is_numeric(a.kind) && is_numeric(b.kind)) {
    if (a.kind == ValueKind::floating || b.kind == ValueKind::floating) return ValueType{ValueKind::floating};
    if (a.kind != ValueKind::decimal && b.kind != ValueKind::decimal) return a.kind == ValueKind::integer ? a : b;
    const ValueType left = as_decimal(a);
    const ValueType right = as_decimal(b);
    const unsigned scale = std::max(left.scale, right.scale);
    return decimal_type(std::max(left.whole_digits(), right.whole_digits()) + scale, scale);
  }
  if (is_temporal(a.kind) && is_temporal(b.kind)) return a.kind > b.kind ? a : b;
  if (a.kind == b.kind) return a;
  return std::nullopt;
}

}  // namespace tidemark::core
