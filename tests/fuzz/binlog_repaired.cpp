// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the input is a binlog file whose magic, event sizes, end positions and checksums are put right
// first, so that damage reaches what is behind the framing. One thread.
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/event.hpp"
#include "tests/fuzz/binlog_drive.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using tidemark::binlog::kChecksumBytes;
using tidemark::binlog::kHeaderBytes;

constexpr size_t kMagicBytes = 4;

void store_le32(uint8_t* at, size_t value) {
  for (uint32_t i = 0; i < 4; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

// The first event's checksum algorithm is the byte before its own checksum.
bool repair_event(uint8_t* event, size_t size, size_t end_position, bool first, bool crc) {
  store_le32(event + 9, size);
  store_le32(event + 13, end_position);
  if (first) {
    event[4] = static_cast<uint8_t>(tidemark::binlog::EventType::format_description);
    event[17] &= 0xfe;
    crc = size > kHeaderBytes + kChecksumBytes && event[size - kChecksumBytes - 1] == 1;
  }
  if ((crc || first) && size >= kHeaderBytes + kChecksumBytes) {
    const size_t checked = size - kChecksumBytes;
    store_le32(event + checked, libdeflate_crc32(0, event, checked));
  }
  return crc;
}

void repair(std::vector<uint8_t>& bytes) {
  const uint8_t magic[kMagicBytes] = {0xfe, 'b', 'i', 'n'};
  std::copy(std::begin(magic), std::end(magic), bytes.begin());
  bool crc = false;
  for (size_t at = kMagicBytes; bytes.size() - at >= kHeaderBytes;) {
    const size_t left = bytes.size() - at;
    const uint64_t claimed = tidemark::binlog::load_le(bytes.data() + at + 9, 4);
    const size_t size = claimed < kHeaderBytes + kChecksumBytes || claimed > left ? left : static_cast<size_t>(claimed);
    crc = repair_event(bytes.data() + at, size, at + size, at == kMagicBytes, crc);
    at += size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tidemark::fuzz::MemoryFile file;
  if (size < kMagicBytes + kHeaderBytes) return 0;
  std::vector<uint8_t> bytes(data, data + size);
  repair(bytes);
  file.write(bytes);
  tidemark::fuzz::read_binlog(file.path());
  return 0;
}
