// SPDX-License-Identifier: Apache-2.0
// Compact bytes for state that is kept in positions: LEB128 integers, length-prefixed texts.
//
// Invariants: what StateWriter wrote StateReader reads in the same order; a read past the end fails, gives 0 or an
// empty text, and makes every later read fail, so that callers test ok() once at the end.
// Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::binlog {

class StateWriter {
 public:
  explicit StateWriter(std::string& out) : out_(out) {}

  void integer(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    out_.push_back(static_cast<char>(value));
  }
  void text(std::string_view value) {
    integer(value.size());
    out_.append(value);
  }
  void flag(bool value) { out_.push_back(value ? '\1' : '\0'); }

 private:
  std::string& out_;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && left_.empty(); }

  uint64_t integer() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return broken();
  }
  /// A number of things that take at least one byte each: never more than there are bytes.
  uint64_t count() {
    const uint64_t value = integer();
    return value <= left_.size() ? value : broken();
  }
  std::string_view text() {
    const uint64_t size = count();
    const std::string_view value = left_.substr(0, size);
    left_.remove_prefix(value.size());
    return value;
  }
  bool flag() {
    if (left_.empty()) return broken() != 0;
    const bool value = left_.front() != '\0';
    left_.remove_prefix(1);
    return value;
  }

 private:
  uint64_t broken() {
    ok_ = false;
    left_ = {};
    return 0;
  }

  std::string_view left_;
  bool ok_ = true;
};

}  // namespace tidemark::binlog
