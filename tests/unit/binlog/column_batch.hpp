// SPDX-License-Identifier: Apache-2.0
// Test double of the host's batch: owns the arrays a ColumnProgram writes to, and reads values back as text.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binlog/column_program.hpp"

namespace tidemark::binlog {

class ColumnBatch {
 public:
  ColumnBatch(std::vector<TargetType> types, uint32_t row_capacity, uint64_t heap_capacity);

  /// To pass to ColumnProgram::decode; stays valid until clear().
  RowOutput& output() { return output_; }
  void clear();
  /// As the host's grow_heap.
  void grow_heap(uint64_t bytes);

  uint32_t rows() const { return output_.row; }
  uint8_t op(uint32_t row) const { return ops_[row]; }
  /// nullopt = NULL. Integers in decimal, decimals with their scale, dates and times as numbers.
  std::optional<std::string> text(size_t column, uint32_t row) const;

 private:
  std::vector<TargetType> types_;
  uint32_t row_capacity_;
  std::vector<std::vector<uint8_t>> values_;
  std::vector<std::vector<uint8_t>> validity_;
  std::vector<tidemark_column> columns_;
  std::vector<uint8_t> ops_;
  std::vector<char> heap_;
  RowOutput output_;
};

}  // namespace tidemark::binlog
