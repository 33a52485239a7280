// SPDX-License-Identifier: Apache-2.0
// Tables from ICU's converters, one byte sequence at a time: some milliseconds for the largest.
// No state; any thread.
#include "binlog/charset_tables.hpp"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <memory>

namespace tidemark::binlog {

namespace {

constexpr uint32_t kReplacement = 0xfffd;
constexpr uint32_t kKatakanaLead = 0x8e;
constexpr uint32_t kKatakanaLast = 0xdf;
constexpr uint32_t kThreeLead = 0x8f;
constexpr size_t kPlaneSize = size_t{128} * 256;
constexpr uint32_t kFourBytesBmp = 39'420;  // characters of the BMP that gb18030 spells in four bytes

using Converter = std::unique_ptr<UConverter, void (*)(UConverter*)>;

Converter open_converter(const char* name) {
  UErrorCode code = U_ZERO_ERROR;
  Converter converter(ucnv_open(name, &code), ucnv_close);
  if (U_SUCCESS(code)) {
    ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &code);
  }
  return U_SUCCESS(code) ? std::move(converter) : Converter(nullptr, ucnv_close);
}

bool in_ranges(std::span<const ByteRange> ranges, uint32_t byte) {
  return std::ranges::any_of(ranges, [&](ByteRange range) { return byte >= range.first && byte <= range.last; });
}

class Builder {
 public:
  Builder(const CharsetSpec& spec, UConverter* converter) : spec_(spec), converter_(converter) {
    out_.kind = spec.kind;
  }

  CharsetTables build() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const auto text = static_cast<char>(byte);
      if (has_single(byte)) out_.single[byte] = entry_of({&text, 1});
    }
    if (spec_.kind != CharsetKind::single) fill_plane(out_.two, false);
    if (spec_.kind == CharsetKind::triples) fill_plane(out_.three, true);
    if (spec_.kind == CharsetKind::gb18030) fill_four();
    for (const CharsetException& exception : spec_.exceptions) apply(exception);
    for (uint32_t byte = 0; byte < 0x80; ++byte) out_.ascii = out_.ascii && out_.single[byte] == charset_entry(byte);
    return std::move(out_);
  }

 private:
  bool has_single(uint32_t byte) const {
    if (byte < 0x80 || spec_.kind == CharsetKind::single) return true;
    return !in_ranges(spec_.leads, byte) && byte >= 0xa1 && byte <= kKatakanaLast;  // half-width katakana
  }

  /// What ICU makes of one byte sequence; 0 = not one character.
  uint32_t unicode_of(std::string_view bytes) {
    if (bytes.size() == 1 && (bytes[0] & 0x80) == 0) return static_cast<uint32_t>(bytes[0]);
    UErrorCode code = U_ZERO_ERROR;
    UChar units[4];
    const int32_t count = ucnv_toUChars(converter_, units, 4, bytes.data(), static_cast<int32_t>(bytes.size()), &code);
    if (U_FAILURE(code) || count != 1 || U16_IS_SURROGATE(units[0])) return 0;
    const uint32_t unicode = units[0];
    if (unicode == kReplacement) return 0;
    if (spec_.drop_controls && unicode >= 0x80 && unicode < 0xa0) return 0;
    if (spec_.drop_private && unicode >= 0xe000 && unicode <= 0xf8ff) return 0;
    return unicode;
  }

  CharsetEntry entry_of(std::string_view bytes) {
    const uint32_t unicode = unicode_of(bytes);
    return unicode == 0 && bytes != std::string_view("\0", 1) ? 0 : charset_entry(unicode);
  }

  void fill_plane(std::vector<CharsetEntry>& plane, bool three) {
    plane.resize(kPlaneSize);
    for (uint32_t first = 0x80; first < 0x100; ++first) {
      if (!in_ranges(three ? spec_.trails : spec_.leads, first)) continue;
      for (uint32_t second = 0; second < 0x100; ++second) {
        if (!in_ranges(spec_.trails, second)) continue;
        const bool katakana = spec_.kind == CharsetKind::triples && !three && first == kKatakanaLead;
        if (katakana && second > kKatakanaLast) continue;
        const char bytes[] = {static_cast<char>(kThreeLead), static_cast<char>(first), static_cast<char>(second)};
        const CharsetEntry entry = entry_of(three ? std::string_view(bytes, 3) : std::string_view(bytes + 1, 2));
        plane[(first - 0x80) * 256 + second] = entry == 0 ? kUnassigned : entry;
      }
    }
  }

  void fill_four() {
    out_.four.resize(kFourBytesBmp);
    for (uint32_t i = 0; i < kFourBytesBmp; ++i) {
      const char bytes[] = {static_cast<char>(0x81 + i / 12'600), static_cast<char>(0x30 + i / 1260 % 10),
                            static_cast<char>(0x81 + i / 10 % 126), static_cast<char>(0x30 + i % 10)};
      out_.four[i] = static_cast<uint16_t>(unicode_of({bytes, 4}));
    }
  }

  void apply(const CharsetException& exception) {
    for (uint32_t i = 0; i < exception.count; ++i) {
      const uint32_t code = exception.code + i * exception.step;
      const uint32_t unicode = exception.unicode == 0 ? 0 : exception.unicode + i;
      if (code < 0x100) {
        out_.single[code] = unicode == 0 ? 0 : charset_entry(unicode);
        continue;
      }
      auto& plane = code > 0xffff ? out_.three : out_.two;
      plane[(code >> 8 & 0x7f) * 256 + (code & 0xff)] = unicode == 0 ? kUnassigned : charset_entry(unicode);
    }
  }

  const CharsetSpec& spec_;
  UConverter* converter_;
  CharsetTables out_;
};

}  // namespace

CharsetEntry charset_entry(uint32_t unicode) {
  if (unicode < 0x80) return 1u << 24 | unicode;
  const uint32_t last = 0x80 | (unicode & 0x3f);
  if (unicode < 0x800) return 2u << 24 | last << 8 | 0xc0 | unicode >> 6;
  return 3u << 24 | last << 16 | (0x80 | (unicode >> 6 & 0x3f)) << 8 | 0xe0 | unicode >> 12;
}

std::optional<CharsetTables> build_charset_tables(const CharsetSpec& spec) {
  if (spec.icu == nullptr) {
    CharsetTables tables;
    tables.kind = spec.kind;
    tables.ascii = spec.kind == CharsetKind::utf8;
    tables.utf8_max = spec.name == "utf8mb4" ? 4 : 3;
    return tables;
  }
  const Converter converter = open_converter(spec.icu);
  if (!converter) return std::nullopt;
  return Builder(spec, converter.get()).build();
}

}  // namespace tidemark::binlog
