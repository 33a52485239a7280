// SPDX-License-Identifier: Apache-2.0
// Parses FORMAT_DESCRIPTION. No state; any thread.
#include "binlog/format_description.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cctype>

#include "binlog/ascii_text.hpp"
#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kServerVersionBytes = 50;
constexpr size_t kFixedBytes = 2 + kServerVersionBytes + 4 + 1;
constexpr size_t kMariadbTypesMin = 160;

uint32_t version_number(std::string_view text) {
  uint32_t parts[3] = {0, 0, 0};
  size_t at = 0;
  for (auto& part : parts) {
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0 && part < 100'000) {
      part = part * 10 + static_cast<uint32_t>(text[at++] - '0');
    }
    if (at >= text.size() || text[at] != '.') break;
    ++at;
  }
  return parts[0] * 10'000 + parts[1] * 100 + parts[2];
}

bool contains_mariadb(std::string_view text) {
  constexpr std::string_view kWord = "mariadb";
  const auto same = [](char a, char b) { return ascii_lower(a) == b; };
  return std::search(text.begin(), text.end(), kWord.begin(), kWord.end(), same) != text.end();
}

// Servers that write the algorithm byte (and always 4 checksum bytes): MySQL 5.6.1, MariaDB 5.3. Their lists of event
// types are longer than any before, so that a damaged version text does not turn checksums off.
constexpr size_t kTypesWithoutChecksumsMax = 32;
bool knows_checksums(uint32_t version, Flavor flavor, size_t list_bytes) {
  return list_bytes > kTypesWithoutChecksumsMax || version >= (flavor == Flavor::mariadb ? 50300u : 50601u);
}

// The event's CRC as written: computed while the in-use flag was not set.
uint32_t crc_without_in_use_flag(std::span<const uint8_t> event) {
  std::vector<uint8_t> copy(event.begin(), event.end() - kChecksumBytes);
  copy[17] = static_cast<uint8_t>(copy[17] & ~kFlagInUse);
  return libdeflate_crc32(0, copy.data(), copy.size());
}

DecodeError corrupt(std::string text) {
  return {ErrorKind::corrupt, std::move(text), {}, 0, {}};
}

}  // namespace

const char* flavor_name(Flavor flavor) {
  return flavor == Flavor::mysql ? "mysql" : "mariadb";
}

uint8_t FormatDescription::post_header_length(EventType type) const {
  const auto index = static_cast<size_t>(type);
  return index == 0 || index > post_header_lengths.size() ? uint8_t{0} : post_header_lengths[index - 1];
}

Outcome<FormatDescription> parse_format_description(std::span<const uint8_t> event) {
  if (event.size() < kHeaderBytes + kFixedBytes) return corrupt("FORMAT_DESCRIPTION is too short");
  const EventHeader header = parse_header(event);
  ByteCursor cursor(event.subspan(kHeaderBytes));
  FormatDescription format;
  format.in_use = (header.flags & kFlagInUse) != 0;
  format.binlog_version = cursor.u16();
  const std::string_view version = cursor.text(kServerVersionBytes);
  format.server_version = version.substr(0, version.find('\0'));
  format.created_s = cursor.u32();
  const uint8_t header_length = cursor.u8();
  if (format.binlog_version != 4 || header_length != kHeaderBytes) {
    return DecodeError{ErrorKind::unsupported,
                       "binlog version " + std::to_string(format.binlog_version) + " with headers of " +
                           std::to_string(header_length) + " bytes",
                       {},
                       0,
                       "only version 4 (MySQL 5.0 and later, MariaDB) is read"};
  }
  std::span<const uint8_t> lengths = cursor.rest();
  format.version_number = version_number(format.server_version);
  const bool mariadb = contains_mariadb(format.server_version) || lengths.size() >= kMariadbTypesMin;
  format.flavor = mariadb ? Flavor::mariadb : Flavor::mysql;
  if (knows_checksums(format.version_number, format.flavor, lengths.size())) {
    if (lengths.size() < kChecksumBytes + 1) return corrupt("FORMAT_DESCRIPTION ends before its checksum");
    const uint8_t algorithm = lengths[lengths.size() - kChecksumBytes - 1];
    if (algorithm > 1) {
      return DecodeError{ErrorKind::unsupported,
                         "checksum algorithm " + std::to_string(algorithm),
                         {},
                         0,
                         "only NONE (0) and CRC32 (1) are known"};
    }
    format.checksum = static_cast<ChecksumAlgorithm>(algorithm);
    const auto stored = static_cast<uint32_t>(load_le(event.data() + event.size() - kChecksumBytes, 4));
    // Servers write this event's own checksum even where the file has none.
    const bool unwritten = format.checksum == ChecksumAlgorithm::none && stored == 0;
    if (!unwritten && stored != crc_without_in_use_flag(event)) {
      return corrupt("checksum of FORMAT_DESCRIPTION is wrong");
    }
    lengths = lengths.first(lengths.size() - kChecksumBytes - 1);
  }
  format.post_header_lengths.assign(lengths.begin(), lengths.end());
  return format;
}

}  // namespace tidemark::binlog
