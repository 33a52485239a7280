// SPDX-License-Identifier: Apache-2.0
//
// Parts of a date as MySQL counts them: weekdays, weeks of the year by its eight modes, and texts by a format. A week
// that begins on Monday with week 1 the first of four days or more is mode 3, ISO 8601.
// Pure functions, in UTC and English, without locale.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/time.hpp"

namespace tidemark::core {

/// 0 = Monday. Days since 1970-01-01.
unsigned weekday_of(int64_t days) noexcept;

/// 1 to 366.
unsigned day_of_year(int64_t days) noexcept;

struct YearWeek {
  int64_t year = 0;  ///< that the week belongs to
  unsigned week = 0;
};
/// mode: 0 to 7, as of MySQL's WEEK().
YearWeek week_of(int64_t days, unsigned mode) noexcept;

/// Bytes that a format of `size` bytes can come to.
constexpr size_t formatted_room(size_t size) noexcept {
  return size * 10 + 16;
}
/// DATE_FORMAT: writes to `out`, which has formatted_room(format.size()) bytes; returns what was written.
std::string_view format_date(Micros value, std::string_view format, char* out) noexcept;

/// Whole months from `a` to `b`, negative where b is earlier.
int64_t months_between(Micros a, Micros b) noexcept;

}  // namespace tidemark::core
