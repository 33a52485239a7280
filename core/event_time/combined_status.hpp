// SPDX-License-Identifier: Apache-2.0
//
// CombinedStatus: one watermark and one idle flag out of several parts (semantics 1.2), the core of the
// multiplexer and of operators with several inputs. CombinedInputs: the glue of such an operator. Unlike the
// valve, a part that wakes up always joins the minimum at once.
//
// tidemark's rules differ from bare Flink (F22 to F24) in this: a part at kEndOfTime is finished and leaves the
// minimum (decision 4), all idle follows the policy (6), a bare watermark wakes an idle output (2), and the end
// passes an idle output (3). Invariant: the combined watermark strictly increases. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.hpp"
#include "core/event_time/merge_options.hpp"
#include "core/event_time/minimum_heap.hpp"
#include "core/event_time/stream_status.hpp"

namespace tidemark::core {

class CombinedStatus {
 public:
  explicit CombinedStatus(MergeOptions options = {}) : options_(options) {}

  /// False when the part is there already. A new part is active at kNoTime. Adding and removing do not recompute.
  bool add(uint32_t part);
  /// False when there is no such part.
  bool remove(uint32_t part);
  bool contains(uint32_t part) const noexcept { return part < parts_.size() && parts_[part].present; }
  uint32_t size() const noexcept { return size_; }

  /// Wakes the part and raises its watermark; true when it was larger than the part's. The part must exist.
  bool set_watermark(uint32_t part, Micros watermark);
  void set_idle(uint32_t part, bool idle);
  /// Derives the combined watermark and idle flag; true when the watermark rose.
  bool recompute();

  Micros watermark() const noexcept { return watermark_; }
  bool is_idle() const noexcept { return idle_; }
  /// The part that holds the minimum; UINT32_MAX when none takes part.
  uint32_t holder() const noexcept { return counted_.empty() ? UINT32_MAX : counted_.top_slot(); }

 private:
  struct Part {
    bool present = false;
    bool idle = false;
    bool finished = false;
    Micros watermark = kNoTime;
  };
  Micros candidate() const;
  void count(uint32_t part);

  MergeOptions options_;
  std::vector<Part> parts_;
  MinimumHeap counted_;  ///< parts that are neither idle nor finished
  uint32_t size_ = 0;
  uint32_t finished_ = 0;
  Micros watermark_ = kNoTime;
  bool idle_ = false;
};

/// The inputs of a two-input or multi-input operator, numbered from 0.
class CombinedInputs {
 public:
  explicit CombinedInputs(uint32_t inputs, MergeOptions options = {});
  /// Semantics 1.2 rule 5: bare Flink says no status here.
  WatermarkOutput input_watermark(uint32_t input, Micros watermark);
  /// Semantics 1.2 rule 6.
  WatermarkOutput input_status(uint32_t input, StreamStatus status);
  const CombinedStatus& combined() const noexcept { return combined_; }

 private:
  WatermarkOutput recompute(bool says_status);

  MergeOptions options_;
  CombinedStatus combined_;
};

}  // namespace tidemark::core
