// SPDX-License-Identifier: Apache-2.0
//
// The test of the test: linked with a valve that has a fault planted (mutate.py), runs the random watermark
// schedules until one of them notices, and fails when none of the first thousand does.
#include <cstdint>
#include <cstdio>
#include <string>

#include "core/base/log.hpp"
#include "tests/sim/job_check.hpp"
#include "tests/sim/watermark_job.hpp"

int main(int, char** argv) {
  using namespace tidemark::test;
  constexpr uint64_t kSeeds = 1'000;
  tidemark::core::set_log_level(tidemark::core::LogLevel::off);
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimWorld world(watermark_job(seed), watermark_options(seed));
    Sightings seen;
    const std::string found = run_and_check(world, false, seen);
    if (found.empty()) continue;
    std::printf("%s: found by TIDEMARK_SIM_SEED=%lu: %s\n", argv[0], static_cast<unsigned long>(seed), found.c_str());
    return 0;
  }
  std::printf("%s: nobody notices in %lu schedules\n", argv[0], static_cast<unsigned long>(kSeeds));
  return 1;
}
