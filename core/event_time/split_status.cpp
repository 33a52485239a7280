// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/split_status.hpp"

namespace tidemark::core {

const char* state_word(SplitState state) noexcept {
  switch (state) {
    case SplitState::active:
      return "active";
    case SplitState::idle:
      return "idle";
    case SplitState::paused:
      return "paused_alignment";
    case SplitState::blocked:
      return "backpressured";
    case SplitState::finished:
      return "finished";
    case SplitState::disconnected:
      return "disconnected";
  }
  return "unknown";
}

std::optional<SplitState> parse_state_word(std::string_view word) noexcept {
  for (size_t i = 0; i < kSplitStates; ++i) {
    if (word == state_word(static_cast<SplitState>(i))) return static_cast<SplitState>(i);
  }
  return std::nullopt;
}

std::string idle_reason(const SplitStatus& status) {
  if (status.idle_by_source) return "the source marked it idle";
  const Micros age = status.last_activity_age_us;
  const Micros shown = floor_to(age, age < 10 * kMicrosPerSecond ? kMicrosPerMilli : kMicrosPerSecond);
  return "no rows for " + format_duration(shown) + " (idle_timeout " + format_duration(status.idle_timeout_us) + ")";
}

std::string stored_reason(const SplitStatus& status) {
  switch (status.state) {
    case SplitState::finished:
      return "end of input";
    case SplitState::idle:
      return idle_reason(status);
    case SplitState::paused:
      return "was held back by alignment when the job stopped";
    case SplitState::blocked:
      return "waited for what is downstream when the job stopped";
    case SplitState::disconnected:
      return "was disconnected when the job stopped";
    case SplitState::active:
      break;
  }
  return status.watermark == kNoTime ? "has not given a watermark yet" : "the job is stopped";
}

std::string describe(const SplitStatus& status) {
  std::string out = state_word(status.state);
  if (!status.reason.empty()) out += ": " + status.reason;
  return out + "; watermark " + format_rfc3339(status.watermark);
}

}  // namespace tidemark::core
