// SPDX-License-Identifier: Apache-2.0
// See the header. Invariant: a name that is no charset's is not taken for one.
// Thread: any; no state.
#include "binlog/sql_charset.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "binlog/ascii_text.hpp"
#include "binlog/charset.hpp"

namespace tidemark::binlog {
namespace {

/// Takes the first character off; a byte that begins none counts as one.
uint32_t next_character(std::string_view& utf8) {
  const auto first = static_cast<uint8_t>(utf8.front());
  const size_t size = std::min(utf8.size(), first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? size_t{3} : size_t{4});
  uint32_t character = size == 1 ? first : first & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) character = character << 6 | (static_cast<uint8_t>(utf8[i]) & 0x3f);
  utf8.remove_prefix(size);
  return character;
}

/// Marks the character that `bytes` are, if they are one.
void mark(std::string_view charset, std::string_view bytes, std::vector<bool>& characters) {
  constexpr uint32_t kReplacement = 0xfffd;
  std::string utf8;
  if (!append_utf8(charset, bytes, utf8) || utf8.empty()) return;
  std::string_view rest = utf8;
  const uint32_t character = next_character(rest);
  if (rest.empty() && character != kReplacement && character < characters.size()) characters[character] = true;
}

/// The characters of a charset of one to three bytes, by what its bytes decode to; built once per thread and charset.
const std::vector<bool>& characters_of(const std::string& charset) {
  thread_local std::map<std::string, std::vector<bool>> known;
  std::vector<bool>& characters = known[charset];
  if (!characters.empty()) return characters;
  characters.resize(0x110000);
  const uint32_t width = charset_max_bytes(charset);
  std::string bytes;
  for (int first = 0x80; first < 0x100; ++first) {
    bytes.assign(1, static_cast<char>(first));
    mark(charset, bytes, characters);
    for (int second = 0x40; width > 1 && second < 0x100; ++second) {
      bytes = {static_cast<char>(first), static_cast<char>(second)};
      mark(charset, bytes, characters);
      if (width > 2) mark(charset, '\x8f' + bytes, characters);  // the second plane of ujis and eucjpms
    }
  }
  return characters;
}

bool has_character(std::string_view charset, uint32_t character) {
  if (character < 0x80) return true;
  if (charset == "utf8mb3" || charset == "ucs2") return character < 0x10000;
  const uint32_t width = charset_max_bytes(charset);
  if (charset_rule(charset) == CharsetRule::unsupported || charset.starts_with("utf") || charset == "gb18030" ||
      width == 0 || width > 3)
    return true;
  const std::vector<bool>& characters = characters_of(std::string(charset));
  return character < characters.size() && characters[character];
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
  std::string name = ascii_lowered(std::string(written));
  return name == "utf8" ? "utf8mb3" : name;
}

std::string charset_of_collation_name(std::string_view collation) {
  std::string name = charset_from_sql(collation.substr(0, collation.find('_')));
  return charset_max_bytes(name) > 0 ? name : std::string();
}

}  // namespace tidemark::binlog
