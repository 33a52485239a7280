// SPDX-License-Identifier: Apache-2.0
// MySQL's binary JSON as text, byte for byte as the server's SELECT prints it: {"a": 1, "b": [true, null]}; doubles
// with the fewest digits that read back and a fraction (1.0, 1e308); decimals exact; DATE, TIME, DATETIME and TIMESTAMP
// as quoted text, the latter three with 6 digits; other values of SQL types as "base64:type<code>:...".
// Invariants: output of at most kJsonTextFactor bytes per byte of the document and kJsonTextExtra more; always valid
// UTF-8 and valid JSON on one line; nothing for a damaged document.
// Any thread; no state.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "binlog/json_binary.hpp"

namespace tidemark::binlog {

inline constexpr uint32_t kJsonTextFactor = 6;  ///< a control character: 1 byte in, \u001f out
inline constexpr uint32_t kJsonTextExtra = 4;   ///< null, of no byte at all

enum class JsonResult : uint8_t {
  ok,
  corrupt  ///< not a right document
};

/// Takes the text: into memory of a fixed size, into a string, or only counting.
class JsonSink {
 public:
  static constexpr size_t kTokenMax = 64;

  JsonSink(char* at, uint64_t capacity) : at_(at), end_(at + capacity) {}
  explicit JsonSink(std::string& out) : string_(&out) {}
  /// Counts alone.
  JsonSink() = default;

  void put(char c) { put(&c, 1); }
  void put(std::string_view text) { put(text.data(), text.size()); }
  void put(const char* text, size_t size) {
    if (size > left()) return put_elsewhere(text, size);
    if (size != 0) std::memcpy(at_, text, size);
    advance(at_ + size);
  }
  /// `write(char*)` writes up to kTokenMax bytes and gives their end.
  template <class Write>
  void token(const Write& write) {
    if (left() >= kTokenMax) return advance(write(at_));
    char text[kTokenMax];
    put(text, static_cast<size_t>(write(text) - text));
  }
  /// As token(), for longer runs: false = there is no room for `size` bytes at once, and nothing was written.
  template <class Write>
  bool run(size_t size, const Write& write) {
    if (left() < size) return false;
    advance(write(at_));
    return true;
  }

  uint64_t written() const { return written_; }
  /// More was put than there is room; always so for a sink that counts.
  bool full() const { return full_; }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  void advance(char* to) {
    written_ += static_cast<uint64_t>(to - at_);
    at_ = to;
  }
  void put_elsewhere(const char* text, size_t size) {
    written_ += size;
    if (string_ != nullptr) {
      string_->append(text, size);
    } else {
      full_ = true;
      end_ = at_;
    }
  }

  char* at_ = nullptr;
  char* end_ = nullptr;
  std::string* string_ = nullptr;
  uint64_t written_ = 0;
  bool full_ = false;
};

/// The text of a whole document (a JSON cell without its length prefix). Whether it had room the sink's full() tells.
JsonResult write_json_text(std::span<const uint8_t> document, JsonSink& sink);

/// Parts of a document, for printing what was put together otherwise. False = corrupt.
bool write_json_slot(const JsonSlot& slot, uint32_t depth, JsonBudget& budget, JsonSink& sink);
/// A key or string with quotes and escapes.
bool write_json_string(std::string_view text, JsonSink& sink);

}  // namespace tidemark::binlog
