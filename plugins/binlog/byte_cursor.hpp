// SPDX-License-Identifier: Apache-2.0
// Reads little-endian and big-endian integers, length-encoded integers and byte runs from a span, bounds checked.
// Invariant: a read past the end fails, gives 0 or an empty span, and makes every later read fail; check ok() once
// at the end of a run of reads.
// Plain value; any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tidemark::binlog {

/// `count` bytes (0..8) as an integer, no bounds check.
inline uint64_t load_le(const uint8_t* at, uint32_t count) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
}
inline uint64_t load_be(const uint8_t* at, uint32_t count) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < count; ++i) value = value << 8 | at[i];
  return value;
}

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t offset() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  uint8_t u8() { return static_cast<uint8_t>(le(1)); }
  uint16_t u16() { return static_cast<uint16_t>(le(2)); }
  uint32_t u32() { return static_cast<uint32_t>(le(4)); }
  uint64_t u64() { return le(8); }
  uint64_t le(uint32_t count) { return take(count) ? load_le(bytes_.data() + at_ - count, count) : 0; }
  uint64_t be(uint32_t count) { return take(count) ? load_be(bytes_.data() + at_ - count, count) : 0; }

  /// MySQL's length-encoded integer. 251 (NULL) and 255 are not legal here.
  uint64_t length_encoded() {
    const uint8_t first = u8();
    if (first < 251) return first;
    if (first == 252) return le(2);
    if (first == 253) return le(3);
    if (first == 254) return le(8);
    ok_ = false;
    return 0;
  }

  /// The integer of MySQL's serialization library: as many trailing one bits in the first byte as bytes follow it.
  uint64_t variable_length() {
    const uint8_t first = u8();
    const auto more = static_cast<uint32_t>(std::countr_one(first));
    if (more >= 8) return u64();
    return le(more) << (7 - more) | static_cast<uint64_t>(first) >> (more + 1);
  }

  std::span<const uint8_t> bytes(uint64_t count) {
    return take(count) ? bytes_.subspan(at_ - static_cast<size_t>(count), static_cast<size_t>(count))
                       : std::span<const uint8_t>{};
  }
  std::string_view text(uint64_t count) {
    const auto run = bytes(count);
    return {reinterpret_cast<const char*>(run.data()), run.size()};
  }
  void skip(uint64_t count) { take(count); }
  std::span<const uint8_t> rest() { return bytes(left()); }
  std::string_view rest_text() { return text(left()); }

 private:
  bool take(uint64_t count) {
    if (!ok_ || count > left()) {
      ok_ = false;
      return false;
    }
    at_ += static_cast<size_t>(count);
    return true;
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace tidemark::binlog
