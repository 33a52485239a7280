// SPDX-License-Identifier: Apache-2.0
//
// How streams of watermarks are merged: the job's two policies (on_resume, all_idle), and whether the rules are
// tidemark's (semantics section 5, the default) or bare Flink at level F24 (what the published vectors describe).
// Values; any thread.
#pragma once

#include <cstdint>

namespace tidemark::core {

/// What happens when an idle split wakes up behind the output (`on_resume`, decision 1).
enum class ResumeRule : uint8_t {
  hold,      ///< it joins the minimum at once; the watermark stands until it has caught up
  catch_up,  ///< it joins when it has reached the output; the job moves on (Flink's valve)
};

/// What happens when every split is idle (`all_idle`, decision 6).
enum class AllIdlePolicy : uint8_t {
  hold,         ///< the watermark stands
  flush,        ///< it jumps to the largest watermark seen (Flink at F24)
  end_of_time,  ///< it becomes the end of input: everything fires
  advance,      ///< it follows a clock: the owner calls advance_idle_to()
};

enum class MergeRules : uint8_t { tidemark, flink_f24 };

struct MergeOptions {
  ResumeRule on_resume = ResumeRule::hold;
  AllIdlePolicy all_idle = AllIdlePolicy::hold;
  MergeRules rules = MergeRules::tidemark;

  /// Flink's own behaviour, for comparison with its test vectors.
  static constexpr MergeOptions flink_f24() noexcept {
    return {ResumeRule::catch_up, AllIdlePolicy::flush, MergeRules::flink_f24};
  }
};

}  // namespace tidemark::core
