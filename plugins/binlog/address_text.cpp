// SPDX-License-Identifier: Apache-2.0
// INET6: the first longest run of zero words becomes "::", also a run of one (unlike inet_ntop's); addresses that
// carry an IPv4 one end in its dotted form.
// No state; any thread.
#include "binlog/address_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tidemark::binlog {

namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr uint32_t kWords = 8;

struct Run {
  uint32_t first = kWords;
  uint32_t count = 0;
};

Run longest_zero_run(const std::array<uint16_t, kWords>& words) {
  Run longest;
  Run run;
  for (uint32_t i = 0; i < kWords; ++i) {
    run = words[i] != 0 ? Run{} : run.count == 0 ? Run{i, 1} : Run{run.first, run.count + 1};
    if (run.count > longest.count) longest = run;
  }
  return longest;
}

/// "::1.2.3.4" and "::ffff:1.2.3.4".
bool carries_inet4(const std::array<uint16_t, kWords>& words) {
  if (std::any_of(words.begin(), words.begin() + 5, [](uint16_t word) { return word != 0; })) return false;
  return words[5] == 0xffff || (words[5] == 0 && words[6] != 0);
}

}  // namespace

char* write_uuid(const uint8_t* bytes, char* out) {
  for (uint32_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    *out++ = kDigits[bytes[i] >> 4];
    *out++ = kDigits[bytes[i] & 15];
  }
  return out;
}

char* write_inet4(const uint8_t* bytes, char* out) {
  for (uint32_t i = 0; i < 4; ++i) {
    if (i > 0) *out++ = '.';
    out = std::to_chars(out, out + 3, bytes[i]).ptr;
  }
  return out;
}

char* write_inet6(const uint8_t* bytes, char* out) {
  std::array<uint16_t, kWords> words{};
  for (size_t i = 0; i < kWords; ++i) words[i] = static_cast<uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  const Run zeros = longest_zero_run(words);
  const bool dotted = carries_inet4(words);
  const uint32_t count = dotted ? kWords - 2 : kWords;
  for (uint32_t i = 0; i < count; ++i) {
    if (i == zeros.first) {
      *out++ = ':';
      if (zeros.first + zeros.count >= kWords) *out++ = ':';
      i += zeros.count - 1;
      continue;
    }
    if (i > 0) *out++ = ':';
    out = std::to_chars(out, out + 4, words[i], 16).ptr;
  }
  if (!dotted) return out;
  *out++ = ':';
  return write_inet4(bytes + 12, out);
}

}  // namespace tidemark::binlog
