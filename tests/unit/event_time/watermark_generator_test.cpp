// SPDX-License-Identifier: Apache-2.0
//
// Vectors of generators, idle timer and pausable clock (semantics 2.4) on the bare components.
//
// G16 and G18 run against SplitProgress (split_progress_test.cpp); G17 and G20 to G22, about Flink's operators in
// mid-stream and in SQL, in foreign_vectors_test.cpp; G19 in tests/unit/ingest.
#include "core/event_time/watermark_generator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/event_time/bounded_out_of_orderness.hpp"
#include "core/event_time/idle_timer.hpp"
#include "core/event_time/idleness_generator.hpp"
#include "core/event_time/pausable_clock.hpp"

namespace tidemark::core::test {
namespace {

void event(WatermarkGenerator& generator, Micros time) {
  generator.on_batch({std::span(&time, 1)});
}

TEST(WatermarkGenerator, vec_G01) {
  EXPECT_EQ(BoundedOutOfOrderness(10).periodic(), kNoTime);
}

TEST(WatermarkGenerator, vec_G02) {
  BoundedOutOfOrderness generator(10);
  event(generator, 1337);
  EXPECT_EQ(generator.periodic(), 1326);
}

TEST(WatermarkGenerator, vec_G03) {
  BoundedOutOfOrderness generator(10);
  const std::array<Micros, 4> times{12345, 12300, 12340, 12280};
  generator.on_batch({times});
  EXPECT_EQ(generator.periodic(), 12334);
  EXPECT_EQ(generator.periodic(), 12334);
}

TEST(WatermarkGenerator, vec_G04) {
  const auto generator = make_watermark_generator({WatermarkStrategyKind::ascending, 99});
  event(*generator, 12345);
  event(*generator, 12340);
  EXPECT_EQ(generator->periodic(), 12344);
}

TEST(WatermarkGenerator, decision_11_saturates) {
  BoundedOutOfOrderness wide(kEndOfTime);
  event(wide, 5);
  EXPECT_EQ(wide.periodic(), 5 - kEndOfTime);
  event(wide, -9);
  BoundedOutOfOrderness low(10);
  event(low, kNoTime + 3);
  EXPECT_EQ(low.periodic(), kNoTime);
  event(low, kEndOfTime);
  EXPECT_EQ(low.periodic(), kEndOfTime - 11);
}

TEST(WatermarkGenerator, strategies_and_their_state) {
  const auto none = make_watermark_generator({WatermarkStrategyKind::none, 0});
  event(*none, 7);
  none->on_source_watermark(7);
  EXPECT_EQ(none->periodic(), kNoTime);

  const auto source = make_watermark_generator({WatermarkStrategyKind::source_watermarks, 0});
  event(*source, 7);
  EXPECT_EQ(source->periodic(), kNoTime);
  source->on_source_watermark(5);
  EXPECT_EQ(source->periodic(), 5);

  const auto bounded = make_watermark_generator({WatermarkStrategyKind::bounded_out_of_orderness, 2});
  bounded->on_source_watermark(100);
  event(*bounded, 7);
  EXPECT_EQ(bounded->periodic(), 4);
  for (const auto* generator : {source.get(), bounded.get()}) {
    const auto other = make_watermark_generator(generator == source.get()
                                                    ? WatermarkStrategy{WatermarkStrategyKind::source_watermarks, 0}
                                                    : WatermarkStrategy{{}, 2});
    other->restore(generator->snapshot());
    EXPECT_EQ(other->periodic(), generator->periodic());
  }
}

// State of one kind of generator says nothing to another: a job may change its strategy and keep its state.
TEST(WatermarkGenerator, state_of_another_strategy_starts_anew) {
  BoundedOutOfOrderness bounded(0);
  event(bounded, 1000);
  for (const auto kind :
       {WatermarkStrategyKind::none, WatermarkStrategyKind::source_watermarks, WatermarkStrategyKind::punctuated}) {
    const auto other = make_watermark_generator({kind, 0});
    for (const std::string& state : {bounded.snapshot(), std::string("pmine"), std::string()}) {
      other->restore(state);
      EXPECT_EQ(other->periodic(), kNoTime);
    }
  }
}

TEST(Punctuated, only_markers_with_a_time_move_it_and_never_back) {
  const auto generator = make_watermark_generator({WatermarkStrategyKind::punctuated, 0});
  const auto batch = [&](const std::vector<Micros>& times, const std::vector<uint8_t>& markers) {
    generator->on_batch({times, markers});
    return generator->periodic();
  };
  EXPECT_EQ(batch({50, 60}, {}), kNoTime) << "without an evaluated marker no row is one";
  EXPECT_EQ(batch({50, 60}, {0, 0}), kNoTime);
  EXPECT_EQ(batch({kNoTime, 70}, {1, 0}), kNoTime);
  EXPECT_EQ(batch({20, 99, 30, 10}, {1, 0, 1, 1}), 29);
  EXPECT_EQ(batch({25, kNoTime}, {1, 1}), 29);
  const auto other = make_watermark_generator({WatermarkStrategyKind::punctuated, 0});
  other->restore(generator->snapshot());
  EXPECT_EQ(other->periodic(), 29);
  EXPECT_EQ(batch({kNoTime + 1}, {1}), 29);
}

TEST(IdleTimer, vec_G05) {
  EXPECT_FALSE(IdleTimer::create(0).is_ok());
  EXPECT_FALSE(IdleTimer::create(-1).is_ok());
  EXPECT_NE(IdleTimer::create(-1).status().message().find("-1us"), std::string::npos);
}

// A timer with a clock that starts at 1000 (0 is special: G12).
struct Timed {
  explicit Timed(Micros timeout, Micros start = 1000) : timer(IdleTimer::create(timeout).value()), base(start) {}
  bool probe() { return timer.probe(clock.now(base)); }
  bool probe_after(Micros span) {
    base += span;
    return probe();
  }
  IdleTimer timer;
  PausableClock clock;
  Micros base;
};

TEST(IdleTimer, vec_G06) {
  Timed t(10);
  EXPECT_FALSE(t.probe());
  EXPECT_TRUE(t.probe_after(11));
}

TEST(IdleTimer, vec_G07) {
  Timed t(10);
  EXPECT_FALSE(t.probe());
  EXPECT_FALSE(t.probe_after(10));
  EXPECT_TRUE(t.probe_after(1));
}

TEST(IdleTimer, vec_G08) {
  Timed t(122);
  EXPECT_FALSE(t.probe());
  EXPECT_TRUE(t.probe_after(123));
  EXPECT_TRUE(t.probe_after(100));
}

TEST(IdleTimer, vec_G09) {
  Timed t(10);
  t.probe();
  EXPECT_TRUE(t.probe_after(11));
  t.timer.on_activity();
  EXPECT_FALSE(t.probe());
  EXPECT_FALSE(t.probe());
  EXPECT_TRUE(t.probe_after(11));
}

TEST(IdleTimer, vec_G10) {
  Timed t(10);
  t.timer.on_activity();
  EXPECT_FALSE(t.probe_after(1));
  for (int probe = 0; probe < 3; ++probe) EXPECT_FALSE(t.probe_after(5));
  EXPECT_TRUE(t.probe_after(5)) << "21 after the event: T + 2P + 1";
}

TEST(IdleTimer, vec_G11) {
  IdlenessGenerator generator(std::make_unique<BoundedOutOfOrderness>(0), IdleTimer::create(10).value());
  Micros now = 1000;
  const auto expect = [&](Micros span, std::optional<Micros> watermark, bool mark_idle) {
    now += span;
    const IdlenessGenerator::Probe probe = generator.periodic(now);
    EXPECT_EQ(probe.watermark, watermark);
    EXPECT_EQ(probe.mark_idle, mark_idle);
  };
  expect(0, kNoTime, false);
  expect(11, std::nullopt, true);
  expect(100, std::nullopt, false);
  EXPECT_TRUE(generator.is_idle());
  const std::array<Micros, 1> seven{7};
  generator.on_batch({seven});
  EXPECT_FALSE(generator.is_idle());
  expect(0, 6, false);
  expect(0, 6, false);
  expect(11, std::nullopt, true);
}

TEST(IdleTimer, vec_G12) {
  Timed t(10, 0);
  EXPECT_FALSE(t.probe());
  EXPECT_FALSE(t.probe_after(11));
  EXPECT_TRUE(t.probe_after(11));
}

TEST(IdleTimer, vec_G13) {
  Timed t(10);
  t.probe();
  t.clock.pause(t.base);
  EXPECT_FALSE(t.probe_after(100));
  EXPECT_TRUE(t.clock.unpause(t.base).is_ok());
  EXPECT_FALSE(t.probe_after(10));
  EXPECT_TRUE(t.probe_after(1));
}

// The bare components, as in Flink: idle although paused. SplitProgress never says so (decision 7, tested there).
TEST(IdleTimer, vec_G14) {
  Timed t(10);
  t.probe();
  t.base += 11;
  t.clock.pause(t.base);
  EXPECT_TRUE(t.probe_after(50));
}

TEST(PausableClock, vec_G15) {
  PausableClock clock;
  Micros base = 7;
  const Micros start = clock.now(base);
  const auto pause = [&] { clock.pause(base += 14); };
  const auto unpause = [&] { EXPECT_TRUE(clock.unpause(base += 14).is_ok()); };
  pause();
  pause();
  unpause();
  unpause();
  pause();
  base += 14;
  EXPECT_EQ(clock.now(base) - start, 28);
  EXPECT_EQ(base - 7, 84);
}

TEST(PausableClock, refuses_an_unpause_too_many) {
  PausableClock clock;
  EXPECT_EQ(clock.unpause(5).code(), Code::internal);
  clock.exclude(3);
  clock.exclude(-3);
  EXPECT_EQ(clock.now(10), 7);
}

TEST(IdleTimer, continues_a_restored_silence) {
  Timed t(100);
  t.probe();
  t.base += 60;
  EXPECT_EQ(t.timer.silent_us(t.base), 60);
  for (const Micros start : {Micros{5000}, Micros{60}}) {  // 60: the silence would begin at 0
    IdleTimer other = IdleTimer::create(100).value();
    other.restore(start, 60);
    EXPECT_FALSE(other.probe(start + 39));
    EXPECT_TRUE(other.probe(start + 41));
  }
}

}  // namespace
}  // namespace tidemark::core::test
