// SPDX-License-Identifier: Apache-2.0
//
// Defects of Flink (semantics section 3) in valve, combined status, multiplexer and idleness, each a scenario with
// the right result, named after its issue. Those that need a whole job are in tests/sim.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/event_time/combined_status.hpp"
#include "core/event_time/minimum_heap.hpp"
#include "core/event_time/split_multiplexer.hpp"
#include "core/event_time/split_progress.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kMs = kMicrosPerMilli;
constexpr MergeOptions kHold{};
constexpr MergeOptions kFlush{ResumeRule::hold, AllIdlePolicy::flush, MergeRules::tidemark};
constexpr MergeOptions kCatchUpFlush{ResumeRule::catch_up, AllIdlePolicy::flush, MergeRules::tidemark};

// "0:5" watermark, "0:I" "0:A" status, "0:F" finished, "0:+" added, "0:-" removed.
void expect_valve(uint32_t channels, MergeOptions options, const std::string& script) {
  StatusWatermarkValve valve(options);
  for (uint32_t id = 0; id < channels; ++id) valve.add_channel(id);
  const auto step = [&valve](std::string_view token) {
    const auto id = static_cast<uint32_t>(token[0] - '0');
    const std::string_view what = token.substr(2);
    if (what == "I") return words(valve.input_status(id, StreamStatus::idle));
    if (what == "A") return words(valve.input_status(id, StreamStatus::active));
    if (what == "F") return words(valve.finish_channel(id));
    if (what == "+") return words(valve.add_channel(id));
    if (what == "-") return words(valve.remove_channel(id));
    return words(valve.input_watermark(id, parse_time(what)));
  };
  EXPECT_EQ(run_script(script, step), script);
}

void expect_inputs(uint32_t inputs, MergeOptions options, const std::string& script) {
  CombinedInputs combined(inputs, options);
  const auto step = [&combined](std::string_view token) {
    const auto input = static_cast<uint32_t>(token[0] - 'a');
    const std::string_view what = token.substr(2);
    if (what == "I") return words(combined.input_status(input, StreamStatus::idle));
    if (what == "A") return words(combined.input_status(input, StreamStatus::active));
    return words(combined.input_watermark(input, parse_time(what)));
  };
  EXPECT_EQ(run_script(script, step), script);
}

void expect_multiplexer(MergeOptions options, const std::string& script) {
  SplitMultiplexer multiplexer(options);
  const auto step = [&multiplexer](std::string_view token) {
    if (token[0] == '+') return words(multiplexer.add_split(static_cast<uint32_t>(token[1] - 'a')));
    if (token[0] == '-') return words(multiplexer.remove_split(static_cast<uint32_t>(token[1] - 'a')));
    const auto split = static_cast<uint32_t>(token[0] - 'a');
    const std::string_view what = token.substr(2);
    if (what == "I") return words(multiplexer.immediate_status(split, StreamStatus::idle));
    return words(multiplexer.immediate_watermark(split, parse_time(what)));
  };
  EXPECT_EQ(run_script(script, step), script);
}

// The watermark at which all are idle does not depend on who went idle first, nor on who had resumed before.
TEST(FlinkDefects, FLINK_40475) {
  std::vector<uint32_t> order{0, 1, 2};
  do {
    StatusWatermarkValve valve(kCatchUpFlush);
    for (uint32_t id = 0; id < 3; ++id) valve.add_channel(id);
    valve.input_watermark(0, 100);
    valve.input_watermark(1, 50);
    valve.input_watermark(2, 70);
    valve.input_status(1, StreamStatus::idle);
    valve.input_status(1, StreamStatus::active);
    valve.input_watermark(1, 60);  // has not caught up
    for (const uint32_t id : order) valve.input_status(id, StreamStatus::idle);
    EXPECT_EQ(valve.watermark(), 100);
    EXPECT_EQ(valve.status(), StreamStatus::idle);
  } while (std::next_permutation(order.begin(), order.end()));
  // The only one in the minimum after others went idle: the watermark is derived again.
  expect_valve(3, kCatchUpFlush, "0:10 1:7 2:I [W7] 2:A 0:I 1:I 0:A [W10]");
}

// The same from the start: no resumed split in the picture.
TEST(FlinkDefects, FLINK_7728) {
  expect_valve(3, kFlush, "0:10 1:5 2:3 [W3] 0:I 1:I 2:I [W10,IDLE]");
  expect_valve(3, kFlush, "0:10 1:5 2:3 [W3] 2:I [W5] 1:I [W10] 0:I [IDLE]");
  expect_valve(3, kFlush, "0:10 1:5 2:3 [W3] 1:I 0:I 2:I [W10,IDLE]");
}

TEST(FlinkDefects, FLINK_38454) {
  expect_multiplexer(kFlush, "+a +b a:5 b:2 [W2] a:I b:I [W5,IDLE]");
  expect_inputs(2, kFlush, "a:5 b:2 [W2] a:I b:I [W5,IDLE]");
  expect_valve(2, kFlush, "0:5 1:2 [W2] 0:I 1:I [W5,IDLE]");
}

// A finished input is no reason to end the others, whatever is idle (decision 4).
TEST(FlinkDefects, FLINK_38477) {
  for (const MergeOptions options : {kHold, kFlush, kCatchUpFlush}) {
    expect_valve(2, options, "0:MAX 1:100 [W100] 1:I [IDLE] 1:A [ACT] 1:200 [W200] 1:F [WMAX]");
    expect_inputs(2, options, "a:MAX b:100 [W100] b:I [IDLE] b:200 [ACT,W200] b:MAX [WMAX]");
  }
}

TEST(FlinkDefects, FLINK_40504) {
  expect_multiplexer(kFlush, "+a +b a:5 b:2 [W2] a:I b:I [W5,IDLE] b:3 [ACT] b:6 [W6]");
  expect_multiplexer(kFlush, "+a +b a:5 b:2 [W2] a:I b:I [W5,IDLE] +c [ACT] c:6 [W6]");
  expect_valve(2, kFlush, "0:5 1:2 [W2] 0:I 1:I [W5,IDLE] 1:A [ACT] 0:A 0:9 1:3 1:8 [W8]");
}

TEST(FlinkDefects, FLINK_22926) {
  expect_valve(1, kFlush, "0:5 [W5] 0:I [IDLE] 1:+ [ACT] 1:4 1:6 [W6]");
}

TEST(FlinkDefects, FLINK_40499) {
  for (const MergeOptions options : {kHold, kFlush, kCatchUpFlush}) {
    expect_valve(2, options, "0:5 1:5 [W5] 0:I 1:I [IDLE] 0:F 1:F [ACT,WMAX]");
  }
  expect_inputs(2, kHold, "a:5 b:5 [W5] a:I b:I [IDLE] a:MAX b:MAX [ACT,WMAX]");
}

// A reader that had splits and has none is idle (decision 5), and so is a valve.
TEST(FlinkDefects, FLINK_39586) {
  expect_multiplexer(kHold, "+a a:7 [W7] -a [IDLE] +b [ACT] b:9 [W9]");
  expect_valve(1, kHold, "0:7 [W7] 0:- [IDLE] 1:+ [ACT] 1:9 [W9]");
}

// A split that is gone without having finished pins nothing, in whatever state it was.
TEST(FlinkDefects, FLINK_39514) {
  for (const char* state : {"1:4", "1:I"}) {
    StatusWatermarkValve valve(kHold);
    for (uint32_t id = 0; id < 2; ++id) valve.add_channel(id);
    valve.input_watermark(0, 20);
    if (std::string_view(state) == "1:4") valve.input_watermark(1, 4);
    if (std::string_view(state) == "1:I") valve.input_status(1, StreamStatus::idle);
    valve.remove_channel(1);
    EXPECT_EQ(valve.watermark(), 20) << state;
    EXPECT_TRUE(valve.remove_channel(1).empty()) << "twice";
  }
  expect_multiplexer(kHold, "+a +b a:20 b:4 [W4] -b [W20]");
}

// Only splits' own outputs make a reader active or idle; there is no vacant one beside them.
TEST(FlinkDefects, FLINK_28975) {
  expect_multiplexer(kHold, "+a +b a:3 b:5 [W3] a:I [W5] b:I [IDLE] a:6 [ACT,W6]");
}

// What the source marks idle does not swallow the watermarks of the rows that come after all.
TEST(FlinkDefects, FLINK_26708) {
  SplitProgress split(0, {{WatermarkStrategyKind::ascending, 0}, 0}, 0);
  StatusWatermarkValve valve;
  valve.add_channel(0);
  EXPECT_EQ(words(valve.apply(split.set_idle(true, 1).value())), "IDLE");
  EXPECT_EQ(words(valve.apply(split.on_batch({std::array<Micros, 1>{8}}, 2).value())), "ACT,W7");
}

// Steady rows never let the timeout pass, however many timeouts they last; nor do rows that bring no progress.
TEST(FlinkDefects, FLINK_34252) {
  SplitProgress split(0, {{WatermarkStrategyKind::ascending, 0}, 1000 * kMs}, 0);
  for (Micros now = 0; now < 20'000 * kMs; now += 100 * kMs) {
    if (now % (500 * kMs) == 0) split.on_batch({std::array<Micros, 1>{5}}, now);
    const auto change = split.tick(now, {});
    EXPECT_TRUE(!change || change->state == SplitState::active) << now;
  }
  EXPECT_EQ(split.current().state, SplitState::active);
}

// One change to active when a split wakes up, none around each further record.
TEST(FlinkDefects, FLINK_22881) {
  SplitProgress split(0, {{WatermarkStrategyKind::none, 0}, 1000 * kMs}, 0);
  int changes = 0;
  Micros now = 0;
  for (; now < 1500 * kMs; now += 100 * kMs) changes += split.tick(now, {}).has_value() ? 1 : 0;
  EXPECT_EQ(changes, 1) << "idle";
  for (int i = 0; i < 50; ++i, now += 10 * kMs) {
    changes += split.before_batch(now).has_value() ? 1 : 0;
    changes += split.on_batch({std::array<Micros, 1>{i}}, now).has_value() ? 1 : 0;
    changes += split.tick(now, {}).has_value() ? 1 : 0;
  }
  EXPECT_EQ(changes, 2) << "idle, active";
}

TEST(FlinkDefects, FLINK_18934) {
  expect_inputs(2, kHold, "a:1 b:I [W1] a:3 [W3] a:9 [W9]");
}

// All active channels still have to catch up: nothing is said, least of all the end.
TEST(FlinkDefects, FLINK_7721) {
  expect_valve(3, kCatchUpFlush, "0:10 1:7 2:I [W7] 2:A 0:I 1:I");
}

// A reader without splits says idle, never the end; nor does a valve without channels.
TEST(FlinkDefects, FLINK_8001) {
  SplitMultiplexer multiplexer;
  EXPECT_EQ(words(multiplexer.on_periodic_emit()), "IDLE");
  EXPECT_EQ(multiplexer.watermark(), kNoTime);
  StatusWatermarkValve valve;
  EXPECT_TRUE(valve.expect_more_channels(true).empty());
  EXPECT_TRUE(valve.expect_more_channels(false).empty());
  EXPECT_EQ(valve.watermark(), kNoTime);
}

TEST(FlinkDefects, FLINK_31628) {
  MinimumHeap heap;
  heap.set(3, 30);
  heap.set(3, 20);
  heap.set(1, 25);
  heap.erase(3);
  heap.erase(3);
  EXPECT_EQ(heap.top_slot(), 1U);
  heap.erase(1);
  EXPECT_TRUE(heap.empty());
  expect_valve(2, kHold, "0:5 1:9 [W5] 0:I [W9] 0:I 0:A 0:A 0:F 0:F 0:- 1:12 [W12]");
}

}  // namespace
}  // namespace tidemark::core::test
