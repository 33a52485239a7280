// SPDX-License-Identifier: Apache-2.0
//
// Results of type DOUBLE: sums and averages of doubles, variances, quantiles. Worked out exactly from exact sums and
// rounded once; a finite result beyond the range of DOUBLE is an error. As in IEEE 754 a NaN among the values, or
// infinities of both signs, make a sum NaN. Runs when panes fire.
#include <cmath>
#include <limits>
#include <optional>

#include "core/batch/cell_writer.hpp"
#include "core/window/accumulator_layout.hpp"
#include "core/window/exact_double.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/owned_object.hpp"
#include "core/window/quantile_bucket.hpp"
#include "core/window/rounding.hpp"

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRareUnit = 1074;

/// What NaN and infinities among the values make of a sum; none when there are none.
std::optional<double> special_sum(const RareDoubles* rare) {
  if (rare == nullptr) return std::nullopt;
  const bool up = rare->positive_infinities() > 0;
  const bool down = rare->negative_infinities() > 0;
  if (rare->nan_count() > 0 || (up && down)) return kNan;
  if (!up && !down) return std::nullopt;
  return up ? kInfinity : -kInfinity;
}

/// A sum of floating values in units of 2^-1074.
BigInt whole_sum(const CommonSum& common, const RareDoubles& rare) {
  return big_of(common.limb, kRareUnit - kCommonUnit) + big_of(rare.sum().limb);
}
/// A sum of squares in units of 2^-2148.
BigInt whole_squares(const CommonSquares& common, const RareDoubles& rare) {
  return big_of(common.limb, 2 * (kRareUnit - kCommonUnit)) + big_of(rare.squares().limb);
}

/// Sum and sum of squares as integers; the true ones are sum * 2^(exponent / 2) and squares * 2^exponent.
struct Moments {
  BigInt sum;
  BigInt squares;
  int exponent = 0;
};

Moments moments_of(const ArgumentSlots& slots, const RareDoubles* rare, const std::byte* row) {
  if (is_wide(slots.type)) {
    return {big_of(load_part<WideSum>(row, slots.sum_at).limb),
            big_of(load_part<WideSquares>(row, slots.squares_at).limb), 0};
  }
  if (!is_floating(slots.type)) {
    return {big_of(LimbSum<2>::of(load_part<Int128>(row, slots.sum_at)).limb),
            big_of(load_part<NarrowSquares>(row, slots.squares_at).limb), 0};
  }
  const auto sum = load_part<CommonSum>(row, slots.sum_at);
  const auto squares = load_part<CommonSquares>(row, slots.squares_at);
  if (rare == nullptr) return {big_of(sum.limb), big_of(squares.limb), -2 * kCommonUnit};
  return {whole_sum(sum, *rare), whole_squares(squares, *rare), -2 * kRareUnit};
}

Status put_real(const std::string& name, double value, Batch& out, uint32_t column, uint32_t row) {
  if (std::isinf(value)) {
    return Status(Code::overflow,
                  "column '" + name +
                      "': the result is beyond the range of DOUBLE (1.8e308); scale the values down, or "
                      "leave out those that are far too large");
  }
  put_value(out, column, row, value);
  return Status::ok();
}

}  // namespace

Status AccumulatorLayout::write_double_sum(const Output& output, const std::byte* row, const ResultCell& to) const {
  const ArgumentSlots& slots = argument_of(output);
  const bool is_average = output.column.function == Function::avg;
  const auto count = load_part<int64_t>(row, slots.count_at);
  const auto common = load_part<CommonSum>(row, slots.sum_at);
  const auto* rare = object_of<RareDoubles>(row, value_of(output).at);
  if (is_average ? count <= 0 : count == 0 && rare == nullptr && common.is_zero()) return Status::ok();  // NULL
  if (const auto special = special_sum(rare)) {
    put_value(to.out, to.column, to.row, *special);
    return Status::ok();
  }
  double value = 0;
  if (rare == nullptr && !is_average) {
    value = round_limbs(common.limb, -kCommonUnit);
  } else {
    const BigInt divisor = is_average ? count : 1;
    value = rare == nullptr ? round_ratio(big_of(common.limb), divisor, -kCommonUnit)
                            : round_ratio(whole_sum(common, *rare), divisor, -kRareUnit);
  }
  return put_real(output.column.name, value, to.out, to.column, to.row);
}

Status AccumulatorLayout::write_deviation(const Output& output, const std::byte* row, const ResultCell& to) const {
  const ArgumentSlots& slots = argument_of(output);
  const Function function = output.column.function;
  const bool sample = function == Function::var_samp || function == Function::stddev_samp;
  const auto count = load_part<int64_t>(row, slots.count_at);
  if (count <= (sample ? 1 : 0)) return Status::ok();  // NULL
  const auto* rare = output.value == kAbsent ? nullptr : object_of<RareDoubles>(row, value_of(output).at);
  if (special_sum(rare)) {
    put_value(to.out, to.column, to.row, kNan);
    return Status::ok();
  }
  // (n * sum of squares - sum^2) / (n * (n or n - 1)), all integers.
  const Moments moments = moments_of(slots, rare, row);
  const BigInt spread = moments.squares * count - moments.sum * moments.sum;
  if (spread < 0) return Status::ok();  // rows were taken back that were never added: no such thing
  BigInt divisor = BigInt(count) * (sample ? count - 1 : count);
  divisor *= boost::multiprecision::pow(BigInt(100), slots.scale);
  const bool is_root = function == Function::stddev_pop || function == Function::stddev_samp;
  const double value =
      is_root ? round_root(spread, divisor, moments.exponent) : round_ratio(spread, divisor, moments.exponent);
  return put_real(output.column.name, value, to.out, to.column, to.row);
}

void AccumulatorLayout::write_quantile(const Output& output, const std::byte* row, const ResultCell& to) const {
  const auto* buckets = object_of<NumberMultiset>(row, value_of(output).at);
  if (buckets == nullptr) return;  // NULL
  const auto sorted = buckets->sorted();
  double total = 0;
  for (const auto& bucket : sorted) total += bucket.count > 0 ? static_cast<double>(bucket.count) : 0;
  if (total == 0) return;  // NULL
  const double rank = std::floor(output.column.fraction * (total - 1));
  double value = 0;
  double below = 0;
  for (const auto& bucket : sorted) {
    if (bucket.count <= 0) continue;
    value = bucket_value(bucket.value);
    below += static_cast<double>(bucket.count);
    if (below > rank) break;
  }
  put_value(to.out, to.column, to.row, value);
}

}  // namespace tidemark::core
