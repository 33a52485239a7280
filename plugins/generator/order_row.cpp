// SPDX-License-Identifier: Apache-2.0
//
// Random numbers by position: a 64-bit counter run through a mixing function, so that row n needs no rows
// before it.
#include "order_row.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tidemark::generator {
namespace {

constexpr std::array<std::string_view, 7> kRegions = {"africa",        "asia",          "europe", "middle-east",
                                                      "north-america", "south-america", "oceania"};
constexpr std::array<std::string_view, 4> kStatuses = {"new", "paid", "sent", "cancelled"};

/// Every bit of the result depends on every bit of `x`; a bijection.
constexpr uint64_t mix(uint64_t x) noexcept {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

/// A number below `bound` (> 0).
constexpr uint64_t below(uint64_t random, uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide{random} * bound >> 64);
}

/// a + b * c, clamped to the range.
int64_t advance(int64_t a, uint64_t b, int64_t c) noexcept {
  int64_t out = 0;
  const auto steps = static_cast<int64_t>(std::min<uint64_t>(b, std::numeric_limits<int64_t>::max()));
  if (__builtin_mul_overflow(steps, c, &out) || __builtin_add_overflow(out, a, &out)) {
    return std::numeric_limits<int64_t>::max() - 1;
  }
  return out;
}

}  // namespace

OrderRows::OrderRows(const OrderParameters& parameters, int64_t split) noexcept
    : parameters_(parameters),
      split_(split),
      split_seed_(mix(mix(parameters.seed) ^ (static_cast<uint64_t>(split) + 0x9e3779b97f4a7c15u))) {}

OrderRow OrderRows::row(uint64_t number) const noexcept {
  uint64_t state = mix(split_seed_ + number);
  const auto draw = [&state](uint64_t bound) {
    state += 0x9e3779b97f4a7c15u;
    return below(mix(state), bound);
  };
  OrderRow out;
  out.id = advance(split_ + 1, number, parameters_.splits);
  uint64_t customer = draw(static_cast<uint64_t>(parameters_.keys));
  for (int64_t i = 0; i < parameters_.skew; ++i) {
    customer = std::min(customer, draw(static_cast<uint64_t>(parameters_.keys)));
  }
  out.customer_id = static_cast<int64_t>(customer) + 1;
  const uint64_t region = draw(kRegions.size());
  if (draw(16) != 0) out.region = kRegions[region];
  out.status = kStatuses[draw(kStatuses.size())];
  out.amount = static_cast<int64_t>(draw(10'000'0000));
  if (draw(16) == 0) out.amount = -out.amount;
  out.qty = static_cast<int32_t>(draw(20)) + 1;
  out.created_at_us = advance(parameters_.start_us, number, parameters_.step_us);
  if (parameters_.disorder_us > 0) {
    out.created_at_us -= static_cast<int64_t>(draw(static_cast<uint64_t>(parameters_.disorder_us) + 1));
  }
  return out;
}

}  // namespace tidemark::generator
