// SPDX-License-Identifier: Apache-2.0
//
// Random watermark schedules by seed: 10,000, in four parts that may run at the same time (fewer under sanitizers).
// TIDEMARK_SIM_SEEDS: how many for each part, from TIDEMARK_SIM_FIRST_SEED on; TIDEMARK_SIM_SEED: that one alone.
// Checked at every step: watermarks of the job, of each valve and of each split never fall, are never above the
// minimum over the splits that count, and agree with a naive model (ValveWatch); at every epoch and at the end: no
// row is lost, only rows below the watermark are late, results are the oracle's over the others. A run that comes
// to a standstill or steps without end fails, and equal seeds give equal runs.
#include <gtest/gtest.h>

#include <string>

#include "core/base/log.hpp"
#include "tests/sim/job_check.hpp"
#include "tests/sim/watermark_job.hpp"

namespace tidemark::test {
namespace {

constexpr uint64_t kParts = 4;
#if defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeedsPerPart = 20;
#elif defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeedsPerPart = 150;
#else
constexpr uint64_t kSeedsPerPart = 2'500;
#endif

void run_seed(uint64_t seed, Sightings& seen) {
  SimWorld world(watermark_job(seed), watermark_options(seed));
  EXPECT_EQ(run_and_check(world, false, seen), "") << "TIDEMARK_SIM_SEED=" << seed;
  EXPECT_GT(world.watch().calls(), 0U) << "nobody watches the valves";
  if (seed % 50 != 0) return;
  SimWorld again(watermark_job(seed), watermark_options(seed));
  Sightings unused;
  EXPECT_EQ(run_and_check(again, false, unused), "") << "TIDEMARK_SIM_SEED=" << seed;
  EXPECT_EQ(again.steps(), world.steps()) << "TIDEMARK_SIM_SEED=" << seed << ": equal seeds, other runs";
  EXPECT_EQ(again.watch().trace(), world.watch().trace()) << "TIDEMARK_SIM_SEED=" << seed;
  for (size_t sink = 0; sink < world.job().plan.sinks.size(); ++sink) EXPECT_EQ(again.lines(sink), world.lines(sink));
}

class SimWatermarks : public testing::TestWithParam<uint64_t> {};

TEST_P(SimWatermarks, random_schedules) {
  core::set_log_level(core::LogLevel::off);  // outages are worth a warning each
  Sightings seen;
  if (const uint64_t seed = number_from("TIDEMARK_SIM_SEED", 0); seed != 0) return run_seed(seed, seen);
  const uint64_t seeds = number_from("TIDEMARK_SIM_SEEDS", kSeedsPerPart);
  const uint64_t first = number_from("TIDEMARK_SIM_FIRST_SEED", 1) + GetParam() * seeds;
  for (uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) run_seed(seed, seen);
  if (seeds < 100) return;
  EXPECT_GT(seen.resumes, seeds / 10);  // else the runs are too tame to say anything
  EXPECT_GT(seen.late_rows, seeds / 2);
}

INSTANTIATE_TEST_SUITE_P(part, SimWatermarks, testing::Range(uint64_t{0}, kParts));

}  // namespace
}  // namespace tidemark::test
