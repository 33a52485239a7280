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
#include "core/window/ordered_value.hpp"
#include "core/window/wide_sum.hpp"

namespace tidemark::core {
namespace {

bool is_extreme(AggregateFunction function) {
  return function == AggregateFunction::min || function == AggregateFunction::max;
}

/// Why a column cannot be computed on its argument; empty when it can.
std::string refusal(const AggregateColumn& column, const ColumnInfo& argument, bool changelog) {
  std::string why = aggregate_refusal(column.function, argument, changelog);
  if (why.empty()) why = aggregate_parameter_refusal(column);
  if (why.empty() && column.function > AggregateFunction::count_distinct) why = "it is not supported yet";
  if (why.empty() && is_from_sums(column.function) && is_floating(argument.type)) why = "it is not supported yet";
  return why;
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

  int32_t value_of(uint32_t column, ValueKind kind) {
    for (size_t i = 0; i < layout.values_.size(); ++i) {
      const ValueSlot& slot = layout.values_[i];
      if (slot.column == column && slot.kind == kind) return static_cast<int32_t>(i);
    }
    layout.values_.push_back(ValueSlot{0, column, input.columns[column].type, kind});
    return static_cast<int32_t>(layout.values_.size() - 1);
  }

  ValueKind kind_of(AggregateFunction function, ColumnType type) const {
    if (is_narrow(type)) return ValueKind::numbers;
    if (spec.changelog || function == AggregateFunction::count_distinct || is_wide(type)) return ValueKind::bytes;
    return function == AggregateFunction::min ? ValueKind::min_text : ValueKind::max_text;
  }

  Output compile_output(const AggregateColumn& column) {
    Output output;
    output.function = column.function;
    if (column.function == AggregateFunction::count_all) return output;
    const auto at = static_cast<uint32_t>(column.input);
    const ColumnType type = input.columns[at].type;
    const bool keeps_values = column.function == AggregateFunction::count_distinct ||
                              (is_extreme(column.function) && (spec.changelog || is_variable_width(type)));
    if (keeps_values) {
      output.value = value_of(at, kind_of(column.function, type));
      return output;
    }
    output.argument = argument_of(at);
    ArgumentSlots& slots = layout.arguments_[static_cast<size_t>(output.argument)];
    const bool wide = is_wide(type);
    const auto need = [this](int32_t& slot, size_t bytes) {
      if (slot == kAbsent) slot = take(bytes);
    };
    if (column.function == AggregateFunction::sum || column.function == AggregateFunction::avg) {
      need(slots.sum_at, wide ? sizeof(WideSum) : sizeof(Int128));
    } else if (column.function == AggregateFunction::min) {
      need(slots.min_at, wide ? sizeof(Int256) : sizeof(uint64_t));
    } else if (column.function == AggregateFunction::max) {
      need(slots.max_at, wide ? sizeof(Int256) : sizeof(uint64_t));
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
  for (const ArgumentSlots& slots : arguments_) {
    const bool counts_only = slots.sum_at == kAbsent && slots.min_at == kAbsent && slots.max_at == kAbsent;
    if (counts_only) {
      update_counts(slots, input);
    } else if (is_wide(slots.type)) {
      update_wide(slots, input);
    } else {
      update_narrow(slots, input);
    }
  }
  int64_t grown = 0;
  for (const ValueSlot& slot : values_) grown += update_values(slot, input);
  return grown;
}

int64_t AccumulatorLayout::merge(std::byte* into, const std::byte* from) const {
  store_part(into, 0, weight(into) + weight(from));
  for (const ArgumentSlots& slots : arguments_) merge_fixed(slots, into, from);
  int64_t grown = 0;
  for (const ValueSlot& slot : values_) grown += merge_values(slot, into, from, changelog_);
  return grown;
}

bool AccumulatorLayout::is_neutral(const std::byte* row) const noexcept {
  return std::memcmp(row, initial_.data(), initial_.size()) == 0;
}

bool AccumulatorLayout::has_base(const std::byte* row) const noexcept {
  if (weight(row) <= 0) return false;
  return std::all_of(arguments_.begin(), arguments_.end(),
                     [row](const ArgumentSlots& slots) { return load_part<int64_t>(row, slots.count_at) >= 0; });
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
  return Status(Code::state, "accumulators of " + std::to_string(bytes.size()) +
                                 " bytes do not fit the aggregate's columns; the state is damaged or of another job");
}

}  // namespace tidemark::core
