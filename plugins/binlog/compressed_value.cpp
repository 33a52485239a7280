// SPDX-License-Identifier: Apache-2.0
// Head byte: 0 = as it is; else algorithm (high 4 bits, 8 = zlib), a flag for streams without zlib's wrapper, and how
// many bytes the size takes (low 3 bits, most significant first).
// Any thread; no state.
#include "binlog/compressed_value.hpp"

#include "binlog/byte_cursor.hpp"
#include "binlog/inflate.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint8_t kZlib = 8;
constexpr uint8_t kNoWrapper = 0x08;

struct Parts {
  uint64_t size = 0;
  DeflateFraming framing = DeflateFraming::zlib;
  std::span<const uint8_t> stream;
};

std::optional<Parts> split(std::span<const uint8_t> content, uint64_t size_max) {
  const uint8_t head = content.front();
  const uint32_t size_bytes = head & 0x07;
  if (head >> 4 != kZlib || size_bytes < 1 || size_bytes > 4 || content.size() < 1 + size_bytes) return std::nullopt;
  Parts parts;
  parts.size = load_be(content.data() + 1, size_bytes);
  parts.framing = (head & kNoWrapper) == 0 ? DeflateFraming::zlib : DeflateFraming::raw;
  parts.stream = content.subspan(1 + size_bytes);
  if (parts.size > size_max || parts.size > parts.stream.size() * kInflateFactorMax) return std::nullopt;
  return parts;
}

}  // namespace

std::optional<std::span<const uint8_t>> inflate_value(std::span<const uint8_t> content, uint64_t size_max,
                                                      std::vector<uint8_t>& scratch) {
  if (content.empty()) return content;
  if (content.front() == 0) return content.subspan(1);
  const auto parts = split(content, size_max);
  if (!parts) return std::nullopt;
  scratch.resize(static_cast<size_t>(parts->size));
  if (!inflate_exactly(parts->stream, parts->framing, scratch)) return std::nullopt;
  return std::span<const uint8_t>(scratch);
}

uint64_t stated_size(std::span<const uint8_t> content, uint64_t size_max) {
  if (content.empty()) return 0;
  if (content.front() == 0) return content.size() - 1;
  const auto parts = split(content, size_max);
  return parts ? parts->size : 0;
}

}  // namespace tidemark::binlog
