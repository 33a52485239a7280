// SPDX-License-Identifier: Apache-2.0
//
// Weeks are counted from the day on which week 1 of a year begins.
#include "core/expression/calendar.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

int64_t first_day_of(int64_t year) {
  return days_from_civil(year, 1, 1);
}

// The day on which week 1 of a year begins.
int64_t first_week_of(int64_t year, unsigned mode) {
  const bool monday = (mode & 1) != 0;
  const bool four_days = ((mode >> 2 & 1) ^ (mode & 1)) != 0;
  const int64_t first = first_day_of(year);
  const auto into_week = static_cast<int64_t>(monday ? weekday_of(first) : (weekday_of(first) + 1) % 7);
  const bool own_week = four_days ? into_week <= 3 : into_week == 0;
  return first - into_week + (own_week ? 0 : 7);
}

/// A point in time taken apart, and the writer of its parts.
class DateWriter {
 public:
  DateWriter(Micros value, char* out)
      : parts_(split_day(value)), date_(civil_from_days(parts_.days)), begin_(out), at_(out) {
    const auto seconds = static_cast<unsigned>(parts_.of_day / kMicrosPerSecond);
    fraction_ = static_cast<unsigned>(parts_.of_day % kMicrosPerSecond);
    hour_ = seconds / 3600;
    minute_ = seconds / 60 % 60;
    second_ = seconds % 60;
  }

  void put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put_character(char c) { *at_++ = c; }
  void put_specifier(char c) {
    if (!put_time(c) && !put_day(c) && !put_week(c)) put_character(c);
  }
  std::string_view text() const { return {begin_, static_cast<size_t>(at_ - begin_)}; }

 private:
  void put_number(int64_t value, int width) {
    std::array<char, 24> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    for (auto size = static_cast<int>(end - digits.data()); size < width; ++size) put_character('0');
    put({digits.data(), static_cast<size_t>(end - digits.data())});
  }
  unsigned hour_of_twelve() const { return hour_ % 12 == 0 ? 12 : hour_ % 12; }
  void put_clock(unsigned hour) {
    put_number(hour, 2);
    put_character(':');
    put_number(minute_, 2);
    put_character(':');
    put_number(second_, 2);
  }

  bool put_time(char c) {
    switch (c) {
      case 'H':
        return put_number(hour_, 2), true;
      case 'k':
        return put_number(hour_, 1), true;
      case 'h':
      case 'I':
        return put_number(hour_of_twelve(), 2), true;
      case 'l':
        return put_number(hour_of_twelve(), 1), true;
      case 'i':
        return put_number(minute_, 2), true;
      case 'S':
      case 's':
        return put_number(second_, 2), true;
      case 'f':
        return put_number(fraction_, 6), true;
      case 'p':
        return put(hour_ < 12 ? "AM" : "PM"), true;
      case 'T':
        return put_clock(hour_), true;
      case 'r':
        put_clock(hour_of_twelve());
        return put(hour_ < 12 ? " AM" : " PM"), true;
      default:
        return false;
    }
  }

  bool put_day(char c) {
    const std::string_view day_name = kDays[weekday_of(parts_.days)];
    const std::string_view month_name = kMonths[date_.month - 1];
    switch (c) {
      case 'Y':
        return put_number(date_.year, 4), true;
      case 'y':
        return put_number((date_.year % 100 + 100) % 100, 2), true;
      case 'm':
        return put_number(date_.month, 2), true;
      case 'c':
        return put_number(date_.month, 1), true;
      case 'M':
        return put(month_name), true;
      case 'b':
        return put(month_name.substr(0, 3)), true;
      case 'd':
        return put_number(date_.day, 2), true;
      case 'e':
        return put_number(date_.day, 1), true;
      case 'D':
        put_number(date_.day, 1);
        return put(ordinal_suffix()), true;
      case 'j':
        return put_number(day_of_year(parts_.days), 3), true;
      case 'W':
        return put(day_name), true;
      case 'a':
        return put(day_name.substr(0, 3)), true;
      case 'w':
        return put_number((weekday_of(parts_.days) + 1) % 7, 1), true;
      default:
        return false;
    }
  }
  std::string_view ordinal_suffix() const {
    if (date_.day / 10 == 1) return "th";
    constexpr std::array<std::string_view, 4> kSuffixes = {"th", "st", "nd", "rd"};
    return date_.day % 10 < 4 ? kSuffixes[date_.day % 10] : "th";
  }

  bool put_week(char c) {
    switch (c) {
      case 'U':
        return put_number(week_of(parts_.days, 0).week, 2), true;
      case 'u':
        return put_number(week_of(parts_.days, 1).week, 2), true;
      case 'V':
        return put_number(week_of(parts_.days, 2).week, 2), true;
      case 'v':
        return put_number(week_of(parts_.days, 3).week, 2), true;
      case 'X':
        return put_number(week_of(parts_.days, 2).year, 4), true;
      case 'x':
        return put_number(week_of(parts_.days, 3).year, 4), true;
      default:
        return false;
    }
  }

  DayAndTime parts_;
  Civil date_;
  unsigned hour_ = 0;
  unsigned minute_ = 0;
  unsigned second_ = 0;
  unsigned fraction_ = 0;
  char* begin_;
  char* at_;
};

}  // namespace

unsigned weekday_of(int64_t days) noexcept {
  const int64_t rest = (days % 7 + 3) % 7;  // 1970-01-01 was a Thursday
  return static_cast<unsigned>(rest < 0 ? rest + 7 : rest);
}

unsigned day_of_year(int64_t days) noexcept {
  return static_cast<unsigned>(days - first_day_of(civil_from_days(days).year)) + 1;
}

YearWeek week_of(int64_t days, unsigned mode) noexcept {
  const bool from_one = (mode & 2) != 0;
  int64_t year = civil_from_days(days).year;
  if (days < first_week_of(year, mode)) {
    if (!from_one) return {year, 0};
    --year;
  } else if (from_one && days >= first_week_of(year + 1, mode)) {
    ++year;
  }
  return {year, static_cast<unsigned>((days - first_week_of(year, mode)) / 7) + 1};
}

std::string_view format_date(Micros value, std::string_view format, char* out) noexcept {
  DateWriter writer(value, out);
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size()) {
      writer.put_specifier(format[++i]);
    } else {
      writer.put_character(format[i]);
    }
  }
  return writer.text();
}

int64_t months_between(Micros a, Micros b) noexcept {
  if (b < a) return -months_between(b, a);
  const DayAndTime from = split_day(a);
  const DayAndTime to = split_day(b);
  const Civil first = civil_from_days(from.days);
  const Civil last = civil_from_days(to.days);
  const int64_t months = (last.year - first.year) * 12 + last.month - first.month;
  const bool incomplete = last.day < first.day || (last.day == first.day && to.of_day < from.of_day);
  return months - (incomplete ? 1 : 0);
}

}  // namespace tidemark::core
