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

std::string describe(const SplitStatus& status) {
  std::string out = state_word(status.state);
  if (!status.reason.empty()) out += ": " + status.reason;
  return out + "; watermark " + format_rfc3339(status.watermark);
}

}  // namespace tidemark::core
