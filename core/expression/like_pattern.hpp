// SPDX-License-Identifier: Apache-2.0
//
// LIKE: % for any text, _ for one character (a UTF-8 code point; a byte where the text is not UTF-8). Case matters.
// Time is bounded by text times pattern, and patterns are short. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::core {

inline constexpr size_t kLikePatternBytesMax = 512;

/// The pattern with `\` as its escape character, whatever it was written with (0: none); empty when it ends with the
/// escape character.
std::optional<std::string> normalize_like(std::string_view pattern, char escape);

/// `pattern` as normalize_like gave it.
bool like_matches(std::string_view text, std::string_view pattern) noexcept;

}  // namespace tidemark::core
