// SPDX-License-Identifier: Apache-2.0
//
// Weights, counts and the narrow family. A group's rows are folded in registers and written back once, so few
// large groups and many small ones both run without a dependency through memory.
#include <algorithm>
#include <limits>

#include "core/base/int128.hpp"
#include "core/window/accumulator_fixed.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {
namespace {

int64_t weight_at(const Batch& batch, uint32_t row) {
  return weight_of(batch.op_at(row));
}

template <typename T>
struct Fold {
  // Sums of at most kBatchRows values of up to 4 bytes fit 64 bits.
  using Sum = std::conditional_t<sizeof(T) <= 4, int64_t, Int128>;
  int64_t count = 0;
  Sum sum = 0;
  T smallest = std::numeric_limits<T>::max();
  T largest = std::numeric_limits<T>::lowest();
};

template <typename T, bool kAllValid, bool kChangelog>
Fold<T> fold_rows(const Column& column, const Batch& batch, const uint32_t* rows, uint32_t count) {
  Fold<T> out;
  const T* values = column.as<T>();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t row = rows[i];
    if constexpr (!kAllValid) {
      if (!column.is_valid(row)) continue;
    }
    const T value = values[row];
    const int64_t weight = kChangelog ? weight_at(batch, row) : 1;
    out.count += weight;
    if constexpr (!std::is_floating_point_v<T>) {
      const auto wide = static_cast<typename Fold<T>::Sum>(value);
      out.sum += kChangelog && weight < 0 ? -wide : wide;
      if constexpr (!kChangelog) {
        out.smallest = std::min(out.smallest, value);
        out.largest = std::max(out.largest, value);
      }
    }
  }
  return out;
}

template <typename T>
void fold_ordered(const Column& column, const uint32_t* rows, uint32_t count, uint64_t& smallest, uint64_t& largest) {
  const T* values = column.as<T>();
  for (uint32_t i = 0; i < count; ++i) {
    if (!column.is_valid(rows[i])) continue;
    const uint64_t ordered = to_ordered(values[rows[i]]);
    smallest = std::min(smallest, ordered);
    largest = std::max(largest, ordered);
  }
}

void apply_extremes(const ArgumentSlots& slots, std::byte* row, uint64_t smallest, uint64_t largest) {
  if (slots.min_at != kAbsent) {
    store_part(row, slots.min_at, std::min(load_part<uint64_t>(row, slots.min_at), smallest));
  }
  if (slots.max_at != kAbsent) {
    store_part(row, slots.max_at, std::max(load_part<uint64_t>(row, slots.max_at), largest));
  }
}

template <typename T, bool kAllValid, bool kChangelog>
void update_typed(const ArgumentSlots& slots, const UpdateInput& input) {
  const Column& column = input.batch->column(slots.column);
  const bool extremes = slots.min_at != kAbsent || slots.max_at != kAbsent;
  for (const UpdateTarget& target : input.targets) {
    const uint32_t* rows = input.rows + target.row_begin;
    const Fold<T> fold = fold_rows<T, kAllValid, kChangelog>(column, *input.batch, rows, target.row_count);
    std::byte* row = target.accumulators;
    store_part(row, slots.count_at, load_part<int64_t>(row, slots.count_at) + fold.count);
    if constexpr (std::is_floating_point_v<T>) {
      uint64_t smallest = std::numeric_limits<uint64_t>::max();
      uint64_t largest = 0;
      if (extremes) fold_ordered<T>(column, rows, target.row_count, smallest, largest);
      apply_extremes(slots, row, smallest, largest);
    } else {
      if (slots.sum_at != kAbsent) {
        store_part(row, slots.sum_at, load_part<Int128>(row, slots.sum_at) + static_cast<Int128>(fold.sum));
      }
      if (extremes && fold.count != 0) {
        apply_extremes(slots, row, to_ordered(fold.smallest), to_ordered(fold.largest));
      }
    }
  }
}

}  // namespace

void update_weights(const UpdateInput& input) {
  for (const UpdateTarget& target : input.targets) {
    int64_t weight = target.row_count;
    if (input.changelog) {
      weight = 0;
      for (uint32_t i = 0; i < target.row_count; ++i) {
        weight += weight_at(*input.batch, input.rows[target.row_begin + i]);
      }
    }
    store_part(target.accumulators, 0, load_part<int64_t>(target.accumulators, 0) + weight);
  }
}

void update_counts(const ArgumentSlots& slots, const UpdateInput& input) {
  const Column& column = input.batch->column(slots.column);
  for (const UpdateTarget& target : input.targets) {
    int64_t count = 0;
    for (uint32_t i = 0; i < target.row_count; ++i) {
      const uint32_t row = input.rows[target.row_begin + i];
      if (column.is_valid(row)) count += input.changelog ? weight_at(*input.batch, row) : 1;
    }
    std::byte* row = target.accumulators;
    store_part(row, slots.count_at, load_part<int64_t>(row, slots.count_at) + count);
  }
}

void update_narrow(const ArgumentSlots& slots, const UpdateInput& input) {
  const bool valid = all_valid(input.batch->column(slots.column), input.batch->rows);
  with_narrow_type(slots.type, [&]<typename T>(std::type_identity<T>) {
    if (input.changelog) {
      valid ? update_typed<T, true, true>(slots, input) : update_typed<T, false, true>(slots, input);
    } else {
      valid ? update_typed<T, true, false>(slots, input) : update_typed<T, false, false>(slots, input);
    }
  });
}

}  // namespace tidemark::core
