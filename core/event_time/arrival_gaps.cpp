// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/arrival_gaps.hpp"

#include <algorithm>
#include <array>

namespace tidemark::core {
namespace {

constexpr uint64_t kGapsNeeded = 10;
constexpr uint64_t kPeriodsNeeded = 2;
constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kHour = 60 * kMinute;
constexpr Micros kDay = 24 * kHour;

}  // namespace

void ArrivalGapsState::merge(const ArrivalGapsState& other) noexcept {
  gaps.merge(other.gaps);
  periods.merge(other.periods);
}

Micros round_up_readably(Micros length_us) noexcept {
  constexpr std::array<Micros, 9> kSteps{1, 2, 3, 5, 10, 15, 20, 30, 45};
  for (const Micros unit : {kMicrosPerSecond, kMinute}) {
    for (const Micros step : kSteps) {
      if (length_us <= step * unit) return step * unit;
    }
  }
  for (const Micros hours : {1, 2, 3, 6, 12}) {
    if (length_us <= hours * kHour) return hours * kHour;
  }
  return (length_us + kDay - 1) / kDay * kDay;
}

ArrivalSummary summarise(const ArrivalGapsState& state) noexcept {
  ArrivalSummary out;
  out.gaps = state.gaps.count();
  out.p99_gap_us = state.gaps.quantile(990).value_or(0);
  out.bursts = state.periods.count();
  out.batch_period_us = state.periods.quantile(500).value_or(0);
  if (out.gaps >= kGapsNeeded || out.bursts >= kPeriodsNeeded) {
    out.suggested_idle_timeout_us = round_up_readably(std::max(3 * out.p99_gap_us, 2 * out.batch_period_us));
  }
  return out;
}

void ArrivalGaps::on_rows(uint64_t rows, Micros now, bool waited) noexcept {
  if (!waited) {
    const bool first = !last_row_;
    const Micros gap = first ? 0 : std::max<Micros>(now - *last_row_, 0);
    if (!first) state_.gaps.add(gap);
    state_.gaps.add(0, rows - 1);
    if (first || gap > emit_interval_us_) {
      if (last_burst_) state_.periods.add(now - *last_burst_);
      last_burst_ = now;
    }
  }
  last_row_ = now;
}

void ArrivalGaps::restore(const ArrivalGapsState& state) noexcept {
  state_ = state;
  last_row_.reset();
  last_burst_.reset();
}

}  // namespace tidemark::core
