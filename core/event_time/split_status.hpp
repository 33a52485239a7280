// SPDX-License-Identifier: Apache-2.0
//
// SplitStatus: the one status model of a split, from which metrics, commands and pages all draw. A plain value
// taken at one moment; `reason` says in words why the split is in its state. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/time.hpp"
#include "core/event_time/split_change.hpp"

namespace tidemark::core {

struct SplitStatus {
  uint32_t split = 0;
  Micros watermark = kNoTime;
  Micros max_event_time = kNoTime;
  Micros last_activity_age_us = 0;  ///< since rows or progress last came (wall of the idle clock: pauses excluded)
  SplitState state = SplitState::active;
  std::string reason;
};

/// "active", "idle", "paused", "blocked", "finished", "disconnected": labels of metrics and fields of the API.
const char* state_word(SplitState state) noexcept;

/// One line for people: "idle: no rows for 31s (idle_timeout 30s); watermark 2026-03-29T00:00:00Z".
std::string describe(const SplitStatus& status);

}  // namespace tidemark::core
