// SPDX-License-Identifier: Apache-2.0
//
// SplitMultiplexer: the minimum over the splits of one reader (semantics 1.3), for alignment and display; the
// job's own watermark is the valve's. Splits write through an immediate output (each change is published) or a
// deferred one (stored until on_periodic_emit).
//
// tidemark's rules differ from bare Flink in this: without splits it is idle (decision 5), adding and releasing
// publish at once (2, 5), a status is said once per change and also when it becomes active (2). Bare Flink
// repeats "idle" at each publish and never says "active". One thread at a time.
#pragma once

#include <cstdint>

#include "core/base/time.hpp"
#include "core/event_time/combined_status.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/event_time/stream_status.hpp"

namespace tidemark::core {

class SplitMultiplexer {
 public:
  explicit SplitMultiplexer(MergeOptions options = {}) : options_(options), combined_(options) {}

  /// The split must not be there yet (a failed check: a bug of ours).
  WatermarkOutput add_split(uint32_t split);
  /// `existed` (may be null) tells whether there was such a split.
  WatermarkOutput remove_split(uint32_t split, bool* existed = nullptr);

  WatermarkOutput immediate_watermark(uint32_t split, Micros watermark);
  WatermarkOutput immediate_status(uint32_t split, StreamStatus status);
  void deferred_watermark(uint32_t split, Micros watermark) { combined_.set_watermark(split, watermark); }
  void deferred_status(uint32_t split, StreamStatus status) { combined_.set_idle(split, status == StreamStatus::idle); }
  WatermarkOutput on_periodic_emit() { return publish(); }

  Micros watermark() const noexcept { return combined_.watermark(); }
  /// True also without any split (tidemark's rules).
  bool is_idle() const noexcept;
  /// The split that holds the minimum; UINT32_MAX when none takes part.
  uint32_t holder() const noexcept { return combined_.holder(); }

 private:
  bool bare_flink() const noexcept { return options_.rules == MergeRules::flink_f24; }
  WatermarkOutput publish();

  MergeOptions options_;
  CombinedStatus combined_;
  bool said_idle_ = false;
};

}  // namespace tidemark::core
