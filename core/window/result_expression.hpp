// SPDX-License-Identifier: Apache-2.0
//
// ResultExpression: an expression over batches of results, as a column of the results that are given out. Owned by a
// ResultWriter, on its thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/expression/expression.hpp"

namespace tidemark::core {

class ResultExpression {
 public:
  /// Code::config when the text does not compile against `columns`.
  static Result<ResultExpression> create(const std::string& name, const std::string& expression,
                                         std::span<const ColumnInfo> columns, ExpressionUse use);

  const ColumnInfo& info() const noexcept { return info_; }
  /// Computes all rows of `batch`; the rest is about the last run.
  void run(const Batch& batch) { values_ = &evaluator_.run(batch); }
  /// The row's value cannot be computed.
  bool is_failed(uint32_t row) const noexcept { return values_->is_failed(row); }
  /// A condition that is neither false nor NULL.
  bool is_true(uint32_t row) const noexcept {
    return values_->is_valid(row) && (values_->values<uint64_t>()[row >> 6] >> (row & 63) & 1) != 0;
  }
  /// Writes the values of the last run into a column of info()'s type of that batch; false when its heap is full.
  bool write(Batch& batch, uint32_t column) const;

 private:
  ResultExpression(ColumnInfo info, Expression expression)
      : info_(std::move(info)), evaluator_(std::move(expression)) {}

  ColumnInfo info_;
  Evaluator evaluator_;
  const ValueVector* values_ = nullptr;
};

}  // namespace tidemark::core
