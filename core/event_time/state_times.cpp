// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/state_times.hpp"

#include <algorithm>
#include <numeric>

namespace tidemark::core {

Micros StateTimesState::life_us() const noexcept {
  return std::accumulate(ended_us.begin(), ended_us.end(), stay_us);
}

Micros StateTimesState::in_us(SplitState of) const noexcept {
  return ended_us[static_cast<size_t>(of)] + (of == state ? stay_us : 0);
}

bool StateTimesState::flaps(Micros idle_timeout_us) const noexcept {
  if (idle_timeout_us <= 0 || return_count < kFlapReturns) return false;
  return (life_us() - last_returns.front()) / kFlapTimeouts < idle_timeout_us;
}

StateTimesState StateTimes::snapshot(Micros now) const noexcept {
  StateTimesState out = times_;
  out.stay_us += std::max<Micros>(now - at_, 0);
  return out;
}

void StateTimes::enter(SplitState state, Micros now) noexcept {
  if (state == times_.state) return;
  times_ = snapshot(now);
  at_ = std::max(at_, now);
  times_.ended_us[static_cast<size_t>(times_.state)] += times_.stay_us;
  times_.stay_us = 0;
  if (state == SplitState::idle) ++times_.idle_count;
  if (times_.state == SplitState::idle) {
    ++times_.return_count;
    std::rotate(times_.last_returns.begin(), times_.last_returns.begin() + 1, times_.last_returns.end());
    times_.last_returns.back() = times_.life_us();
  }
  times_.state = state;
}

void StateTimes::restore(const StateTimesState& state, Micros now) noexcept {
  times_ = state;
  at_ = now;
}

}  // namespace tidemark::core
