// SPDX-License-Identifier: Apache-2.0
//
// Vectors of combined status (semantics 2.2) against CombinedInputs with bare Flink rules at level F24, and
// against tidemark's; where they differ the decision of section 5 is named. Also V29, a task of several gates.
#include "core/event_time/combined_status.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "core/event_time/watermark_valve.hpp"
#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

constexpr MergeOptions kFlush{ResumeRule::hold, AllIdlePolicy::flush, MergeRules::tidemark};

// Steps: input letter from 'a', then a watermark, I or A.
void expect_trace(uint32_t inputs, MergeOptions options, const std::string& script) {
  CombinedInputs combined(inputs, options);
  const auto step = [&](std::string_view token) {
    const auto input = static_cast<uint32_t>(token[0] - 'a');
    const std::string_view what = token.substr(2);
    if (what == "I") return words(combined.input_status(input, StreamStatus::idle));
    if (what == "A") return words(combined.input_status(input, StreamStatus::active));
    return words(combined.input_watermark(input, parse_time(what)));
  };
  EXPECT_EQ(run_script(script, step), script);
}

struct CombinedVector {
  const char* id;
  uint32_t inputs;
  const char* flink;
  const char* tidemark;  ///< null: the same with all_idle = flush
};

std::ostream& operator<<(std::ostream& out, const CombinedVector& vector) {
  return out << vector.id;
}

constexpr CombinedVector kVectors[] = {
    {"vec_C01", 2, "a:1 b:I [W1] a:3 [W3] b:A a:4", nullptr},
    {"vec_C02", 2, "a:I b:I [IDLE]", nullptr},
    {"vec_C03", 3, "a:1 b:I c:I [W1] a:3 [W3] b:A a:4", nullptr},
    {"vec_C04", 2, "a:5 b:2 [W2] a:I b:I [W5,IDLE]", nullptr},
    {"vec_C05", 2, "a:5 b:2 [W2] b:I [W5] a:I [IDLE]", nullptr},
    {"vec_C06", 2, "a:5 b:2 [W2] a:I b:I [W5,IDLE] b:A [ACT] b:3 b:6 [W6]", nullptr},
    {"vec_C07", 2, "a:10 b:7 [W7] b:I [W10] b:A a:20 b:8 b:15 [W15]", nullptr},
    // Decision 4: a is finished; that b is idle must not end the input.
    {"vec_C08", 2, "a:MAX b:100 [W100] b:I [WMAX]", "a:MAX b:100 [W100] b:I [IDLE]"},
    // Decision 2: whatever wakes an input makes the output active.
    {"vec_C09", 2, "a:I b:I [IDLE] a:5 [W5]", "a:I b:I [IDLE] a:5 [ACT,W5]"},
    {"vec_C10", 2, "a:10 a:I b:4 [W4] b:I [W10,IDLE] b:A [ACT] a:A b:12 a:12 [W12]", nullptr},
};

class CombinedStatusVectors : public testing::TestWithParam<CombinedVector> {};

TEST_P(CombinedStatusVectors, traces) {
  const CombinedVector& vector = GetParam();
  expect_trace(vector.inputs, MergeOptions::flink_f24(), vector.flink);
  expect_trace(vector.inputs, kFlush, vector.tidemark != nullptr ? vector.tidemark : vector.flink);
}

INSTANTIATE_TEST_SUITE_P(combined, CombinedStatusVectors, testing::ValuesIn(kVectors),
                         [](const auto& param) { return std::string(param.param.id); });

TEST(CombinedStatus, decisions_3_4_and_6) {
  expect_trace(2, kFlush, "a:5 b:2 [W2] a:I b:I [W5,IDLE] a:MAX b:MAX [ACT,WMAX]");
  expect_trace(2, {}, "a:5 b:2 [W2] a:I b:I [IDLE] b:3 [ACT,W3]");
  expect_trace(2, {ResumeRule::hold, AllIdlePolicy::end_of_time, MergeRules::tidemark},
               "a:5 b:2 [W2] a:I b:I [WMAX,IDLE]");
}

TEST(CombinedStatus, parts_are_known_by_number) {
  CombinedStatus combined;
  EXPECT_TRUE(combined.add(3));
  EXPECT_FALSE(combined.add(3));
  EXPECT_FALSE(combined.remove(4));
  EXPECT_EQ(combined.holder(), 3U);
  EXPECT_TRUE(combined.remove(3));
  EXPECT_FALSE(combined.recompute()) << "no parts: unchanged";
  EXPECT_EQ(combined.holder(), UINT32_MAX);
}

// Gates, each with its own valve, over one combined status; a chained source may be the last input.
class Gates {
 public:
  Gates(uint32_t gates, uint32_t channels, bool with_source)
      : valves_(gates, StatusWatermarkValve(MergeOptions::flink_f24())),
        combined_(gates + (with_source ? 1 : 0), MergeOptions::flink_f24()) {
    for (StatusWatermarkValve& valve : valves_) {
      for (uint32_t channel = 0; channel < channels; ++channel) valve.add_channel(channel);
    }
  }
  // "01:5" gate 0, channel 1; "s:5" the source.
  std::string step(std::string_view token) {
    const std::string_view what = token.substr(token.find(':') + 1);
    if (token[0] == 's') return forward(static_cast<uint32_t>(valves_.size()), output_of(what));
    const auto gate = static_cast<uint32_t>(token[0] - '0');
    const auto channel = static_cast<uint32_t>(token[1] - '0');
    StatusWatermarkValve& valve = valves_[gate];
    const WatermarkOutput in = output_of(what);
    return forward(
        gate, in.watermark ? valve.input_watermark(channel, *in.watermark) : valve.input_status(channel, *in.status));
  }

 private:
  static WatermarkOutput output_of(std::string_view what) {
    if (what == "I") return {std::nullopt, StreamStatus::idle};
    if (what == "A") return {std::nullopt, StreamStatus::active};
    return {parse_time(what), std::nullopt};
  }
  std::string forward(uint32_t input, const WatermarkOutput& out) {
    std::string said;
    const auto add = [&said](const std::string& more) { said += (said.empty() || more.empty() ? "" : ",") + more; };
    if (out.status == StreamStatus::active) add(words(combined_.input_status(input, StreamStatus::active)));
    if (out.watermark) add(words(combined_.input_watermark(input, *out.watermark)));
    if (out.status == StreamStatus::idle) add(words(combined_.input_status(input, StreamStatus::idle)));
    return said;
  }

  std::vector<StatusWatermarkValve> valves_;
  CombinedInputs combined_;
};

void expect_gates(Gates gates, const std::string& script) {
  EXPECT_EQ(run_script(script, [&](std::string_view token) { return gates.step(token); }), script);
}

TEST(CombinedStatus, vec_V29) {
  const std::string tail =
      "%:4 %:3 %:3 %:2 [W2] %:4 [W3] %:4 %:4 [W4] %:I %:I %:6 %:5 [W5] %:I [W6] %:I [IDLE] %:A [ACT] %:A";
  const auto script = [&tail](const std::vector<std::string>& names) {
    // The channel of each step, as (gate, channel) pairs of the vector.
    const int order[] = {0, 1, 2, 3, 0, 1, 2, 3, 3, 1, 2, 1, 2, 0, 3, 3, 0, 2, 1};
    std::string text = "%:0 %:0 %:0 %:0 [W0] " + tail;
    for (const int index : order) text.replace(text.find('%'), 1, names[static_cast<size_t>(index)]);
    return text;
  };
  expect_gates(Gates(2, 2, false), script({"00", "01", "10", "11"}));
  expect_gates(Gates(1, 4, false), script({"00", "01", "02", "03"}));
}

TEST(CombinedStatus, vec_C11) {
  // The source marks itself idle when drained; its record passes beside the watermarks.
  expect_gates(Gates(2, 2, true),
               "00:6 01:6 10:6 11:6 s:I [W6] 01:I 10:I 11:I 00:I [IDLE] s:A [ACT] s:10 [W10] s:I [IDLE] 10:A [ACT]");
}

TEST(CombinedStatus, vec_C12) {
  expect_gates(Gates(2, 2, true), "00:MAX 01:MAX s:MAX 10:MAX 11:MAX [WMAX]");
}

}  // namespace
}  // namespace tidemark::core::test
