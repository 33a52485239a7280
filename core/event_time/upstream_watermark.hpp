// SPDX-License-Identifier: Apache-2.0
//
// UpstreamWatermark: the watermark of an aggregate that reads the results of others ("inputs"). Every worker has a
// share of an input's results, so an input has come as far as the worker that is furthest behind; the inputs are
// combined as those of any operator with several (semantics 1.2): an idle one is not waited for. An input is idle when
// it is so at every worker.
//
// Invariant: the watermark never steps back. One stands at each worker and hears the same; one thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "core/event_time/combined_status.hpp"

namespace tidemark::core {

class UpstreamWatermark {
 public:
  UpstreamWatermark(size_t inputs, size_t workers);

  /// Worker `worker` has given all results of input `input` for windows whose last instant is not after `watermark`.
  /// The new watermark, where it rose.
  std::optional<Micros> note(size_t input, size_t worker, Micros watermark, bool idle);
  /// Takes the watermark of another worker's, which heard the same in another order.
  std::optional<Micros> catch_up_with(Micros watermark);
  /// What an epoch had; the inputs say anew how far they are.
  void restore(Micros watermark) noexcept { watermark_ = watermark; }

  Micros watermark() const noexcept { return watermark_; }
  bool is_idle() const noexcept { return combined_.combined().is_idle(); }
  /// The input that holds the minimum; empty when none takes part.
  std::optional<uint32_t> holder() const noexcept;

 private:
  struct Share {  // of one worker
    Micros watermark = kNoTime;
    bool idle = false;
  };

  CombinedInputs combined_;
  std::vector<std::vector<Share>> shares_;  // by input, then worker
  std::vector<Micros> given_;               // by input: what combined_ was told
  Micros watermark_ = kNoTime;
};

}  // namespace tidemark::core
