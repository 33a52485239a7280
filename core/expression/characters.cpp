// SPDX-License-Identifier: Apache-2.0
//
// One pass, eight bytes at a time while they are ASCII.
#include "core/expression/characters.hpp"

#include <algorithm>
#include <cstring>

namespace tidemark::core {

bool is_ascii(std::string_view text) noexcept {
  size_t at = 0;
  uint64_t bits = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    bits |= word;
  }
  for (; at < text.size(); ++at) bits |= static_cast<uint8_t>(text[at]) & 0x80u;
  return (bits & 0x8080808080808080u) == 0;
}

size_t count_characters(std::string_view text) noexcept {
  if (is_ascii(text)) return text.size();
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += character_size(text, at)) ++count;
  return count;
}

size_t character_offset(std::string_view text, uint64_t number) noexcept {
  if (is_ascii(text)) return std::min<uint64_t>(number, text.size());
  size_t at = 0;
  for (; number > 0 && at < text.size(); --number) at += character_size(text, at);
  return at;
}

}  // namespace tidemark::core
