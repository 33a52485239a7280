// SPDX-License-Identifier: Apache-2.0
//
// Characters of UTF-8 texts, as functions of texts count them: a character is a code point with its continuation
// bytes; a byte that belongs to none is a character of its own, so that any bytes can be walked. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::core {

/// Bytes of the character at `at` (< text.size()).
inline size_t character_size(std::string_view text, size_t at) noexcept {
  size_t size = 1;
  if (static_cast<uint8_t>(text[at]) >= 0xc0) {
    while (size < 4 && at + size < text.size() && (static_cast<uint8_t>(text[at + size]) & 0xc0) == 0x80) ++size;
  }
  return size;
}

/// No byte above 127: a character is a byte.
bool is_ascii(std::string_view text) noexcept;

size_t count_characters(std::string_view text) noexcept;

/// The byte at which character number `number` (from 0) begins; the size of the text where it has no more than that.
size_t character_offset(std::string_view text, uint64_t number) noexcept;

}  // namespace tidemark::core
