// SPDX-License-Identifier: Apache-2.0
// The loops: one per kind of charset, each once to write and once to count. Runs of ASCII go eight bytes at a time.
// Any thread.
#include "binlog/charset_decoder.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "binlog/byte_cursor.hpp"
#include "binlog/charset_tables.hpp"
#include "binlog/utf8.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;
constexpr CharsetEntry kReplacement = 3u << 24 | 0xbdbfef;
constexpr uint32_t kFirstSupplementary = 189'000;  // linear number of U+10000 in gb18030

struct Writer {
  char* at;
  uint64_t replaced = 0;

  void put(CharsetEntry entry) {
    std::memcpy(at, &entry, 4);
    at += entry >> 24;
  }
  void put_four(uint32_t unicode) {
    at[0] = static_cast<char>(0xf0 | unicode >> 18);
    at[1] = static_cast<char>(0x80 | (unicode >> 12 & 0x3f));
    at[2] = static_cast<char>(0x80 | (unicode >> 6 & 0x3f));
    at[3] = static_cast<char>(0x80 | (unicode & 0x3f));
    at += 4;
  }
  void put_word(uint64_t word, uint32_t bytes) {
    std::memcpy(at, &word, 8);
    at += bytes;
  }
  void put_bytes(const uint8_t* from, size_t bytes) {
    std::memcpy(at, from, bytes);
    at += bytes;
  }
};

struct Counter {
  uint64_t size = 0;
  uint64_t replaced = 0;

  void put(CharsetEntry entry) { size += entry >> 24; }
  void put_four(uint32_t) { size += 4; }
  void put_word(uint64_t, uint32_t bytes) { size += bytes; }
  void put_bytes(const uint8_t*, size_t bytes) { size += bytes; }
};

template <class Sink>
void replace(Sink& sink, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) sink.put(kReplacement);
  sink.replaced += bytes;
}

template <class Sink>
const uint8_t* take_ascii(const uint8_t* at, const uint8_t* end, Sink& sink) {
  while (end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    const uint64_t high = word & kHighBits;
    const auto bytes = high == 0 ? 8u : static_cast<uint32_t>(std::countr_zero(high)) / 8;
    sink.put_word(word, bytes);
    at += bytes;
    if (bytes < 8) return at;
  }
  for (; at < end && *at < 0x80; ++at) sink.put(1u << 24 | *at);
  return at;
}

/// Bytes of the character at `at`, of at most `longest` bytes; 0 = none.
inline size_t utf8_character(const uint8_t* at, const uint8_t* end, uint32_t longest) {
  const size_t bytes = utf8_length({reinterpret_cast<const char*>(at), static_cast<size_t>(end - at)});
  return bytes <= longest ? bytes : 0;
}

/// The end of the valid text from `at` on.
const uint8_t* valid_utf8_end(const uint8_t* at, const uint8_t* end, uint32_t longest) {
  Counter ignored;
  while (true) {
    at = take_ascii(at, end, ignored);
    while (at < end && *at >= 0x80) {
      const size_t bytes = utf8_character(at, end, longest);
      if (bytes == 0) return at;
      at += bytes;
    }
    if (at == end) return at;
  }
}

// Whether a text is valid, without branches per character: an automaton whose states are numbers of bits to shift by.
// The entry of a byte holds, for each state, the next one.
enum Utf8State : uint32_t {
  kWhole = 0,
  kWrong = 6,
  kOne = 12,
  kTwo = 18,
  kThree = 24,
  kE0 = 30,
  kEd = 36,
  kF0 = 42,
  kF4 = 48
};
using Utf8Automaton = std::array<uint64_t, 256>;

constexpr Utf8Automaton utf8_automaton(uint32_t longest) {
  Utf8Automaton automaton{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const auto within = [&](uint32_t first, uint32_t last) { return byte >= first && byte <= last; };
    const bool follows = within(0x80, 0xbf);
    uint64_t start = kWrong;
    if (byte < 0x80) start = kWhole;
    if (within(0xc2, 0xdf)) start = kOne;
    if (within(0xe0, 0xef)) start = byte == 0xe0 ? kE0 : byte == 0xed ? kEd : kTwo;
    if (longest == 4 && within(0xf0, 0xf4)) start = byte == 0xf0 ? kF0 : byte == 0xf4 ? kF4 : kThree;
    const auto next = [](bool right, uint32_t state) { return uint64_t{right ? state : uint32_t{kWrong}}; };
    automaton[byte] = start << kWhole | uint64_t{kWrong} << kWrong | next(follows, kWhole) << kOne |
                      next(follows, kOne) << kTwo | next(follows, kTwo) << kThree |
                      next(within(0xa0, 0xbf), kOne) << kE0 | next(within(0x80, 0x9f), kOne) << kEd |
                      next(within(0x90, 0xbf), kTwo) << kF0 | next(within(0x80, 0x8f), kTwo) << kF4;
  }
  return automaton;
}

constexpr Utf8Automaton kUtf8Of3 = utf8_automaton(3);
constexpr Utf8Automaton kUtf8Of4 = utf8_automaton(4);

bool all_valid_utf8(const uint8_t* at, const uint8_t* end, const Utf8Automaton& automaton) {
  uint64_t state = kWhole;
  while (end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if ((word & kHighBits) != 0 || (state & 63) != kWhole) {
      for (uint32_t i = 0; i < 8; ++i) state = automaton[at[i]] >> (state & 63);
    }
    at += 8;
  }
  for (; at < end; ++at) state = automaton[*at] >> (state & 63);
  return (state & 63) == kWhole;
}

template <class Sink>
void decode_utf8(const CharsetTables& tables, const uint8_t* at, const uint8_t* end, Sink& sink) {
  while (at < end) {
    const uint8_t* const valid = valid_utf8_end(at, end, tables.utf8_max);
    sink.put_bytes(at, static_cast<size_t>(valid - at));
    at = valid;
    if (at == end) return;
    replace(sink, 1);
    ++at;
  }
}

template <class Sink>
void decode_single(const CharsetTables& tables, const uint8_t* at, const uint8_t* end, Sink& sink) {
  while (at < end) {
    if (tables.ascii) at = take_ascii(at, end, sink);
    for (; at < end && (*at >= 0x80 || !tables.ascii); ++at) {
      const CharsetEntry entry = tables.single[*at];
      if (entry != 0) {
        sink.put(entry);
      } else {
        replace(sink, 1);
      }
    }
  }
}

/// gb18030's four bytes; gives how many were taken, 0 = this is no such sequence.
template <class Sink>
uint32_t take_four(const CharsetTables& tables, const uint8_t* at, const uint8_t* end, Sink& sink) {
  const auto between = [&](uint32_t i, uint8_t first, uint8_t last) { return at[i] >= first && at[i] <= last; };
  if (end - at < 4 || !between(0, 0x81, 0xfe) || !between(1, 0x30, 0x39) || !between(2, 0x81, 0xfe) ||
      !between(3, 0x30, 0x39)) {
    return 0;
  }
  const uint32_t linear = ((at[0] - 0x81u) * 10 + (at[1] - 0x30u)) * 1260 + (at[2] - 0x81u) * 10 + (at[3] - 0x30u);
  if (linear < tables.four.size() && tables.four[linear] != 0) {
    sink.put(charset_entry(tables.four[linear]));
  } else if (linear >= kFirstSupplementary && linear - kFirstSupplementary < 0x100000) {
    sink.put_four(linear - kFirstSupplementary + 0x10000);
  } else {
    replace(sink, 4);
  }
  return 4;
}

/// A character of two bytes, or three behind 0x8f, or a byte on its own; gives how many were taken.
template <CharsetKind kKind, class Sink>
uint32_t take_character(const CharsetTables& tables, const uint8_t* at, const uint8_t* end, Sink& sink) {
  const uint8_t lead = *at;
  if (end - at >= 2) {
    const CharsetEntry entry = tables.two[(lead & 0x7fu) * 256 + at[1]];
    if (entry > kUnassigned) {
      sink.put(entry);
      return 2;
    }
    if (entry == kUnassigned) {
      replace(sink, 2);
      return 2;
    }
    if constexpr (kKind == CharsetKind::gb18030) {
      const uint32_t taken = take_four(tables, at, end, sink);
      if (taken != 0) return taken;
    }
  }
  if constexpr (kKind == CharsetKind::triples) {
    if (lead == 0x8f && end - at >= 3) {
      const CharsetEntry entry = at[1] < 0x80 ? 0 : tables.three[(at[1] & 0x7fu) * 256 + at[2]];
      if (entry > kUnassigned) {
        sink.put(entry);
        return 3;
      }
      if (entry == kUnassigned) {
        replace(sink, 3);
        return 3;
      }
    }
  }
  if (tables.single[lead] != 0) {
    sink.put(tables.single[lead]);
  } else {
    replace(sink, 1);
  }
  return 1;
}

template <CharsetKind kKind, class Sink>
void decode_multi(const CharsetTables& tables, const uint8_t* at, const uint8_t* end, Sink& sink) {
  while (at < end) {
    at = take_ascii(at, end, sink);
    while (at < end && *at >= 0x80) at += take_character<kKind>(tables, at, end, sink);
  }
}

template <class Sink>
void put_unicode(Sink& sink, uint32_t unicode, uint32_t bytes) {
  const bool character = unicode <= 0x10ffff && (unicode < 0xd800 || unicode > 0xdfff);
  if (!character) {
    replace(sink, bytes);
  } else if (unicode > 0xffff) {
    sink.put_four(unicode);
  } else {
    sink.put(charset_entry(unicode));
  }
}

template <CharsetKind kKind, class Sink>
void decode_units(const CharsetTables&, const uint8_t* at, const uint8_t* end, Sink& sink) {
  constexpr uint32_t kUnit = kKind == CharsetKind::utf32 ? 4 : 2;
  const auto unit = [](const uint8_t* from) {
    return static_cast<uint32_t>(kKind == CharsetKind::utf16le ? load_le(from, kUnit) : load_be(from, kUnit));
  };
  while (static_cast<size_t>(end - at) >= kUnit) {
    const uint32_t unicode = unit(at);
    if constexpr (kKind == CharsetKind::utf16 || kKind == CharsetKind::utf16le) {
      if ((unicode & 0xfc00) == 0xd800 && end - at >= 4) {
        const uint32_t low = unit(at + 2);
        if ((low & 0xfc00) == 0xdc00) {
          sink.put_four(0x10000 + ((unicode & 0x3ff) << 10) + (low & 0x3ff));
          at += 4;
          continue;
        }
      }
    }
    put_unicode(sink, unicode, kUnit);
    at += kUnit;
  }
  replace(sink, static_cast<uint32_t>(end - at));
}

template <class Sink>
using Loop = void (*)(const CharsetTables&, const uint8_t*, const uint8_t*, Sink&);

template <Loop<Writer> kLoop>
DecodedText write(const CharsetTables& tables, const uint8_t* bytes, size_t size, char* out) {
  Writer writer{out};
  kLoop(tables, bytes, bytes + size, writer);
  return {static_cast<uint64_t>(writer.at - out), writer.replaced};
}
template <Loop<Counter> kLoop>
DecodedText count(const CharsetTables& tables, const uint8_t* bytes, size_t size) {
  Counter counter;
  kLoop(tables, bytes, bytes + size, counter);
  return {counter.size, counter.replaced};
}

}  // namespace

CharsetDecoder::CharsetDecoder(const CharsetTables* tables)
    : tables_(tables), is_utf8_(tables->kind == CharsetKind::utf8) {
  switch (tables->kind) {
    case CharsetKind::utf8:
      decode_ = write<decode_utf8<Writer>>;
      measure_ = count<decode_utf8<Counter>>;
      return;
    case CharsetKind::single:
      decode_ = write<decode_single<Writer>>;
      measure_ = count<decode_single<Counter>>;
      return;
    case CharsetKind::pairs:
      decode_ = write<decode_multi<CharsetKind::pairs, Writer>>;
      measure_ = count<decode_multi<CharsetKind::pairs, Counter>>;
      return;
    case CharsetKind::triples:
      decode_ = write<decode_multi<CharsetKind::triples, Writer>>;
      measure_ = count<decode_multi<CharsetKind::triples, Counter>>;
      return;
    case CharsetKind::gb18030:
      decode_ = write<decode_multi<CharsetKind::gb18030, Writer>>;
      measure_ = count<decode_multi<CharsetKind::gb18030, Counter>>;
      return;
    case CharsetKind::ucs2:
      decode_ = write<decode_units<CharsetKind::ucs2, Writer>>;
      measure_ = count<decode_units<CharsetKind::ucs2, Counter>>;
      return;
    case CharsetKind::utf16:
      decode_ = write<decode_units<CharsetKind::utf16, Writer>>;
      measure_ = count<decode_units<CharsetKind::utf16, Counter>>;
      return;
    case CharsetKind::utf16le:
      decode_ = write<decode_units<CharsetKind::utf16le, Writer>>;
      measure_ = count<decode_units<CharsetKind::utf16le, Counter>>;
      return;
    case CharsetKind::utf32:
      decode_ = write<decode_units<CharsetKind::utf32, Writer>>;
      measure_ = count<decode_units<CharsetKind::utf32, Counter>>;
      return;
  }
}

/// Decoders made so far.
class CharsetRegistry {
 public:
  const CharsetDecoder* get(const CharsetSpec& spec) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[spec.name];
    if (!entry.decoder) {
      entry.tables = build_charset_tables(spec);
      if (!entry.tables) return nullptr;
      entry.decoder = CharsetDecoder(&*entry.tables);
    }
    return &*entry.decoder;
  }

 private:
  struct Entry {
    std::optional<CharsetTables> tables;
    std::optional<CharsetDecoder> decoder;
  };
  std::mutex mutex_;
  std::map<std::string_view, Entry> entries_;  // nodes stay where they are
};

const CharsetDecoder* CharsetDecoder::find(std::string_view charset) {
  static CharsetRegistry registry;
  const CharsetSpec* spec = find_charset_spec(charset);
  return spec == nullptr ? nullptr : registry.get(*spec);
}

uint64_t CharsetDecoder::append(std::string_view bytes, std::string& out) const {
  const size_t before = out.size();
  out.resize(before + bytes.size() * kGrowth + kSlack);
  const DecodedText done = decode(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), out.data() + before);
  out.resize(before + static_cast<size_t>(done.size));
  return done.replaced;
}

bool CharsetDecoder::is_valid_utf8(const uint8_t* bytes, size_t size) const {
  return all_valid_utf8(bytes, bytes + size, tables_->utf8_max == 3 ? kUtf8Of3 : kUtf8Of4);
}

}  // namespace tidemark::binlog
