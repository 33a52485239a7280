// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the functions of texts, each named after its function, with MySQL's results: positions count characters
// from 1, and from the end where they are negative. Texts compare by bytes. A text that a function would make longer
// than kMadeTextMax (and than its input) is a failure.
// Pure functions over vectors; see kernel.hpp.
#pragma once

#include <cstddef>

#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// Bytes of a text that REPEAT, LPAD, RPAD, REPLACE and REGEXP_REPLACE make at most: a value of one row must not take
/// unbounded memory.
inline constexpr size_t kMadeTextMax = 64 << 10;

// text -> text
void lower_kernel(const Frame& frame, const Step& step);
void upper_kernel(const Frame& frame, const Step& step);
void reverse_kernel(const Frame& frame, const Step& step);
void trim_kernel(const Frame& frame, const Step& step);
void left_trim_kernel(const Frame& frame, const Step& step);
void right_trim_kernel(const Frame& frame, const Step& step);
// text -> integer
void byte_length_kernel(const Frame& frame, const Step& step);
void character_length_kernel(const Frame& frame, const Step& step);
// text, integer[, integer] -> text
void substring_from_kernel(const Frame& frame, const Step& step);
void substring_kernel(const Frame& frame, const Step& step);
void left_kernel(const Frame& frame, const Step& step);
void right_kernel(const Frame& frame, const Step& step);
void repeat_kernel(const Frame& frame, const Step& step);
// text, what is taken off -> text
void trim_both_kernel(const Frame& frame, const Step& step);
void trim_leading_kernel(const Frame& frame, const Step& step);
void trim_trailing_kernel(const Frame& frame, const Step& step);
/// text, from, to -> text
void replace_kernel(const Frame& frame, const Step& step);
// what is looked for, text[, position] -> position or 0; instr takes the text first
void locate_kernel(const Frame& frame, const Step& step);
void locate_from_kernel(const Frame& frame, const Step& step);
void instr_kernel(const Frame& frame, const Step& step);
// text, length, padding -> text
void left_pad_kernel(const Frame& frame, const Step& step);
void right_pad_kernel(const Frame& frame, const Step& step);
/// text, delimiter, count -> text
void substring_index_kernel(const Frame& frame, const Step& step);
/// text, prefix -> boolean
void starts_with_kernel(const Frame& frame, const Step& step);
// CONCAT of two or three
void join_two_kernel(const Frame& frame, const Step& step);
void join_three_kernel(const Frame& frame, const Step& step);
/// One step of CONCAT_WS: what is joined so far (NULL: nothing), the next text (NULL: skipped), separator.
void join_separated_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
