// SPDX-License-Identifier: Apache-2.0
//
// The decisions of semantics section 5 about watermarks (decision 8, alignment, is in the alignment cases) on whole
// jobs in virtual time. ValveWatch checks every watermark on the way.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sum_job.hpp"

namespace tidemark::test {
namespace {

// One reader serves its splits in turn, a batch per poll. Rows of all come at once, after a silence: a split that
// waits for its turn must not be called idle because its timeout passes just then.
TEST(SimDecisions, decision_7_a_split_whose_turn_is_to_come_is_not_idle) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const double comes_at_s = 2.3;
    std::vector<SplitScript> splits;
    for (int split = 0; split < 20; ++split) {
      splits.push_back(split_until("split" + std::to_string(split), 8,
                                   {value(1, 1), value(2, 1, comes_at_s), value(3, 1, comes_at_s)}));
    }
    SimOptions options = one_row_batches();
    options.seed = seed;
    options.one_batch_per_poll = true;
    options.step_cost_us_max = 60'000;
    SimWorld world(sum_job(std::move(splits), 2.5), options);
    world.run_to_end();
    ASSERT_EQ(world.failure(), "");
  }
}

}  // namespace
}  // namespace tidemark::test
