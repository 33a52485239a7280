// SPDX-License-Identifier: Apache-2.0
// See the header. Recursion goes as deep as containers do, kJsonDepthMax at most. Any thread; no state.
#include "binlog/json_text.hpp"

#include <algorithm>
#include <array>

#include "binlog/byte_cursor.hpp"
#include "binlog/column_type.hpp"
#include "binlog/json_number.hpp"
#include "binlog/utf8.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kBase64LineBytes = 76;

bool needs_escape(uint8_t byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

// Writes the escape of a byte that needs one; gives its end.
char* write_escape(uint8_t byte, char* to) {
  constexpr char kDigits[] = "0123456789abcdef";
  *to++ = '\\';
  switch (byte) {
    case '\b':
      *to++ = 'b';
      return to;
    case '\t':
      *to++ = 't';
      return to;
    case '\n':
      *to++ = 'n';
      return to;
    case '\f':
      *to++ = 'f';
      return to;
    case '\r':
      *to++ = 'r';
      return to;
    case '"':
    case '\\':
      *to++ = static_cast<char>(byte);
      return to;
    default:
      *to++ = 'u';
      *to++ = '0';
      *to++ = '0';
      *to++ = kDigits[byte >> 4];
      *to++ = kDigits[byte & 15];
      return to;
  }
}

// Eight bytes at `at` that are all ASCII and need no escape.
bool plain_eight(const char* at) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const auto has_zero = [](uint64_t value) { return (value - kOnes) & ~value & kHighs; };
  const uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
  return ((word & kHighs) | control | has_zero(word ^ kOnes * '"') | has_zero(word ^ kOnes * '\\')) == 0;
}

char* put_clock(char* to, uint32_t clock, uint32_t micros) {
  to = write_padded(to, clock >> 6 & 63, 2);
  *to++ = ':';
  to = write_padded(to, clock & 63, 2);
  *to++ = '.';
  return write_padded(to, micros, 6);
}

// DATE, DATETIME, TIMESTAMP and TIME: 8 bytes, little-endian; the low 24 bits are microseconds.
bool put_temporal(WireType type, std::string_view bytes, JsonSink& sink) {
  if (bytes.size() != 8) return false;
  const auto packed = static_cast<int64_t>(load_le(reinterpret_cast<const uint8_t*>(bytes.data()), 8));
  const uint64_t size = packed < 0 ? 0 - static_cast<uint64_t>(packed) : static_cast<uint64_t>(packed);
  const auto micros = static_cast<uint32_t>(size & 0xffffff);
  const uint64_t whole = size >> 24;
  if (micros > 999'999 || (whole & 63) > 59 || (whole >> 6 & 63) > 59) return false;
  std::array<char, 40> text;
  char* to = text.data();
  *to++ = '"';
  if (type == WireType::time) {
    const uint64_t hours = whole >> 12;
    if (hours > 838) return false;
    if (packed < 0) *to++ = '-';
    to = write_padded(to, static_cast<uint32_t>(hours), hours > 99 ? 3 : 2);
    *to++ = ':';
    to = put_clock(to, static_cast<uint32_t>(whole & 0xfff), micros);
  } else {
    const uint64_t year = (whole >> 22) / 13;
    const auto hours = static_cast<uint32_t>(whole >> 12 & 31);
    if (packed < 0 || year > 9999 || hours > 23) return false;
    to = write_padded(to, static_cast<uint32_t>(year), 4);
    *to++ = '-';
    to = write_padded(to, static_cast<uint32_t>((whole >> 22) % 13), 2);
    *to++ = '-';
    to = write_padded(to, static_cast<uint32_t>(whole >> 17 & 31), 2);
    if (type != WireType::date) {
      *to++ = ' ';
      to = write_padded(to, hours, 2);
      *to++ = ':';
      to = put_clock(to, static_cast<uint32_t>(whole & 0xfff), micros);
    }
  }
  *to++ = '"';
  sink.put(text.data(), static_cast<size_t>(to - text.data()));
  return true;
}

bool put_decimal(std::string_view bytes, JsonSink& sink) {
  std::array<char, kJsonDecimalMax> text;
  const char* const end = write_json_decimal(bytes, text.data());
  if (end == nullptr) return false;
  sink.put(text.data(), static_cast<size_t>(end - text.data()));
  return true;
}

void put_base64(uint8_t field_type, std::string_view bytes, JsonSink& sink) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  sink.put("\"base64:type");
  sink.token([&](char* to) { return write_json_integer(static_cast<uint32_t>(field_type), to); });
  sink.put(':');
  uint32_t line = 0;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    if (line == kBase64LineBytes) {  // the server's base64 has line breaks
      sink.put("\\n");
      line = 0;
    }
    line += 4;
    const size_t left = bytes.size() - i;
    const auto byte = [&](size_t k) { return k < left ? static_cast<uint8_t>(bytes[i + k]) : 0u; };
    const uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    const char text[4] = {kAlphabet[bits >> 18], kAlphabet[bits >> 12 & 63], left > 1 ? kAlphabet[bits >> 6 & 63] : '=',
                          left > 2 ? kAlphabet[bits & 63] : '='};
    sink.put(text, 4);
  }
  sink.put('"');
}

bool put_opaque(const JsonScalar& value, JsonSink& sink) {
  const auto type = static_cast<WireType>(value.field_type);
  switch (type) {
    case WireType::newdecimal:
      return put_decimal(value.bytes, sink);
    case WireType::date:
    case WireType::time:
    case WireType::datetime:
    case WireType::timestamp:
      return put_temporal(type, value.bytes, sink);
    default:
      put_base64(value.field_type, value.bytes, sink);
      return true;
  }
}

char* write_literal(JsonKind kind, char* to) {
  static constexpr char kTexts[3][8] = {"null", "false", "true"};
  static constexpr uint8_t kSizes[3] = {4, 5, 4};
  static_assert(static_cast<int>(JsonKind::false_) == 1 && static_cast<int>(JsonKind::true_) == 2);
  const auto index = static_cast<size_t>(kind);
  std::memcpy(to, kTexts[index], 8);
  return to + kSizes[index];
}

bool put_scalar(const JsonScalar& value, JsonSink& sink) {
  switch (value.kind) {
    case JsonKind::null:
    case JsonKind::false_:
    case JsonKind::true_:
      sink.token([&](char* to) { return write_literal(value.kind, to); });
      return true;
    case JsonKind::integer:
      sink.token([&](char* to) { return write_json_integer(value.integer, to); });
      return true;
    case JsonKind::unsigned_:
      sink.token([&](char* to) { return write_json_integer(value.bits, to); });
      return true;
    case JsonKind::number:
      sink.token([&](char* to) { return write_json_double(value.number, to); });
      return true;
    case JsonKind::string:
      return write_json_string(value.bytes, sink);
    case JsonKind::opaque:
      return put_opaque(value, sink);
  }
  return false;
}

// Runs that need no escape are copied as they stand.
bool write_long_string(std::string_view text, JsonSink& sink) {
  sink.put('"');
  size_t run = 0;  // where the run began
  size_t i = 0;
  while (i < text.size()) {
    if (text.size() - i >= 8 && plain_eight(text.data() + i)) {
      i += 8;
      continue;
    }
    const auto byte = static_cast<uint8_t>(text[i]);
    if (needs_escape(byte)) {
      sink.put(text.data() + run, i - run);
      sink.token([&](char* to) { return write_escape(byte, to); });
      run = ++i;
      continue;
    }
    const size_t length = byte < 0x80 ? 1 : utf8_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  sink.put(text.data() + run, i - run);
  sink.put('"');
  return true;
}

}  // namespace

bool write_json_string(std::string_view text, JsonSink& sink) {
  constexpr size_t kShort = 256;
  // Short ones at once, where there is room for the longest escapes.
  bool right = true;
  const auto write_short = [&](char* to) {
    *to++ = '"';
    for (size_t i = 0; i < text.size();) {
      if (text.size() - i >= 8 && plain_eight(text.data() + i)) {
        std::memcpy(to, text.data() + i, 8);
        to += 8;
        i += 8;
        continue;
      }
      const auto byte = static_cast<uint8_t>(text[i]);
      if (needs_escape(byte)) {
        to = write_escape(byte, to);
        ++i;
      } else if (byte < 0x80) {
        *to++ = text[i++];
      } else {
        const size_t length = utf8_length(text.substr(i));
        right = right && length != 0;
        if (!right) break;
        to = std::copy_n(text.data() + i, length, to);
        i += length;
      }
    }
    *to++ = '"';
    return to;
  };
  if (text.size() <= kShort && sink.run(text.size() * kJsonTextFactor + 2, write_short)) return right;
  return write_long_string(text, sink);
}

bool write_json_slot(const JsonSlot& slot, uint32_t depth, JsonBudget& budget, JsonSink& sink) {
  if (!slot.is_object() && !slot.is_array()) {
    const auto scalar = read_json_scalar(slot, budget);
    return scalar && put_scalar(*scalar, sink);
  }
  if (depth == kJsonDepthMax) return false;
  const auto container = JsonContainer::open(slot, budget);
  if (!container) return false;
  sink.put(container->is_object() ? '{' : '[');
  for (uint32_t i = 0; i < container->count(); ++i) {
    if (i != 0) sink.put(", ");
    if (container->is_object()) {
      const auto key = container->key(i, budget);
      if (!key || !write_json_string(*key, sink)) return false;
      sink.put(": ");
    }
    const auto value = container->value(i);
    if (!value || !write_json_slot(*value, depth + 1, budget, sink)) return false;
  }
  sink.put(container->is_object() ? '}' : ']');
  return true;
}

JsonResult write_json_text(std::span<const uint8_t> document, JsonSink& sink) {
  JsonBudget budget(document.size());
  const auto root = json_root(document, budget);
  return root && write_json_slot(*root, 0, budget, sink) ? JsonResult::ok : JsonResult::corrupt;
}

}  // namespace tidemark::binlog
