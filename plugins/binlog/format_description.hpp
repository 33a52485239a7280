// SPDX-License-Identifier: Apache-2.0
// The FORMAT_DESCRIPTION event at the head of each file: server version, header lengths, checksum algorithm.
// Invariant: the checksum algorithm holds for the file it came from and no other.
// Plain values; any thread. Source: MySQL manual "Format_description_event"; MariaDB KB "FORMAT_DESCRIPTION_EVENT".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"

namespace tidemark::binlog {

enum class Flavor : uint8_t { mysql, mariadb };
enum class ChecksumAlgorithm : uint8_t { none = 0, crc32 = 1 };

struct FormatDescription {
  uint16_t binlog_version = 0;
  std::string server_version;
  /// 80045 for 8.0.45, 101119 for 10.11.19; 0 if the text has no number.
  uint32_t version_number = 0;
  Flavor flavor = Flavor::mysql;
  /// Non-zero in the first file after a server start only: open groups of the file before are void.
  uint32_t created_s = 0;
  std::vector<uint8_t> post_header_lengths;
  ChecksumAlgorithm checksum = ChecksumAlgorithm::none;
  /// The file was open when read, or its server crashed.
  bool in_use = false;

  /// 0 if the type is beyond what the server listed.
  uint8_t post_header_length(EventType type) const;
  /// Bytes of a table id: 6, or 4 in files of very old servers.
  uint8_t table_id_bytes() const { return post_header_length(EventType::table_map) == 6 ? 4 : 6; }
};

/// `event`: the whole event, header and checksum included. Verifies the event's own CRC (in-use flag cleared).
/// Errors without file: the caller adds it.
Outcome<FormatDescription> parse_format_description(std::span<const uint8_t> event);

/// "mysql", "mariadb".
const char* flavor_name(Flavor flavor);

}  // namespace tidemark::binlog
