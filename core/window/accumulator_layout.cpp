// SPDX-License-Identifier: Apache-2.0
//
// Compiling an aggregate's columns to slots, and the operations on whole rows that go through all slots.
#include "core/window/accumulator_layout.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/base/int128.hpp"
#include "core/window/accumulator_fixed.hpp"
#include "core/window/accumulator_values.hpp"
#include "core/window/aggregate_types.hpp"
#include "core/window/exact_double.hpp"
#include "core/window/limb_sum.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

bool is_extreme(Function function) {
  return function == Function::min || function == Function::max;
}

/// Functions whose result shows values one by one.
bool is_list(Function function) {
  return function == Function::top_k || function == Function::string_agg;
}

/// Why a column cannot be computed on its argument; empty when it can.
std::string refusal(const AggregateColumn& column, const ColumnInfo& argument, bool changelog) {
  std::string why = aggregate_refusal(column.function, argument, changelog);
  if (why.empty()) why = aggregate_parameter_refusal(column);
  return why;
}

void update_argument(const ArgumentSlots& slots, const UpdateInput& input) {
  const bool extremes = slots.min_at != kAbsent || slots.max_at != kAbsent;
  const bool sums = slots.sum_at != kAbsent;
  if (!extremes && (!sums || is_floating(slots.type))) {
    update_counts(slots, input);
  } else if (is_wide(slots.type)) {
    update_wide(slots, input);
  } else {
    update_narrow(slots, input);
  }
  if (sums && is_floating(slots.type)) {
    update_common(slots, input);
  } else if (slots.squares_at != kAbsent) {
    update_squares(slots, input);
  }
  if (slots.trues_at != kAbsent) update_truths(slots, input);
}

}  // namespace

struct AccumulatorLayout::Compiler {
  const AggregateSpec& spec;
  const BatchLayout& input;
  AccumulatorLayout& layout;
  size_t width = sizeof(int64_t);  // the weight

  int32_t take(size_t bytes) {
    const auto at = static_cast<int32_t>(width);
    width += bytes;
    return at;
  }

  int32_t argument_of(uint32_t column) {
    for (size_t i = 0; i < layout.arguments_.size(); ++i) {
      if (layout.arguments_[i].column == column) return static_cast<int32_t>(i);
    }
    const ColumnInfo& info = input.columns[column];
    ArgumentSlots slots;
    slots.column = column;
    slots.type = info.type;
    slots.scale = is_decimal(info.type) ? info.scale : uint8_t{0};
    slots.count_at = take(sizeof(int64_t));
    layout.arguments_.push_back(slots);
    return static_cast<int32_t>(layout.arguments_.size() - 1);
  }

  int32_t value_of(uint32_t column, SlotKind kind, bool counted) {
    for (size_t i = 0; i < layout.values_.size(); ++i) {
      ValueSlot& slot = layout.values_[i];
      if (slot.column != column || slot.kind != kind) continue;
      slot.counted = slot.counted || counted;
      return static_cast<int32_t>(i);
    }
    const ColumnInfo& info = input.columns[column];
    const uint8_t scale = is_decimal(info.type) ? info.scale : uint8_t{0};
    layout.values_.push_back(ValueSlot{0, column, info.type, kind, scale, counted});
    return static_cast<int32_t>(layout.values_.size() - 1);
  }

  /// True when some function keeps all values of the column in append mode too, so that others can share them.
  bool keeps_all_values(uint32_t column) const {
    return std::any_of(spec.columns.begin(), spec.columns.end(), [column](const AggregateColumn& other) {
      return other.input == static_cast<int>(column) &&
             (other.function == Function::count_distinct || is_list(other.function));
    });
  }

  int32_t values_for(Function function, uint32_t column) {
    const ColumnType type = input.columns[column].type;
    const SlotKind all = is_narrow(type) ? SlotKind::numbers : SlotKind::bytes;
    switch (function) {
      case Function::count_distinct:
        return value_of(column, all, spec.changelog);
      case Function::top_k:
      case Function::string_agg:
        return value_of(column, all, true);
      case Function::min:
      case Function::max:
        if (spec.changelog || keeps_all_values(column)) return value_of(column, all, spec.changelog);
        return value_of(column, function == Function::min ? SlotKind::min_text : SlotKind::max_text, false);
      case Function::first:
      case Function::last:
        if (spec.changelog) return value_of(column, SlotKind::timed, true);
        return value_of(column, function == Function::first ? SlotKind::first_timed : SlotKind::last_timed, false);
      case Function::approx_count_distinct:
        return value_of(column, SlotKind::registers, false);
      case Function::quantile:
        return value_of(column, SlotKind::buckets, true);
      default:
        return kAbsent;
    }
  }

  void need(int32_t& slot, size_t bytes) {
    if (slot == kAbsent) slot = take(bytes);
  }

  void need_sums(ArgumentSlots& slots, bool squares) {
    if (is_wide(slots.type)) {
      need(slots.sum_at, sizeof(WideSum));
      if (squares) need(slots.squares_at, sizeof(WideSquares));
    } else if (is_floating(slots.type)) {
      need(slots.sum_at, sizeof(CommonSum));
      if (squares) need(slots.squares_at, sizeof(CommonSquares));
    } else {
      need(slots.sum_at, sizeof(Int128));
      if (squares) need(slots.squares_at, sizeof(NarrowSquares));
    }
  }

  Output compile_output(const AggregateColumn& column) {
    Output output;
    output.column = column;
    if (column.function == Function::count_all) return output;
    const auto at = static_cast<uint32_t>(column.input);
    const ColumnType type = input.columns[at].type;
    const bool fixed_extreme = is_extreme(column.function) && !spec.changelog && !is_variable_width(type);
    if (!fixed_extreme) output.value = values_for(column.function, at);
    if (is_list(column.function)) {
      output.values = std::make_shared<const BatchLayout>(BatchLayout{{input.columns[at]}});
    }
    if (output.value != kAbsent) return output;
    output.argument = argument_of(at);
    ArgumentSlots& slots = layout.arguments_[static_cast<size_t>(output.argument)];
    if (is_from_sums(column.function)) {
      need_sums(slots, is_from_squares(column.function));
      if (is_floating(type)) output.value = value_of(at, SlotKind::rare, true);
    } else if (column.function == Function::min) {
      need(slots.min_at, is_wide(type) ? sizeof(Int256) : sizeof(uint64_t));
    } else if (column.function == Function::max) {
      need(slots.max_at, is_wide(type) ? sizeof(Int256) : sizeof(uint64_t));
    } else if (column.function != Function::count) {
      need(slots.trues_at, sizeof(int64_t));
    }
    return output;
  }

  ColumnInfo result_info(const AggregateColumn& column) const {
    const ColumnInfo none;
    ColumnInfo info =
        aggregate_result(column, column.input < 0 ? none : input.columns[static_cast<size_t>(column.input)]);
    info.comment = std::string(function_name(column.function)) + " of aggregate '" + spec.id + "'";
    return info;
  }

  Status check(const AggregateColumn& column) const {
    const std::string place = "aggregate '" + spec.id + "', column '" + column.name + "': ";
    if (column.function == AggregateFunction::count_all) return Status::ok();
    if (column.input < 0 || static_cast<size_t>(column.input) >= input.columns.size()) {
      return Status(Code::config, place + function_name(column.function) + " has no input column; name one");
    }
    const ColumnInfo& info = input.columns[static_cast<size_t>(column.input)];
    const std::string why = refusal(column, info, spec.changelog);
    if (why.empty()) return Status::ok();
    return Status(Code::config, place + function_name(column.function) + "(" + info.name + ") on a column of type " +
                                    std::string(type_name(info.type)) + ": " + why);
  }

  void finish() {
    layout.fixed_bytes_ = width;
    for (ValueSlot& slot : layout.values_) slot.at = static_cast<uint32_t>(take(sizeof(void*)));
    layout.initial_.assign(width, std::byte{0});
    for (const ArgumentSlots& slots : layout.arguments_) init_fixed(slots, layout.initial_.data());
  }
};

Result<AccumulatorLayout> AccumulatorLayout::compile(const AggregateSpec& spec, const BatchLayout& input) {
  AccumulatorLayout layout;
  layout.changelog_ = spec.changelog;
  Compiler compiler{spec, input, layout};
  for (const AggregateColumn& column : spec.columns) {
    if (Status status = compiler.check(column); !status) return status;
    layout.outputs_.push_back(compiler.compile_output(column));
    layout.output_columns_.push_back(compiler.result_info(column));
  }
  compiler.finish();
  return layout;
}

void AccumulatorLayout::init(std::byte* row) const noexcept {
  std::memcpy(row, initial_.data(), initial_.size());
}

void AccumulatorLayout::destroy(std::byte* row) const noexcept {
  for (const ValueSlot& slot : values_) destroy_values(slot, row);
  init(row);
}

int64_t AccumulatorLayout::update(const Batch& batch, std::span<const UpdateTarget> targets,
                                  const uint32_t* rows) const {
  const UpdateInput input{&batch, targets, rows, changelog_};
  update_weights(input);
  for (const ArgumentSlots& slots : arguments_) update_argument(slots, input);
  int64_t grown = 0;
  for (const ValueSlot& slot : values_) grown += update_values(slot, input);
  return grown;
}

int64_t AccumulatorLayout::merge(std::byte* into, const std::byte* from) const {
  store_part(into, 0, weight(into) + weight(from));
  for (const ArgumentSlots& slots : arguments_) merge_fixed(slots, into, from);
  int64_t grown = 0;
  for (const ValueSlot& slot : values_) grown += merge_values(slot, into, from);
  return grown;
}

bool AccumulatorLayout::is_neutral(const std::byte* row) const noexcept {
  return std::memcmp(row, initial_.data(), initial_.size()) == 0;
}

bool AccumulatorLayout::has_base(const std::byte* row) const noexcept {
  if (weight(row) <= 0) return false;
  if (std::any_of(arguments_.begin(), arguments_.end(),
                  [row](const ArgumentSlots& slots) { return fixed_lacks_base(slots, row); })) {
    return false;
  }
  for (const ValueSlot& slot : values_) {
    if (values_lack_base(slot, row)) return false;
    if (slot.kind != SlotKind::rare || load_part<void*>(row, static_cast<int32_t>(slot.at)) == nullptr) continue;
    for (const ArgumentSlots& slots : arguments_) {  // a sum of rare doubles although there is no value
      if (slots.column == slot.column && load_part<int64_t>(row, slots.count_at) == 0) return false;
    }
  }
  return true;
}

size_t AccumulatorLayout::owned_bytes(const std::byte* row) const noexcept {
  size_t bytes = 0;
  for (const ValueSlot& slot : values_) bytes += value_bytes(slot, row);
  return bytes;
}

void AccumulatorLayout::encode(const std::byte* row, std::string& out) const {
  ByteWriter(out).raw(row, fixed_bytes_);
  for (const ValueSlot& slot : values_) encode_values(slot, row, out);
}

Status AccumulatorLayout::decode(std::string_view bytes, std::byte* row) const {
  ByteReader in(bytes);
  const std::string_view fixed = in.raw(fixed_bytes_);
  bool good = in.ok();
  if (good) std::memcpy(row, fixed.data(), fixed.size());
  for (size_t i = 0; good && i < values_.size(); ++i) good = decode_values(values_[i], in, row);
  if (good && in.at_end()) return Status::ok();
  destroy(row);
  return Status(Code::damage, "accumulators of " + std::to_string(bytes.size()) +
                                  " bytes do not fit the aggregate's columns; the state is damaged or of another job");
}

}  // namespace tidemark::core
