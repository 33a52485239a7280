// SPDX-License-Identifier: Apache-2.0
//
// Column types of batches, mirroring the C ABI's numbers (plugin_host asserts that they agree), and the schema
// of a source's rows. A type fixes the width of a value; decimals carry precision and scale. Values; no threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time_zone.hpp"

namespace tidemark::core {

enum class ColumnType : uint8_t {
  boolean = 1,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  decimal64,   ///< int64 scaled by 10^scale, precision <= 18
  decimal128,  ///< 16 bytes little-endian two's complement, precision <= 38
  decimal256,  ///< 32 bytes little-endian two's complement, precision <= 76
  date,        ///< int32 days
  time,        ///< int64 microseconds, signed
  timestamp,   ///< int64 microseconds UTC
  datetime,    ///< int64 microseconds, zone-less
  text,        ///< slice of the batch's heap, UTF-8
  bytes,       ///< slice of the batch's heap
  json,        ///< slice of the batch's heap, JSON text
};

/// Bytes of one value in a column's value array; variable-width types: 8 (a slice: u32 offset, u32 size).
uint32_t value_width(ColumnType type) noexcept;
constexpr bool is_variable_width(ColumnType type) noexcept {
  return type >= ColumnType::text;
}
constexpr bool is_integer(ColumnType type) noexcept {
  return type >= ColumnType::int8 && type <= ColumnType::uint64;
}
constexpr bool is_decimal(ColumnType type) noexcept {
  return type >= ColumnType::decimal64 && type <= ColumnType::decimal256;
}
constexpr bool is_floating(ColumnType type) noexcept {
  return type == ColumnType::float32 || type == ColumnType::float64;
}
/// "int32", "decimal", "text", ... as messages and `tidemark plugin info` print it.
std::string_view type_name(ColumnType type) noexcept;

/// One column of a source's rows.
struct ColumnInfo {
  std::string name;
  ColumnType type = ColumnType::int64;
  uint8_t precision = 0;  ///< decimals only
  uint8_t scale = 0;      ///< decimals only
  bool nullable = true;
  std::string comment;                     ///< where it comes from, for messages
  std::shared_ptr<const TimeZone> zone{};  ///< timestamps: whose clocks are shown; null = UTC

  bool operator==(const ColumnInfo&) const = default;
};

/// "int32", "decimal(18,4)": the type of a column, for people.
std::string type_text(const ColumnInfo& column);

/// Columns in source order; names are unique.
struct Schema {
  std::vector<ColumnInfo> columns;
  std::vector<uint32_t> key{};  ///< what tells the rows of a table apart, by index, in key order; empty: not known
  std::string no_key{};         ///< why not, and what to do

  /// Index of a column by exact name, or -1.
  int find(std::string_view name) const noexcept;
  bool operator==(const Schema&) const = default;
};

}  // namespace tidemark::core
