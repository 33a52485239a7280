// SPDX-License-Identifier: Apache-2.0
//
// Random jobs by seed. TIDEMARK_SIM_SEEDS: how many (default 300, fewer under sanitizers), from
// TIDEMARK_SIM_FIRST_SEED on; TIDEMARK_SIM_SEED: that one alone, to look at a failure again. Each seed is run
// plainly on one core and wildly (more cores, restarts, stalls, tight lanes). Punctual jobs: both give the same
// bytes, and they are the oracle's. Others: late rows and counted rows together are all rows, and the results are
// the oracle's over the rows that were not late. Planted faults show that the checks are not blind.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/job_check.hpp"
#include "tests/sim/random_job.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeeds = 8;
#elif defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeeds = 60;
#else
constexpr uint64_t kSeeds = 300;
#endif

void run_seed(uint64_t seed, Sightings& seen) {
  const RandomJob random = random_job(seed);
  SimWorld plain(random.job, random_options(seed, 0));
  EXPECT_EQ(run_and_check(plain, random.punctual, seen), "") << "TIDEMARK_SIM_SEED=" << seed << ", on one core";
  SimWorld wild(random.job, random_options(seed, static_cast<uint32_t>(1 + seed % 4)));
  EXPECT_EQ(run_and_check(wild, random.punctual, seen), "")
      << "TIDEMARK_SIM_SEED=" << seed << ", with restarts and more cores";
  seen.written_ahead += wild.written_ahead();
  if (!random.punctual) return;
  for (size_t sink = 0; sink < random.job.plan.sinks.size(); ++sink) {
    // Early results are given as rows come, and revisions count them.
    const core::AggregatePlan& aggregate = random.job.plan.aggregates[random.job.plan.sinks[sink].aggregate];
    if (aggregate.spec.emit.early.rule != core::FiringRule::never) continue;
    EXPECT_EQ(first_difference(wild.lines(sink), plain.lines(sink)), "")
        << "TIDEMARK_SIM_SEED=" << seed << ", other bytes in sink " << sink;
  }
}

TEST(SimRandom, rows_are_counted_once_or_late) {
  Sightings seen;
  if (const uint64_t seed = number_from("TIDEMARK_SIM_SEED", 0); seed != 0) return run_seed(seed, seen);
  const uint64_t seeds = number_from("TIDEMARK_SIM_SEEDS", kSeeds);
  const uint64_t first = number_from("TIDEMARK_SIM_FIRST_SEED", 1);
  for (uint64_t seed = first; seed < first + seeds && !testing::Test::HasFailure(); ++seed) run_seed(seed, seen);
  if (seeds < 30) return;
  EXPECT_GT(seen.resumes, seeds / 4);  // else the runs are too tame to say anything
  EXPECT_GT(seen.late_rows, seeds);
  EXPECT_GT(seen.set_aside, seeds);
  EXPECT_GT(seen.written_ahead, seeds * 10);
}

TEST(SimRandom, planted_faults_are_found) {
  for (const core::Family family :
       {core::Family::sources, core::Family::panes, core::Family::late, core::Family::sinks}) {
    bool found = false;
    for (uint64_t seed = 1; seed <= 60 && !found; ++seed) {
      const RandomJob random = random_job(seed);
      SimOptions options = random_options(seed, 2);
      options.store_forgets = family;
      options.crashes = 5;
      SimWorld world(random.job, options);
      Sightings seen;
      found = !run_and_check(world, random.punctual, seen).empty();
    }
    EXPECT_TRUE(found) << "nobody notices that writes to " << core::family_name(family) << " are lost";
  }
}

}  // namespace
}  // namespace tidemark::test
