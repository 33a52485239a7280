// SPDX-License-Identifier: Apache-2.0
//
// A batch of a few rows with a column of each type, and expressions over it as texts: what tests and fuzzers of
// expressions share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression.hpp"

namespace tidemark::core {

/// id int64, n int32, u uint64, price decimal(10,2), big decimal(30,6), d double, b boolean, name text, ts timestamp,
/// dt datetime, day date, raw bytes, wide decimal(65,30), doc JSON, clock time.
const std::vector<ColumnInfo>& sample_columns();

/// Rows: ordinary, negative, all NULL, extreme. Operations: insert, delete, update_before, update_after.
const Batch& sample_batch();

/// Row `row` of a vector: its value, "NULL", or "failed".
std::string value_text(const ValueVector& values, const ValueType& type, uint32_t row);

/// The values of all rows, joined by " | "; or "code offset+size: text (help)" where it does not compile.
std::string evaluate(std::string_view text, ExpressionUse use = ExpressionUse::value);

/// The type of an expression, or the same error text.
std::string type_of(std::string_view text);

std::string error_text(const ExpressionError& error);

}  // namespace tidemark::core
