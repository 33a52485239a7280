// SPDX-License-Identifier: Apache-2.0
//
// RowPlanner: what the rows of one source, or the results of one aggregate, must carry, worked out while the job's
// expressions are looked at. Columns have numbers of their own here: those of the source's schema, its place columns
// ($shard, $database, $table), then computed ones as they are asked for, each text once per scope. finish() keeps what
// is used: the columns that the source must deliver, and a program for the rest. A Scope is the names that can be seen
// at one point on the way of the rows. At start, on one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/column_type.hpp"
#include "core/expression/expression.hpp"
#include "core/ingest/row_program.hpp"

namespace tidemark::core {

/// Columns by the planner's numbers; those that cannot be seen have no name.
using Scope = std::vector<ColumnInfo>;

class RowPlanner {
 public:
  enum class Of : uint8_t { source, results };
  /// Results have no place columns.
  explicit RowPlanner(const Schema& schema, Of of = Of::source);

  /// What the source itself gives.
  const Scope& source_scope() const noexcept { return source_scope_; }
  /// The column of a name, or of what an expression computes.
  OrExpressionError<uint32_t> column(std::string_view text, const Scope& scope);
  /// `column` where the condition holds, NULL elsewhere.
  OrExpressionError<uint32_t> masked(uint32_t column, std::string_view condition, const Scope& scope);
  /// A condition that rows must fulfil; its number.
  OrExpressionError<uint32_t> condition(std::string_view text, const Scope& scope);
  const ColumnInfo& info(uint32_t column) const { return infos_[column]; }
  /// True for a column of the source's schema.
  bool is_delivered(uint32_t column) const noexcept { return column < delivered_; }

  /// The columns of a scope that a list for people shows: without $shard and the like.
  std::vector<ColumnInfo> shown(const Scope& scope) const;

  /// `scope` with `column` under this name, in place of what had it; where it has a name already, both stay.
  Scope bind(Scope scope, const std::string& name, uint32_t column);
  /// Without the name; false when it is not there.
  static bool hide(Scope& scope, const std::string& name);

  /// Marks a column as needed, with all it is computed from.
  void use(uint32_t column);
  void use_condition(uint32_t condition);

  /// The columns of batches: delivered ones (then `pad` unused ones), `slots`, then computed ones that others read.
  struct Finished {
    std::vector<uint32_t> projection;  ///< indexes into the schema
    BatchLayout layout;
    std::vector<ComputedColumn> computed;  ///< without those of the slots
    std::map<uint32_t, uint32_t> place;    ///< from the planner's numbers to batch columns
  };
  /// The computed columns that `column` is made of, itself with them.
  std::vector<uint32_t> computed_behind(uint32_t column) const;
  std::vector<uint32_t> computed_behind_condition(uint32_t condition) const;
  /// What a column or a condition means, in words that stay the same while its value does.
  std::string describe(uint32_t column) const;
  std::string describe_condition(uint32_t condition) const;

  /// How many columns the source must deliver for what is marked.
  size_t delivered_count() const;
  /// slots: columns that must stand at given places, the planner's numbers (none: not of this source) and their infos.
  Finished finish(size_t first_slot, const std::vector<std::pair<std::optional<uint32_t>, ColumnInfo>>& slots) const;
  /// The text of a computed column or condition compiled for finished batches.
  Expression compile_for(const Finished& finished, uint32_t column) const;
  Expression condition_for(const Finished& finished, uint32_t condition) const;

 private:
  struct Mask {
    uint32_t column;
    std::string condition;

    bool operator==(const Mask&) const = default;
  };
  struct Computed {
    std::variant<std::string, RowPlace, CopyOfColumn, Mask>
        from;          // an expression's text; a copy names a planner's number
    size_t scope = 0;  // index in scopes_
    std::vector<uint32_t> reads;
  };
  struct Condition {
    std::string text;
    size_t scope = 0;
    std::vector<uint32_t> reads;
  };

  void collect_computed(const std::vector<uint32_t>& columns, std::vector<uint32_t>& out) const;
  std::string describe_text(const std::string& text, size_t scope, const std::vector<uint32_t>& reads) const;
  size_t remember(const Scope& scope);
  void add_place(std::string name, RowPlace place);
  const Computed& computed(uint32_t column) const { return computed_[column - delivered_]; }
  Expression compile_in(const Finished& finished, std::string_view text, size_t scope, ExpressionUse use) const;

  uint32_t delivered_;
  Scope source_scope_;
  std::vector<ColumnInfo> infos_;  // by the planner's numbers
  std::vector<Computed> computed_;
  std::vector<Condition> conditions_;
  std::vector<Scope> scopes_;
  std::vector<bool> used_;
};

}  // namespace tidemark::core
