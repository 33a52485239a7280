// SPDX-License-Identifier: Apache-2.0
//
// What a job's end warns of: figures that mean that results may not be what was meant. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/job_counters.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

/// "1 row", "12,345 rows".
std::string counted_with_commas(uint64_t count, std::string_view one, std::string_view many);

/// One text each. `all`: the job's books as its last epoch has them.
std::vector<std::string> closing_warnings(const JobCounters& counters, const EpochRecord& all);

}  // namespace tidemark::core
