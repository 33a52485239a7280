// SPDX-License-Identifier: Apache-2.0
//
// SplitStatus: the one status model of a split, from which metrics, commands and pages all draw. A plain value
// taken at one moment; `reason` says in words why the split is in its state. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/event_time/arrival_gaps.hpp"
#include "core/event_time/split_change.hpp"
#include "core/event_time/state_times.hpp"

namespace tidemark::core {

struct SplitStatus {
  uint32_t split = 0;
  Micros watermark = kNoTime;
  Micros max_event_time = kNoTime;
  Micros last_activity_age_us = 0;  ///< since rows or progress last came (wall of the idle clock: pauses excluded)
  SplitState state = SplitState::active;
  std::string reason;
  StateTimesState times{};          ///< time in each state, counts
  Micros known_progress = kNoTime;  ///< the source knows that nothing before it is still to come
  Micros idle_timeout_us = 0;       ///< 0 = never idle by silence
  bool idle_by_source = false;      ///< idle since the source said so
  bool flapping = false;            ///< goes idle and comes back again and again (StateTimesState::flaps)
  ArrivalSummary arrivals{};        ///< measured, and the idle timeout that follows
};

/// "active", "idle", "paused_alignment", "backpressured", "finished", "disconnected": labels of metrics and values
/// of the API.
const char* state_word(SplitState state) noexcept;
/// The state of that word.
std::optional<SplitState> parse_state_word(std::string_view word) noexcept;

/// The reason of a split whose source has more for it than has been read.
inline constexpr const char* kHasDataToRead = "has data to read";
/// "no rows for 31s (idle_timeout 30s)" or that the source said so.
std::string idle_reason(const SplitStatus& status);
/// Why the split was in its state when its job stopped, where only the status is left.
std::string stored_reason(const SplitStatus& status);

/// One line for people: "idle: no rows for 31s (idle_timeout 30s); watermark 2026-03-29T00:00:00Z".
std::string describe(const SplitStatus& status);

}  // namespace tidemark::core
