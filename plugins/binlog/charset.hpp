// SPDX-License-Identifier: Apache-2.0
// Character sets: names of collation ids, widest character, and conversion of the supported ones to UTF-8.
// Invariant: a charset that is not supported is refused, never passed through as if it were UTF-8.
// No state; any thread. Source: MySQL INFORMATION_SCHEMA.COLLATIONS; MariaDB adds ids from 576 up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::binlog {

/// "utf8mb4" for 255, "" for 63 (binary); "unknown" for ids without an entry.
std::string_view charset_of_collation(uint32_t collation_id);

/// Bytes of the widest character (4 for utf8mb4); 0 for charsets not known.
uint32_t charset_max_bytes(std::string_view charset);

enum class CharsetRule : uint8_t {
  copy,    ///< bytes are UTF-8 already
  latin1,  ///< MySQL's latin1, which is cp1252
  unsupported
};

CharsetRule charset_rule(std::string_view charset);

/// Writes UTF-8 to `out` (room for 3 bytes per byte needed); returns its size.
size_t latin1_to_utf8(const uint8_t* bytes, size_t size, char* out);

/// False if the charset is unsupported.
bool append_utf8(std::string_view charset, std::string_view bytes, std::string& out);

}  // namespace tidemark::binlog
