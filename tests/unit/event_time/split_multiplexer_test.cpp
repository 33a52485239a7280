// SPDX-License-Identifier: Apache-2.0
//
// Vectors of the multiplexer (semantics 2.3) with bare Flink rules at level F24 and with tidemark's.
//
// M25 runs against SplitProgress, which has the adapter's duty in tidemark (split_progress_test.cpp); M29 and M30,
// about a main output and batch mode, in foreign_vectors_test.cpp.
#include "core/event_time/split_multiplexer.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

constexpr MergeOptions kFlush{ResumeRule::hold, AllIdlePolicy::flush, MergeRules::tidemark};

WatermarkOutput step_multiplexer(SplitMultiplexer& multiplexer, std::string_view token) {
  if (token == "P") return multiplexer.on_periodic_emit();
  if (token[0] == '+') return multiplexer.add_split(static_cast<uint32_t>(token[1] - 'a'));
  if (token[0] == '-') return multiplexer.remove_split(static_cast<uint32_t>(token[1] - 'a'));
  const bool immediate = token[0] == 'i';
  const auto split = static_cast<uint32_t>(token[2] - 'a');
  const std::string_view what = token.substr(4);
  if (what == "I" || what == "A") {
    const StreamStatus status = what == "I" ? StreamStatus::idle : StreamStatus::active;
    if (immediate) return multiplexer.immediate_status(split, status);
    multiplexer.deferred_status(split, status);
  } else {
    if (immediate) return multiplexer.immediate_watermark(split, parse_time(what));
    multiplexer.deferred_watermark(split, parse_time(what));
  }
  return {};
}

void expect_trace(MergeOptions options, const std::string& script) {
  SplitMultiplexer multiplexer(options);
  const auto step = [&](std::string_view token) { return words(step_multiplexer(multiplexer, token), "mI"); };
  EXPECT_EQ(run_script(script, step), script);
}

struct MultiplexerVector {
  const char* id;
  const char* flink;
  const char* tidemark;  ///< null: the same with all_idle = flush
};

std::ostream& operator<<(std::ostream& out, const MultiplexerVector& vector) {
  return out << vector.id;
}

constexpr MultiplexerVector kVectors[] = {
    {"vec_M01", "+a i:a:0 [W0]", nullptr},
    {"vec_M02", "+a i:a:I [mI]", nullptr},
    {"vec_M03", "+a i:a:I [mI] i:a:0 [W0]", "+a i:a:I [mI] i:a:0 [ACT,W0]"},  // decision 2
    {"vec_M04", "+a +b +c i:a:2 i:b:5 i:c:I [W2]", nullptr},
    {"vec_M05", "+a +b i:a:2 i:b:5 [W2] i:a:I [W5]", nullptr},
    {"vec_M06", "+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [W5,mI]", nullptr},
    {"vec_M07", "+a +b d:a:5 d:a:I d:b:2 d:b:I P [W5,mI]", nullptr},
    {"vec_M08", "+a +b i:a:2 i:b:5 [W2] i:a:I [W5] i:a:3", nullptr},
    {"vec_M09", "P", "P [mI] P"},  // decision 5: a reader without splits is idle
    {"vec_M10", "+a +b d:a:0 d:b:1 P [W0]", nullptr},
    {"vec_M11", "+a d:a:I P [mI] d:a:0 P [W0]", "+a d:a:I P [mI] d:a:0 P [ACT,W0]"},  // decision 2
    {"vec_M12", "+a +b +c d:a:2 d:b:5 d:c:I P [W2]", nullptr},
    {"vec_M13", "+a +b d:b:5 i:a:2 [W2]", nullptr},
    {"vec_M14", "+a d:a:5 P [W5] i:a:2 P", nullptr},
    {"vec_M15", "+a d:a:5 i:a:2", nullptr},
    {"vec_M16", "+a +b i:a:156765 -a i:b:156775 [W156775]", nullptr},
    // Decision 5: releasing recomputes at once, and the last split gone is idle at once (M17, M18, M19, M26).
    {"vec_M17", "+a +b i:a:-4343 i:b:-4333 [W-4343] -a P [W-4333]", "+a +b i:a:-4343 i:b:-4333 [W-4343] -a [W-4333] P"},
    {"vec_M18", "+a i:a:2 [W2] -a +b i:b:1", "+a i:a:2 [W2] -a [mI] +b [ACT] i:b:1"},
    {"vec_M19", "+a i:a:1 [W1] -a P", "+a i:a:1 [W1] -a [mI] P"},
    {"vec_M20", "+a d:a:I P [mI] P [mI] P [mI]", "+a d:a:I P [mI] P P"},  // said once per change
    {"vec_M21", "+a +b i:a:10 i:b:4 [W4] i:b:I [W10] i:b:A i:a:20 i:b:15 [W15]", nullptr},
    {"vec_M26", "+a +b i:a:100 i:b:200 [W100] i:a:150 [W150] -a i:b:200 P [W200]",
     "+a +b i:a:100 i:b:200 [W100] i:a:150 [W150] -a [W200] i:b:200 P"},
    {"vec_M27", "+a +b i:a:100 i:a:200 i:a:300 i:b:150 [W150] i:b:400 [W300]", nullptr},
    {"vec_M28", "+a +b i:a:1042 i:b:42 [W42]", nullptr},
};

class SplitMultiplexerVectors : public testing::TestWithParam<MultiplexerVector> {};

TEST_P(SplitMultiplexerVectors, traces) {
  const MultiplexerVector& vector = GetParam();
  expect_trace(MergeOptions::flink_f24(), vector.flink);
  expect_trace(kFlush, vector.tidemark != nullptr ? vector.tidemark : vector.flink);
}

INSTANTIATE_TEST_SUITE_P(multiplexer, SplitMultiplexerVectors, testing::ValuesIn(kVectors),
                         [](const auto& param) { return std::string(param.param.id); });

// Flink's adapter below the multiplexer (semantics 1.7.4), to state what M22 to M24 give there.
class FlinkAdapter {
 public:
  std::string step(std::string_view token) {
    const WatermarkOutput in = step_multiplexer(multiplexer_, token);
    WatermarkOutput out;
    if (in.watermark && *in.watermark > most_) {
      most_ = *in.watermark;
      out.watermark = most_;
      if (idle_) out.status = StreamStatus::active;
      idle_ = false;
    }
    if (in.status == StreamStatus::idle && !idle_) {
      idle_ = true;
      out.status = StreamStatus::idle;
    }
    return words(out);
  }

 private:
  SplitMultiplexer multiplexer_{MergeOptions::flink_f24()};
  Micros most_ = kNoTime;
  bool idle_ = false;
};

void expect_both(const std::string& flink, const std::string& tidemark) {
  FlinkAdapter adapter;
  EXPECT_EQ(run_script(flink, [&](std::string_view token) { return adapter.step(token); }), flink);
  SplitMultiplexer multiplexer(kFlush);
  const auto step = [&](std::string_view token) { return words(step_multiplexer(multiplexer, token)); };
  EXPECT_EQ(run_script(tidemark, step), tidemark);
}

// Decision 2 (FLINK-40504, FLINK-22926): Flink stays idle until a watermark passes the flushed one.
TEST(SplitMultiplexer, vec_M22) {
  expect_both("+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [W5,IDLE] i:b:3 P i:b:5 P i:b:6 [ACT,W6]",
              "+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [W5,IDLE] i:b:3 [ACT] P i:b:5 P i:b:6 [W6]");
}
TEST(SplitMultiplexer, vec_M23) {
  expect_both("+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [W5,IDLE] +c P i:c:4 i:c:5 i:c:6 [ACT,W6]",
              "+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [W5,IDLE] +c [ACT] P i:c:4 i:c:5 i:c:6 [W6]");
}
TEST(SplitMultiplexer, vec_M24) {
  expect_both("+a d:a:I P [IDLE] d:a:MIN P d:a:0 P [ACT,W0]", "+a d:a:I P [IDLE] d:a:MIN P [ACT] d:a:0 P [W0]");
}

TEST(SplitMultiplexer, defaults_hold_when_all_are_idle_and_know_their_holder) {
  expect_trace({}, "+a +b i:a:5 i:b:2 [W2] i:a:I i:b:I [mI] i:b:3 [ACT,W3]");
  SplitMultiplexer multiplexer;
  EXPECT_TRUE(multiplexer.is_idle());
  multiplexer.add_split(4);
  multiplexer.add_split(2);
  multiplexer.immediate_watermark(4, 10);
  EXPECT_EQ(multiplexer.holder(), 2U);
  bool existed = true;
  multiplexer.remove_split(9, &existed);
  EXPECT_FALSE(existed);
}

}  // namespace
}  // namespace tidemark::core::test
