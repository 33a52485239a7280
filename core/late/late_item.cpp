// SPDX-License-Identifier: Apache-2.0
//
// Names of reasons. Pure functions.
#include "core/late/late_item.hpp"

namespace tidemark::core {

std::string_view reason_name(LateReason reason) noexcept {
  switch (reason) {
    case LateReason::too_late:
      return "too_late";
    case LateReason::no_event_time:
      return "no_event_time";
    case LateReason::future:
      return "future";
    case LateReason::no_base:
      return "no_base";
    case LateReason::undecodable:
      return "undecodable";
    case LateReason::refused_by_sink:
      return "refused_by_sink";
    case LateReason::missing_column:
      return "missing_column";
    case LateReason::statement:
      return "statement";
    case LateReason::partly_late:
      return "partly_late";
    case LateReason::not_computable:
      return "not_computable";
  }
  return "?";
}

bool is_reason(uint8_t number) noexcept {
  return number >= 1 && number <= kLateReasons;
}

}  // namespace tidemark::core
