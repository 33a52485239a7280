// SPDX-License-Identifier: Apache-2.0
// Layout: "TMBF", version, fields, then the CRC32 of all before it, little-endian. Version 2 added the prepared XA
// transactions, at the end.
// Invariant: a version that is not known is refused, never read as another.
// Thread: any.
#include "binlog_file/split_position.hpp"

#include <libdeflate.h>

#include <tidemark/source.hpp>

#include "binlog/state_bytes.hpp"

namespace tidemark::binlog_file {
namespace {

constexpr std::string_view kMagic = "TMBF";
constexpr uint64_t kVersion = 2;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

[[noreturn]] void refuse(std::string_view cause) {
  fail(
      SourceError(cause, {}, "start without the stored state, or restore it from a checkpoint").kind(ErrorKind::state));
  __builtin_unreachable();
}

}  // namespace

std::string encode_position(const SplitPosition& position) {
  std::string out(kMagic);
  binlog::StateWriter writer(out);
  writer.integer(kVersion);
  writer.text(position.file);
  writer.integer(position.offset);
  writer.integer(position.row_event);
  writer.integer(position.images);
  writer.integer(position.sequence);
  writer.integer(position.file_timestamp_s);
  writer.integer(position.file_server_id);
  writer.text(position.schemas);
  writer.text(position.prepared);
  const uint32_t sum = checksum(out);
  for (size_t i = 0; i < kChecksumBytes; ++i) out.push_back(static_cast<char>(sum >> (8 * i) & 0xff));
  return out;
}

SplitPosition decode_position(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kChecksumBytes) {
    refuse("the stored position is not one of a binlog file source");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  uint32_t stored = 0;
  for (size_t i = 0; i < kChecksumBytes; ++i) {
    stored |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[body.size() + i])) << (8 * i);
  }
  if (checksum(body) != stored) refuse("the stored position is damaged: its checksum is wrong");
  binlog::StateReader reader(body.substr(kMagic.size()));
  const uint64_t version = reader.integer();
  if (version < 1 || version > kVersion) {
    refuse("the stored position has format " + std::to_string(version) + ", this build reads 1 to " +
           std::to_string(kVersion));
  }
  SplitPosition position;
  position.file = reader.text();
  position.offset = reader.integer();
  position.row_event = reader.integer();
  position.images = reader.integer();
  position.sequence = reader.integer();
  position.file_timestamp_s = static_cast<uint32_t>(reader.integer());
  position.file_server_id = static_cast<uint32_t>(reader.integer());
  position.schemas = reader.text();
  if (version >= 2) position.prepared = reader.text();
  if (!reader.at_end()) refuse("the stored position is damaged: its fields do not add up");
  return position;
}

}  // namespace tidemark::binlog_file
