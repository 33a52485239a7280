// SPDX-License-Identifier: Apache-2.0
//
// From the values of an expression to a column of a batch that is still being filled: the type that the column has,
// and the copy. Decimals of up to 18 digits take 8 bytes, which aggregates work on fastest. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "core/batch/batch.hpp"
#include "core/expression/value_vector.hpp"

namespace tidemark::core {

/// The column that holds values of `type`. NULL alone becomes a boolean.
ColumnInfo column_for(const ValueType& type, std::string name);

/// Writes the values of rows 0 to batch.rows - 1 into `column`, which column_for() made for `type`. Rows without a
/// value become NULL. False when texts do not fit the batch's heap (4 GiB).
bool write_column(const ValueVector& values, const ValueType& type, Batch& batch, uint32_t column);

}  // namespace tidemark::core
