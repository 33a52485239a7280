// SPDX-License-Identifier: Apache-2.0
//
// A reader that takes fixed numbers of digits from the front of a text, and the writer of the same form.
#include "core/expression/temporal_text.hpp"

#include <charconv>
#include <cstdint>

namespace tidemark::core {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool digits(size_t count, unsigned* out) {
    if (text_.size() < count) return false;
    unsigned value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (text_[i] < '0' || text_[i] > '9') return false;
      value = value * 10 + static_cast<unsigned>(text_[i] - '0');
    }
    text_.remove_prefix(count);
    *out = value;
    return true;
  }
  bool symbol(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // ".5" as 500,000 microseconds; rounded at the seventh digit.
  bool fraction(Micros* out) {
    Micros value = 0;
    size_t digits_read = 0;
    bool up = false;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      if (digits_read < 6) value = value * 10 + (text_.front() - '0');
      if (digits_read == 6) up = text_.front() >= '5';
      ++digits_read;
      text_.remove_prefix(1);
    }
    for (size_t i = digits_read; i < 6; ++i) value *= 10;
    *out = value + (up ? 1 : 0);
    return digits_read > 0;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

bool read_time(Reader& in, Micros* out) {
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  Micros fraction = 0;
  if (!in.digits(2, &hour) || !in.symbol(':') || !in.digits(2, &minute)) return false;
  if (in.symbol(':')) {
    if (!in.digits(2, &second)) return false;
    if (in.symbol('.') && !in.fraction(&fraction)) return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  *out = (Micros{hour} * 3600 + Micros{minute} * 60 + second) * kMicrosPerSecond + fraction;
  return true;
}

bool read_zone(Reader& in, Micros* offset) {
  if (in.symbol('Z')) return true;
  const bool west = in.symbol('-');
  if (!west && !in.symbol('+')) return false;
  unsigned hours = 0;
  unsigned minutes = 0;
  if (!in.digits(2, &hours) || !in.symbol(':') || !in.digits(2, &minutes) || hours > 14 || minutes > 59) return false;
  *offset = (Micros{hours} * 3600 + Micros{minutes} * 60) * kMicrosPerSecond * (west ? -1 : 1);
  return true;
}

char* put_digits(char* at, unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return at + digits;
}

}  // namespace

unsigned last_day_of(int64_t year, unsigned month) noexcept {
  constexpr std::array<unsigned, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

std::optional<TemporalText> parse_temporal(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  Reader in(text);
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (!in.digits(4, &year) || !in.symbol('-') || !in.digits(2, &month) || !in.symbol('-') || !in.digits(2, &day)) {
    return std::nullopt;
  }
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > last_day_of(year, month)) return std::nullopt;
  TemporalText out;
  out.micros = days_from_civil(year, month, day) * kMicrosPerDay;
  if (in.at_end()) return out;
  Micros of_day = 0;
  if ((!in.symbol(' ') && !in.symbol('T')) || !read_time(in, &of_day)) return std::nullopt;
  out.has_time = true;
  out.micros += of_day;
  if (in.at_end()) return out;
  Micros offset = 0;
  if (!read_zone(in, &offset) || !in.at_end()) return std::nullopt;
  out.has_zone = true;
  out.micros -= offset;
  return out;
}

std::string_view format_temporal(Micros value, bool date_only, TemporalBuffer& buffer) noexcept {
  const DayAndTime parts = split_day(value);
  const Civil date = civil_from_days(parts.days);
  char* at = buffer.data();
  if (date.year >= 0 && date.year <= 9999) {
    at = put_digits(at, static_cast<unsigned>(date.year), 4);
  } else {
    at = std::to_chars(at, at + 20, date.year).ptr;
  }
  *at++ = '-';
  at = put_digits(at, date.month, 2);
  *at++ = '-';
  at = put_digits(at, date.day, 2);
  if (!date_only) {
    const auto seconds = static_cast<unsigned>(parts.of_day / kMicrosPerSecond);
    const auto fraction = static_cast<unsigned>(parts.of_day % kMicrosPerSecond);
    *at++ = ' ';
    at = put_digits(at, seconds / 3600, 2);
    *at++ = ':';
    at = put_digits(at, seconds / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, seconds % 60, 2);
    if (fraction != 0) {
      *at++ = '.';
      at = fraction % 1000 == 0 ? put_digits(at, fraction / 1000, 3) : put_digits(at, fraction, 6);
    }
  }
  return {buffer.data(), static_cast<size_t>(at - buffer.data())};
}

}  // namespace tidemark::core
