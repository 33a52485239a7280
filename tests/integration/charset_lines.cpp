// SPDX-License-Identifier: Apache-2.0
// Answers lines on standard input, for charsets.py: "text CHARSET HEX" with the UTF-8 in hex and how many bytes were
// replaced, "collation ID" with the name of its charset. "?" = not known.
// One thread.
#include <cstdio>
#include <iostream>
#include <string>

#include "binlog/charset.hpp"
#include "binlog/charset_decoder.hpp"

namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string to_hex(const std::string& bytes) {
  std::string hex;
  char digits[3];
  for (const char byte : bytes) {
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    hex += digits;
  }
  return hex;
}

}  // namespace

int main() {
  using tidemark::binlog::CharsetDecoder;
  std::ios::sync_with_stdio(false);
  std::string what;
  while (std::cin >> what) {
    if (what == "collation") {
      uint32_t id = 0;
      std::cin >> id;
      std::cout << tidemark::binlog::charset_of_collation(id) << '\n';
      continue;
    }
    std::string charset;
    std::string hex;
    std::cin >> charset >> hex;
    const CharsetDecoder* decoder = CharsetDecoder::find(charset);
    if (decoder == nullptr) {
      std::cout << "?\n";
      continue;
    }
    std::string text;
    const uint64_t replaced = decoder->append(from_hex(hex), text);
    std::cout << to_hex(text) << ' ' << replaced << '\n';
  }
}
