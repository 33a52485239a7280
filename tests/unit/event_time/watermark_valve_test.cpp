// SPDX-License-Identifier: Apache-2.0
//
// Flink's valve vectors (semantics 2.1) against the valve with bare Flink rules at level F24, and against
// tidemark's rules; where those differ the test names the decision of section 5.
#include "core/event_time/watermark_valve.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

constexpr MergeOptions kHold{};
constexpr MergeOptions kFlush{ResumeRule::hold, AllIdlePolicy::flush, MergeRules::tidemark};
constexpr MergeOptions kCatchUpFlush{ResumeRule::catch_up, AllIdlePolicy::flush, MergeRules::tidemark};

// Steps: "0:5" watermark, "0:I" "0:A" status, "0:F" finished, "0:+" added, "0:-" removed, "more" "nomore" to come,
// "adv:9" advance_idle_to(9).
std::string step_valve(StatusWatermarkValve& valve, std::string_view token) {
  if (token == "more" || token == "nomore") return words(valve.expect_more_channels(token == "more"));
  const size_t colon = token.find(':');
  const std::string_view what = token.substr(colon + 1);
  if (token.substr(0, colon) == "adv") return words(valve.advance_idle_to(parse_time(what)));
  const auto id = static_cast<uint32_t>(std::stoul(std::string(token.substr(0, colon))));
  if (what == "I") return words(valve.input_status(id, StreamStatus::idle));
  if (what == "A") return words(valve.input_status(id, StreamStatus::active));
  if (what == "F") return words(valve.finish_channel(id));
  if (what == "+") return words(valve.add_channel(id));
  if (what == "-") return words(valve.remove_channel(id));
  return words(valve.input_watermark(id, parse_time(what)));
}

void expect_trace(uint32_t channels, MergeOptions options, const std::string& script) {
  StatusWatermarkValve valve(options);
  for (uint32_t id = 0; id < channels; ++id) EXPECT_TRUE(valve.add_channel(id).empty());
  EXPECT_EQ(run_script(script, [&](std::string_view token) { return step_valve(valve, token); }), script);
}

struct ValveVector {
  const char* id;
  uint32_t channels;
  const char* flink;
  const char* tidemark;  ///< null: the same with on_resume = catch_up, all_idle = flush
};

std::ostream& operator<<(std::ostream& out, const ValveVector& vector) {
  return out << vector.id;
}

// V21 and V22 differ by decision 4: a channel at MAX is finished and leaves the minimum without lifting it.
// V29 is at the end of combined_status_test.cpp (several gates), V30 (an operator inside a chain) in
// foreign_vectors_test.cpp.
constexpr ValveVector kVectors[] = {
    {"vec_V01", 1, "0:0 [W0] 0:25 [W25]", nullptr},
    {"vec_V02", 1, "0:25 [W25] 0:18 0:42 [W42]", nullptr},
    {"vec_V03", 1, "0:A 0:I [IDLE] 0:I 0:A [ACT]", nullptr},
    {"vec_V04", 1, "0:25 [W25] 0:I [IDLE] 0:50 0:A [ACT] 0:50 [W50]", nullptr},
    {"vec_V05", 3, "0:0 1:0 2:0 [W0]", nullptr},
    {"vec_V06", 3, "0:0 1:0 2:0 [W0] 0:12 2:8 2:10 1:15 [W10] 2:17 [W12] 0:20 [W15]", nullptr},
    {"vec_V07", 3, "0:25 1:10 2:17 [W10] 0:12 1:8 2:15", nullptr},
    {"vec_V08", 2, "0:A 1:A 1:I 0:I [IDLE] 0:I 1:I 1:A [ACT] 0:A", nullptr},
    {"vec_V09", 3, "0:15 1:10 2:I [W10] 1:18 [W15] 0:20 [W18]", nullptr},
    {"vec_V10", 3, "0:25 1:10 2:17 [W10] 1:I [W17] 2:I [W25]", nullptr},
    {"vec_V11", 3, "0:10 1:5 2:3 [W3] 0:I 1:I 2:I [W10,IDLE]", nullptr},
    {"vec_V12", 3, "0:10 1:7 2:3 [W3] 2:I [W7] 2:A 2:5 2:9 1:12 [W9]", nullptr},
    {"vec_V13", 3, "0:10 1:7 2:I [W7] 2:A 0:I 1:I", nullptr},
    {"vec_V14", 2, "0:7 1:10 [W7] 0:I [W10] 0:A 0:9 0:I", nullptr},
    {"vec_V15", 3, "0:100 1:50 2:70 [W50] 1:I [W70] 1:A 1:60 0:I 2:I 1:I [W100,IDLE]", nullptr},
    {"vec_V16", 3, "0:10 1:7 2:I [W7] 2:A 0:I 1:I 0:A [W10] 2:I", nullptr},
    {"vec_V17", 3, "0:10 1:20 2:30 [W10] 2:I 0:I [W20] 0:A 1:I 2:A [W30] 0:I 2:I [IDLE]", nullptr},
    {"vec_V18", 3, "0:10 1:7 2:I [W7] 2:A 0:I 1:I 2:I [W10,IDLE]", nullptr},
    {"vec_V19", 2, "0:I 1:I [IDLE] 0:A [ACT]", nullptr},
    {"vec_V20", 2, "0:5 0:I 1:I [W5,IDLE] 0:A [ACT] 0:4 0:5 0:6 [W6]", nullptr},
    {"vec_V21", 2, "0:MAX 1:100 [W100] 1:I [WMAX] 1:A 1:200", "0:MAX 1:100 [W100] 1:I [IDLE] 1:A [ACT] 1:200 [W200]"},
    {"vec_V22", 2, "0:MAX 0:I 1:100 [W100] 1:I [WMAX,IDLE]", "0:MAX 0:I 1:100 [W100] 1:I [IDLE]"},
    {"vec_V23", 2, "0:100 0:I 1:40 [W40] 1:I [W100,IDLE] 1:A [ACT] 1:60 1:100 1:101 [W101]", nullptr},
    {"vec_V24", 2, "0:100 0:I 1:40 [W40] 1:I [W100,IDLE] 0:A [ACT] 1:A 0:101 [W101] 1:101 1:102", nullptr},
    {"vec_V25", 2, "0:I 1:5 [W5] 0:A 1:6 [W6] 0:7", nullptr},
    {"vec_V26", 2, "0:10 1:10 [W10] 1:I 1:A 0:20 1:15 [W15]", nullptr},
    {"vec_V27", 2, "0:10 1:20 [W10] 0:I [W20] 1:I [IDLE] 1:A [ACT] 1:25 [W25] 0:A 0:22 0:25 1:30 0:30 [W30]", nullptr},
    {"vec_V28", 4, "0:5 1:6 2:7 3:8 [W5] 0:I [W6] 1:I [W7] 2:I [W8] 3:I [IDLE]", nullptr},
};

class WatermarkValveVectors : public testing::TestWithParam<ValveVector> {};

TEST_P(WatermarkValveVectors, traces) {
  const ValveVector& vector = GetParam();
  expect_trace(vector.channels, MergeOptions::flink_f24(), vector.flink);
  expect_trace(vector.channels, kCatchUpFlush, vector.tidemark != nullptr ? vector.tidemark : vector.flink);
}

INSTANTIATE_TEST_SUITE_P(valve, WatermarkValveVectors, testing::ValuesIn(kVectors),
                         [](const auto& param) { return std::string(param.param.id); });

TEST(WatermarkValve, decision_1_a_resumed_split_holds_or_catches_up) {
  // V12 and V25 with on_resume = hold: the split that wakes up behind holds the watermark until it is past it.
  expect_trace(3, kHold, "0:10 1:7 2:3 [W3] 2:I [W7] 2:A 2:5 1:12 2:9 [W9] 2:20 [W10]");
  expect_trace(2, kHold, "0:I 1:5 [W5] 0:A 1:6 0:7 [W6]");
  // A split that woke up behind and goes idle again lets the others through.
  expect_trace(2, kHold, "0:10 1:20 [W10] 0:I [W20] 0:A 1:30 0:I [W30]");
  // A split assigned later: holds, or catches up.
  expect_trace(1, kHold, "0:10 [W10] 1:+ 0:20 1:5 1:15 [W15]");
  expect_trace(1, kCatchUpFlush, "0:10 [W10] 1:+ 0:20 [W20] 1:5 1:20 0:30 1:25 [W25]");
}

TEST(WatermarkValve, decision_2_a_resumed_split_makes_the_output_active_at_once) {
  expect_trace(2, kFlush, "0:5 1:2 [W2] 0:I 1:I [W5,IDLE] 1:A [ACT] 1:3 1:6 [W6]");
  expect_trace(1, kHold, "0:5 [W5] 0:I [IDLE] 1:+ [ACT] 1:4 1:6 [W6]");
}

TEST(WatermarkValve, decision_3_the_end_passes_an_idle_output) {
  expect_trace(2, kHold, "0:5 1:7 [W5] 0:I [W7] 1:I [IDLE] 0:F 1:F [ACT,WMAX]");
  expect_trace(1, kHold, "0:5 [W5] 0:I [IDLE] 0:MAX [ACT,WMAX]");
}

TEST(WatermarkValve, decision_4_finished_splits_never_lift_the_watermark) {
  expect_trace(2, kHold, "0:5 1:9 [W5] 0:F [W9] 1:F [WMAX]");
  // The finished split was ahead; the idle one left behind decides, whatever the policy.
  for (const MergeOptions options : {kHold, kFlush, kCatchUpFlush}) {
    expect_trace(3, options, "2:F 0:500 1:100 [W100] 1:I [W500] 1:A 0:F 1:I [IDLE] 1:A [ACT] 1:600 [W600]");
  }
  expect_trace(2, kFlush, "0:50 1:20 [W20] 0:F 1:30 [W30] 1:I [IDLE]");
  // A removed split is not a finished one, and both may be gone.
  expect_trace(2, kHold, "0:5 1:9 [W5] 0:- [W9] 1:- [IDLE] 2:+ [ACT] 2:10 [W10] 2:F [WMAX]");
  expect_trace(2, kHold, "0:5 1:9 [W5] 0:F [W9] 1:- [WMAX]");
}

TEST(WatermarkValve, while_more_splits_may_come_all_finished_is_idle) {
  expect_trace(1, kHold, "more 0:5 [W5] 0:F [IDLE] 1:+ [ACT] 1:7 [W7] 1:F [IDLE] nomore [ACT,WMAX]");
}

TEST(WatermarkValve, decision_6_all_idle_follows_the_policy) {
  const auto with = [](AllIdlePolicy policy) { return MergeOptions{ResumeRule::hold, policy, MergeRules::tidemark}; };
  expect_trace(2, with(AllIdlePolicy::hold), "0:10 1:3 [W3] 0:I 1:I [IDLE] adv:20 1:A [ACT] 1:4 [W4]");
  expect_trace(2, with(AllIdlePolicy::flush), "0:10 1:3 [W3] 0:I 1:I [W10,IDLE] adv:20");
  expect_trace(2, with(AllIdlePolicy::end_of_time), "0:10 1:3 [W3] 0:I 1:I [WMAX,IDLE] 1:A [ACT] 1:4");
  expect_trace(2, with(AllIdlePolicy::advance),
               "0:10 1:3 [W3] adv:20 0:I 1:I [IDLE] adv:20 [W20] adv:19 1:A [ACT] adv:30 1:25 [W25]");
  // "hold" wakes with a split that is ahead: active first, then its watermark.
  expect_trace(2, with(AllIdlePolicy::hold), "0:10 1:3 [W3] 0:I 1:I [IDLE] 0:A [ACT,W10]");
}

TEST(WatermarkValve, a_lane_entry_is_one_step) {
  StatusWatermarkValve valve;
  valve.add_channel(0);
  valve.add_channel(1);
  EXPECT_EQ(words(valve.apply({0, 5, SplitState::active})), "");
  EXPECT_EQ(words(valve.apply({1, 9, SplitState::idle})), "W5");
  EXPECT_EQ(valve.channel(1).watermark, 9);
  EXPECT_EQ(words(valve.apply({0, 7, SplitState::idle})), "W7,IDLE");
  EXPECT_EQ(words(valve.apply({1, 12, SplitState::active})), "ACT,W12");
  EXPECT_EQ(words(valve.apply({1, 12, SplitState::finished})), "IDLE");
  EXPECT_EQ(words(valve.apply({1, 99, SplitState::active})), "") << "a finished split stays finished";
  EXPECT_EQ(words(valve.apply({0, 7, SplitState::finished})), "ACT,WMAX");
}

TEST(WatermarkValve, names_the_holder_of_the_minimum) {
  StatusWatermarkValve valve(kCatchUpFlush);
  for (uint32_t id = 0; id < 3; ++id) valve.add_channel(id);
  EXPECT_EQ(valve.holder(), 0U) << "equal: the lowest id";
  run_script("0:30 1:10 2:20", [&](std::string_view token) { return step_valve(valve, token); });
  EXPECT_EQ(valve.holder(), 1U);
  valve.input_status(1, StreamStatus::idle);
  EXPECT_EQ(valve.holder(), 2U);
  valve.input_status(1, StreamStatus::active);
  EXPECT_EQ(valve.holder(), 2U);
  EXPECT_EQ(valve.catching_up_count(), 1U);
  valve.finish_channel(0);
  valve.finish_channel(2);
  EXPECT_EQ(valve.holder(), std::nullopt) << "the only one left is behind the output";
}

TEST(WatermarkValve, decision_9_a_restored_valve_goes_on_alike) {
  const std::string before = "3:F 0:10 1:20 2:30 0:I 0:A 0:12";
  const std::string after = "0:19 2:I 1:25 0:21 1:I 0:I 2:A 3:+ 3:40 2:50 0:A 0:60 1:F 0:F 2:F 3:F";
  for (const MergeOptions options : {kHold, kFlush, kCatchUpFlush, MergeOptions::flink_f24()}) {
    StatusWatermarkValve first(options);
    for (uint32_t id = 0; id < 4; ++id) first.add_channel(id);
    run_script(before, [&](std::string_view token) { return step_valve(first, token); });
    StatusWatermarkValve second(options);
    second.restore(first.snapshot());
    EXPECT_EQ(second.snapshot(), first.snapshot());
    EXPECT_EQ(second.holder(), first.holder());
    const auto run = [&](StatusWatermarkValve& valve) {
      return run_script(after, [&](std::string_view token) { return step_valve(valve, token); });
    };
    EXPECT_EQ(run(second), run(first));
  }
}

}  // namespace
}  // namespace tidemark::core::test
