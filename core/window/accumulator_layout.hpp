// SPDX-License-Identifier: Apache-2.0
//
// AccumulatorLayout: what one group of an aggregate keeps, as a row of fixed width that kernels update by
// descriptors (accumulator_slots.hpp), and how rows are merged, written to state and turned into results.
// merge() is associative and commutative, so results do not depend on how rows were split over workers. Sums are
// exact and wide enough not to overflow, those of doubles too; a result that its type cannot hold is an error when it
// is written.
// Immutable after compile(); rows may be used on one thread at a time each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/window/accumulator_slots.hpp"
#include "core/window/aggregate_spec.hpp"

namespace tidemark::core {

class AccumulatorLayout {
 public:
  /// Errors (Code::config) name the aggregate and column: no such column, a function that its type does not have.
  static Result<AccumulatorLayout> compile(const AggregateSpec& spec, const BatchLayout& input);

  /// Bytes of a row, a multiple of 8; rows must be aligned to 8.
  size_t width() const noexcept { return initial_.size(); }
  /// True when rows own no memory: they can be copied, and pre-aggregation pays.
  bool fixed_size() const noexcept { return values_.empty(); }
  bool changelog() const noexcept { return changelog_; }
  /// Result columns of the aggregates, in the spec's order.
  const std::vector<ColumnInfo>& output_columns() const noexcept { return output_columns_; }

  void init(std::byte* row) const noexcept;
  /// Frees what the row owns; it is neutral afterwards.
  void destroy(std::byte* row) const noexcept;
  /// Applies rows of a batch to rows of accumulators. Returns by how many bytes owned memory grew.
  int64_t update(const Batch& batch, std::span<const UpdateTarget> targets, const uint32_t* rows) const;
  /// into += from; returns the growth of owned memory.
  int64_t merge(std::byte* into, const std::byte* from) const;

  /// Rows in minus rows out.
  static int64_t weight(const std::byte* row) noexcept { return load_part<int64_t>(row, 0); }
  /// True when nothing is left of what was ever added: the group is gone.
  bool is_neutral(const std::byte* row) const noexcept;
  /// True when the row has a result: some rows, and none taken back that was never added.
  bool has_base(const std::byte* row) const noexcept;
  size_t owned_bytes(const std::byte* row) const noexcept;

  /// Appends the row's canonical bytes: equal content, equal bytes.
  void encode(const std::byte* row, std::string& out) const;
  /// Into a row fresh from init(). Code::damage when the bytes are not of this layout.
  Status decode(std::string_view bytes, std::byte* row) const;

  /// Writes the results to columns `first_column`... of row `out_row`. Code::overflow names the column.
  Status write_results(const std::byte* row, Batch& out, uint32_t first_column, uint32_t out_row) const;

 private:
  /// One result: where it comes from.
  struct Output {
    AggregateColumn column;
    int32_t argument = kAbsent;                 // index in arguments_
    int32_t value = kAbsent;                    // index in values_
    std::shared_ptr<const BatchLayout> values;  // of functions that show values: one column of the argument's type
  };
  /// Where a result goes.
  struct ResultCell {
    Batch& out;
    uint32_t column;
    uint32_t row;
  };
  struct Compiler;

  const ArgumentSlots& argument_of(const Output& output) const {
    return arguments_[static_cast<size_t>(output.argument)];
  }
  const ValueSlot& value_of(const Output& output) const { return values_[static_cast<size_t>(output.value)]; }
  Status write_result(const Output& output, const std::byte* row, const ResultCell& to) const;
  Status write_sum(const Output& output, const std::byte* row, const ResultCell& to) const;
  Status write_extreme(const Output& output, const std::byte* row, const ResultCell& to) const;
  void write_truth(const Output& output, const std::byte* row, const ResultCell& to) const;
  // accumulator_result_real.cpp
  Status write_double_sum(const Output& output, const std::byte* row, const ResultCell& to) const;
  Status write_deviation(const Output& output, const std::byte* row, const ResultCell& to) const;
  void write_quantile(const Output& output, const std::byte* row, const ResultCell& to) const;
  // accumulator_result_list.cpp
  Status write_top(const Output& output, const std::byte* row, const ResultCell& to) const;
  Status write_joined(const Output& output, const std::byte* row, const ResultCell& to) const;

  bool changelog_ = false;
  std::vector<ArgumentSlots> arguments_;
  std::vector<ValueSlot> values_;
  std::vector<Output> outputs_;
  std::vector<ColumnInfo> output_columns_;
  std::vector<std::byte> initial_;
  size_t fixed_bytes_ = 0;  // of a row, before the pointers
};

}  // namespace tidemark::core
