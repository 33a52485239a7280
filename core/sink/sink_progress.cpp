// SPDX-License-Identifier: Apache-2.0
//
// Coding of a sink's progress: version u8, bytes u64, rows u64, CRC; of parts: version u8, rows u64, part u32, bytes
// u64, first open u32, age i64, CRC.
#include "core/sink/sink_progress.hpp"

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kRollVersion = 0x81;

Status damaged() {
  return {Code::damage,
          "the progress of a sink is damaged; restore the state path from a copy, or start over with an empty one"};
}

/// What stands behind the checksummed bytes that `reader` has read is their sum, and nothing else.
bool ends_with_sum(std::string_view bytes, ByteReader& reader) {
  const std::string_view checked = bytes.substr(0, bytes.size() - reader.rest().size());
  const auto sum = reader.fixed<uint32_t>();
  return reader.ok() && reader.at_end() && sum == crc32(checked);
}

}  // namespace

std::string encode(const RollProgress& progress) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(kRollVersion);
  writer.fixed(progress.rows);
  writer.fixed(progress.part);
  writer.fixed(progress.bytes);
  writer.fixed(progress.first_open);
  writer.fixed(progress.age_us);
  writer.fixed(crc32(out));
  return out;
}

bool is_roll_progress(std::string_view bytes) noexcept {
  return !bytes.empty() && static_cast<uint8_t>(bytes.front()) == kRollVersion;
}

Result<RollProgress> decode_roll_progress(std::string_view bytes) {
  ByteReader reader(bytes);
  RollProgress out;
  const auto version = reader.fixed<uint8_t>();
  out.rows = reader.fixed<uint64_t>();
  out.part = reader.fixed<uint32_t>();
  out.bytes = reader.fixed<uint64_t>();
  out.first_open = reader.fixed<uint32_t>();
  out.age_us = reader.fixed<Micros>();
  if (!ends_with_sum(bytes, reader) || version != kRollVersion) return damaged();
  return out;
}

std::string encode(const SinkProgress& progress) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(kVersion);
  writer.fixed(progress.bytes);
  writer.fixed(progress.rows);
  writer.fixed(crc32(out));
  return out;
}

Result<SinkProgress> decode_sink_progress(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto version = reader.fixed<uint8_t>();
  SinkProgress out;
  out.bytes = reader.fixed<uint64_t>();
  out.rows = reader.fixed<uint64_t>();
  if (is_roll_progress(bytes)) {
    return Status(
        Code::state,
        "results were rolled into parts, which one file cannot go on with; keep `roll`, or start over with an "
        "empty state path and another path for results");
  }
  if (!ends_with_sum(bytes, reader)) return damaged();
  if (version != kVersion) {
    return Status(Code::state, "the progress of a sink has version " + std::to_string(version) +
                                   ", this program reads 1; use the program that wrote it, or a newer one");
  }
  return out;
}

}  // namespace tidemark::core
