// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/idle_advance.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kGrace = kMicrosPerSecond;

}  // namespace

void IdleAdvance::begin(Micros since, Micros wall) {
  idle_ = true;
  since_us_ = since;
  wall_at_since_ = wall;
  next_us_ = saturating_add(since, options_.after_us);
}

void IdleAdvance::observe(bool idle, Micros now, Micros wall_now) {
  if (idle == idle_) return;
  if (idle && now < grace_until_us_) return begin(since_us_, wall_at_since_);
  if (idle) return begin(now, wall_now);
  idle_ = false;
  next_us_ = kEndOfTime;
}

std::optional<Micros> IdleAdvance::poll(Micros now) {
  if (now < next_us_) return std::nullopt;
  next_us_ = saturating_add(now, options_.emit_interval_us);
  return saturating_sub(saturating_add(wall_at_since_, now - since_us_), options_.lag_us);
}

void IdleAdvance::restore(Micros age, Micros now, Micros wall_now) {
  begin(saturating_sub(now, age), saturating_sub(wall_now, age));
  grace_until_us_ = saturating_add(now, kGrace);
}

}  // namespace tidemark::core
