// SPDX-License-Identifier: Apache-2.0
//
// Writing and reading of binary records: fixed little-endian integers, varints, length-prefixed strings. A
// reader never runs past its input: a short or malformed input makes ok() false and every later read yields
// zero, so that callers test once at the end. Values; no threads.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace tidemark::core {

/// Appends to a string that it does not own.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <typename T>
  void fixed(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);  // little-endian hosts only, see bytes.cpp
  }
  void varint(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void text(std::string_view value) {
    varint(value.size());
    out_.append(value);
  }
  void raw(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }

 private:
  std::string& out_;
};

/// Reads from bytes that outlive it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : in_(in) {}

  template <typename T>
  T fixed() {
    T value{};
    const std::string_view bytes = raw(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (in_.empty()) break;
      const auto byte = static_cast<uint8_t>(in_.front());
      in_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    fail();
    return 0;
  }
  std::string_view text() { return raw(varint()); }
  std::string_view raw(uint64_t size) {
    if (size > in_.size()) {
      fail();
      return {};
    }
    const std::string_view out = in_.substr(0, size);
    in_.remove_prefix(size);
    return out;
  }
  /// False once a read went past the end or met a malformed varint.
  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  std::string_view rest() const { return in_; }

 private:
  void fail() {
    ok_ = false;
    in_ = {};
  }
  std::string_view in_;
  bool ok_ = true;
};

/// Signed 64-bit as 8 big-endian bytes with the sign bit flipped: memcmp order is numeric order.
void append_ordered_i64(std::string& out, int64_t value);
int64_t read_ordered_i64(std::string_view eight_bytes);
/// Unsigned big-endian of the low `size` bytes (1 to 8): memcmp order is numeric order.
void append_ordered_u64(std::string& out, uint64_t value, unsigned size = 8);
uint64_t read_ordered_u64(std::string_view bytes);

/// CRC-32 (the polynomial of zlib) of `bytes`: page and record checksums. `before`: that of what stands before them.
uint32_t crc32(std::string_view bytes, uint32_t before = 0) noexcept;

}  // namespace tidemark::core
