// SPDX-License-Identifier: Apache-2.0
//
// Coding of a sink's progress: version u8, bytes u64, rows u64, CRC.
#include "core/sink/sink_progress.hpp"

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr uint8_t kVersion = 1;

}  // namespace

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
  const std::string_view checked = bytes.substr(0, bytes.size() - reader.rest().size());
  const auto sum = reader.fixed<uint32_t>();
  if (!reader.ok() || !reader.at_end() || sum != crc32(checked)) {
    return Status(Code::damage,
                  "the progress of a sink is damaged; restore the state path from a copy, or start over "
                  "with an empty one");
  }
  if (version != kVersion) {
    return Status(Code::state, "the progress of a sink has version " + std::to_string(version) +
                                   ", this program reads 1; use the program that wrote it, or a newer one");
  }
  return out;
}

}  // namespace tidemark::core
