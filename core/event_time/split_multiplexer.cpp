// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/event_time/split_multiplexer.hpp"

#include "core/base/check.hpp"

namespace tidemark::core {

bool SplitMultiplexer::is_idle() const noexcept {
  return combined_.is_idle() || (combined_.size() == 0 && !bare_flink());
}

WatermarkOutput SplitMultiplexer::publish() {
  WatermarkOutput out;
  if (combined_.recompute()) out.watermark = combined_.watermark();
  const bool idle = is_idle();
  if (bare_flink()) {
    if (idle) out.status = StreamStatus::idle;
  } else if (idle != said_idle_) {
    out.status = idle ? StreamStatus::idle : StreamStatus::active;
  }
  said_idle_ = idle;
  return out;
}

WatermarkOutput SplitMultiplexer::add_split(uint32_t split) {
  const bool added = combined_.add(split);
  TIDEMARK_CHECK(added);
  return bare_flink() ? WatermarkOutput{} : publish();
}

WatermarkOutput SplitMultiplexer::remove_split(uint32_t split, bool* existed) {
  const bool removed = combined_.remove(split);
  if (existed != nullptr) *existed = removed;
  return !removed || bare_flink() ? WatermarkOutput{} : publish();
}

WatermarkOutput SplitMultiplexer::immediate_watermark(uint32_t split, Micros watermark) {
  const bool larger = combined_.set_watermark(split, watermark);
  const bool wakes = said_idle_ && !bare_flink();
  if (!wakes && !(larger && watermark > combined_.watermark())) return {};
  return publish();
}

WatermarkOutput SplitMultiplexer::immediate_status(uint32_t split, StreamStatus status) {
  combined_.set_idle(split, status == StreamStatus::idle);
  return publish();
}

}  // namespace tidemark::core
