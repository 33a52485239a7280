// SPDX-License-Identifier: Apache-2.0
//
// See the header. Numbers go through their digits, so that no decimal passes a double.
#include "core/jobtest/cell_value.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>

#include "core/batch/cell_writer.hpp"

namespace tidemark::core {
namespace {

using config::TestValue;
using Kind = TestValue::Kind;
using Read = std::variant<CellValue, CellProblem>;

std::string shown(const TestValue& value) {
  return value.kind == Kind::text ? fmt::format("\"{}\"", value.text) : value.text;
}

CellProblem not_of_type(const TestValue& value, const ColumnInfo& column, std::string help) {
  return {fmt::format("is {}, which {} cannot be", type_text(column), shown(value)), std::move(help)};
}

Read number_cell(const Int256& number) {
  CellValue out;
  out.is_null = false;
  out.number = number;
  return out;
}

// Digits behind the point that are zero say nothing about a column's scale.
std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

bool fits_integer(const Int256& value, ColumnType type) {
  const auto low = static_cast<int64_t>(value.limb[0]);
  if (type >= ColumnType::uint8) {
    const uint32_t bits = value_width(type) * 8;
    return value == Int256::from_u64(value.limb[0]) && (bits == 64 || value.limb[0] >> bits == 0);
  }
  const uint32_t bits = value_width(type) * 8;
  if (value != Int256(low)) return false;
  return bits == 64 || (low >= -(int64_t{1} << (bits - 1)) && low < int64_t{1} << (bits - 1));
}

bool fits_decimal(const Int256& value, const ColumnInfo& column) {
  const std::string digits = to_decimal_text(value, 0);
  const size_t room = column.precision > 0 ? column.precision : column.type == ColumnType::decimal64 ? 18 : 38;
  return digits.size() - (value.is_negative() ? 1 : 0) <= room;
}

Read read_exact(const TestValue& value, const ColumnInfo& column) {
  const bool integer = is_integer(column.type);
  const char* help = integer ? "a whole number, such as 5" : "a number, such as 9.99 or \"9.99\"";
  if (value.kind == Kind::boolean && integer) return number_cell(Int256(value.boolean ? 1 : 0));
  if (value.kind == Kind::boolean || value.kind == Kind::time) return not_of_type(value, column, help);
  Int256 number;
  if (!parse_decimal(without_trailing_zeros(value.text), integer ? 0 : column.scale, number)) {
    return not_of_type(value, column, help);
  }
  if (!(integer ? fits_integer(number, column.type) : fits_decimal(number, column))) {
    return not_of_type(value, column, "it is out of the type's range");
  }
  return number_cell(number);
}

Read read_real(const TestValue& value, const ColumnInfo& column) {
  CellValue out;
  out.is_null = false;
  const char* end = value.text.data() + value.text.size();
  const auto [at, error] = std::from_chars(value.text.data(), end, out.real);
  const bool number = value.kind == Kind::integer || value.kind == Kind::decimal || value.kind == Kind::text;
  if (!number || error != std::errc{} || at != end) return not_of_type(value, column, "a number, such as 0.5");
  return out;
}

// "-838:59:59.000001": hours may be more than a day has.
std::optional<Micros> read_clock(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.size() < colon + 6 || text[colon + 3] != ':') return std::nullopt;
  int64_t hours = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + colon, hours);
  if (error != std::errc{} || at != text.data() + colon || hours > 838) return std::nullopt;
  const auto rest = parse_rfc3339(fmt::format("1970-01-01T00{}Z", text.substr(colon)));
  if (!rest) return std::nullopt;
  const Micros us = hours * 3600 * kMicrosPerSecond + *rest;
  return negative ? -us : us;
}

// What texts say where a date or time belongs, as results show them.
std::optional<Micros> read_time_text(const std::string& text, ColumnType type) {
  switch (type) {
    case ColumnType::date:
      return parse_rfc3339(text + "T00:00:00Z");
    case ColumnType::time:
      return read_clock(text);
    case ColumnType::datetime:
      if (const auto local = parse_rfc3339(text + "Z")) return local;
      [[fallthrough]];
    default:
      return parse_rfc3339(text);
  }
}

Read read_time(const TestValue& value, const ColumnInfo& column) {
  const bool is_date = column.type == ColumnType::date;
  const bool is_clock = column.type == ColumnType::time;
  const char* help = is_date    ? "a date, such as 2026-01-01"
                     : is_clock ? "a time of day, such as 00:00:10, or \"-838:59:59\""
                                : "a date and time, such as 2026-01-01T00:00:10Z";
  std::optional<Micros> us;
  if (value.kind == Kind::text) us = read_time_text(value.text, column.type);
  if (value.kind == Kind::time && value.time.has_date == !is_clock && value.time.has_clock == !is_date) {
    if (column.type == ColumnType::timestamp && !value.time.has_offset) {
      return CellProblem{fmt::format("is {}, and {} has no offset from UTC", type_text(column), value.text),
                         fmt::format("write {}Z", value.text)};
    }
    us = value.time.us;
  }
  if (!us) return not_of_type(value, column, help);
  return number_cell(Int256(is_date ? split_day(*us).days : *us));
}

Read read_text(const TestValue& value, const ColumnInfo& column) {
  if (value.kind != Kind::text) return not_of_type(value, column, fmt::format("write \"{}\"", value.text));
  CellValue out;
  out.is_null = false;
  out.text = value.text;
  return out;
}

}  // namespace

std::variant<CellValue, CellProblem> read_cell(const TestValue& value, const ColumnInfo& column) {
  if (value.kind == Kind::null) return CellValue{};
  if (is_integer(column.type) || is_decimal(column.type)) return read_exact(value, column);
  if (is_floating(column.type)) return read_real(value, column);
  switch (column.type) {
    case ColumnType::boolean:
      if (value.kind == Kind::boolean) return number_cell(Int256(value.boolean ? 1 : 0));
      if (value.text == "1" || value.text == "0") return number_cell(Int256(value.text == "1" ? 1 : 0));
      return not_of_type(value, column, "true or false");
    case ColumnType::date:
    case ColumnType::time:
    case ColumnType::timestamp:
    case ColumnType::datetime:
      return read_time(value, column);
    default:
      return read_text(value, column);
  }
}

bool put_cell(Batch& batch, size_t column, uint32_t row, const CellValue& value) {
  if (value.is_null) return true;
  const ColumnType type = batch.layout().columns[column].type;
  if (is_variable_width(type)) return put_text(batch, column, row, value.text);
  if (type == ColumnType::float32) {
    put_value(batch, column, row, static_cast<float>(value.real));
  } else if (type == ColumnType::float64) {
    put_value(batch, column, row, value.real);
  } else {
    Column& to = batch.mutable_columns()[column];
    const uint32_t width = value_width(type);
    auto* at = static_cast<std::byte*>(to.values) + size_t{row} * width;
    std::memcpy(at, value.number.limb.data(), width);  // two's complement, little-endian, as the columns are
    to.set_valid(row);
  }
  return true;
}

}  // namespace tidemark::core
