// SPDX-License-Identifier: Apache-2.0
//
// The wide family (decimal128, decimal256), and merging of partial rows of both fixed-size families. Sums are
// 320 bits wide, so neither rows nor merges can overflow; results are checked when they are written.
#include <algorithm>
#include <limits>

#include "core/base/int128.hpp"
#include "core/window/accumulator_fixed.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/wide_sum.hpp"

namespace tidemark::core {
namespace {

constexpr Int256 kSmallest = [] {
  Int256 out;
  out.limb[3] = uint64_t{1} << 63;
  return out;
}();
constexpr Int256 kLargest = [] {
  Int256 out;
  out.limb = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0} >> 1};
  return out;
}();

template <typename T>
void keep_min(std::byte* row, int32_t at, const T& value) {
  if (at != kAbsent && value < load_part<T>(row, at)) store_part(row, at, value);
}
template <typename T>
void keep_max(std::byte* row, int32_t at, const T& value) {
  if (at != kAbsent && value > load_part<T>(row, at)) store_part(row, at, value);
}

}  // namespace

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

void init_fixed(const ArgumentSlots& slots, std::byte* row) {
  if (slots.min_at != kAbsent) {
    if (is_wide(slots.type)) {
      store_part(row, slots.min_at, kLargest);
    } else {
      store_part(row, slots.min_at, std::numeric_limits<uint64_t>::max());
    }
  }
  if (slots.max_at != kAbsent && is_wide(slots.type)) store_part(row, slots.max_at, kSmallest);
}

void merge_fixed(const ArgumentSlots& slots, std::byte* into, const std::byte* from) {
  const auto count = load_part<int64_t>(from, slots.count_at);
  store_part(into, slots.count_at, load_part<int64_t>(into, slots.count_at) + count);
  if (is_wide(slots.type)) {
    if (slots.sum_at != kAbsent) {
      auto sum = load_part<WideSum>(into, slots.sum_at);
      sum.add(load_part<WideSum>(from, slots.sum_at));
      store_part(into, slots.sum_at, sum);
    }
    if (slots.min_at != kAbsent) keep_min(into, slots.min_at, load_part<Int256>(from, slots.min_at));
    if (slots.max_at != kAbsent) keep_max(into, slots.max_at, load_part<Int256>(from, slots.max_at));
    return;
  }
  if (slots.sum_at != kAbsent) {
    const Int128 sum = load_part<Int128>(into, slots.sum_at) + load_part<Int128>(from, slots.sum_at);
    store_part(into, slots.sum_at, sum);
  }
  if (slots.min_at != kAbsent) keep_min(into, slots.min_at, load_part<uint64_t>(from, slots.min_at));
  if (slots.max_at != kAbsent) keep_max(into, slots.max_at, load_part<uint64_t>(from, slots.max_at));
}

}  // namespace tidemark::core
