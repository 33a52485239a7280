// SPDX-License-Identifier: Apache-2.0
//
// The alignment group's minimum and its holder against a naive scan over all members, over seeded random reports.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include "core/event_time/alignment_group.hpp"

namespace tidemark::core::test {
namespace {

struct Member {
  Micros watermark = kNoTime;
  SplitState state = SplitState::active;
  Micros disconnected_at = 0;
};

TEST(AlignmentGroupModel, minimum_and_holder_equal_a_scan) {
  constexpr Micros kTimeout = 50;
  constexpr SplitState kStates[] = {SplitState::active, SplitState::active, SplitState::idle, SplitState::disconnected,
                                    SplitState::finished};
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
    AlignmentGroup group;
    std::map<uint32_t, Member> members;
    Micros now = 0;
    for (int step = 0; step < 400; ++step) {
      now += below(10);
      const uint32_t split = below(9);
      if (below(10) == 0) {
        EXPECT_EQ(group.remove(split), members.erase(split) > 0);
      } else if (!members.contains(split)) {
        EXPECT_TRUE(group.add(split, {0, 1, kTimeout}));
        members[split] = {};
      } else {
        Member& member = members[split];
        const SplitState state = kStates[below(5)];
        if (state == SplitState::disconnected && member.state != state) member.disconnected_at = now;
        member.state = state;
        member.watermark = below(20) == 0 ? kNoTime : static_cast<Micros>(below(12));
        group.report(split, member.watermark, state, now);
      }
      std::pair<Micros, uint32_t> least{kEndOfTime, AlignmentGroup::kNobody};
      for (const auto& [number, member] : members) {
        const bool lost = member.state == SplitState::disconnected && now - member.disconnected_at > kTimeout;
        const bool out = member.state == SplitState::idle || member.state == SplitState::finished;
        if (member.watermark == kNoTime || out || lost) continue;
        least = std::min(least, {member.watermark, number});
      }
      ASSERT_EQ(group.minimum(now), least.first) << "seed " << seed << " step " << step;
      ASSERT_EQ(group.holder(now), least.second) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace tidemark::core::test
