// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the JSON functions. parameter.object: a JsonPath where there is one. parameter.integer: 1 where the text
// is known to be JSON (a JSON column); other texts are validated, and NULL where they are no JSON.
// Pure functions over vectors; see kernel.hpp.
#pragma once

#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// text -> the value's text
void json_extract_kernel(const Frame& frame, const Step& step);
/// text -> a scalar's text without quotes; NULL for null, objects and arrays
void json_value_kernel(const Frame& frame, const Step& step);
/// text -> a string's text without quotes; other texts as they are
void json_unquote_kernel(const Frame& frame, const Step& step);
/// text -> the type's name
void json_type_kernel(const Frame& frame, const Step& step);
/// text -> integer
void json_length_kernel(const Frame& frame, const Step& step);
/// text -> boolean
void json_valid_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
