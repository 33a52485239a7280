// SPDX-License-Identifier: Apache-2.0
//
// Which part is settled before the loop over rows.
#include "core/expression/date_kernels.hpp"

#include "core/expression/calendar.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

template <typename F>
void map_dates(const Frame& frame, const Step& step, F f) {
  map_valid_rows<int64_t(int64_t)>(frame, step, [f](int64_t a, int64_t& out) {
    out = f(civil_from_days(split_day(a).days));
    return Fate::value;
  });
}

template <typename F>
void map_days(const Frame& frame, const Step& step, F f) {
  map_valid_rows<int64_t(int64_t)>(frame, step, [f](int64_t a, int64_t& out) {
    out = static_cast<int64_t>(f(split_day(a).days));
    return Fate::value;
  });
}

// The time of day in units of `unit`, from 0 to `most`.
void map_clock(const Frame& frame, const Step& step, int64_t unit, int64_t most) {
  map_valid_rows<int64_t(int64_t)>(frame, step, [unit, most](int64_t a, int64_t& out) {
    out = split_day(a).of_day / unit % (most + 1);
    return Fate::value;
  });
}

}  // namespace

void date_part_kernel(const Frame& frame, const Step& step) {
  switch (static_cast<DatePart>(step.parameter.integer)) {
    case DatePart::year:
      return map_dates(frame, step, [](const Civil& date) { return date.year; });
    case DatePart::quarter:
      return map_dates(frame, step, [](const Civil& date) { return int64_t{(date.month + 2) / 3}; });
    case DatePart::month:
      return map_dates(frame, step, [](const Civil& date) { return int64_t{date.month}; });
    case DatePart::day:
      return map_dates(frame, step, [](const Civil& date) { return int64_t{date.day}; });
    case DatePart::year_month:
      return map_dates(frame, step, [](const Civil& date) { return date.year * 100 + date.month; });
    case DatePart::hour:
      return map_clock(frame, step, 3600 * kMicrosPerSecond, 23);
    case DatePart::minute:
      return map_clock(frame, step, 60 * kMicrosPerSecond, 59);
    case DatePart::second:
      return map_clock(frame, step, kMicrosPerSecond, 59);
    case DatePart::microsecond:
      return map_clock(frame, step, 1, kMicrosPerSecond - 1);
    case DatePart::day_of_week:
      return map_days(frame, step, [](int64_t days) { return (weekday_of(days) + 1) % 7 + 1; });
    case DatePart::weekday:
      return map_days(frame, step, weekday_of);
    case DatePart::day_of_year:
      return map_days(frame, step, day_of_year);
  }
}

void week_kernel(const Frame& frame, const Step& step) {
  const auto mode = static_cast<unsigned>(step.parameter.integer);
  map_days(frame, step, [mode](int64_t days) { return week_of(days, mode).week; });
}

void last_day_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(int64_t)>(frame, step, [](int64_t a, int64_t& out) {
    const int64_t days = split_day(a).days;
    const Civil date = civil_from_days(days);
    const int64_t last = days - date.day + last_day_of(date.year, date.month);
    return failed_if(__builtin_mul_overflow(last, kMicrosPerDay, &out));
  });
}

void date_difference_kernel(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(int64_t, int64_t)>(frame, step, [](int64_t a, int64_t b, int64_t& out) {
    out = split_day(a).days - split_day(b).days;
    return Fate::value;
  });
}

void micros_difference_kernel(const Frame& frame, const Step& step) {
  const int64_t unit = step.parameter.integer;
  map_valid_rows<int64_t(int64_t, int64_t)>(frame, step, [unit](int64_t a, int64_t b, int64_t& out) {
    if (__builtin_sub_overflow(b, a, &out)) return Fate::failed;
    out /= unit;
    return Fate::value;
  });
}

void months_difference_kernel(const Frame& frame, const Step& step) {
  const int64_t unit = step.parameter.integer;
  map_valid_rows<int64_t(int64_t, int64_t)>(frame, step, [unit](int64_t a, int64_t b, int64_t& out) {
    out = months_between(a, b) / unit;
    return Fate::value;
  });
}

void date_format_kernel(const Frame& frame, const Step& step) {
  const std::string_view format = step.parameter.text;
  const size_t room = formatted_room(format.size());
  map_valid_rows<std::string_view(int64_t)>(frame, step, [&frame, format, room](int64_t a, std::string_view& out) {
    out = format_date(a, format, frame.texts->take(room));
    frame.texts->give_back(room - out.size());
    return Fate::value;
  });
}

}  // namespace tidemark::core
