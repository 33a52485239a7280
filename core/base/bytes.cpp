// SPDX-License-Identifier: Apache-2.0
//
// Order-preserving integers and checksums of records. CRC-32 through libdeflate, the fastest packaged one.
// State directories are little-endian; a big-endian build is refused here rather than writing others' bytes.
#include "core/base/bytes.hpp"

#include <libdeflate.h>

#include <bit>

namespace tidemark::core {

static_assert(std::endian::native == std::endian::little, "tidemark's formats are little-endian");

void append_ordered_u64(std::string& out, uint64_t value, unsigned size) {
  for (unsigned i = size; i > 0; --i) out.push_back(static_cast<char>(value >> (8 * (i - 1))));
}

uint64_t read_ordered_u64(std::string_view bytes) {
  uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

void append_ordered_i64(std::string& out, int64_t value) {
  append_ordered_u64(out, static_cast<uint64_t>(value) ^ (1ULL << 63));
}

int64_t read_ordered_i64(std::string_view eight_bytes) {
  return static_cast<int64_t>(read_ordered_u64(eight_bytes) ^ (1ULL << 63));
}

uint32_t crc32(std::string_view bytes, uint32_t before) noexcept {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace tidemark::core
