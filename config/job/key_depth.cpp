// SPDX-License-Identifier: Apache-2.0
//
// A scan that knows strings and comments and nothing else of TOML. What it misjudges in a broken file, the parser
// reports.
#include "config/job/key_depth.hpp"

#include <algorithm>

namespace tidemark::config {
namespace {

// Offset past the string that starts at `at`; past its line for a one-line string without end.
size_t skip_string(std::string_view text, size_t at) noexcept {
  const char quote = text[at];
  const bool multi_line = text.substr(at).starts_with(quote == '"' ? R"(""")" : "'''");
  at += multi_line ? 3 : 1;
  for (; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (!multi_line) return at + 1;
      if (at + 2 < text.size() && text[at + 1] == quote && text[at + 2] == quote) return at + 3;
    } else if (text[at] == '\n' && !multi_line) {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::optional<size_t> find_too_deep_key(std::string_view text) noexcept {
  size_t dots = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.' && ++dots >= kKeyPartsMax) return at;
    if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
    ++at;
  }
  return std::nullopt;
}

}  // namespace tidemark::config
