// SPDX-License-Identifier: Apache-2.0
// A column as the wire describes it: type code and metadata bytes turned into what is needed to find the width of
// its cells and to decode them.
// Invariant: each cell is either `fixed_width` bytes, or a little-endian length of `prefix_bytes` and that many bytes.
// Plain values; any thread. Source: MySQL "Table_map_event", field types and metadata.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark::binlog {

enum class WireType : uint8_t {
  decimal_old = 0,
  tiny = 1,
  short_ = 2,
  long_ = 3,
  float_ = 4,
  double_ = 5,
  null = 6,
  timestamp = 7,
  longlong = 8,
  int24 = 9,
  date = 10,
  time = 11,
  datetime = 12,
  year = 13,
  newdate = 14,
  varchar = 15,
  bit = 16,
  timestamp2 = 17,
  datetime2 = 18,
  time2 = 19,
  typed_array = 20,
  blob_compressed = 140,
  varchar_compressed = 141,
  vector = 242,
  invalid = 243,
  json = 245,
  newdecimal = 246,
  enum_ = 247,
  set_ = 248,
  tiny_blob = 249,
  medium_blob = 250,
  long_blob = 251,
  blob = 252,
  var_string = 253,
  string = 254,
  geometry = 255
};

/// "INT", "DATETIME2", ...
const char* wire_type_name(WireType type);

struct ColumnType {
  WireType type = WireType::invalid;  ///< ENUM and SET resolved from STRING.
  uint16_t meta = 0;                  ///< As in the TABLE_MAP, first byte low.
  bool nullable = true;
  /// 0 with prefix_bytes 0: cells of this type have no known width.
  uint32_t fixed_width = 0;
  uint8_t prefix_bytes = 0;
  uint8_t precision = 0;   ///< DECIMAL
  uint8_t scale = 0;       ///< DECIMAL
  uint8_t fsp = 0;         ///< TIME2, DATETIME2, TIMESTAMP2
  uint16_t bits = 0;       ///< BIT
  uint32_t max_bytes = 0;  ///< CHAR, BINARY, VARCHAR

  bool width_known() const { return fixed_width != 0 || prefix_bytes != 0; }
  bool operator==(const ColumnType&) const = default;
};

/// Bytes of metadata a type code has in the TABLE_MAP; -1 for codes not known.
int metadata_bytes(uint8_t type_code);

/// Describes a column. `meta_first`, `meta_second`: the metadata bytes in file order (0 where there are none).
ColumnType describe_column(uint8_t type_code, uint8_t meta_first, uint8_t meta_second, bool nullable);

/// VARCHAR and BLOB COMPRESSED: bytes of a value at most, uncompressed.
uint64_t compressed_size_max(const ColumnType& type);

/// Why cells of a type are not decoded, for messages: "only tables made before MySQL 5.0 have it", ...
const char* undecoded_reason(WireType type);

/// Bytes of a packed DECIMAL.
uint32_t decimal_bytes(uint32_t precision, uint32_t scale);

}  // namespace tidemark::binlog
