// SPDX-License-Identifier: Apache-2.0
//
// Event time: signed 64-bit microseconds since 1970-01-01T00:00:00Z. kNoTime = none yet, kEndOfTime = end of
// input. Arithmetic saturates (semantics decision 11: nothing overflows); division floors, so that windows
// before 1970 are right. Pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::core {

/// Microseconds since the epoch, UTC (a point), or a length in microseconds where the name says so.
using Micros = int64_t;

inline constexpr Micros kNoTime = std::numeric_limits<Micros>::min();
inline constexpr Micros kEndOfTime = std::numeric_limits<Micros>::max();
inline constexpr Micros kMicrosPerSecond = 1'000'000;
inline constexpr Micros kMicrosPerMilli = 1'000;
inline constexpr Micros kMicrosPerDay = 86'400 * kMicrosPerSecond;

/// a + b, clamped to the range of the type.
constexpr Micros saturating_add(Micros a, Micros b) noexcept {
  Micros out = 0;
  if (__builtin_add_overflow(a, b, &out)) return b > 0 ? kEndOfTime : kNoTime;
  return out;
}

/// a - b, clamped to the range of the type.
constexpr Micros saturating_sub(Micros a, Micros b) noexcept {
  Micros out = 0;
  if (__builtin_sub_overflow(a, b, &out)) return b > 0 ? kNoTime : kEndOfTime;
  return out;
}

/// The largest multiple of `step` (> 0) that is <= value; clamped near the lower end of the range.
constexpr Micros floor_to(Micros value, Micros step) noexcept {
  const Micros remainder = value % step;
  return remainder < 0 ? saturating_sub(value, remainder + step) : value - remainder;
}

/// Days since 1970-01-01 and the microseconds of the day (>= 0).
struct DayAndTime {
  int64_t days = 0;
  Micros of_day = 0;
};
constexpr DayAndTime split_day(Micros value) noexcept {
  const Micros of_day = value % kMicrosPerDay;
  return of_day < 0 ? DayAndTime{value / kMicrosPerDay - 1, of_day + kMicrosPerDay}
                    : DayAndTime{value / kMicrosPerDay, of_day};
}

/// When day number `days` begins; clamped at 292,000 years, which no date of a server reaches.
constexpr Micros start_of_day(int64_t days) noexcept {
  constexpr int64_t kDaysMax = kEndOfTime / kMicrosPerDay - 1;
  return (days < -kDaysMax ? -kDaysMax : days > kDaysMax ? kDaysMax : days) * kMicrosPerDay;
}

/// "2026-03-29T00:00:00Z", with milliseconds or microseconds only where they are not zero. kNoTime gives "none",
/// kEndOfTime "end".
std::string format_rfc3339(Micros time);

/// What format_rfc3339() gives for a point in time; nothing for "none", "end" and everything else.
std::optional<Micros> parse_rfc3339(std::string_view text) noexcept;

/// Days since 1970-01-01 of a proleptic Gregorian date.
int64_t days_from_civil(int64_t year, unsigned month, unsigned day) noexcept;

/// A proleptic Gregorian date.
struct Civil {
  int64_t year;
  unsigned month;
  unsigned day;
};

/// The date of a number of days since 1970-01-01.
Civil civil_from_days(int64_t days) noexcept;

/// A length for people: "500ms", "2h", "1m30s".
std::string format_duration(Micros length);

/// "500ms", "5s", "1m30s", "2h", "7d" (units ns us ms s m h d, fractions allowed: "0.5s") to microseconds.
/// Empty when it is not a duration, has no unit, or does not fit. Negative values parse; callers judge them.
std::optional<Micros> parse_duration(std::string_view text) noexcept;

}  // namespace tidemark::core
