// SPDX-License-Identifier: Apache-2.0
//
// What random jobs are checked for once they have run: results are the oracle's over the rows that were not late,
// and together with the late ones these are all rows. Also how the random tests read their TIDEMARK_SIM_*
// variables. Free functions; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {

/// What a run was like, so that a test sees that its runs are not too tame.
struct Sightings {
  uint64_t resumes = 0;
  uint64_t late_rows = 0;
  uint64_t set_aside = 0;
  uint64_t written_ahead = 0;  // pages
};

/// Runs a job to its end; says what is wrong with it, empty = nothing. `punctual`: no row may be late, and there
/// are no second firings.
std::string run_and_check(SimWorld& world, bool punctual, Sightings& seen);

/// Empty when they are equal.
std::string first_difference(const std::vector<std::string>& is, const std::vector<std::string>& should);

/// An environment variable's number.
uint64_t number_from(const char* variable, uint64_t otherwise);

}  // namespace tidemark::test
