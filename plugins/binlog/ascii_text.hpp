// SPDX-License-Identifier: Apache-2.0
// ASCII letters, blanks and digits in texts whose other bytes stay as they are: names, numbers, GTIDs, keys.
// Invariant: no locale has a say, and bytes of UTF-8 beyond ASCII are never changed. Any thread; no state.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tidemark::binlog {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char ascii_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

inline std::string ascii_lowered(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

inline bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

/// Without spaces, tabs and line breaks at either end.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The digit's value; -1 if it is none.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace tidemark::binlog
