// SPDX-License-Identifier: Apache-2.0
// Character sets: names of collation ids, widest character, which are turned into UTF-8 (charset_decoder.hpp does it).
// Invariant: a charset that is not known is refused, never passed through as if it were UTF-8.
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
  copy,        ///< valid text is UTF-8 already; ascii's bytes from 0x80 up are not valid
  convert,     ///< turned into UTF-8 by a CharsetDecoder
  unsupported  ///< not a charset with characters
};

CharsetRule charset_rule(std::string_view charset);

/// Appends text as UTF-8, U+FFFD for bytes that belong to no character. False if the charset is unsupported.
bool append_utf8(std::string_view charset, std::string_view bytes, std::string& out);

}  // namespace tidemark::binlog
