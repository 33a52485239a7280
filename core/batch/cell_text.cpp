// SPDX-License-Identifier: Apache-2.0
//
// Formatting of one cell. Decimals and integers that fit 64 bits, which is nearly all of them, take a short path
// without big-number arithmetic.
#include "core/batch/cell_text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace tidemark::core {
namespace {

constexpr Micros kDay = 86'400 * kMicrosPerSecond;

template <typename T>
void append_number(T value, std::string& out) {
  char buffer[48];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

template <typename T>
void append_float(T value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    append_number(value, out);
  }
}

void append_scaled(int64_t value, unsigned scale, std::string& out) {
  if (value < 0) out.push_back('-');
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, magnitude).ptr;
  const auto digits = static_cast<size_t>(end - buffer);
  if (scale == 0) {
    out.append(buffer, digits);
    return;
  }
  const size_t whole = digits > scale ? digits - scale : 0;
  if (whole == 0) {
    out += "0.";
    out.append(scale - digits, '0');
  } else {
    out.append(buffer, whole);
    out.push_back('.');
  }
  out.append(buffer + whole, digits - whole);
}

void append_decimal(const Int256& value, unsigned scale, std::string& out) {
  const auto low = static_cast<int64_t>(value.limb[0]);
  if (Int256(low) == value) {
    append_scaled(low, scale, out);
  } else {
    out += to_decimal_text(value, scale);
  }
}

void append_padded(uint64_t value, size_t width, std::string& out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const auto digits = static_cast<size_t>(end - buffer);
  if (digits < width) out.append(width - digits, '0');
  out.append(buffer, digits);
}

void append_time_of_day(int64_t value, std::string& out) {
  if (value < 0) out.push_back('-');
  const uint64_t micros = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const uint64_t seconds = micros / 1'000'000;
  append_padded(seconds / 3600, 2, out);
  out.push_back(':');
  append_padded(seconds / 60 % 60, 2, out);
  out.push_back(':');
  append_padded(seconds % 60, 2, out);
  const uint64_t fraction = micros % 1'000'000;
  if (fraction == 0) return;
  out.push_back('.');
  if (fraction % 1000 == 0) {
    append_padded(fraction / 1000, 3, out);
  } else {
    append_padded(fraction, 6, out);
  }
}

void append_date(int32_t days, std::string& out) {
  constexpr int64_t kLimit = kEndOfTime / kDay;
  if (days >= kLimit || days <= -kLimit) {
    append_number(days, out);
    return;
  }
  const std::string text = format_rfc3339(days * kDay);
  out.append(text, 0, text.find('T'));
}

void append_hex(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

void append_datetime(Micros value, std::string& out) {
  out += format_rfc3339(value);
  if (out.back() == 'Z') out.pop_back();
}

}  // namespace

Int256 integer_cell(const Batch& batch, size_t column, uint32_t row) {
  const Column& cells = batch.column(column);
  switch (batch.layout().columns[column].type) {
    case ColumnType::int8:
      return cells.as<int8_t>()[row];
    case ColumnType::int16:
      return cells.as<int16_t>()[row];
    case ColumnType::int32:
      return cells.as<int32_t>()[row];
    case ColumnType::uint8:
      return cells.as<uint8_t>()[row];
    case ColumnType::uint16:
      return cells.as<uint16_t>()[row];
    case ColumnType::uint32:
      return cells.as<uint32_t>()[row];
    case ColumnType::uint64:
      return Int256::from_u64(cells.as<uint64_t>()[row]);
    case ColumnType::decimal128: {
      Int128 value = 0;
      std::memcpy(&value, cells.as<char>() + size_t{row} * sizeof value, sizeof value);
      return Int256::from_i128(value);
    }
    case ColumnType::decimal256: {
      Int256 value;
      std::memcpy(&value, cells.as<char>() + size_t{row} * sizeof value, sizeof value);
      return value;
    }
    default:  // int64, decimal64
      return cells.as<int64_t>()[row];
  }
}

void append_cell_text(const Batch& batch, size_t column, uint32_t row, std::string& out) {
  const ColumnInfo& info = batch.layout().columns[column];
  const Column& cells = batch.column(column);
  switch (info.type) {
    case ColumnType::boolean:
      out += cells.as<uint8_t>()[row] != 0 ? "true" : "false";
      return;
    case ColumnType::float32:
      return append_float(cells.as<float>()[row], out);
    case ColumnType::float64:
      return append_float(cells.as<double>()[row], out);
    case ColumnType::date:
      return append_date(cells.as<int32_t>()[row], out);
    case ColumnType::time:
      return append_time_of_day(cells.as<int64_t>()[row], out);
    case ColumnType::timestamp:
      out += info.zone == nullptr ? format_rfc3339(cells.as<int64_t>()[row])
                                  : format_rfc3339(cells.as<int64_t>()[row], *info.zone);
      return;
    case ColumnType::datetime:
      return append_datetime(cells.as<int64_t>()[row], out);
    case ColumnType::text:
    case ColumnType::json:
      out += batch.bytes_at(column, row);
      return;
    case ColumnType::bytes:
      return append_hex(batch.bytes_at(column, row), out);
    default:
      return append_decimal(integer_cell(batch, column, row), is_decimal(info.type) ? info.scale : 0, out);
  }
}

}  // namespace tidemark::core
