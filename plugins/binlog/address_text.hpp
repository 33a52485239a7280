// SPDX-License-Identifier: Apache-2.0
// Text forms of MariaDB's UUID, INET4 and INET6, which the log holds as BINARY(16), (4) and (16).
// Invariant: the text is the server's own.
// No state; any thread.
#pragma once

#include <cstdint>

namespace tidemark::binlog {

inline constexpr uint32_t kUuidTextBytes = 36;
inline constexpr uint32_t kInet4TextBytesMax = 15;
inline constexpr uint32_t kInet6TextBytesMax = 45;

/// Each writes the text of a whole value and gives its end.
char* write_uuid(const uint8_t* bytes, char* out);
char* write_inet4(const uint8_t* bytes, char* out);
char* write_inet6(const uint8_t* bytes, char* out);

}  // namespace tidemark::binlog
