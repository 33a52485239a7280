// SPDX-License-Identifier: Apache-2.0
//
// The types that expressions compute with, fewer than columns have: integers are int64, BIGINT UNSIGNED is a
// decimal(20,0), decimals have up to 38 digits, and times are microseconds (a DATETIME without zone is read as UTC,
// as everywhere). Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/batch/column_type.hpp"

namespace tidemark::core {

enum class ValueKind : uint8_t {
  null,      ///< NULL alone; stored as a boolean
  boolean,   ///< a bit
  integer,   ///< int64
  decimal,   ///< Int128 scaled by 10^scale
  floating,  ///< double
  text,      ///< string_view; compared by bytes
  date,      ///< int64 microseconds of its midnight
  datetime,  ///< int64 microseconds, zone-less
  timestamp  ///< int64 microseconds UTC
};

inline constexpr uint8_t kDecimalDigitsMax = 38;
inline constexpr uint8_t kDecimalScaleMax = 30;

struct ValueType {
  ValueKind kind = ValueKind::null;
  uint8_t precision = 0;  ///< decimals only
  uint8_t scale = 0;      ///< decimals only

  /// Digits before the point of a decimal.
  constexpr unsigned whole_digits() const noexcept { return static_cast<unsigned>(precision - scale); }

  friend bool operator==(const ValueType&, const ValueType&) = default;
};

constexpr bool is_temporal(ValueKind kind) noexcept {
  return kind >= ValueKind::date;
}
/// Usable in arithmetic; a boolean counts as 0 or 1, as in MySQL.
constexpr bool is_numeric(ValueKind kind) noexcept {
  return kind >= ValueKind::boolean && kind <= ValueKind::floating;
}

/// Bits that one value takes in a vector: 1, 64 or 128.
uint32_t value_bits(ValueKind kind) noexcept;

/// "integer", "decimal(10,2)", "timestamp", ... for messages.
std::string describe(const ValueType& type);

/// The type that a column has in an expression: JSON is text, decimals of more than 38 digits are read as 38 (values
/// that need more are failures). Empty for those that expressions cannot use: bytes, TIME (but for TIME_TO_SEC),
/// decimals with more than 30 digits behind the point.
std::optional<ValueType> value_type_of(const ColumnInfo& column);

/// The type that values of both fit in: numbers widen (integer, decimal, floating), times too (date, datetime,
/// timestamp), NULL fits everything. Empty when there is none.
std::optional<ValueType> common_type(const ValueType& a, const ValueType& b);

/// decimal(precision, scale), cut to the limits.
ValueType decimal_type(unsigned precision, unsigned scale) noexcept;

/// As a decimal: integers have 19 digits, booleans 1; decimals as they are.
ValueType as_decimal(const ValueType& number) noexcept;

}  // namespace tidemark::core
