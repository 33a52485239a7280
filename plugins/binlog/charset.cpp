// SPDX-License-Identifier: Apache-2.0
// Collation ids, and the widest characters. No state; any thread.
#include "binlog/charset.hpp"

#include <array>

#include "binlog/charset_decoder.hpp"

namespace tidemark::binlog {

namespace {

struct Range {
  uint16_t first;
  uint16_t last;
  std::string_view charset;
};

// Ids below 100 are scattered: one entry each. Source: SHOW COLLATION of MySQL 8.4 and MariaDB 10.11.
constexpr std::string_view kLowIds[] = {
    "unknown", "big5",   "latin2",   "dec8",     "cp850",    "latin1",  "hp8",     "koi8r",   "latin1",  "latin2",
    "swe7",    "ascii",  "ujis",     "sjis",     "cp1251",   "latin1",  "hebrew",  "unknown", "tis620",  "euckr",
    "latin7",  "latin2", "koi8u",    "cp1251",   "gb2312",   "greek",   "cp1250",  "latin2",  "gbk",     "cp1257",
    "latin5",  "latin1", "armscii8", "utf8mb3",  "cp1250",   "ucs2",    "cp866",   "keybcs2", "macce",   "macroman",
    "cp852",   "latin7", "latin7",   "macce",    "cp1250",   "utf8mb4", "utf8mb4", "latin1",  "latin1",  "latin1",
    "cp1251",  "cp1251", "cp1251",   "macroman", "utf16",    "utf16",   "utf16le", "cp1256",  "cp1257",  "cp1257",
    "utf32",   "utf32",  "utf16le",  "",         "armscii8", "ascii",   "cp1250",  "cp1256",  "cp866",   "dec8",
    "greek",   "hebrew", "hp8",      "keybcs2",  "koi8r",    "koi8u",   "utf8mb3", "latin2",  "latin5",  "latin7",
    "cp850",   "cp852",  "swe7",     "utf8mb3",  "big5",     "euckr",   "gb2312",  "gbk",     "sjis",    "tis620",
    "ucs2",    "ujis",   "geostd8",  "geostd8",  "latin1",   "cp932",   "cp932",   "eucjpms", "eucjpms", "cp1250"};

constexpr Range kRanges[] = {
    {101, 124, "utf16"},   {128, 151, "ucs2"},    {159, 159, "ucs2"},      {160, 183, "utf32"},
    {192, 215, "utf8mb3"}, {223, 223, "utf8mb3"}, {224, 247, "utf8mb4"},   {248, 250, "gb18030"},
    {255, 323, "utf8mb4"}, {576, 607, "utf8mb3"}, {608, 639, "utf8mb4"},   {640, 671, "ucs2"},
    {672, 703, "utf16"},   {736, 767, "utf32"},   {2048, 2303, "utf8mb3"}, {2304, 2559, "utf8mb4"},
    {2560, 2815, "ucs2"},  {2816, 3071, "utf16"}, {3072, 3327, "utf32"},
};

// MariaDB's NOPAD twin of collation n is n + 1024.
constexpr uint32_t kNopadFirst = 1024;
constexpr uint32_t kNopadLast = 2047;

struct MaxBytes {
  std::string_view charset;
  uint32_t bytes;
};

constexpr MaxBytes kMaxBytes[] = {
    {"", 1},        {"ascii", 1},    {"latin1", 1},   {"latin2", 1},  {"latin5", 1},  {"latin7", 1},  {"cp850", 1},
    {"cp852", 1},   {"cp866", 1},    {"cp1250", 1},   {"cp1251", 1},  {"cp1256", 1},  {"cp1257", 1},  {"koi8r", 1},
    {"koi8u", 1},   {"greek", 1},    {"hebrew", 1},   {"tis620", 1},  {"dec8", 1},    {"hp8", 1},     {"swe7", 1},
    {"macce", 1},   {"macroman", 1}, {"armscii8", 1}, {"geostd8", 1}, {"keybcs2", 1}, {"binary", 1},  {"big5", 2},
    {"gbk", 2},     {"gb2312", 2},   {"sjis", 2},     {"cp932", 2},   {"euckr", 2},   {"ucs2", 2},    {"ujis", 3},
    {"eucjpms", 3}, {"utf8mb3", 3},  {"utf8", 3},     {"utf8mb4", 4}, {"utf16", 4},   {"utf16le", 4}, {"utf32", 4},
    {"gb18030", 4},
};

}  // namespace

std::string_view charset_of_collation(uint32_t collation_id) {
  if (collation_id >= kNopadFirst && collation_id <= kNopadLast) collation_id -= kNopadFirst;
  if (collation_id < std::size(kLowIds)) return kLowIds[collation_id];
  for (const auto& range : kRanges) {
    if (collation_id >= range.first && collation_id <= range.last) return range.charset;
  }
  return "unknown";
}

uint32_t charset_max_bytes(std::string_view charset) {
  for (const auto& entry : kMaxBytes) {
    if (entry.charset == charset) return entry.bytes;
  }
  return 0;
}

CharsetRule charset_rule(std::string_view charset) {
  const CharsetDecoder* decoder = CharsetDecoder::find(charset);
  if (decoder == nullptr) return CharsetRule::unsupported;
  return decoder->is_utf8() || charset == "ascii" ? CharsetRule::copy : CharsetRule::convert;
}

bool append_utf8(std::string_view charset, std::string_view bytes, std::string& out) {
  const CharsetDecoder* decoder = CharsetDecoder::find(charset);
  if (decoder == nullptr) return false;
  decoder->append(bytes, out);
  return true;
}

}  // namespace tidemark::binlog
