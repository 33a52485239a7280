// SPDX-License-Identifier: Apache-2.0
// See the header. Recursion goes as deep as containers do, kJsonDepthMax at most. Any thread; no state.
#include "binlog/json_text.hpp"

#include <array>
#include <charconv>

#include "binlog/byte_cursor.hpp"
#include "binlog/column_type.hpp"
#include "binlog/decimal.hpp"
#include "binlog/utf8.hpp"

namespace tidemark::binlog {

namespace {

constexpr int kFixedPointMax = 15;  // the server writes 1e15 instead of 1000000000000000.0
constexpr uint32_t kBase64LineBytes = 76;

bool needs_escape(uint8_t byte) {
  return byte < 0x20 || byte == '"' || byte == '\\';
}

void put_escape(uint8_t byte, JsonSink& sink) {
  constexpr char kDigits[] = "0123456789abcdef";
  char text[6] = {'\\', 0, '0', '0', 0, 0};
  switch (byte) {
    case '\b':
      text[1] = 'b';
      break;
    case '\t':
      text[1] = 't';
      break;
    case '\n':
      text[1] = 'n';
      break;
    case '\f':
      text[1] = 'f';
      break;
    case '\r':
      text[1] = 'r';
      break;
    case '"':
    case '\\':
      text[1] = static_cast<char>(byte);
      break;
    default:
      text[1] = 'u';
      text[4] = kDigits[byte >> 4];
      text[5] = kDigits[byte & 15];
      return sink.put(text, 6);
  }
  sink.put(text, 2);
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

template <class Integer>
void put_integer(Integer number, JsonSink& sink) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  sink.put(text.data(), static_cast<size_t>(end - text.data()));
}

// The server's choice between 1234.5 and 1.2345e20; digits and exponent are those of the shortest text.
void put_double(double number, JsonSink& sink) {
  std::array<char, 40> scientific;
  char* const end =
      std::to_chars(scientific.data(), scientific.data() + scientific.size(), number, std::chars_format::scientific)
          .ptr;
  const char* at = scientific.data();
  std::array<char, 64> text;
  char* to = text.data();
  if (*at == '-') *to++ = *at++;
  char digits[24];
  int count = 0;
  for (; *at != 'e'; ++at) {
    if (*at != '.') digits[count++] = *at;
  }
  ++at;
  if (*at == '+') ++at;
  int exponent = 0;
  std::from_chars(at, end, exponent);
  const int point = exponent + 1;  // digits before the decimal point
  const auto put_digits = [&](int first, int last) {
    for (int i = first; i < last; ++i) *to++ = i < count ? digits[i] : '0';
  };
  if (point < 1 - kFixedPointMax || (point > kFixedPointMax && count <= point)) {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    put_digits(1, count);
    *to++ = 'e';
    to = std::to_chars(to, text.data() + text.size(), exponent).ptr;
  } else if (point <= 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = point; i < 0; ++i) *to++ = '0';
    put_digits(0, count);
  } else {
    put_digits(0, point);
    *to++ = '.';
    if (count > point) {
      put_digits(point, count);
    } else {
      *to++ = '0';
    }
  }
  sink.put(text.data(), static_cast<size_t>(to - text.data()));
}

char* put_padded(char* to, uint32_t number, uint32_t width) {
  for (uint32_t i = width; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + width;
}

char* put_clock(char* to, uint32_t clock, uint32_t micros) {
  to = put_padded(to, clock >> 6 & 63, 2);
  *to++ = ':';
  to = put_padded(to, clock & 63, 2);
  *to++ = '.';
  return put_padded(to, micros, 6);
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
    to = put_padded(to, static_cast<uint32_t>(hours), hours > 99 ? 3 : 2);
    *to++ = ':';
    to = put_clock(to, static_cast<uint32_t>(whole & 0xfff), micros);
  } else {
    const uint64_t year = (whole >> 22) / 13;
    const auto hours = static_cast<uint32_t>(whole >> 12 & 31);
    if (packed < 0 || year > 9999 || hours > 23) return false;
    to = put_padded(to, static_cast<uint32_t>(year), 4);
    *to++ = '-';
    to = put_padded(to, static_cast<uint32_t>((whole >> 22) % 13), 2);
    *to++ = '-';
    to = put_padded(to, static_cast<uint32_t>(whole >> 17 & 31), 2);
    if (type != WireType::date) {
      *to++ = ' ';
      to = put_padded(to, hours, 2);
      *to++ = ':';
      to = put_clock(to, static_cast<uint32_t>(whole & 0xfff), micros);
    }
  }
  *to++ = '"';
  sink.put(text.data(), static_cast<size_t>(to - text.data()));
  return true;
}

// Precision, scale, packed digits.
bool put_decimal(std::string_view bytes, JsonSink& sink) {
  constexpr uint32_t kPrecisionMax = 65;
  constexpr uint32_t kScaleMax = 30;
  if (bytes.size() < 3) return false;
  const auto* const at = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint32_t precision = at[0];
  const uint32_t scale = at[1];
  if (precision == 0 || precision > kPrecisionMax || scale > kScaleMax || scale > precision) return false;
  const DecimalLayout layout(precision, scale);
  if (layout.width != bytes.size() - 2) return false;
  const uint8_t* group = at + 2;
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    const uint32_t value = decimal_group(group, layout.groups[i].bytes, i == 0, decimal_negative(at + 2));
    if (value >= layout.groups[i].power) return false;
    group += layout.groups[i].bytes;
  }
  std::string text;
  decimal_text(layout, at + 2, text);
  sink.put(text);
  return true;
}

void put_base64(uint8_t field_type, std::string_view bytes, JsonSink& sink) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  sink.put("\"base64:type");
  put_integer(static_cast<uint32_t>(field_type), sink);
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

bool put_scalar(const JsonScalar& value, JsonSink& sink) {
  switch (value.kind) {
    case JsonKind::null:
      sink.put("null");
      return true;
    case JsonKind::true_:
      sink.put("true");
      return true;
    case JsonKind::false_:
      sink.put("false");
      return true;
    case JsonKind::integer:
      put_integer(value.integer, sink);
      return true;
    case JsonKind::unsigned_:
      put_integer(value.bits, sink);
      return true;
    case JsonKind::number:
      put_double(value.number, sink);
      return true;
    case JsonKind::string:
      return write_json_string(value.bytes, sink);
    case JsonKind::opaque:
      return put_opaque(value, sink);
  }
  return false;
}

}  // namespace

bool write_json_string(std::string_view text, JsonSink& sink) {
  sink.put('"');
  size_t run = 0;  // where what is copied as it stands began
  size_t i = 0;
  while (i < text.size()) {
    if (text.size() - i >= 8 && plain_eight(text.data() + i)) {
      i += 8;
      continue;
    }
    const auto byte = static_cast<uint8_t>(text[i]);
    if (needs_escape(byte)) {
      sink.put(text.data() + run, i - run);
      put_escape(byte, sink);
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
