// SPDX-License-Identifier: Apache-2.0
//
// One split's progress: changes as they go into the lanes, decision 7 (who is never idle), known progress,
// restart, and vectors M25, G14, G16 and G18 where they are about this duty.
#include "core/event_time/split_progress.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/event_time/watermark_valve.hpp"

namespace tidemark::core::test {
namespace {

constexpr Micros kMs = kMicrosPerMilli;
constexpr SplitReading kFree{};
constexpr SplitReading kUnread{true, false, false};
constexpr SplitReading kPaused{false, true, false};
constexpr SplitReading kBlocked{false, false, true};

SplitProgressOptions with_timeout(Micros timeout_us, WatermarkStrategyKind kind = WatermarkStrategyKind::ascending) {
  return {{kind, 0}, timeout_us};
}

SplitProgressOptions with_bound(Micros bound_us, Micros timeout_us) {
  return {{WatermarkStrategyKind::bounded_out_of_orderness, bound_us}, timeout_us};
}

std::string words(const std::optional<SplitChange>& change) {
  if (!change) return "";
  const std::string time = change->watermark == kNoTime ? "none" : std::to_string(change->watermark);
  return std::string(state_word(change->state)) + " " + time;
}

// Drives a split's clock in steps of the probe interval; collects what it says.
struct Driver {
  explicit Driver(SplitProgressOptions options) : split(3, options, 1000), now(1000) {}
  Driver(SplitProgressOptions options, std::unique_ptr<WatermarkGenerator> generator)
      : split(3, options, std::move(generator), 1000), now(1000) {}

  std::string rows(std::vector<Micros> times) { return words(split.on_batch({times}, now)); }
  // All changes of the span, joined.
  std::string pass(Micros span, SplitReading reading, Micros step = 0) {
    std::string said;
    const Micros end = now + span;
    if (step == 0) step = split.probe_interval_us();
    while (now < end) {
      now = std::min(end, now + step);
      const std::string change = words(split.tick(now, reading));
      said += (said.empty() || change.empty() ? "" : ", ") + change;
    }
    return said;
  }
  SplitProgress split;
  Micros now;
};

TEST(SplitProgress, at_most_one_monotone_change_per_call) {
  Driver d(with_bound(5, 0));
  EXPECT_EQ(d.pass(100, kFree, 10), "") << "nothing before the first row";
  EXPECT_EQ(d.rows({20, 30, 10}), "active 24");
  EXPECT_EQ(d.rows({29, kNoTime}), "");
  EXPECT_EQ(d.rows({}), "");
  EXPECT_EQ(d.rows({40}), "active 34");
  EXPECT_EQ(words(d.split.finish(d.now)), "finished 34");
  EXPECT_EQ(words(d.split.finish(d.now)), "");
  EXPECT_EQ(d.rows({99}), "");
  EXPECT_EQ(d.split.status(d.now).max_event_time, 40);
  EXPECT_EQ(d.split.current(), (SplitChange{3, 34, SplitState::finished}));
}

TEST(SplitProgress, a_silent_split_goes_idle_once_and_rows_wake_it) {
  Driver d(with_timeout(1000 * kMs));
  EXPECT_EQ(d.split.probe_interval_us(), 100 * kMs);
  EXPECT_EQ(d.rows({50}), "active 49");
  EXPECT_EQ(d.pass(1000 * kMs, kFree), "") << "not before the timeout";
  EXPECT_EQ(d.pass(300 * kMs, kFree), "idle 49") << "T + 3P at the latest";
  EXPECT_EQ(d.pass(60'000 * kMs, kFree), "");
  EXPECT_EQ(words(d.split.before_batch(d.now)), "active 49");
  EXPECT_EQ(words(d.split.before_batch(d.now)), "");
  EXPECT_EQ(d.rows({20}), "");
  EXPECT_EQ(d.pass(1400 * kMs, kFree), "idle 49");
  EXPECT_EQ(d.rows({60}), "active 59") << "without before_batch the wake-up comes with the watermark";
}

TEST(SplitProgress, without_a_timeout_it_is_never_idle) {
  Driver d(with_timeout(0));
  EXPECT_EQ(d.pass(kMicrosPerSecond * 3600, kFree, kMicrosPerSecond), "");
}

// Decision 7. Flink's vector G14 says idle although paused; tidemark does not.
TEST(SplitProgress, vec_G14) {
  for (const SplitReading held : {kPaused, kBlocked, kUnread}) {
    Driver d(with_timeout(1000 * kMs));
    d.rows({50});
    EXPECT_EQ(d.pass(1100 * kMs, kFree), "") << "just before it would be idle";
    EXPECT_EQ(d.pass(60'000 * kMs, held), "");
    EXPECT_EQ(d.pass(100 * kMs, kFree), "") << "the clock stood still";
    EXPECT_EQ(d.pass(200 * kMs, kFree), "idle 49");
  }
}

TEST(SplitProgress, vec_G16) {
  Driver d(with_timeout(100 * kMs, WatermarkStrategyKind::none));
  EXPECT_EQ(d.pass(1000 * kMs, kBlocked), "");
  EXPECT_EQ(d.pass(1000 * kMs, kBlocked, 100 * kMs), "");
  EXPECT_EQ(d.pass(1000 * kMs, kFree), "idle none") << "exactly once";
}

TEST(SplitProgress, a_disconnected_split_holds_the_watermark_and_is_never_idle) {
  Driver d(with_timeout(1000 * kMs));
  EXPECT_EQ(d.rows({50}), "active 49");
  EXPECT_EQ(words(d.split.set_disconnected("cannot reach it", d.now)), "");
  EXPECT_EQ(d.pass(60'000 * kMs, kFree), "");
  EXPECT_EQ(d.split.status(d.now).state, SplitState::disconnected);
  EXPECT_EQ(d.split.status(d.now).reason, "cannot reach it");
  EXPECT_EQ(words(d.split.set_disconnected("still gone", d.now)), "");
  EXPECT_EQ(d.split.status(d.now).reason, "still gone");
  EXPECT_EQ(words(d.split.set_connected(d.now)), "");
  EXPECT_EQ(d.split.status(d.now).state, SplitState::active);
  EXPECT_EQ(d.pass(1000 * kMs, kFree), "") << "its silence counts from anew";
  EXPECT_EQ(d.pass(400 * kMs, kFree), "idle 49");
  EXPECT_EQ(words(d.split.set_disconnected("gone again", d.now)), "active 49") << "idle needs a connection";
  EXPECT_EQ(d.rows({60}), "active 59");
  EXPECT_FALSE(d.split.is_disconnected()) << "rows prove a connection";
  d.split.set_disconnected("and once more", d.now);
  EXPECT_EQ(words(d.split.finish(d.now)), "finished 59");
  EXPECT_EQ(d.split.status(d.now).state, SplitState::finished);
}

// Decision 7, FLINK-40234: a call that takes long, a stopped process, a suspended machine.
TEST(SplitProgress, time_in_which_nobody_polled_does_not_count) {
  Driver d(with_timeout(1000 * kMs));
  d.rows({50});
  d.pass(500 * kMs, kFree);
  EXPECT_EQ(d.pass(3600 * kMicrosPerSecond, kFree, 3600 * kMicrosPerSecond), "");
  EXPECT_EQ(d.pass(300 * kMs, kFree), "");
  EXPECT_EQ(d.pass(500 * kMs, kFree), "idle 49");
}

// Decision 7: the timeout has passed, but what came before that may wait for the split's turn in its reader.
TEST(SplitProgress, is_not_idle_before_its_reader_has_looked_once_more) {
  Driver d(with_timeout(1000 * kMs));
  d.rows({50});
  EXPECT_EQ(d.pass(1200 * kMs, kFree), "");
  EXPECT_FALSE(d.split.idle_is_due(d.now));
  EXPECT_TRUE(d.split.idle_is_due(d.now + 1));
  constexpr SplitReading kTurnPending{.turn_pending = true};
  EXPECT_EQ(d.pass(5000 * kMs, kTurnPending), "");
  EXPECT_TRUE(d.split.idle_is_due(d.now)) << "time went on";
  EXPECT_EQ(d.pass(100 * kMs, kFree), "idle 49");
  EXPECT_FALSE(d.split.idle_is_due(d.now)) << "it is";
}

TEST(SplitProgress, unread_data_wakes_an_idle_split) {
  Driver d(with_timeout(1000 * kMs));
  d.rows({50});
  EXPECT_EQ(d.pass(1300 * kMs, kFree), "idle 49");
  EXPECT_EQ(d.pass(100 * kMs, kPaused), "");
  EXPECT_EQ(d.pass(100 * kMs, kUnread), "active 49");
}

class LastMinusOne final : public WatermarkGenerator {
 public:
  void on_batch(const RowTimes& rows) override { last_ = rows.event_times.back(); }
  Micros periodic() const override { return saturating_sub(last_, 1); }
  std::string snapshot() const override { return {}; }
  void restore(std::string_view) override {}

 private:
  Micros last_ = kNoTime;
};

TEST(SplitProgress, vec_G18) {
  Driver d({}, std::make_unique<LastMinusOne>());
  EXPECT_EQ(d.rows({4}), "active 3");
  EXPECT_EQ(d.rows({2}), "");
  EXPECT_EQ(d.pass(10, kFree, 1), "");
}

// Markers give a watermark each (strategy punctuated); semantics 1.4.
TEST(SplitProgress, punctuated_follows_its_markers) {
  Driver d(with_timeout(1000 * kMs, WatermarkStrategyKind::punctuated));
  const auto rows = [&d](std::vector<Micros> times, std::vector<uint8_t> markers) {
    return words(d.split.on_batch({times, markers}, d.now));
  };
  EXPECT_EQ(rows({50, 60}, {0, 0}), "");
  EXPECT_EQ(rows({50, 60}, {1, 0}), "active 49");
  EXPECT_EQ(rows({40}, {1}), "");
  EXPECT_EQ(d.split.status(d.now).max_event_time, 60);
  EXPECT_EQ(d.pass(1300 * kMs, kFree), "idle 49") << "idleness wraps it as any other";
  EXPECT_EQ(rows({70}, {0}), "active 49");
}

// Advances with the clock that it is told; semantics 1.5.6: muted while idle.
class Ticking final : public WatermarkGenerator {
 public:
  void on_batch(const RowTimes&) override {}
  void on_tick(Micros now) override { now_ = now; }
  Micros periodic() const override { return now_; }
  std::string snapshot() const override { return "state"; }
  void restore(std::string_view state) override { restored = state; }
  Status failure() const override { return now_ > 1200 ? Status(Code::plugin, "too late") : Status(); }

  std::string restored;

 private:
  Micros now_ = kNoTime;
};

TEST(SplitProgress, generators_of_ones_own_see_the_splits_clock_and_keep_their_failure) {
  Driver d({}, std::make_unique<Ticking>());
  EXPECT_EQ(d.pass(100, kFree, 100), "active 1100");
  EXPECT_EQ(d.pass(100, kBlocked, 100), "") << "held: no tick";
  EXPECT_EQ(d.pass(100, kFree, 100), "") << "the span until it was free again does not count";
  EXPECT_TRUE(d.split.failure().is_ok());
  EXPECT_EQ(d.pass(200, kFree, 200), "active 1300");
  EXPECT_EQ(d.split.failure().message(), "too late");

  auto generator = std::make_unique<Ticking>();
  const Ticking& inner = *generator;
  Driver after({}, std::move(generator));
  after.split.restore(d.split.snapshot(d.now), after.now);
  EXPECT_EQ(inner.restored, "state");

  Driver muted(with_timeout(100), std::make_unique<Ticking>());
  EXPECT_EQ(muted.pass(10, kFree, 10), "active 1010");
  EXPECT_NE(muted.pass(200, kFree).find("idle"), std::string::npos);
  EXPECT_EQ(muted.pass(1000, kFree), "");
}

TEST(SplitProgress, vec_M25) {
  Driver d(with_timeout(0, WatermarkStrategyKind::source_watermarks));
  const auto watermark = [&d](Micros time) { return words(d.split.on_source_watermark(time, d.now)); };
  EXPECT_EQ(watermark(12), "active 12");
  EXPECT_EQ(watermark(17), "active 17");
  EXPECT_EQ(watermark(10), "");
  EXPECT_EQ(watermark(18), "active 18");
  EXPECT_EQ(watermark(17), "");
  EXPECT_EQ(watermark(18), "");
  EXPECT_EQ(words(d.split.set_idle(true, d.now)), "idle 18");
  EXPECT_EQ(words(d.split.set_idle(true, d.now)), "");
  EXPECT_EQ(watermark(100), "active 100");
  EXPECT_EQ(watermark(kEndOfTime), "active " + std::to_string(kEndOfTime - 1)) << "only finishing is the end";
}

TEST(SplitProgress, a_split_marked_idle_by_its_source_stays_so) {
  Driver d(with_timeout(1000 * kMs));
  d.rows({50});
  EXPECT_EQ(words(d.split.set_idle(true, d.now)), "idle 49");
  EXPECT_EQ(d.pass(5000 * kMs, kFree), "") << "a periodic call does not overrule the source";
  EXPECT_EQ(d.pass(500 * kMs, kUnread), "");
  EXPECT_EQ(words(d.split.set_idle(false, d.now)), "active 49");
  EXPECT_EQ(d.pass(1000 * kMs, kFree), "");
  EXPECT_EQ(d.pass(300 * kMs, kFree), "idle 49");
}

TEST(SplitProgress, known_progress_beats_idleness_while_it_advances) {
  Driver d(with_bound(10, 1000 * kMs));
  d.rows({50});
  const auto progress = [&d](Micros time) { return words(d.split.on_progress(time, d.now)); };
  EXPECT_EQ(progress(45), "active 44");
  EXPECT_EQ(progress(45), "");
  for (Micros time = 100; time <= 1000; time += 100) {
    EXPECT_EQ(progress(time), "active " + std::to_string(time - 1));
    EXPECT_EQ(d.pass(900 * kMs, kFree), "");
  }
  std::string said;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(progress(1000), "") << "a repeated word is no progress";
    said += d.pass(200 * kMs, kFree);
  }
  EXPECT_EQ(said, "idle 999");
  EXPECT_EQ(progress(1001), "active 1000");
  EXPECT_EQ(d.rows({500}), "") << "late by its own word, but the watermark stands";
  EXPECT_EQ(progress(kNoTime), "");
  EXPECT_EQ(progress(kEndOfTime), "active " + std::to_string(kEndOfTime - 1));
}

TEST(SplitProgress, decision_9_restart_keeps_watermark_idle_state_and_age) {
  Driver d(with_timeout(1000 * kMs));
  d.rows({50});
  d.split.on_progress(70, d.now);
  EXPECT_EQ(d.pass(900 * kMs, kFree), "");
  const SplitProgressState saved = d.split.snapshot(d.now);
  EXPECT_EQ(saved.watermark, 69);
  EXPECT_EQ(saved.activity_age_us, 900 * kMs);
  EXPECT_EQ(saved.silent_us, 700 * kMs);

  Driver after(with_timeout(1000 * kMs));
  after.split.restore(saved, after.now);
  EXPECT_EQ(after.split.snapshot(after.now), saved);
  EXPECT_EQ(words(after.split.current()), "active 69");
  EXPECT_EQ(after.rows({60}), "") << "behind what was known before the restart";
  after.split.restore(saved, after.now);
  EXPECT_EQ(after.pass(300 * kMs, kFree), "");
  EXPECT_EQ(after.pass(100 * kMs, kFree), "idle 69") << "it does not wait for another timeout";

  Driver idle(with_timeout(1000 * kMs));
  idle.split.restore(after.split.snapshot(after.now), idle.now);
  EXPECT_EQ(words(idle.split.current()), "idle 69");
  EXPECT_EQ(idle.pass(100 * kMs, kFree), "");
  EXPECT_EQ(idle.rows({80}), "active 79");
}

TEST(SplitProgress, status_tells_the_state_in_words) {
  Driver d(with_timeout(1000 * kMs));
  EXPECT_EQ(describe(d.split.status(d.now)), "active: has not given a watermark yet; watermark none");
  d.rows({1'000'001});
  d.pass(100 * kMs, kPaused);
  EXPECT_EQ(describe(d.split.status(d.now)),
            "paused_alignment: held back by alignment; watermark 1970-01-01T00:00:01Z");
  d.pass(100 * kMs, kBlocked);
  EXPECT_EQ(d.split.status(d.now).state, SplitState::blocked);
  d.pass(1400 * kMs, kFree);
  const SplitStatus idle = d.split.status(d.now);
  EXPECT_EQ(idle.state, SplitState::idle);
  EXPECT_EQ(idle.reason, "no rows for 1s300ms (idle_timeout 1s)") << "held time is not counted";
  EXPECT_EQ(idle.last_activity_age_us, 1300 * kMs);
  d.split.on_progress(2'000'000, d.now);
  EXPECT_EQ(d.split.status(d.now).reason,
            "no rows, but the source knows that nothing before 1970-01-01T00:00:02Z is to come");
  d.split.finish(d.now);
  EXPECT_EQ(d.split.status(d.now).reason, "end of input");
}

// Case W12 at component level: the job's watermark is the minimum over splits, never the maximum.
// A: one row at 100 s at the start, then open. B: 1 to 9 s, one per 200 ms. Windows of 10 s, bound 0.
TEST(SplitProgress, case_W12) {
  const Micros second = kMicrosPerSecond;
  for (const bool goes_idle : {false, true}) {
    const SplitProgressOptions options = with_timeout(2 * second);
    Micros now = second;
    SplitProgress a(0, options, now);
    SplitProgress b(1, options, now);
    StatusWatermarkValve valve;
    valve.add_channel(0);
    valve.add_channel(1);
    Micros job = kNoTime;
    const auto say = [&](const std::optional<SplitChange>& change) {
      const WatermarkOutput out = change ? valve.apply(*change) : WatermarkOutput{};
      if (out.watermark) job = *out.watermark;
    };
    const auto row = [&](SplitProgress& split, Micros time) {
      EXPECT_GT(time + 10 * second, job) << "its window is open";
      say(split.on_batch({std::span(&time, 1)}, now));
    };
    row(a, 100 * second);
    EXPECT_EQ(job, kNoTime);
    for (Micros time = second; time <= 9 * second; time += second) {
      row(b, time);
      EXPECT_LT(job, 9 * second) << "[0,10) must not close";
      EXPECT_EQ(job, time - 1);
      now += 200 * kMs;
      say(a.tick(now, kFree));
      say(b.tick(now, kFree));
    }
    EXPECT_EQ(valve.holder(), 1U);
    if (goes_idle) {
      const Micros end = now + 3 * second;
      for (; now < end; now += 100 * kMs) {
        say(b.tick(now, kFree));
        say(a.tick(now, kUnread));
      }
      EXPECT_EQ(job, 100 * second - 1) << "b is idle: a alone decides";
    } else {
      say(b.finish(now));
      EXPECT_EQ(job, 100 * second - 1) << "b ended: a alone decides";
    }
  }
}

}  // namespace
}  // namespace tidemark::core::test
