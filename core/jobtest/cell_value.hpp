// SPDX-License-Identifier: Apache-2.0
//
// CellValue: one value that a test gives a column, of the column's type. read_cell() makes it of what the job file has,
// or says what is wrong with that; put_cell() writes it into a batch. Values; pure functions.
#pragma once

#include <string>
#include <variant>

#include "config/job/test_spec.hpp"
#include "core/base/int256.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

struct CellValue {
  bool is_null = true;
  Int256 number;     ///< integers, booleans; decimals scaled; days of dates; microseconds of times
  double real = 0;   ///< floats
  std::string text;  ///< texts, bytes and JSON
};

/// Why a value cannot stand in a column.
struct CellProblem {
  std::string text;  ///< "is a text", behind the column's name
  std::string help;
};

std::variant<CellValue, CellProblem> read_cell(const config::TestValue& value, const ColumnInfo& column);

/// Writes the cell of a row that is counted in batch.rows already. False when the batch's heap is full.
bool put_cell(Batch& batch, size_t column, uint32_t row, const CellValue& value);

}  // namespace tidemark::core
