// SPDX-License-Identifier: Apache-2.0
// Natural and common target types. No state; any thread.
#include "binlog/target_type.hpp"

#include <tidemark/abi.h>

#include <algorithm>

namespace tidemark::binlog {

namespace {

constexpr uint32_t kPrecisionMax = 76;

TargetType decimal_target(uint32_t precision, uint32_t scale) {
  const uint32_t type = precision <= 18   ? TIDEMARK_DECIMAL64
                        : precision <= 38 ? TIDEMARK_DECIMAL128
                                          : TIDEMARK_DECIMAL256;
  return {type, precision, scale};
}

struct IntegerShape {
  uint32_t bytes = 0;  // 0 = not an integer
  bool is_unsigned = false;
  uint32_t digits = 0;
};

IntegerShape integer_shape(uint32_t type) {
  switch (type) {
    case TIDEMARK_INT8:
      return {1, false, 3};
    case TIDEMARK_INT16:
      return {2, false, 5};
    case TIDEMARK_INT32:
      return {4, false, 10};
    case TIDEMARK_INT64:
      return {8, false, 20};
    case TIDEMARK_UINT8:
      return {1, true, 3};
    case TIDEMARK_UINT16:
      return {2, true, 5};
    case TIDEMARK_UINT32:
      return {4, true, 10};
    case TIDEMARK_UINT64:
      return {8, true, 20};
    default:
      return {};
  }
}

uint32_t integer_type(uint32_t bytes, bool is_unsigned) {
  switch (bytes) {
    case 1:
      return is_unsigned ? TIDEMARK_UINT8 : TIDEMARK_INT8;
    case 2:
      return is_unsigned ? TIDEMARK_UINT16 : TIDEMARK_INT16;
    case 4:
      return is_unsigned ? TIDEMARK_UINT32 : TIDEMARK_INT32;
    default:
      return is_unsigned ? TIDEMARK_UINT64 : TIDEMARK_INT64;
  }
}

TargetType integer_of(uint32_t bytes, bool is_unsigned) {
  return {integer_type(bytes, is_unsigned), 0, 0};
}

bool is_decimal(uint32_t type) {
  return type >= TIDEMARK_DECIMAL64 && type <= TIDEMARK_DECIMAL256;
}

TargetType common_integer(const IntegerShape& a, const IntegerShape& b) {
  if (a.is_unsigned == b.is_unsigned) return integer_of(std::max(a.bytes, b.bytes), a.is_unsigned);
  const uint32_t signed_bytes = a.is_unsigned ? b.bytes : a.bytes;
  const uint32_t unsigned_bytes = a.is_unsigned ? a.bytes : b.bytes;
  const uint32_t bytes = std::max(signed_bytes, unsigned_bytes * 2);
  return bytes <= 8 ? integer_of(bytes, false) : decimal_target(20, 0);
}

std::optional<TargetType> common_decimal(const TargetType& a, const TargetType& b) {
  const auto as_decimal = [](const TargetType& t) {
    return is_decimal(t.type) ? t : TargetType{0, integer_shape(t.type).digits, 0};
  };
  const TargetType x = as_decimal(a);
  const TargetType y = as_decimal(b);
  const uint32_t scale = std::max(x.scale, y.scale);
  const uint32_t precision = std::max(x.precision - x.scale, y.precision - y.scale) + scale;
  if (precision > kPrecisionMax) return std::nullopt;
  TargetType out = decimal_target(precision, scale);
  // Integers convert into 128 bits at most.
  const bool from_integer = !is_decimal(a.type) || !is_decimal(b.type);
  if (from_integer && out.type == TIDEMARK_DECIMAL256) return std::nullopt;
  return out;
}

}  // namespace

std::optional<TargetType> natural_target(const ColumnSchema& column) {
  switch (column.type) {
    case SqlType::tinyint:
      return integer_of(1, column.is_unsigned);
    case SqlType::smallint:
      return integer_of(2, column.is_unsigned);
    case SqlType::mediumint:
    case SqlType::integer:
      return integer_of(4, column.is_unsigned);
    case SqlType::bigint:
      return integer_of(8, column.is_unsigned);
    case SqlType::decimal:
      return decimal_target(column.length, column.scale);
    case SqlType::float_:
      return TargetType{TIDEMARK_FLOAT32, 0, 0};
    case SqlType::double_:
      return TargetType{TIDEMARK_FLOAT64, 0, 0};
    case SqlType::bit:
      return column.length == 1 ? TargetType{TIDEMARK_BOOL, 0, 0} : integer_of(8, true);
    case SqlType::year:
      return integer_of(2, true);
    case SqlType::date:
      return TargetType{TIDEMARK_DATE, 0, 0};
    case SqlType::time:
      return TargetType{TIDEMARK_TIME, 0, 0};
    case SqlType::datetime:
      return TargetType{TIDEMARK_DATETIME, 0, 0};
    case SqlType::timestamp:
      return TargetType{TIDEMARK_TIMESTAMP, 0, 0};
    case SqlType::char_:
    case SqlType::varchar:
    case SqlType::tinytext:
    case SqlType::text:
    case SqlType::mediumtext:
    case SqlType::longtext:
    case SqlType::enum_:
    case SqlType::set_:
    case SqlType::uuid:
    case SqlType::inet4:
    case SqlType::inet6:
      return TargetType{TIDEMARK_TEXT, 0, 0};
    case SqlType::binary:
    case SqlType::varbinary:
    case SqlType::tinyblob:
    case SqlType::blob:
    case SqlType::mediumblob:
    case SqlType::longblob:
    case SqlType::geometry:
    case SqlType::vector:
      return TargetType{TIDEMARK_BYTES, 0, 0};
    case SqlType::json:
      return TargetType{TIDEMARK_JSON, 0, 0};
    case SqlType::unknown:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<TargetType> common_target(const TargetType& a, const TargetType& b) {
  if (a == b) return a;
  const IntegerShape x = integer_shape(a.type);
  const IntegerShape y = integer_shape(b.type);
  if (x.bytes != 0 && y.bytes != 0) return common_integer(x, y);
  const bool a_exact = x.bytes != 0 || is_decimal(a.type);
  const bool b_exact = y.bytes != 0 || is_decimal(b.type);
  if (a_exact && b_exact) return common_decimal(a, b);
  const auto is_float = [](uint32_t type) { return type == TIDEMARK_FLOAT32 || type == TIDEMARK_FLOAT64; };
  if (is_float(a.type) && is_float(b.type)) return TargetType{TIDEMARK_FLOAT64, 0, 0};
  return std::nullopt;
}

std::string target_name(const TargetType& type) {
  constexpr const char* kNames[] = {"?",         "bool",       "int8",       "int16",  "int32",   "int64",
                                    "uint8",     "uint16",     "uint32",     "uint64", "float32", "float64",
                                    "decimal64", "decimal128", "decimal256", "date",   "time",    "timestamp",
                                    "datetime",  "text",       "bytes",      "json"};
  std::string out = kNames[type.type < std::size(kNames) ? type.type : 0];
  if (is_decimal(type.type)) out += "(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  return out;
}

}  // namespace tidemark::binlog
