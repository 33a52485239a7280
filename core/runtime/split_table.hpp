// SPDX-License-Identifier: Apache-2.0
//
// SplitTable: the splits of a job by number: their names, sources and reading cores. Fixed when the job starts;
// read by every core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::core {

struct SplitInfo {
  std::string name;     ///< the source's id of the split
  std::string note;     ///< for people
  uint32_t source = 0;  ///< index into JobPlan::sources
  uint32_t core = 0;    ///< that reads it
};

using SplitTable = std::vector<SplitInfo>;

}  // namespace tidemark::core
