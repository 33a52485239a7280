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
      return "paused";
    case SplitState::blocked:
      return "blocked";
    case SplitState::finished:
      return "finished";
    case SplitState::disconnected:
      return "disconnected";
  }
  return "unknown";
}

std::string describe(const SplitStatus& status) {
  std::string out = state_word(status.state);
  if (!status.reason.empty()) out += ": " + status.reason;
  return out + "; watermark " + format_rfc3339(status.watermark);
}

}  // namespace tidemark::core
