// SPDX-License-Identifier: Apache-2.0
//
// Accumulators to result values: SQL's NULL rules (no non-NULL value: NULL, counts 0), averages rounded half away
// from zero to four more digits than the input, sums checked against 76 digits. Runs when panes fire.
#include <algorithm>

#include "core/base/int128.hpp"
#include "core/base/int256.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/accumulator_values.hpp"
#include "core/window/aggregate_types.hpp"
#include "core/window/limb_sum.hpp"
#include "core/window/ordered_cell.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

constexpr uint64_t kAverageFactor = 10'000;

/// 10^76, the first magnitude that decimal256 does not hold.
Int256 digits_limit() {
  static const Int256 kLimit = [] {
    Int256 value;
    parse_decimal("1" + std::string(76, '0'), 0, value);
    return value;
  }();
  return kLimit;
}

bool fits_digits(const Int256& value) {
  if (value.limb[3] == 0 || value.limb[3] == ~uint64_t{0}) return true;  // at most 192 bits, the common case
  Int256 negated;
  const bool overflow = sub_overflow(Int256(), value, negated);
  return !overflow && value < digits_limit() && negated < digits_limit();
}

/// Half away from zero; the common sums stay in 128 bits.
bool average(const Int256& sum, uint64_t count, Int256& out) {
  const uint64_t fill = sum.is_negative() ? ~uint64_t{0} : 0;
  const bool fits_64 = sum.limb[1] == fill && sum.limb[2] == fill && sum.limb[3] == fill &&
                       (sum.limb[0] >> 63 != 0) == sum.is_negative();
  if (!fits_64) return scaled_divide(sum, kAverageDigits, count, out);
  const Int128 scaled = static_cast<Int128>(static_cast<int64_t>(sum.limb[0])) * kAverageFactor;
  const Int128 divisor = count;
  const Int128 half = scaled < 0 ? -(divisor / 2) : divisor / 2;
  out = Int256::from_i128((scaled + half) / divisor);
  return true;
}

}  // namespace

Status AccumulatorLayout::write_sum(const Output& output, const std::byte* row, const ResultCell& to) const {
  const ArgumentSlots& slots = argument_of(output);
  const bool is_average = output.column.function == Function::avg;
  const auto count = load_part<int64_t>(row, slots.count_at);
  Int256 value;
  bool fits = true;
  if (is_wide(slots.type)) {
    fits = load_part<WideSum>(row, slots.sum_at).to_int256(value);
  } else {
    value = Int256::from_i128(load_part<Int128>(row, slots.sum_at));
  }
  // NULL without values. Where results may be negative, fewer than none can still have a sum, but no average.
  if (is_average ? count <= 0 : count == 0 && fits && value.is_zero()) return Status::ok();
  if (fits && is_average) fits = average(value, static_cast<uint64_t>(count), value);
  if (!fits || !fits_digits(value)) {
    return Status(Code::overflow, "column '" + output.column.name +
                                      "': the result has more than 76 digits; make the window or the groups smaller, "
                                      "or sum a column of fewer digits");
  }
  put_value(to.out, to.column, to.row, value.limb);
  return Status::ok();
}

Status AccumulatorLayout::write_extreme(const Output& output, const std::byte* row, const ResultCell& to) const {
  const bool largest = output.column.function == Function::max || output.column.function == Function::last;
  if (output.argument != kAbsent) {
    const ArgumentSlots& slots = argument_of(output);
    if (load_part<int64_t>(row, slots.count_at) <= 0) return Status::ok();  // NULL
    const int32_t at = largest ? slots.max_at : slots.min_at;
    if (!is_wide(slots.type)) {
      put_ordered_number(to.out, to.column, to.row, load_part<uint64_t>(row, at));
      return Status::ok();
    }
    Column& cells = to.out.mutable_columns()[to.column];
    store_wide(slots.type, cells.values, to.row, load_part<Int256>(row, at));
    cells.set_valid(to.row);
    return Status::ok();
  }
  const ValueSlot& slot = value_of(output);
  if (slot.kind == SlotKind::numbers) {
    const auto number = extreme_number(slot, row, largest);
    if (number) put_ordered_number(to.out, to.column, to.row, *number);
    return Status::ok();
  }
  const auto bytes = extreme_bytes(slot, row, largest);
  if (!bytes) return Status::ok();
  const bool timed = output.column.function == Function::first || output.column.function == Function::last;
  return timed ? put_timed_value(to.out, to.column, to.row, *bytes)
               : put_ordered_bytes(to.out, to.column, to.row, *bytes);
}

void AccumulatorLayout::write_truth(const Output& output, const std::byte* row, const ResultCell& to) const {
  const ArgumentSlots& slots = argument_of(output);
  const auto count = load_part<int64_t>(row, slots.count_at);
  const auto trues = load_part<int64_t>(row, slots.trues_at);
  if (count <= 0) return;  // NULL
  const bool truth = output.column.function == Function::bool_and ? trues >= count : trues > 0;
  put_value(to.out, to.column, to.row, static_cast<uint8_t>(truth));
}

Status AccumulatorLayout::write_result(const Output& output, const std::byte* row, const ResultCell& to) const {
  const auto put_count = [&to](int64_t count) { put_value(to.out, to.column, to.row, count); };
  switch (output.column.function) {
    case Function::count_all:
      put_count(weight(row));
      return Status::ok();
    case Function::count:
      put_count(load_part<int64_t>(row, argument_of(output).count_at));
      return Status::ok();
    case Function::count_distinct:
      put_count(distinct_values(value_of(output), row));
      return Status::ok();
    case Function::approx_count_distinct:
      put_count(estimated_values(value_of(output), row));
      return Status::ok();
    case Function::sum:
    case Function::avg:
      return is_floating(argument_of(output).type) ? write_double_sum(output, row, to) : write_sum(output, row, to);
    case Function::var_pop:
    case Function::var_samp:
    case Function::stddev_pop:
    case Function::stddev_samp:
      return write_deviation(output, row, to);
    case Function::min:
    case Function::max:
    case Function::first:
    case Function::last:
      return write_extreme(output, row, to);
    case Function::quantile:
      write_quantile(output, row, to);
      return Status::ok();
    case Function::bool_and:
    case Function::bool_or:
      write_truth(output, row, to);
      return Status::ok();
    case Function::top_k:
      return write_top(output, row, to);
    case Function::string_agg:
      return write_joined(output, row, to);
  }
  return Status(Code::internal, "an aggregate function without a result");
}

Status AccumulatorLayout::write_results(const std::byte* row, Batch& out, uint32_t first_column,
                                        uint32_t out_row) const {
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    if (Status status = write_result(outputs_[i], row, {out, first_column + i, out_row}); !status) return status;
  }
  return Status::ok();
}

}  // namespace tidemark::core
