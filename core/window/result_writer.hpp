// SPDX-License-Identifier: Apache-2.0
//
// ResultWriter: makes FiredRows of groups. Decides which groups have a result (rows, a base, `having`), which lost
// the one they had (a retraction), counts revisions, and evaluates the aggregate's result columns. Knows nothing of
// panes: windows of all kinds give their results through it. Owned by a window operator, on its thread.
//
// Columns: window_start, window_end, keys, results; kind and revision where groups may have several results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/emission.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/result_expression.hpp"
#include "core/window/time_range.hpp"

namespace tidemark::core {

/// A group whose result is due.
struct DueGroup {
  TimeRange window;
  std::string_view key;
  const std::byte* accumulators = nullptr;  ///< null: nothing is left of the group
  Emission* emission = nullptr;             ///< updated; null where each group has one result only
  std::string* given_row = nullptr;         ///< updated; null where it is not kept (KeptResult)
};

/// Of FiredRows::replaced: all columns of results but kind and revision, the last two.
KeyCodec given_row_codec(const BatchLayout& output);

class ResultWriter {
 public:
  /// For create() alone: it has to compile() before it can be used.
  ResultWriter(const AggregateSpec& spec, const AccumulatorLayout& layout, const KeyCodec& codec);
  /// The references outlive it. Code::config when `having` or a result column does not compile, or names collide.
  static Result<std::unique_ptr<ResultWriter>> create(const AggregateSpec& spec, const AccumulatorLayout& layout,
                                                      const KeyCodec& codec);

  struct Counts {
    uint64_t results = 0;
    uint64_t groups_without_base = 0;
  };
  /// Appends what the groups, ascending by (window end, key bytes, window start), give at a firing of this kind.
  /// Their emissions say so afterwards: revision and present are updated, nothing is pending.
  /// Code::overflow names aggregate, window, key and column of a value that cannot be computed.
  Status write(std::span<const DueGroup> groups, FiringKind kind, std::vector<FiredRows>& fired, Counts& counts);

  const std::shared_ptr<const BatchLayout>& output_layout() const noexcept { return output_layout_; }

 private:
  Status compile();
  Status add_result(const ResultColumn& result, std::span<const ColumnInfo> known, BatchLayout& base,
                    BatchLayout& output);
  Status check_names() const;

  /// A row of results: a group's values, or those of an empty one where its result is taken back.
  struct Row {
    const DueGroup* group = nullptr;
    bool retracted = false;
  };
  bool is_shaped() const noexcept { return having_ || !results_.empty(); }
  bool has_result(const DueGroup& group, Counts& counts) const;
  Status write_chunk(std::span<const DueGroup> groups, FiringKind kind, std::vector<FiredRows>& fired, Counts& counts);
  Status write_row(const Row& row, Batch& out, uint32_t at) const;
  Status write_values(const Row& row, Batch& out, uint32_t at) const;
  Result<std::shared_ptr<Batch>> shape();
  Status apply_having(Batch& base);
  Status copy_row(const Batch& base, uint32_t from, Batch& out, uint32_t at) const;
  Status keep_rows(const Batch& batch, FiredRows& out);
  Status finish(FiringKind kind, std::shared_ptr<Batch> batch, FiredRows& out);
  Status named(const Status& status, const DueGroup& group) const;

  const AggregateSpec& spec_;
  const AccumulatorLayout& layout_;
  const KeyCodec& codec_;
  std::shared_ptr<const BatchLayout> base_layout_;  // window, keys, aggregates, then what expressions give
  std::shared_ptr<const BatchLayout> output_layout_;
  uint32_t first_result_ = 0;  // column
  std::optional<ResultExpression> having_;
  /// A result column: a column of the base, which an expression may fill.
  struct ResultSource {
    uint32_t column = 0;
    std::optional<ResultExpression> expression;
  };
  std::vector<ResultSource> results_;
  std::vector<uint64_t> empty_row_;  // accumulators of an empty group
  KeyCodec row_codec_;               // of output rows without kind and revision; with KeptResult::row
  EncodedKeys row_bytes_;            // scratch
  std::vector<Row> rows_;            // scratch: of the chunk in hand
};

}  // namespace tidemark::core
