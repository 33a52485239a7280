// SPDX-License-Identifier: Apache-2.0
//
// Printing and parsing of times and lengths, without locale, time zone database or the machine's zone.
// Civil dates by the well-known era arithmetic (proleptic Gregorian), exact over the whole int64 range.
#include "core/base/time.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "core/base/int128.hpp"

namespace tidemark::core {

Civil civil_from_days(int64_t days) noexcept {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned month_index = (5 * day_of_year + 2) / 153;
  const unsigned day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const unsigned month = month_index < 10 ? month_index + 3 : month_index - 9;
  return {static_cast<int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

namespace {

struct Unit {
  std::string_view name;
  Micros micros;  // 0: nanoseconds
};
constexpr std::array<Unit, 7> kUnits = {{{"d", 86'400'000'000},
                                         {"h", 3'600'000'000},
                                         {"m", 60'000'000},
                                         {"s", 1'000'000},
                                         {"ms", 1'000},
                                         {"us", 1},
                                         {"ns", 0}}};

// One "<digits>[.<digits>]<unit>" at the head of `text`, removed from it; false when there is none.
bool take_part(std::string_view& text, Int128& micros_out) noexcept {
  Int128 whole = 0;
  Int128 scale = 1;
  size_t at = 0;
  bool fraction = false;
  size_t digits = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction && digits > 0) {
      fraction = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    if (++digits > 20) return false;
    whole = whole * 10 + (c - '0');
    if (fraction) scale *= 10;
  }
  if (digits == 0 || text[at - 1] == '.') return false;
  size_t end = at;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  const std::string_view name = text.substr(at, end - at);
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const Int128 scaled = unit.micros != 0 ? whole * unit.micros : whole;
    const Int128 divisor = unit.micros != 0 ? scale : scale * 1000;
    if (scaled % divisor != 0) return false;  // finer than a microsecond
    micros_out += scaled / divisor;
    text.remove_prefix(end);
    return true;
  }
  return false;
}

char* put(char* at, char c) noexcept {
  *at = c;
  return at + 1;
}

char* put_two(char* at, unsigned value) noexcept {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
  return at + 2;
}

// Four digits, more where the year needs them, a sign before the common era.
char* put_year(char* at, int64_t year) noexcept {
  if (year < 0) at = put(at, '-');
  const auto magnitude = static_cast<uint64_t>(year < 0 ? -year : year);
  for (uint64_t limit = 1000; limit > magnitude && limit > 1; limit /= 10) at = put(at, '0');
  return std::to_chars(at, at + 20, magnitude).ptr;
}

}  // namespace

int64_t days_from_civil(int64_t year, unsigned month, unsigned day) noexcept {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<int64_t>(day_of_era) - 719468;
}

std::string format_rfc3339(Micros time) {
  if (time == kNoTime) return "none";
  if (time == kEndOfTime) return "end";
  const auto [days, of_day] = split_day(time);
  const Civil date = civil_from_days(days);
  const Micros seconds = of_day / kMicrosPerSecond;
  const Micros fraction = of_day % kMicrosPerSecond;
  char text[64];
  char* at = put_year(text, date.year);
  at = put_two(put(at, '-'), date.month);
  at = put_two(put(at, '-'), date.day);
  at = put_two(put(at, 'T'), static_cast<unsigned>(seconds / 3600));
  at = put_two(put(at, ':'), static_cast<unsigned>(seconds / 60 % 60));
  at = put_two(put(at, ':'), static_cast<unsigned>(seconds % 60));
  if (fraction != 0) {  // results carry one of these per row, so it does not go through fmt
    at = put(at, '.');
    for (Micros unit = 100'000; unit > 0 && (unit >= 1000 || fraction % 1000 != 0); unit /= 10) {
      *at++ = static_cast<char>('0' + fraction / unit % 10);
    }
  }
  *at++ = 'Z';
  return {text, at};
}

std::optional<Micros> parse_rfc3339(std::string_view text) noexcept {
  if (text.size() < 20 || text.back() != 'Z') return std::nullopt;
  text.remove_suffix(1);
  bool good = true;
  const auto number = [&text, &good](int64_t least, int64_t most, char end) {
    int64_t value = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<size_t>(at - text.data());
    const bool ended = end == 0 || (length < text.size() && text[length] == end);
    good = good && error == std::errc() && ended && value >= least && value <= most;
    text.remove_prefix(good && end != 0 ? length + 1 : length);
    return value;
  };
  const int64_t year = number(-300'000, 300'000, '-');
  const int64_t month = number(1, 12, '-');
  const int64_t day = number(1, 31, 'T');
  const int64_t hour = number(0, 23, ':');
  const int64_t minute = number(0, 59, ':');
  const int64_t second = number(0, 59, 0);
  if (!good) return std::nullopt;
  Int128 micros = days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  micros = ((micros * 24 + hour) * 60 + minute) * 60 + second;
  micros *= kMicrosPerSecond;
  if (!text.empty()) {
    if (text.front() != '.' || text.size() < 2 || text.size() > 7) return std::nullopt;
    Micros unit = kMicrosPerSecond / 10;
    for (const char c : text.substr(1)) {
      if (c < '0' || c > '9') return std::nullopt;
      micros += Int128{unit} * (c - '0');
      unit /= 10;
    }
  }
  if (micros <= kNoTime || micros >= kEndOfTime) return std::nullopt;
  return static_cast<Micros>(micros);
}

std::string format_duration(Micros length) {
  if (length == 0) return "0s";
  if (length == kEndOfTime) return "unlimited";
  std::string out;
  auto rest = static_cast<UInt128>(length < 0 ? -static_cast<Int128>(length) : length);
  if (length < 0) out = "-";
  for (const Unit& unit : kUnits) {
    if (unit.micros == 0) continue;
    const auto step = static_cast<UInt128>(unit.micros);
    if (const auto count = static_cast<uint64_t>(rest / step); count != 0) out += fmt::format("{}{}", count, unit.name);
    rest %= step;
  }
  return out;
}

std::optional<Micros> parse_duration(std::string_view text) noexcept {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  Int128 micros = 0;
  while (!text.empty()) {
    if (!take_part(text, micros) || micros > std::numeric_limits<Micros>::max()) return std::nullopt;
  }
  return static_cast<Micros>(negative ? -micros : micros);
}

}  // namespace tidemark::core
