// SPDX-License-Identifier: Apache-2.0
//
// Random jobs for the simulator: sources (one, or a union of two), splits, rows with NULLs, updates, deletes and
// missing times, aggregates, sinks, watermark settings, and how the job is run (cores, crashes, lane sizes, batch
// sizes, scheduling). All from one seed. Two kinds: `punctual` jobs, in which no row may be late whatever the
// interleaving, and others, in which rows come too late and splits fall silent.
#pragma once

#include <cstdint>

#include "tests/sim/sim_job.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {

struct RandomJob {
  SimJob job;
  bool punctual = true;
};

RandomJob random_job(uint64_t seed);

/// How to run it: `variant` 0 is plain (one core, no restarts), others are wild.
SimOptions random_options(uint64_t seed, uint32_t variant);

}  // namespace tidemark::test
