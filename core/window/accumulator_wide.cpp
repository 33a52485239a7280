// SPDX-License-Identifier: Apache-2.0
//
// The wide family (decimal128, decimal256). Sums are 320 bits wide, so neither rows nor merges can overflow; results
// are checked when they are written.
#include "core/window/accumulator_fixed.hpp"
#include "core/window/limb_sum.hpp"
#include "core/window/ordered_value.hpp"

namespace tidemark::core {

void update_wide(const ArgumentSlots& slots, const UpdateInput& input) {
  const Column& column = input.batch->column(slots.column);
  for (const UpdateTarget& target : input.targets) {
    std::byte* row = target.accumulators;
    auto count = load_part<int64_t>(row, slots.count_at);
    WideSum sum;
    if (slots.sum_at != kAbsent) sum = load_part<WideSum>(row, slots.sum_at);
    for (uint32_t i = 0; i < target.row_count; ++i) {
      const uint32_t from = input.rows[target.row_begin + i];
      if (!column.is_valid(from)) continue;
      const Int256 value = load_wide(slots.type, column.values, from);
      const bool takes_away = input.changelog && weight_of(input.batch->op_at(from)) < 0;
      count += takes_away ? -1 : 1;
      takes_away ? sum.subtract(WideSum::of(value)) : sum.add(WideSum::of(value));
      keep_min(row, slots.min_at, value);
      keep_max(row, slots.max_at, value);
    }
    store_part(row, slots.count_at, count);
    if (slots.sum_at != kAbsent) store_part(row, slots.sum_at, sum);
  }
}

}  // namespace tidemark::core
