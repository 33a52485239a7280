// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/idleness_generator.hpp"

namespace tidemark::core {

IdlenessGenerator::Probe IdlenessGenerator::periodic(Micros now) {
  Probe out;
  if (timer_ && timer_->probe(now)) {
    out.mark_idle = !announced_;
    announced_ = true;
  } else {
    inner_->on_tick(now);
    out.watermark = inner_->periodic();
  }
  return out;
}

void IdlenessGenerator::restore(Micros now, std::string_view inner_state, Micros silent_us, bool idle) {
  inner_->restore(inner_state);
  if (timer_) timer_->restore(now, silent_us);
  announced_ = timer_ && idle;
}

}  // namespace tidemark::core
