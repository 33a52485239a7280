// SPDX-License-Identifier: Apache-2.0
//
// Points in time as SQL writes them: '2026-03-29', '2026-03-29 01:30:00.5', also with T and an offset from UTC.
// Pure functions, without locale or the machine's zone.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/base/time.hpp"

namespace tidemark::core {

struct TemporalText {
  Micros micros = 0;  ///< UTC where it has a zone; else as if it were UTC
  bool has_time = false;
  bool has_zone = false;
};

/// YYYY-MM-DD[( |T)HH:MM[:SS[.f...]]][Z|(+|-)HH:MM] with blanks around; years 1 to 9999. A fraction finer than a
/// microsecond is rounded. Empty when it is anything else, or no date of the calendar.
std::optional<TemporalText> parse_temporal(std::string_view text) noexcept;

using TemporalBuffer = std::array<char, 48>;
/// "2026-03-29 01:30:00", with .mmm or .uuuuuu where it is not zero; the date alone with `date_only`.
std::string_view format_temporal(Micros value, bool date_only, TemporalBuffer& buffer) noexcept;

/// The last day (28 to 31) of a month.
unsigned last_day_of(int64_t year, unsigned month) noexcept;

}  // namespace tidemark::core
