// SPDX-License-Identifier: Apache-2.0
//
// See the header. Rather too much is hidden than too little: where a text ends is not known in a line with a mistake.
#include "config/job/secret_mask.hpp"

#include <algorithm>
#include <cstddef>

namespace tidemark::config {
namespace {

constexpr std::string_view kPassword = "password";

// As many stars as characters, so that carets under the line keep their places.
void mask(std::string& line, size_t begin, size_t end) {
  if (begin >= end) return;
  const auto characters =
      std::count_if(line.begin() + static_cast<ptrdiff_t>(begin), line.begin() + static_cast<ptrdiff_t>(end),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  line.replace(begin, end - begin, static_cast<size_t>(characters), '*');
}

// Where a value begins behind the key that ends at `at`; npos when there is none, or it is a table that names where the
// password is.
size_t value_behind(std::string_view line, size_t at) {
  const size_t equals = line.find_first_not_of(" \t\"'", at);
  if (equals == std::string_view::npos || line[equals] != '=') return std::string_view::npos;
  const size_t value = line.find_first_not_of(" \t", equals + 1);
  return value == std::string_view::npos || line[value] == '{' ? std::string_view::npos : value;
}

}  // namespace

std::string without_secrets(std::string_view line) {
  std::string out(line);
  for (size_t at = out.find(kPassword); at != std::string::npos; at = out.find(kPassword, at + kPassword.size())) {
    const size_t value = value_behind(line, at + kPassword.size());
    if (value == std::string::npos) continue;
    mask(out, value, out.size());
    break;
  }
  for (size_t at = out.find("://"); at != std::string::npos; at = out.find("://", at + 3)) {
    const size_t colon = out.find(':', at + 3);
    const size_t end = out.rfind('@');
    if (colon != std::string::npos && end != std::string::npos) mask(out, colon + 1, end);
  }
  return out;
}

}  // namespace tidemark::config
