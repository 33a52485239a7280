// SPDX-License-Identifier: Apache-2.0
// Bytes of a charset to UTF-8.
// Invariants: the result is always valid UTF-8; each byte that belongs to no character becomes U+FFFD and is counted;
// nothing else is changed. "Belongs to no character" is the server's view: a lone lead byte or surrogate, a sequence
// that is well-formed but unassigned (each of its bytes), in utf8mb3 also each byte of a four-byte character.
// Any thread; tables are built on first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::binlog {

struct CharsetTables;

struct DecodedText {
  uint64_t size = 0;      ///< bytes of UTF-8
  uint64_t replaced = 0;  ///< bytes that became U+FFFD
};

class CharsetDecoder {
 public:
  /// Bytes of UTF-8 per byte at most, and what decode() may write beyond what it keeps.
  static constexpr uint64_t kGrowth = 3;
  static constexpr uint64_t kSlack = 8;

  /// Lives as long as the process. nullptr: no charset of that name has characters ("" and "binary" have none).
  static const CharsetDecoder* find(std::string_view charset);

  /// `out` must have room for kGrowth * size + kSlack bytes.
  DecodedText decode(const uint8_t* bytes, size_t size, char* out) const { return decode_(*tables_, bytes, size, out); }
  /// What decode() would give, without writing.
  DecodedText measure(const uint8_t* bytes, size_t size) const { return measure_(*tables_, bytes, size); }
  /// Appends to `out`; gives how many bytes were replaced.
  uint64_t append(std::string_view bytes, std::string& out) const;

  /// For charsets that are UTF-8: whether the whole text stands as it is.
  bool is_valid_utf8(const uint8_t* bytes, size_t size) const;
  bool is_utf8() const { return is_utf8_; }

 private:
  using Decode = DecodedText (*)(const CharsetTables&, const uint8_t*, size_t, char*);
  using Measure = DecodedText (*)(const CharsetTables&, const uint8_t*, size_t);
  friend class CharsetRegistry;
  explicit CharsetDecoder(const CharsetTables* tables);

  const CharsetTables* tables_;
  Decode decode_;
  Measure measure_;
  bool is_utf8_;
};

}  // namespace tidemark::binlog
