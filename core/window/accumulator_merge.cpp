// SPDX-License-Identifier: Apache-2.0
//
// Neutral values, merging and plausibility of the fixed-size parts of all families. Sums are wide enough for 2^63 rows,
// so merges cannot overflow either.
#include <limits>

#include "core/base/int128.hpp"
#include "core/window/accumulator_fixed.hpp"
#include "core/window/exact_double.hpp"
#include "core/window/limb_sum.hpp"
#include "core/window/ordered_value.hpp"

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

void merge_count(std::byte* into, const std::byte* from, int32_t at) {
  if (at != kAbsent) store_part(into, at, load_part<int64_t>(into, at) + load_part<int64_t>(from, at));
}

template <typename Sum>
void merge_limbs(std::byte* into, const std::byte* from, int32_t at) {
  if (at == kAbsent) return;
  auto sum = load_part<Sum>(into, at);
  sum.add(load_part<Sum>(from, at));
  store_part(into, at, sum);
}

template <typename T>
void merge_extremes(const ArgumentSlots& slots, std::byte* into, const std::byte* from) {
  if (slots.min_at != kAbsent) keep_min(into, slots.min_at, load_part<T>(from, slots.min_at));
  if (slots.max_at != kAbsent) keep_max(into, slots.max_at, load_part<T>(from, slots.max_at));
}

}  // namespace

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

bool fixed_lacks_base(const ArgumentSlots& slots, const std::byte* row) {
  const auto count = load_part<int64_t>(row, slots.count_at);
  if (count < 0) return true;
  if (slots.trues_at != kAbsent) {
    const auto trues = load_part<int64_t>(row, slots.trues_at);
    if (trues < 0 || trues > count) return true;
  }
  if (count > 0 || slots.sum_at == kAbsent) return false;
  if (is_wide(slots.type)) return !load_part<WideSum>(row, slots.sum_at).is_zero();
  if (is_floating(slots.type)) return !load_part<CommonSum>(row, slots.sum_at).is_zero();
  return load_part<Int128>(row, slots.sum_at) != 0;
}

void merge_fixed(const ArgumentSlots& slots, std::byte* into, const std::byte* from) {
  merge_count(into, from, slots.count_at);
  merge_count(into, from, slots.trues_at);
  if (is_wide(slots.type)) {
    merge_limbs<WideSum>(into, from, slots.sum_at);
    merge_limbs<WideSquares>(into, from, slots.squares_at);
    merge_extremes<Int256>(slots, into, from);
    return;
  }
  if (is_floating(slots.type)) {
    merge_limbs<CommonSum>(into, from, slots.sum_at);
    merge_limbs<CommonSquares>(into, from, slots.squares_at);
  } else {
    if (slots.sum_at != kAbsent) {
      const Int128 sum = load_part<Int128>(into, slots.sum_at) + load_part<Int128>(from, slots.sum_at);
      store_part(into, slots.sum_at, sum);
    }
    merge_limbs<NarrowSquares>(into, from, slots.squares_at);
  }
  merge_extremes<uint64_t>(slots, into, from);
}

}  // namespace tidemark::core
