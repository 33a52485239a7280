// SPDX-License-Identifier: Apache-2.0
// Type codes and metadata bytes -> widths. No state; any thread.
#include "binlog/column_type.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kDigitsPerWord = 9;
constexpr uint8_t kLeftoverBytes[kDigitsPerWord + 1] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
constexpr uint32_t kDecimalPrecisionMax = 65;
constexpr uint32_t kFspMax = 6;

// Columns logged as STRING hide the real type in the first metadata byte; CHAR also hides two length bits there.
void describe_string(uint8_t first, uint8_t second, ColumnType& out) {
  const auto real = static_cast<WireType>(first);
  if (real == WireType::enum_ || real == WireType::set_) {
    out.type = real;
    const bool legal = real == WireType::enum_ ? second == 1 || second == 2 : second >= 1 && second <= 8;
    out.fixed_width = legal ? second : 0;
    return;
  }
  out.type = WireType::string;
  out.max_bytes = (static_cast<uint32_t>(first & 0x30) ^ 0x30) << 4 | second;
  out.prefix_bytes = out.max_bytes > 255 ? 2 : 1;
}

void describe_fractional(uint32_t base_bytes, uint8_t fsp, ColumnType& out) {
  out.fsp = fsp;
  out.fixed_width = fsp <= kFspMax ? base_bytes + (fsp + 1u) / 2 : 0;
}

void describe_with_meta(uint8_t first, uint8_t second, ColumnType& out) {
  switch (out.type) {
    case WireType::float_:
    case WireType::double_:
      out.fixed_width = out.type == WireType::float_ ? 4 : 8;
      if (first != 0 && first != out.fixed_width) out.fixed_width = 0;
      return;
    case WireType::newdecimal:
      out.precision = first;
      out.scale = second;
      if (first >= 1 && first <= kDecimalPrecisionMax && second <= first)
        out.fixed_width = decimal_bytes(first, second);
      return;
    case WireType::bit:
      out.bits = static_cast<uint16_t>(second * 8 + first);
      if (first < 8 && out.bits >= 1 && out.bits <= 64) out.fixed_width = (out.bits + 7u) / 8;
      return;
    case WireType::varchar:
    case WireType::var_string:
    case WireType::varchar_compressed:
      out.max_bytes = static_cast<uint32_t>(first | second << 8);
      out.prefix_bytes = out.max_bytes > 255 ? 2 : 1;
      return;
    case WireType::blob:
    case WireType::blob_compressed:
    case WireType::json:
    case WireType::geometry:
    case WireType::vector:
      if (first >= 1 && first <= 4) out.prefix_bytes = first;
      return;
    case WireType::time2:
      describe_fractional(3, first, out);
      return;
    case WireType::datetime2:
      describe_fractional(5, first, out);
      return;
    case WireType::timestamp2:
      describe_fractional(4, first, out);
      return;
    case WireType::string:
    case WireType::enum_:
    case WireType::set_:
      describe_string(first, second, out);
      return;
    default:
      return;
  }
}

}  // namespace

const char* wire_type_name(WireType type) {
  switch (type) {
    case WireType::decimal_old:
      return "old DECIMAL";
    case WireType::tiny:
      return "TINYINT";
    case WireType::short_:
      return "SMALLINT";
    case WireType::long_:
      return "INT";
    case WireType::float_:
      return "FLOAT";
    case WireType::double_:
      return "DOUBLE";
    case WireType::null:
      return "NULL";
    case WireType::timestamp:
      return "old TIMESTAMP";
    case WireType::longlong:
      return "BIGINT";
    case WireType::int24:
      return "MEDIUMINT";
    case WireType::date:
    case WireType::newdate:
      return "DATE";
    case WireType::time:
      return "old TIME";
    case WireType::datetime:
      return "old DATETIME";
    case WireType::year:
      return "YEAR";
    case WireType::varchar:
    case WireType::var_string:
      return "VARCHAR";
    case WireType::bit:
      return "BIT";
    case WireType::timestamp2:
      return "TIMESTAMP";
    case WireType::datetime2:
      return "DATETIME";
    case WireType::time2:
      return "TIME";
    case WireType::typed_array:
      return "typed array";
    case WireType::blob_compressed:
      return "BLOB COMPRESSED";
    case WireType::varchar_compressed:
      return "VARCHAR COMPRESSED";
    case WireType::vector:
      return "VECTOR";
    case WireType::invalid:
      return "invalid type";
    case WireType::json:
      return "JSON";
    case WireType::newdecimal:
      return "DECIMAL";
    case WireType::enum_:
      return "ENUM";
    case WireType::set_:
      return "SET";
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::blob:
      return "BLOB or TEXT";
    case WireType::string:
      return "CHAR or BINARY";
    case WireType::geometry:
      return "GEOMETRY";
  }
  return "unknown type";
}

int metadata_bytes(uint8_t type_code) {
  switch (static_cast<WireType>(type_code)) {
    case WireType::decimal_old:
    case WireType::tiny:
    case WireType::short_:
    case WireType::long_:
    case WireType::null:
    case WireType::timestamp:
    case WireType::longlong:
    case WireType::int24:
    case WireType::date:
    case WireType::newdate:
    case WireType::time:
    case WireType::datetime:
    case WireType::year:
    case WireType::invalid:
      return 0;
    case WireType::float_:
    case WireType::double_:
    case WireType::timestamp2:
    case WireType::datetime2:
    case WireType::time2:
    case WireType::blob_compressed:
    case WireType::vector:
    case WireType::json:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::blob:
    case WireType::geometry:
      return 1;
    case WireType::varchar:
    case WireType::bit:
    case WireType::varchar_compressed:
    case WireType::newdecimal:
    case WireType::enum_:
    case WireType::set_:
    case WireType::var_string:
    case WireType::string:
      return 2;
    case WireType::typed_array:
      return -1;
  }
  return -1;
}

uint64_t compressed_size_max(const ColumnType& type) {
  if (type.type == WireType::varchar_compressed) return type.max_bytes == 0 ? 0 : type.max_bytes - 1;  // a head byte
  return (uint64_t{1} << 8 * type.prefix_bytes) - 1;
}

const char* undecoded_reason(WireType type) {
  switch (type) {
    case WireType::decimal_old:
      return "the type is not decoded: only tables made before MySQL 5.0 have it (ALTER TABLE ... FORCE converts them)";
    case WireType::typed_array:
      return "the type is not decoded: servers use it inside, and do not log it";
    case WireType::null:
    case WireType::invalid:
      return "the type is not decoded: no column has it, so the event is damaged or from a newer server";
    default:
      return "the type is not decoded";
  }
}

uint32_t decimal_bytes(uint32_t precision, uint32_t scale) {
  const uint32_t integer_digits = precision - scale;
  return integer_digits / kDigitsPerWord * 4 + kLeftoverBytes[integer_digits % kDigitsPerWord] +
         scale / kDigitsPerWord * 4 + kLeftoverBytes[scale % kDigitsPerWord];
}

ColumnType describe_column(uint8_t type_code, uint8_t meta_first, uint8_t meta_second, bool nullable) {
  ColumnType out;
  out.type = static_cast<WireType>(type_code);
  out.meta = static_cast<uint16_t>(meta_first | meta_second << 8);
  out.nullable = nullable;
  switch (out.type) {
    case WireType::tiny:
    case WireType::year:
      out.fixed_width = 1;
      break;
    case WireType::short_:
      out.fixed_width = 2;
      break;
    case WireType::int24:
    case WireType::date:
    case WireType::newdate:
    case WireType::time:
      out.fixed_width = 3;
      break;
    case WireType::long_:
    case WireType::timestamp:
      out.fixed_width = 4;
      break;
    case WireType::longlong:
    case WireType::datetime:
      out.fixed_width = 8;
      break;
    default:
      describe_with_meta(meta_first, meta_second, out);
  }
  return out;
}

}  // namespace tidemark::binlog
