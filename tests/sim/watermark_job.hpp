// SPDX-License-Identifier: Apache-2.0
//
// Random schedules of rows, silence, marks, ends and restarts over small jobs: one to three sources with up to
// eight splits each, of which some are found late, are empty, end early, begin late or are silent for many idle
// timeouts, fail or are lost for a while; alignment groups; every all_idle policy and both on_resume rules; and how the
// job is run (cores, stalls, slow steps, crashes, stops). All from one seed.
#pragma once

#include <cstdint>

#include "tests/sim/sim_job.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {

SimJob watermark_job(uint64_t seed);
SimOptions watermark_options(uint64_t seed);

}  // namespace tidemark::test
