// SPDX-License-Identifier: Apache-2.0
//
// The kernels by operation and type: what the type checker picks from. Each takes vectors of exactly the types it
// was asked for (decimals of one scale where two meet), so conversions are steps of their own.
// Pure functions that return pointers to functions; null never.
#pragma once

#include "core/expression/kernel.hpp"
#include "core/expression/syntax_tree.hpp"

namespace tidemark::core {

// Inputs. parameter.integer: the column's number in the batch's layout.
Kernel column_kernel(ColumnType type);
/// parameter: the value.
Kernel constant_kernel(ValueKind kind);
Kernel null_kernel(ValueKind kind);
/// The row's operation as text: insert, delete, update_before, update_after.
Kernel operation_kernel();

// Arithmetic; both sides of the kind asked for.
/// Integers: checked. Floating: not finite is a failure. Division and remainder by zero: NULL.
/// Decimals: add, subtract, modulo and integer_divide take one scale; multiply drops parameter.integer digits of the
/// product; divide gives a * 10^parameter.integer / b, rounded half away from zero.
Kernel arithmetic_kernel(SyntaxOperator operation, ValueKind kind);
Kernel negate_kernel(ValueKind kind);

// Comparison and choice.
Kernel comparison_kernel(SyntaxOperator operation, ValueKind kind);
/// The larger (or smaller) of two; NULL if either is.
Kernel larger_kernel(ValueKind kind);
Kernel smaller_kernel(ValueKind kind);
/// in: otherwise, condition, value: value where the condition is true.
Kernel choose_kernel(ValueKind kind);
/// The first that is not NULL.
Kernel coalesce_kernel(ValueKind kind);

// Three-valued logic over booleans.
Kernel and_kernel();
Kernel or_kernel();
Kernel not_kernel();
Kernel is_null_kernel();
Kernel is_true_kernel();
Kernel is_false_kernel();

// Conversions that widen, without a CAST.
Kernel boolean_to_integer_kernel();
/// != 0
Kernel number_to_boolean_kernel(ValueKind from);
/// parameter.decimal: 10^scale.
Kernel integer_to_decimal_kernel();
/// Booleans have become integers before. parameter.integer: the scale of a decimal.
Kernel number_to_double_kernel(ValueKind from);
/// parameter.decimal: 10^(digits of scale more); down: rounded half away from zero.
Kernel decimal_scale_up_kernel();
Kernel decimal_scale_down_kernel();

// CASTs.
/// Rounded half away from zero. parameter.integer: scale.
Kernel decimal_to_integer_kernel();
/// To the nearest, ties to even, as MySQL.
Kernel double_to_integer_kernel();
/// parameter.integer: scale.
Kernel double_to_decimal_kernel();
/// Fails where more digits are needed: |value| >= parameter.decimal.
Kernel decimal_fits_kernel();
/// Texts that are no number (or time) give NULL. parameter.integer: scale of a decimal.
Kernel text_to_number_kernel(ValueKind to);
Kernel text_to_time_kernel();
/// parameter.integer: scale of a decimal.
Kernel to_text_kernel(ValueKind from);
/// The first parameter.integer characters.
Kernel cut_text_kernel();
/// The same text as a node of its own.
Kernel copy_text_kernel();

/// parameter.text: the pattern with `\` before what is literal; see like_pattern.hpp.
Kernel like_kernel();

// Time.
/// Seconds to a timestamp; decimals of scale 6. NULL outside the years 0 to 3000, as in MySQL (which ends at 0).
Kernel from_unixtime_kernel(ValueKind from);
/// Microseconds as decimal of scale 6.
Kernel time_to_decimal_kernel();
/// Time plus an integer of microseconds, or of calendar months (the day is cut to the month's last).
Kernel add_micros_kernel();
Kernel subtract_micros_kernel();
Kernel add_months_kernel();
Kernel subtract_months_kernel();
/// Rounded down: to multiples of parameter.integer microseconds counted from parameter.decimal; or to the first day
/// of blocks of parameter.integer months.
Kernel truncate_micros_kernel();
Kernel truncate_months_kernel();

}  // namespace tidemark::core
