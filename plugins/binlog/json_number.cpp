// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread; no state.
#include "binlog/json_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "binlog/column_type.hpp"
#include "binlog/decimal.hpp"

namespace tidemark::binlog {

namespace {

constexpr int kFixedPointMax = 15;  // the server writes 1e15 instead of 1000000000000000.0

// By digits and exponent of the shortest text; the choice between 1234.5 and 1.2345e20 is the server's.
char* write_long_double(double number, char* to) {
  std::array<char, 40> scientific;
  char* const end =
      std::to_chars(scientific.data(), scientific.data() + scientific.size(), number, std::chars_format::scientific)
          .ptr;
  const char* at = scientific.data();
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
    return write_json_integer(exponent, to);
  }
  if (point <= 0) {
    *to++ = '0';
    *to++ = '.';
    for (int i = point; i < 0; ++i) *to++ = '0';
    put_digits(0, count);
    return to;
  }
  put_digits(0, point);
  *to++ = '.';
  put_digits(point, std::max(count, point + 1));
  return to;
}

// Numbers of up to four decimals, which most are: m / 10^4 that reads back as the number, with 15 digits at most, is
// its shortest text. nullptr = another number.
char* write_short_double(double number, char* to) {
  constexpr double kScale = 1e4;
  constexpr double kMax = 1e11;
  const double size = std::abs(number);
  if (!(size < kMax)) return nullptr;
  const auto scaled = static_cast<uint64_t>(std::llround(size * kScale));
  if (static_cast<double>(scaled) / kScale != size) return nullptr;
  *to = '-';
  to += std::signbit(number) ? 1 : 0;
  to = write_json_integer(scaled / 10'000, to);
  *to++ = '.';
  const uint64_t text = (eight_digits(static_cast<uint32_t>(scaled % 10'000)) | 0x3030303030303030) >> 32;
  std::memcpy(to, &text, 4);
  size_t digits = 4;
  while (digits > 1 && to[digits - 1] == '0') --digits;
  return to + digits;
}

// Precision, scale, packed digits: groups of nine, shorter ones at both ends (decimal.hpp).
class PackedDecimal {
 public:
  static std::optional<PackedDecimal> open(std::string_view bytes) {
    constexpr uint32_t kPrecisionMax = 65;
    constexpr uint32_t kScaleMax = 30;
    if (bytes.size() < 3) return std::nullopt;
    const auto* const at = reinterpret_cast<const uint8_t*>(bytes.data());
    PackedDecimal out;
    out.integer_ = static_cast<uint32_t>(at[0]) - at[1];
    out.scale_ = at[1];
    if (at[0] == 0 || at[0] > kPrecisionMax || out.scale_ > kScaleMax || at[1] > at[0]) return std::nullopt;
    if (decimal_bytes(at[0], out.scale_) != bytes.size() - 2) return std::nullopt;
    out.at_ = at + 2;
    out.negative_ = decimal_negative(out.at_);
    return out;
  }

  // Up to 67 bytes; nullptr = digits that are none.
  char* write(char* to) {
    if (negative_) *to++ = '-';
    char* const start = to;
    if (!group(integer_ % kGroup, to, start)) return nullptr;
    for (uint32_t i = 0; i < integer_ / kGroup; ++i) {
      if (!group(kGroup, to, start)) return nullptr;
    }
    if (to == start) *to++ = '0';
    if (scale_ == 0) return to;
    *to++ = '.';
    for (uint32_t i = 0; i < scale_ / kGroup; ++i) {
      if (!group(kGroup, to, nullptr)) return nullptr;
    }
    return group(scale_ % kGroup, to, nullptr) ? to : nullptr;
  }

 private:
  static constexpr uint32_t kGroup = 9;

  // The next `digits` digits; leading zeros of the number are left out where it starts at `to`.
  bool group(uint32_t digits, char*& to, const char* start) {
    constexpr uint8_t kBytes[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    constexpr uint32_t kPowers[] = {1,       10,        100,        1'000,       10'000,
                                    100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
    if (digits == 0) return true;
    const uint32_t value = decimal_group(at_, kBytes[digits], first_, negative_);
    first_ = false;
    at_ += kBytes[digits];
    if (value >= kPowers[digits]) return false;
    if (to != start) {
      to = write_padded(to, value, digits);
    } else if (value != 0) {
      to = write_json_integer(value, to);
    }
    return true;
  }

  const uint8_t* at_ = nullptr;
  uint32_t integer_ = 0;  // digits before the point
  uint32_t scale_ = 0;
  bool negative_ = false;
  bool first_ = true;
};

}  // namespace

char* write_json_double(double number, char* to) {
  char* const end = write_short_double(number, to);
  return end != nullptr ? end : write_long_double(number, to);
}

char* write_json_decimal(std::string_view bytes, char* to) {
  auto decimal = PackedDecimal::open(bytes);
  return decimal ? decimal->write(to) : nullptr;
}

}  // namespace tidemark::binlog
