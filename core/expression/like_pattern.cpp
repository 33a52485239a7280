// SPDX-License-Identifier: Apache-2.0
//
// Greedy matching: on a mismatch the last % takes one character more. Earlier ones never have to be tried again.
#include "core/expression/like_pattern.hpp"

#include <cstdint>

#include "core/expression/characters.hpp"

namespace tidemark::core {
std::optional<std::string> normalize_like(std::string_view pattern, char escape) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (escape != 0 && pattern[i] == escape) {
      if (++i == pattern.size()) return std::nullopt;
      out += '\\';
    } else if (pattern[i] == '\\') {
      out += '\\';
    }
    out += pattern[i];
  }
  return out;
}

bool like_matches(std::string_view text, std::string_view pattern) noexcept {
  constexpr size_t kNone = SIZE_MAX;
  size_t at = 0;
  size_t in_pattern = 0;
  size_t retry_pattern = kNone;  // behind the last %
  size_t retry_at = 0;
  while (true) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '%') {
      if (in_pattern + 1 == pattern.size()) return true;
      retry_pattern = ++in_pattern;
      retry_at = at;
      continue;
    }
    bool matches = false;
    if (at == text.size()) {
      if (in_pattern == pattern.size()) return true;
      return false;  // more text is wanted, and no retry has more
    }
    if (in_pattern < pattern.size()) {
      if (pattern[in_pattern] == '_') {
        at += character_size(text, at);
        ++in_pattern;
        matches = true;
      } else {
        const size_t literal = in_pattern + (pattern[in_pattern] == '\\' ? 1 : 0);
        if (pattern[literal] == text[at]) {
          ++at;
          in_pattern = literal + 1;
          matches = true;
        }
      }
    }
    if (matches) continue;
    if (retry_pattern == kNone) return false;
    retry_at += character_size(text, retry_at);
    at = retry_at;
    in_pattern = retry_pattern;
  }
}

}  // namespace tidemark::core
