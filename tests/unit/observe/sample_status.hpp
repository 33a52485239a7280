// SPDX-License-Identifier: Apache-2.0
//
// A job's status to test with: three splits of source `orders` and one aggregate, held back by a silent shard.
#pragma once

#include "core/runtime/job_status.hpp"

namespace tidemark::core::test {

inline constexpr Micros kSecond = kMicrosPerSecond;
inline constexpr Micros kNow = 1'774'742'400LL * kSecond;  // 2026-03-29T00:00:00Z

inline SplitView sample_split(uint32_t number, SplitState state, Micros watermark, Micros silent_us) {
  SplitView out;
  out.source = "orders";
  out.name = "shard-" + std::to_string(number);
  out.status.split = number;
  out.status.state = state;
  out.status.reason = state == SplitState::idle ? "no rows for 40s (idle_timeout 30s)" : "waits for rows";
  out.status.watermark = watermark;
  out.status.max_event_time = watermark;
  out.status.last_activity_age_us = silent_us;
  out.status.times.state = state;
  out.status.times.stay_us = silent_us;
  out.status.times.ended_us[static_cast<size_t>(SplitState::active)] =
      state == SplitState::active ? 5 * kSecond : 60 * kSecond;
  out.rows_read = 100 + number;
  return out;
}

inline JobStatus sample_status() {
  JobStatus out;
  out.job = "revenue";
  out.version = "1.2.3";
  out.running = true;
  out.pid = 77;
  out.wall_us = kNow;
  out.started_wall_us = kNow - 100 * kSecond;
  out.uptime_us = 100 * kSecond + 250'000;
  out.watermark = kNow - 190 * kSecond;
  out.splits.push_back(sample_split(0, SplitState::active, kNow - kSecond, 0));
  out.splits.push_back(sample_split(1, SplitState::active, kNow - 190 * kSecond, 185 * kSecond));
  out.splits.push_back(sample_split(2, SplitState::idle, kNow - 300 * kSecond, 40 * kSecond));
  out.splits[1].status.arrivals = {200, 12 * kSecond, 9, 20 * kSecond, 45 * kSecond};
  out.splits[1].rows_read = (uint64_t{1} << 53) + 1;
  AggregateView aggregate;
  aggregate.id = "totals";
  aggregate.sources = {"orders"};
  aggregate.watermark = kNow - 190 * kSecond;
  aggregate.holder = 1;
  aggregate.holder_us = 184 * kSecond;
  aggregate.open_windows = 3;
  aggregate.next_window_end = kNow - 180 * kSecond;
  aggregate.state_bytes = 3 << 20;
  aggregate.rows_aggregated = 300;
  aggregate.rows_late = 4;
  aggregate.results = 9;
  out.aggregates.push_back(aggregate);
  out.sinks.push_back({"out", "totals", 9, 2, "the server is away"});
  out.epochs.last = 12;
  out.epochs.checkpoint_failures = 3;
  out.epochs.committed_wall_us = kNow - 7 * kSecond;
  out.epochs.duration_us = 30'000;
  out.epochs.committed = 10;
  return out;
}

}  // namespace tidemark::core::test
