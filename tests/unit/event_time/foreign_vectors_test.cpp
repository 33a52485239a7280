// SPDX-License-Identifier: Apache-2.0
//
// Vectors of semantics section 2 about components of Flink that tidemark does not have (an operator inside a chain,
// a reader's main output, batch mode, assigners in mid-stream and in SQL), each run against what stands in that
// place: the edge of the valve, the multiplexer, a split's progress. Where a decision of section 5 gives another
// result, both are stated. G19 is in tests/unit/ingest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/event_time/split_multiplexer.hpp"
#include "core/event_time/split_progress.hpp"
#include "core/event_time/watermark_valve.hpp"
#include "tests/unit/event_time/vector_script.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kMs = kMicrosPerMilli;

// Splits over one valve, as ingest and worker put them together. What is said: watermarks and statuses of the valve.
class Pipeline {
 public:
  explicit Pipeline(std::vector<SplitProgressOptions> splits, MergeOptions merging = {}) : valve_(merging) {
    for (const SplitProgressOptions& options : splits) {
      const auto id = static_cast<uint32_t>(splits_.size());
      splits_.push_back(std::make_unique<SplitProgress>(id, options, now_));
      valve_.add_channel(id);
    }
  }
  std::string rows(uint32_t split, std::vector<Micros> times) {
    const std::string woken = say(splits_[split]->before_batch(now_));
    const std::string moved = say(splits_[split]->on_batch({times}, now_));
    return woken + (woken.empty() || moved.empty() ? "" : ",") + moved;
  }
  std::string idle(uint32_t split) { return say(splits_[split]->set_idle(true, now_)); }
  std::string source_watermark(uint32_t split, Micros time) {
    return say(splits_[split]->on_source_watermark(time, now_));
  }
  std::string finish(uint32_t split) { return say(splits_[split]->finish(now_)); }
  // Ticks of all splits until `until`, `period` apart.
  std::string ticks(Micros until, Micros period) {
    std::string said;
    while (now_ < until) {
      now_ = std::min(until, now_ + period);
      for (auto& split : splits_) said += say(split->tick(now_, {}));
    }
    return said;
  }

 private:
  std::string say(const std::optional<SplitChange>& change) { return change ? words(valve_.apply(*change)) : ""; }

  Micros now_ = 0;
  std::vector<std::unique_ptr<SplitProgress>> splits_;
  StatusWatermarkValve valve_;
};

SplitProgressOptions strategy(WatermarkStrategyKind kind, Micros idle_timeout_us = 0) {
  return {{kind, 0}, idle_timeout_us};
}

std::string run_valve(MergeOptions options, const std::string& script) {
  StatusWatermarkValve valve(options);
  valve.add_channel(0);
  return run_script(script, [&](std::string_view token) {
    if (token == "I") return words(valve.input_status(0, StreamStatus::idle));
    if (token == "A") return words(valve.input_status(0, StreamStatus::active));
    return words(valve.input_watermark(0, parse_time(token)));
  });
}

// An edge that is idle swallows watermarks; records pass beside it in any case.
TEST(ForeignVectors, vec_V30) {
  const std::string script = "I [IDLE] 40 50 60 A [ACT] 70 [W70] 80 [W80] 90 [W90]";
  EXPECT_EQ(run_valve(MergeOptions::flink_f24(), script), script);
  EXPECT_EQ(run_valve({}, script), script);
  // Decision 2: in tidemark the records themselves wake their split, so nothing of theirs is swallowed.
  Pipeline chain({strategy(WatermarkStrategyKind::ascending)});
  EXPECT_EQ(chain.idle(0), "IDLE");
  EXPECT_EQ(chain.rows(0, {41}), "ACT,W40");
  EXPECT_EQ(chain.rows(0, {51}), "W50");
}

// Flink's reader side for M29: the slots "main" and "splits" over one adapter (semantics 1.7.3 and 1.7.4).
class FlinkReader {
 public:
  std::string step(std::string_view token) {
    const std::string_view what = token.substr(2);
    if (token[0] == 'm') {
      if (what == "I") return mark_idle(main_idle_);
      const std::string said = emit(parse_time(what));
      main_idle_ = false;
      return said;
    }
    const auto split = static_cast<uint32_t>(token[0] - 'a');
    if (!splits_known_[split]) multiplexer_.add_split(split);  // M29: with its first record
    splits_known_[split] = true;
    const WatermarkOutput out = what == "I" ? multiplexer_.immediate_status(split, StreamStatus::idle)
                                            : multiplexer_.immediate_watermark(split, parse_time(what));
    std::string said;
    if (out.watermark) {
      said = emit(*out.watermark);
      splits_idle_ = false;
    }
    if (out.status == StreamStatus::idle) said += mark_idle(splits_idle_);
    return said;
  }

 private:
  std::string emit(Micros watermark) {
    if (watermark <= most_) return "";
    most_ = watermark;
    const WatermarkOutput out{watermark, idle_ ? std::optional(StreamStatus::active) : std::nullopt};
    idle_ = false;
    return words(out);
  }
  std::string mark_idle(bool& slot) {
    slot = true;
    if (!main_idle_ || !splits_idle_ || idle_) return "";
    idle_ = true;
    return "IDLE";
  }

  SplitMultiplexer multiplexer_{MergeOptions::flink_f24()};
  std::map<uint32_t, bool> splits_known_;
  bool main_idle_ = true;
  bool splits_idle_ = true;
  bool idle_ = false;
  Micros most_ = kNoTime;
};

// A reader has one kind of output in tidemark: "main" is one more split there. The output is the same, but for a
// split that is assigned while all are idle: it makes the output active at once (decision 2), not with its first
// watermark.
TEST(ForeignVectors, vec_M29) {
  const std::string flink =
      "m:100 [W100] m:I [IDLE] a:150 [ACT,W150] b:200 a:I [W200] b:I [IDLE] m:250 [ACT,W250] a:I b:I m:I [IDLE] "
      "a:300 [ACT,W300]";
  FlinkReader reader;
  EXPECT_EQ(run_script(flink, [&](std::string_view token) { return reader.step(token); }), flink);

  const std::string tidemark =
      "m:+ [ACT] m:100 [W100] m:I [IDLE] a:+ [ACT] a:150 [W150] b:+ b:200 a:I [W200] b:I [IDLE] m:250 [ACT,W250] a:I "
      "b:I m:I [IDLE] a:300 [ACT,W300]";
  SplitMultiplexer multiplexer;
  multiplexer.on_periodic_emit();  // no split: idle at once (decision 5)
  const auto step = [&](std::string_view token) {
    const auto split = static_cast<uint32_t>(token[0] - 'a');
    const std::string_view what = token.substr(2);
    if (what == "+") return words(multiplexer.add_split(split));
    if (what == "I") return words(multiplexer.immediate_status(split, StreamStatus::idle));
    return words(multiplexer.immediate_watermark(split, parse_time(what)));
  };
  EXPECT_EQ(run_script(tidemark, step), tidemark);
}

// Batch mode says nothing at all. tidemark has no such mode: a bounded job is one that ends. What comes closest is
// the strategy `none`: rows give no watermark, silence no status; the source's own word is still heard (decision 2),
// and the end passes the idle output (decision 3), so that every window fires.
TEST(ForeignVectors, vec_M30) {
  Pipeline splits(std::vector<SplitProgressOptions>(3, strategy(WatermarkStrategyKind::none)));
  EXPECT_EQ(splits.rows(0, {100}) + splits.rows(1, {150}) + splits.rows(2, {200}), "");
  EXPECT_EQ(splits.ticks(3600 * kMicrosPerSecond, kMicrosPerSecond), "");
  EXPECT_EQ(splits.idle(0) + splits.idle(1), "");
  EXPECT_EQ(splits.idle(2), "IDLE");
  EXPECT_EQ(splits.finish(0) + splits.finish(1), "");
  EXPECT_EQ(splits.finish(2), "ACT,WMAX");
}

// What is upstream of tidemark's generators is the source alone. Its watermarks do not mix with a strategy that
// judges by rows, and its end passes. Flink's operator ignores an upstream IDLE since its own watermarks would be
// swallowed (FLINK-26708); a source's mark is heard in tidemark, and nothing is swallowed, since rows wake the
// split (decision 2).
TEST(ForeignVectors, vec_G17) {
  Pipeline split({strategy(WatermarkStrategyKind::ascending)});
  EXPECT_EQ(split.source_watermark(0, 42), "");
  EXPECT_EQ(split.source_watermark(0, kEndOfTime), "") << "only finishing is the end";
  EXPECT_EQ(split.idle(0), "IDLE");
  EXPECT_EQ(split.rows(0, {8}), "ACT,W7");
  EXPECT_EQ(split.finish(0), "WMAX");
}

// SQL's "ts - 1 ms" is a bound of 0 here (semantics 1.4.4 against 1.17.1). Like SQL's assigner, and unlike the
// DataStream operator, an idle split becomes active before its record, so that the record is judged with the split
// in the minimum.
TEST(ForeignVectors, vec_G20) {
  SplitProgressOptions options = strategy(WatermarkStrategyKind::ascending, 1000 * kMs);
  Pipeline split({options});
  EXPECT_EQ(split.rows(0, {1, 2, 3, 4}), "W3") << "with the batch; SQL waits for the tick at 51 ms";
  EXPECT_EQ(split.ticks(1050 * kMs, 50 * kMs), "");
  // SQL: by 1100. Decision 7: more than the timeout after the probe that started the timer, at most T + 3P.
  EXPECT_EQ(split.ticks(1300 * kMs, 50 * kMs), "IDLE");
  EXPECT_EQ(split.rows(0, {4}), "ACT");
  EXPECT_EQ(split.rows(0, {5, 6, 7, 8}), "W7");
  EXPECT_EQ(split.ticks(1800 * kMs, 50 * kMs), "");
}

// Timer periods for (watermark interval, idle timeout), 0 = none. Decision 7: probes are at most a tenth of the
// timeout apart, never further apart than SQL's; the core ticks at the shortest interval of its splits.
TEST(ForeignVectors, vec_G21) {
  struct Period {
    Micros watermark;
    Micros idle;
    Micros sql;
    Micros tidemark;
  };
  const auto sql_period = [](Micros a, Micros b) {
    if (a <= 0 || b <= 0) return std::max(a, b);
    const Micros low = std::min(a, b);
    return std::max<Micros>(1, low * 5 < std::max(a, b) ? low : low / 5);
  };
  for (const Period& period : {Period{5, 0, 5, kEndOfTime}, Period{0, 5, 5, 1}, Period{5, 42, 5, 4},
                               Period{42, 5, 5, 1}, Period{2, 4, 1, 1}, Period{4, 2, 1, 1}, Period{100, 110, 20, 11}}) {
    EXPECT_EQ(sql_period(period.watermark, period.idle), period.sql);
    const SplitProgress split(0, strategy(WatermarkStrategyKind::ascending, period.idle), 0);
    EXPECT_EQ(split.probe_interval_us(), period.tidemark);
    if (period.idle > 0) {
      EXPECT_LE(period.tidemark, period.sql);
    }
  }
}

// A watermark per row. SQL holds changes back to the tick unless they are larger than the interval; in tidemark
// each one that is larger goes out with its batch. SQL begins at 0 and so never says it; tidemark begins at "none".
TEST(ForeignVectors, vec_G22) {
  Pipeline split({strategy(WatermarkStrategyKind::source_watermarks)});
  const auto said = [&split](std::vector<Micros> watermarks) {
    std::string out;
    for (const Micros time : watermarks) {
      const std::string word = split.source_watermark(0, time);
      out += out.empty() || word.empty() ? word : "," + word;
    }
    return out;
  };
  EXPECT_EQ(said({0, 1, 1}), "W0,W1");
  EXPECT_EQ(said({2, 1, 0, kNoTime}), "W2");
  EXPECT_EQ(said({8}), "W8");
  EXPECT_EQ(said({7, kNoTime, 10}), "W10");
  EXPECT_EQ(split.finish(0), "WMAX");
}

}  // namespace
}  // namespace tidemark::core::test
