// SPDX-License-Identifier: Apache-2.0
//
// ScriptFacts: what is true of each split of a simulated job, derived from its script and from how far its reader
// is: the watermark after each step, whether its source has marked it idle, how long it has been silent. The
// measure for what components say of it. Reads the job once; one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/scripted_source.hpp"
#include "tests/sim/sim_job.hpp"
#include "tests/sim/valve_watch.hpp"

namespace tidemark::test {

class ScriptFacts {
 public:
  /// `job` outlives it.
  explicit ScriptFacts(const SimJob& job);
  SplitTruth of(uint32_t source, const std::string& split, const ReadingFacts& reading, core::Micros now) const;

 private:
  struct Split {
    const SplitScript* script = nullptr;
    std::vector<core::Micros> watermarks{};  // after n steps; empty: not known
    std::vector<bool> marked_idle{};         // after n steps
  };

  const SimJob& job_;
  std::vector<std::map<std::string, Split>> splits_;  // by source
};

}  // namespace tidemark::test
