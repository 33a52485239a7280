// SPDX-License-Identifier: Apache-2.0
//
// What every merge of event time says to the layer below: a watermark, a status, or both. An ACTIVE status is
// delivered before the watermark of the same output, an IDLE one after it, so a reader that discards watermarks
// while idle (semantics 1.11) loses none. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/time.hpp"

namespace tidemark::core {

/// Whether a stream of watermarks takes part in the minimum (Flink: WatermarkStatus).
enum class StreamStatus : uint8_t { active, idle };

/// The outcome of one input step. Empty: nothing changed.
struct WatermarkOutput {
  std::optional<Micros> watermark;     ///< strictly larger than every one before it
  std::optional<StreamStatus> status;  ///< active: deliver before the watermark; idle: after it

  bool empty() const noexcept { return !watermark && !status; }
  friend bool operator==(const WatermarkOutput&, const WatermarkOutput&) = default;
};

}  // namespace tidemark::core
