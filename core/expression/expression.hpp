// SPDX-License-Identifier: Apache-2.0
//
// Expression: a text compiled against the columns of an input into a list of steps, each one kernel over a whole
// batch, with vectors that are used again as soon as nobody needs them. Evaluator: runs it over batches.
//
// Semantics: SQL's three-valued logic. Division by zero is NULL. A number that outgrows its type, a cast that does
// not fit and the like make the row "failed": it has no value, and is counted. Texts compare by bytes. Times without
// a zone are UTC. The types are in value_type.hpp.
// An Expression is immutable and may be shared; an Evaluator belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/batch/batch.hpp"
#include "core/expression/expression_error.hpp"
#include "core/expression/kernel.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {

class Expression {
 public:
  /// Batches that it is evaluated on have these columns.
  static OrExpressionError<Expression> compile(std::string_view text, std::span<const ColumnInfo> columns,
                                               ExpressionUse use);

  /// The same for a text with aggregate calls (`aggregates`: their names, lower case), of which the i-th stands for
  /// the value of column call_columns[i] of `columns`: "sum(a) / count()" over results. Columns without a name can be
  /// reached by calls alone. What stands inside the calls is not looked at: see find_aggregate_calls.
  static OrExpressionError<Expression> compile_over_aggregates(std::string_view text,
                                                               std::span<const ColumnInfo> columns, ExpressionUse use,
                                                               std::span<const std::string_view> aggregates,
                                                               std::span<const uint32_t> call_columns);

  const ValueType& type() const noexcept { return program_->type; }
  /// Indexes of the columns that it reads, ascending.
  const std::vector<uint32_t>& columns() const noexcept { return program_->columns; }

 private:
  friend class Evaluator;
  struct Program {
    ValueType type;
    std::vector<uint32_t> columns;
    std::vector<Step> steps;
    std::vector<uint32_t> vector_bits;  ///< of the vectors that the steps use
    uint16_t result = 0;
  };
  static Program schedule(CheckedExpression checked);

  std::shared_ptr<const Program> program_;
};

/// What is wrong with the text alone, whatever columns there are; empty when it reads.
std::optional<ExpressionError> check_expression_syntax(std::string_view text);

class Evaluator {
 public:
  explicit Evaluator(Expression expression);

  /// One value per row. Valid until the next run, and as long as the batch.
  const ValueVector& run(const Batch& batch);

  const Expression& expression() const noexcept { return expression_; }

 private:
  Expression expression_;
  std::vector<ValueVector> vectors_;
  TextArena texts_;
  uint32_t room_ = 0;  // rows that the vectors have room for
};

}  // namespace tidemark::core
