// SPDX-License-Identifier: Apache-2.0
//
// Time: seconds to points in time and back, intervals, rounding down. All in UTC.
#include <algorithm>
#include <cmath>

#include "core/expression/kernels.hpp"
#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

// FROM_UNIXTIME's range: year 0 to MySQL's own end, 3001-01-18T23:59:59.999999. Milliseconds given as seconds lie
// beyond it.
constexpr int64_t kUnixSecondsMin = -62'167'219'200;
constexpr int64_t kUnixSecondsMax = 32'536'771'199;

bool in_range(Int128 micros) {
  return micros >= Int128{kUnixSecondsMin} * kMicrosPerSecond &&
         micros < Int128{kUnixSecondsMax + 1} * kMicrosPerSecond;
}

void from_seconds(const Frame& frame, const Step& step) {
  map_rows<int64_t(int64_t)>(frame, step, [](int64_t seconds, int64_t& out) {
    const bool known = seconds >= kUnixSecondsMin && seconds <= kUnixSecondsMax;
    out = known ? seconds * kMicrosPerSecond : 0;
    return null_if(!known);
  });
}

void from_decimal_seconds(const Frame& frame, const Step& step) {
  map_rows<int64_t(Int128)>(frame, step, [](Int128 micros, int64_t& out) {
    const bool known = in_range(micros);
    out = known ? static_cast<int64_t>(micros) : 0;
    return null_if(!known);
  });
}

void from_double_seconds(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(double)>(frame, step, [](double seconds, int64_t& out) {
    const double micros = std::round(seconds * static_cast<double>(kMicrosPerSecond));
    if (!(micros >= -1e18 && micros <= 1e18) || !in_range(static_cast<Int128>(micros))) return Fate::null;
    out = static_cast<int64_t>(micros);
    return Fate::value;
  });
}

void time_to_decimal(const Frame& frame, const Step& step) {
  map_rows<Int128(int64_t)>(frame, step, [](int64_t a, Int128& out) {
    out = a;
    return Fate::value;
  });
}

// The ends of the range mean "no time" and "end of the input".
Fate proper_time(bool overflow, int64_t value) {
  return failed_if(overflow || value == kNoTime || value == kEndOfTime);
}

void add_micros(const Frame& frame, const Step& step) {
  map_rows<int64_t(int64_t, int64_t)>(frame, step, [](int64_t a, int64_t b, int64_t& out) {
    const bool overflow = __builtin_add_overflow(a, b, &out);
    return proper_time(overflow, out);
  });
}

void subtract_micros(const Frame& frame, const Step& step) {
  map_rows<int64_t(int64_t, int64_t)>(frame, step, [](int64_t a, int64_t b, int64_t& out) {
    const bool overflow = __builtin_sub_overflow(a, b, &out);
    return proper_time(overflow, out);
  });
}

int64_t floor_divide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// Midnight of a day; false beyond the range.
bool midnight(int64_t days, int64_t& out) {
  return !__builtin_mul_overflow(days, kMicrosPerDay, &out);
}

Fate shift_months(int64_t value, Int128 months, int64_t& out) {
  constexpr int64_t kMonthsMax = int64_t{12} * 600'000;  // farther than the range of event time
  if (months > kMonthsMax || months < -kMonthsMax) return Fate::failed;
  const DayAndTime parts = split_day(value);
  const Civil date = civil_from_days(parts.days);
  const int64_t month = date.year * 12 + (date.month - 1) + static_cast<int64_t>(months);
  const int64_t year = floor_divide(month, 12);
  const auto month_of_year = static_cast<unsigned>(month - year * 12) + 1;
  const unsigned day = std::min(date.day, last_day_of(year, month_of_year));
  const bool fits = midnight(days_from_civil(year, month_of_year, day), out);
  const bool overflow = !fits || __builtin_add_overflow(out, parts.of_day, &out);
  return proper_time(overflow, out);
}

template <int kSign>
void shift_by_months(const Frame& frame, const Step& step) {
  map_valid_rows<int64_t(int64_t, int64_t)>(frame, step, [](int64_t a, int64_t months, int64_t& out) {
    return shift_months(a, Int128{months} * kSign, out);
  });
}

void truncate_micros(const Frame& frame, const Step& step) {
  const int64_t unit = step.parameter.integer;
  const auto origin = static_cast<int64_t>(step.parameter.decimal);
  map_rows<int64_t(int64_t)>(frame, step, [unit, origin](int64_t a, int64_t& out) {
    int64_t shifted = 0;
    const bool overflow = __builtin_sub_overflow(a, origin, &shifted);
    const int64_t rest = shifted % unit;
    const bool below = __builtin_sub_overflow(a, rest < 0 ? rest + unit : rest, &out);
    return failed_if(overflow || below);
  });
}

void truncate_months(const Frame& frame, const Step& step) {
  const int64_t months = step.parameter.integer;
  map_valid_rows<int64_t(int64_t)>(frame, step, [months](int64_t a, int64_t& out) {
    const Civil date = civil_from_days(split_day(a).days);
    const int64_t month = floor_divide(date.year * 12 + (date.month - 1), months) * months;
    const int64_t year = floor_divide(month, 12);
    return failed_if(!midnight(days_from_civil(year, static_cast<unsigned>(month - year * 12) + 1, 1), out));
  });
}

}  // namespace

Kernel from_unixtime_kernel(ValueKind from) {
  if (from == ValueKind::floating) return from_double_seconds;
  return from == ValueKind::decimal ? from_decimal_seconds : from_seconds;
}
Kernel time_to_decimal_kernel() {
  return time_to_decimal;
}
Kernel add_micros_kernel() {
  return add_micros;
}
Kernel subtract_micros_kernel() {
  return subtract_micros;
}
Kernel add_months_kernel() {
  return shift_by_months<1>;
}
Kernel subtract_months_kernel() {
  return shift_by_months<-1>;
}
Kernel truncate_micros_kernel() {
  return truncate_micros;
}
Kernel truncate_months_kernel() {
  return truncate_months;
}

}  // namespace tidemark::core
