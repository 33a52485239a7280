// SPDX-License-Identifier: Apache-2.0
// Decode tables of the charsets: which bytes are which character, as MySQL and MariaDB see it. The mappings come from
// ICU; where the servers differ the exceptions listed in charset_exceptions.cpp win.
// Invariants: a table is constant once built; an entry is ready-made UTF-8, so that decoding is look-ups.
// Thread: tables are built once, on first use, by whichever thread comes first.
// Source: the servers themselves; tests/integration/charsets.py compares every byte sequence with a live MariaDB.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::binlog {

enum class CharsetKind : uint8_t {
  utf8,     ///< checked and copied
  single,   ///< one byte each
  pairs,    ///< one byte, or two
  triples,  ///< as pairs, and three behind 0x8f
  gb18030,  ///< as pairs, and four
  ucs2,     ///< big-endian, no surrogates
  utf16,
  utf16le,
  utf32
};

/// Low 24 bits: 1 to 3 bytes of UTF-8, first byte low; top 8 bits: how many. 0: no character starts so.
using CharsetEntry = uint32_t;
/// In pairs and triples: well-formed, but no character; its bytes are invalid together.
inline constexpr CharsetEntry kUnassigned = 1;

struct CharsetTables {
  CharsetKind kind = CharsetKind::single;
  bool ascii = true;                       ///< bytes below 0x80 are ASCII
  uint8_t utf8_max = 4;                    ///< utf8: longest character
  std::array<CharsetEntry, 256> single{};  ///< single, pairs, triples, gb18030
  std::vector<CharsetEntry> two;           ///< [(lead - 0x80) * 256 + trail]
  std::vector<CharsetEntry> three;         ///< behind 0x8f, as `two`
  std::vector<uint16_t> four;              ///< gb18030: characters of the BMP by linear number; 0 = none
};

/// Character numbers that the servers see otherwise than ICU: `code`, `code + step`, ... are `unicode`,
/// `unicode + 1`, ...; `unicode` 0: no characters.
struct CharsetException {
  uint32_t code;
  uint16_t count;
  uint16_t unicode;
  uint8_t step = 1;
};

struct ByteRange {
  uint8_t first;
  uint8_t last;
};

/// What a table is built from.
struct CharsetSpec {
  std::string_view name;
  CharsetKind kind = CharsetKind::single;
  const char* icu = nullptr;           ///< converter that supplies the mappings
  bool drop_controls = false;          ///< ICU fills holes in 0x80..0x9f with the controls; the servers do not
  bool drop_private = false;           ///< ICU maps user-defined areas to private use; the servers do not
  std::span<const ByteRange> leads{};  ///< of two bytes
  std::span<const ByteRange> trails{};
  std::span<const CharsetException> exceptions{};
};

/// nullptr: not a charset of the servers that has characters ("binary" has none).
const CharsetSpec* find_charset_spec(std::string_view name);

/// nullopt: ICU lacks the converter (its data files are incomplete).
std::optional<CharsetTables> build_charset_tables(const CharsetSpec& spec);

/// UTF-8 of a character of the BMP, as an entry.
CharsetEntry charset_entry(uint32_t unicode);

}  // namespace tidemark::binlog
