// SPDX-License-Identifier: Apache-2.0
//
// Kernels of exact sums of floating values, of squares for variances, and of truth values. A group's rows are folded
// in registers where they fit, then added to the row.
#include "core/base/int128.hpp"
#include "core/window/accumulator_fixed.hpp"
#include "core/window/exact_double.hpp"
#include "core/window/limb_sum.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

bool takes_away(const UpdateInput& input, uint32_t row) {
  return input.changelog && weight_of(input.batch->op_at(row)) < 0;
}

/// Calls use(row, takes_away) for each non-NULL row of the target.
template <typename Use>
void for_each_value(const Column& column, const UpdateInput& input, const UpdateTarget& target, const Use& use) {
  const uint32_t* rows = input.rows + target.row_begin;
  for (uint32_t i = 0; i < target.row_count; ++i) {
    if (column.is_valid(rows[i])) use(rows[i], takes_away(input, rows[i]));
  }
}

template <typename Sum, typename Fold>
void fold_into(std::byte* row, int32_t at, const Fold& fold) {
  auto sum = load_part<Sum>(row, at);
  fold(sum);
  store_part(row, at, sum);
}

/// Common values have 114 bits, so the rows of a batch (2^12) fit 127.
template <typename T>
void add_common(const ArgumentSlots& slots, const UpdateInput& input, const UpdateTarget& target) {
  static_assert(kBatchRows <= 1U << 12);
  const Column& column = input.batch->column(slots.column);
  const T* values = column.as<T>();
  fold_into<CommonSum>(target.accumulators, slots.sum_at, [&](CommonSum& sum) {
    Int128 fold = 0;
    for_each_value(column, input, target, [&](uint32_t row, bool subtracts) {
      const auto value = static_cast<double>(values[row]);
      if (!is_common(value)) return;
      const auto magnitude = static_cast<Int128>(common_magnitude(value));
      fold += (value < 0) != subtracts ? -magnitude : magnitude;
    });
    sum.add(CommonSum::of(fold));
  });
  if (slots.squares_at == kAbsent) return;
  fold_into<CommonSquares>(target.accumulators, slots.squares_at, [&](CommonSquares& squares) {
    for_each_value(column, input, target, [&](uint32_t row, bool subtracts) {
      const auto value = static_cast<double>(values[row]);
      if (!is_common(value)) return;
      const DoubleParts parts = parts_of(value);
      const UInt128 square = static_cast<UInt128>(parts.magnitude) * parts.magnitude;
      squares.add_at(square, size_t{2} * (parts.shift - kCommonShift), subtracts);
    });
  });
}

WideSquares square_of(const Int256& value) {
  Int256 magnitude = value;
  if (value.is_negative()) sub_overflow(Int256(), value, magnitude);  // the minimum keeps its bits: 2^255
  WideSquares out;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      out.add_at(static_cast<UInt128>(magnitude.limb[i]) * magnitude.limb[j], 64 * (i + j), false);
    }
  }
  return out;
}

void add_wide_squares(const ArgumentSlots& slots, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slots.column);
  fold_into<WideSquares>(target.accumulators, slots.squares_at, [&](WideSquares& squares) {
    for_each_value(column, input, target, [&](uint32_t row, bool subtracts) {
      const WideSquares square = square_of(load_wide(slots.type, column.values, row));
      subtracts ? squares.subtract(square) : squares.add(square);
    });
  });
}

template <typename T>
void add_narrow_squares(const ArgumentSlots& slots, const UpdateInput& input, const UpdateTarget& target) {
  const Column& column = input.batch->column(slots.column);
  const T* values = column.as<T>();
  fold_into<NarrowSquares>(target.accumulators, slots.squares_at, [&](NarrowSquares& squares) {
    for_each_value(column, input, target, [&](uint32_t row, bool subtracts) {
      const auto value = static_cast<Int128>(values[row]);
      const auto magnitude = static_cast<UInt128>(value < 0 ? -value : value);
      squares.add_at(magnitude * magnitude, 0, subtracts);
    });
  });
}

}  // namespace

void update_common(const ArgumentSlots& slots, const UpdateInput& input) {
  for (const UpdateTarget& target : input.targets) {
    slots.type == ColumnType::float32 ? add_common<float>(slots, input, target)
                                      : add_common<double>(slots, input, target);
  }
}

void update_squares(const ArgumentSlots& slots, const UpdateInput& input) {
  if (is_wide(slots.type)) {
    for (const UpdateTarget& target : input.targets) add_wide_squares(slots, input, target);
    return;
  }
  with_narrow_type(slots.type, [&]<typename T>(std::type_identity<T>) {
    if constexpr (!std::is_floating_point_v<T>) {
      for (const UpdateTarget& target : input.targets) add_narrow_squares<T>(slots, input, target);
    }
  });
}

void update_truths(const ArgumentSlots& slots, const UpdateInput& input) {
  const Column& column = input.batch->column(slots.column);
  with_narrow_type(slots.type, [&]<typename T>(std::type_identity<T>) {
    const T* values = column.as<T>();
    for (const UpdateTarget& target : input.targets) {
      int64_t trues = 0;
      for_each_value(column, input, target, [&](uint32_t row, bool subtracts) {
        if (values[row] != T{0}) trues += subtracts ? -1 : 1;
      });
      std::byte* row = target.accumulators;
      store_part(row, slots.trues_at, load_part<int64_t>(row, slots.trues_at) + trues);
    }
  });
}

}  // namespace tidemark::core
