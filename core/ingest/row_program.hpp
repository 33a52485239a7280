// SPDX-License-Identifier: Apache-2.0
//
// RowProgram: what happens to each batch of a source before its rows are grouped: computed columns are written behind
// the delivered ones, in the batch itself, so that everything behind sees plain columns; and each aggregate's
// conditions say which rows it takes. RowEvaluator runs it. A row that passes the conditions and for which a column
// that the aggregate needs cannot be computed (an overflow) is set aside by that aggregate, never counted as NULL. A
// program is immutable and shared; an evaluator belongs to one reader's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/batch/batch.hpp"
#include "core/expression/expression.hpp"

namespace tidemark::core {

/// What a row's place says, as a text column.
enum class RowPlace : uint8_t { shard, database, table };

/// Another column of the batch, taken over as it is.
struct CopyOfColumn {
  uint32_t column = 0;
};

/// Another column of the batch where a condition holds, NULL elsewhere. Of any type, also those that expressions do not
/// know.
struct MaskedColumn {
  uint32_t column = 0;
  Expression condition;
};

struct ComputedColumn {
  uint32_t column = 0;  ///< where it goes in the batch
  std::variant<Expression, CopyOfColumn, MaskedColumn, RowPlace> value;
};

/// What a row must fulfil. Where it is NULL because one of these columns could not be computed, the row is neither
/// taken nor filtered.
struct RowCondition {
  Expression expression;
  std::vector<uint32_t> computed{};  ///< batch columns, of RowProgram::columns, that it reads, directly or not
};

/// The rows that one aggregate takes of a source.
struct RowSelection {
  uint16_t operator_id = 0;
  std::vector<RowCondition> conditions;  ///< all of them
  std::vector<uint32_t> computed;        ///< batch columns, of `columns`, that its rows must have computed
};

struct RowProgram {
  std::vector<ComputedColumn> columns;  ///< in the order of their computation
  std::vector<RowSelection> selections;
};

class RowEvaluator {
 public:
  /// `program` outlives it.
  explicit RowEvaluator(const RowProgram& program);

  /// Computes the columns. `shard`: the name of the batch's split.
  void run(Batch& batch, std::string_view shard);

  struct Rows {
    std::span<const uint32_t> skip;            ///< those not to be grouped, ascending: with `aside`
    std::span<const uint32_t> not_computable;  ///< passed the conditions, but lack a column; in `skip` too
    uint32_t filtered = 0;                     ///< did not fulfil the conditions
  };
  /// What aggregate number `selection` takes of the batch that run() had. `aside`: rows that no aggregate takes,
  /// ascending; `ignored`: kinds of rows that it does not look at (bit 1 << op) and that are not counted here. Valid
  /// until the next call.
  Rows choose(const Batch& batch, size_t selection, std::span<const uint32_t> aside, uint32_t ignored);

 private:
  struct Selection {
    std::vector<Evaluator> conditions;
    std::vector<std::vector<size_t>> conditions_computed;  // per condition: indexes into failures_
    std::vector<size_t> computed;                          // indexes into failures_
  };
  struct Computation {
    const ComputedColumn* column;
    std::optional<Evaluator> evaluator;  // with an expression or a condition
  };

  std::vector<size_t> places_of(const RowProgram& program, const std::vector<uint32_t>& columns) const;
  void compute(Computation& computation, Batch& batch, std::string_view shard, std::vector<uint64_t>& failed);

  std::vector<Computation> computations_;
  std::vector<std::vector<uint64_t>>
      failures_;  // by computation: bits of rows that could not be computed; may be empty
  std::vector<Selection> selections_;
  std::vector<uint64_t> passed_, lacking_;
  std::vector<uint32_t> skip_, not_computable_;
};

}  // namespace tidemark::core
