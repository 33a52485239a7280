// SPDX-License-Identifier: Apache-2.0
//
// What aggregate functions take and give: one table that the plan asks before a job runs and that accumulators are
// compiled by. A refusal is a text for people, without the place it belongs to. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "core/batch/column_type.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

/// Digits of sums and averages of integers and decimals; a result of more is an error when it is written.
inline constexpr uint8_t kSumDigits = 76;
/// Digits that an average of integers or decimals has behind its input's scale, as in MySQL.
inline constexpr uint8_t kAverageDigits = 4;
/// top_k: most values that can be asked for.
inline constexpr uint32_t kTopLimit = 10'000;
/// string_agg: most bytes of a result.
inline constexpr uint32_t kJoinedBytes = 1U << 20;

/// True for sum, avg, variances and standard deviations: functions that are worked out from sums.
bool is_from_sums(AggregateFunction function) noexcept;
/// True for variances and standard deviations: functions that also need a sum of squares.
bool is_from_squares(AggregateFunction function) noexcept;

/// Why `function` cannot be computed on a column such as `argument` (of which the type counts); empty when it can.
/// `changelog`: rows can also be taken back. count_all has no argument and is never refused.
std::string aggregate_refusal(AggregateFunction function, const ColumnInfo& argument, bool changelog);

/// Why the function cannot be computed with such a fraction, limit or separator; empty when it can.
std::string aggregate_parameter_refusal(const AggregateColumn& column);

/// Name, type, precision, scale and nullability of the result; `argument` is not looked at for count_all. The comment
/// stays empty.
ColumnInfo aggregate_result(const AggregateColumn& column, const ColumnInfo& argument);

}  // namespace tidemark::core
