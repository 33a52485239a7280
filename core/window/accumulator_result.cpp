// SPDX-License-Identifier: Apache-2.0
//
// Accumulators to result values: SQL's NULL rules (no non-NULL value: NULL, counts 0), averages rounded half away
// from zero to four more digits than the input, sums checked against 76 digits. Runs when panes fire.
#include <algorithm>

#include "core/base/int128.hpp"
#include "core/base/int256.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/accumulator_values.hpp"
#include "core/window/aggregate_types.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/output_cell.hpp"
#include "core/window/wide_sum.hpp"

namespace tidemark::core {
namespace {

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

Status AccumulatorLayout::write_sum(const Output& output, const std::byte* row, Batch& out, uint32_t column,
                                    uint32_t out_row) const {
  const ArgumentSlots& slots = arguments_[static_cast<size_t>(output.argument)];
  const auto count = load_part<int64_t>(row, slots.count_at);
  if (count <= 0) return Status::ok();  // NULL
  Int256 value;
  bool fits = true;
  if (is_wide(slots.type)) {
    fits = load_part<WideSum>(row, slots.sum_at).to_int256(value);
  } else {
    value = Int256::from_i128(load_part<Int128>(row, slots.sum_at));
  }
  if (fits && output.function == AggregateFunction::avg) {
    fits = average(value, static_cast<uint64_t>(count), value);
  }
  if (!fits || !fits_digits(value)) {
    const ColumnInfo& info = out.layout().columns[column];
    return Status(Code::overflow, "column '" + info.name + "': the result has more than 76 digits; make the window " +
                                      "or the groups smaller, or sum a column of fewer digits");
  }
  put_value(out, column, out_row, value.limb);
  return Status::ok();
}

Status AccumulatorLayout::write_extreme(const Output& output, const std::byte* row, Batch& out, uint32_t column,
                                        uint32_t out_row) const {
  const bool largest = output.function == AggregateFunction::max;
  const ColumnType type = out.layout().columns[column].type;
  void* cells = out.mutable_columns()[column].values;
  const auto put_number = [&](uint64_t ordered) {
    with_narrow_type(
        type, [&]<typename T>(std::type_identity<T>) { put_value(out, column, out_row, from_ordered<T>(ordered)); });
  };
  const auto put_wide = [&](const Int256& value) {
    store_wide(type, cells, out_row, value);
    set_valid(out, column, out_row);
  };
  if (output.argument != kAbsent) {
    const ArgumentSlots& slots = arguments_[static_cast<size_t>(output.argument)];
    if (load_part<int64_t>(row, slots.count_at) <= 0) return Status::ok();  // NULL
    const int32_t at = largest ? slots.max_at : slots.min_at;
    is_wide(type) ? put_wide(load_part<Int256>(row, at)) : put_number(load_part<uint64_t>(row, at));
    return Status::ok();
  }
  const ValueSlot& slot = values_[static_cast<size_t>(output.value)];
  if (slot.kind == ValueKind::numbers) {
    if (const auto number = extreme_number(slot, row, largest)) put_number(*number);
    return Status::ok();
  }
  const auto bytes = extreme_bytes(slot, row, largest);
  if (!bytes) return Status::ok();
  if (is_wide(type)) {
    if (bytes->size() != value_width(type)) return Status(Code::state, "a kept decimal has a wrong size");
    put_wide(load_ordered_wide(bytes->data(), value_width(type)));
    return Status::ok();
  }
  char* at = put_text(out, column, out_row, bytes->size());
  if (at == nullptr) return Status(Code::overflow, "the texts of one batch of results exceed 4 GiB");
  std::copy(bytes->begin(), bytes->end(), at);
  return Status::ok();
}

Status AccumulatorLayout::write_results(const std::byte* row, Batch& out, uint32_t first_column,
                                        uint32_t out_row) const {
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    const uint32_t column = first_column + i;
    Status status;
    switch (output.function) {
      case AggregateFunction::count_all:
        put_value(out, column, out_row, weight(row));
        break;
      case AggregateFunction::count:
        put_value(out, column, out_row,
                  load_part<int64_t>(row, arguments_[static_cast<size_t>(output.argument)].count_at));
        break;
      case AggregateFunction::count_distinct:
        put_value(out, column, out_row, distinct_values(values_[static_cast<size_t>(output.value)], row));
        break;
      case AggregateFunction::sum:
      case AggregateFunction::avg:
        status = write_sum(output, row, out, column, out_row);
        break;
      case AggregateFunction::min:
      case AggregateFunction::max:
        status = write_extreme(output, row, out, column, out_row);
        break;
      default:
        return Status(Code::internal, "an aggregate that compile() refuses");
    }
    if (!status) return status;
  }
  return Status::ok();
}

}  // namespace tidemark::core
