// SPDX-License-Identifier: Apache-2.0
// See the header. Invariant: a name that is no charset's is not taken for one.
// Thread: any; no state.
#include "binlog/sql_charset.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "binlog/charset.hpp"

namespace tidemark::binlog {
namespace {

/// Characters of cp1252, which is MySQL's latin1, beyond U+00FF.
constexpr std::array<uint32_t, 27> kLatin1Others{
    0x0152, 0x0153, 0x0160, 0x0161, 0x0178, 0x017d, 0x017e, 0x0192, 0x02c6, 0x02dc, 0x2013, 0x2014, 0x2018, 0x2019,
    0x201a, 0x201c, 0x201d, 0x201e, 0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203a, 0x20ac, 0x2122};

/// Takes the first character off; a byte that begins none counts as one.
uint32_t next_character(std::string_view& utf8) {
  const auto first = static_cast<uint8_t>(utf8.front());
  const size_t size = std::min(utf8.size(), first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? size_t{3} : size_t{4});
  uint32_t character = size == 1 ? first : first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) character = character << 6 | (static_cast<uint8_t>(utf8[i]) & 0x3f);
  utf8.remove_prefix(size);
  return character;
}

bool has_character(std::string_view charset, uint32_t character) {
  if (charset == "ascii") return character < 0x80;
  if (charset == "utf8mb3" || charset == "ucs2") return character < 0x10000;
  if (charset == "latin1") {
    return character < 0x80 || (character >= 0xa0 && character < 0x100) ||
           std::binary_search(kLatin1Others.begin(), kLatin1Others.end(), character);
  }
  return true;
}

}  // namespace

std::string representable(std::string_view charset, std::string_view utf8) {
  std::string kept;
  while (!utf8.empty()) {
    const std::string_view before = utf8;
    if (has_character(charset, next_character(utf8))) {
      kept.append(before.substr(0, before.size() - utf8.size()));
    } else {
      kept.push_back('?');
    }
  }
  return kept;
}

std::string charset_from_sql(std::string_view written) {
  std::string name(written);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name == "utf8" ? "utf8mb3" : name;
}

std::string charset_of_collation_name(std::string_view collation) {
  std::string name = charset_from_sql(collation.substr(0, collation.find('_')));
  return charset_max_bytes(name) > 0 ? name : std::string();
}

}  // namespace tidemark::binlog
