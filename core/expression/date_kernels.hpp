// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the functions of points in time: their parts, differences and texts. In UTC; years before 0 are negative.
// Pure functions over vectors; see kernel.hpp.
#pragma once

#include "core/expression/kernel.hpp"

namespace tidemark::core {

enum class DatePart : uint8_t {
  year,
  quarter,
  month,
  day,
  hour,
  minute,
  second,
  microsecond,
  day_of_week,  ///< 1 = Sunday
  weekday,      ///< 0 = Monday
  day_of_year,
  year_month,  ///< 202612
};

/// time -> integer; parameter.integer: a DatePart.
void date_part_kernel(const Frame& frame, const Step& step);
/// time -> integer; parameter.integer: the mode.
void week_kernel(const Frame& frame, const Step& step);
/// time -> date
void last_day_kernel(const Frame& frame, const Step& step);
/// a, b -> days from b to a
void date_difference_kernel(const Frame& frame, const Step& step);
/// a, b -> whole units of parameter.integer microseconds from a to b
void micros_difference_kernel(const Frame& frame, const Step& step);
/// a, b -> whole units of parameter.integer months from a to b
void months_difference_kernel(const Frame& frame, const Step& step);
/// time -> text; parameter.text: the format.
void date_format_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
