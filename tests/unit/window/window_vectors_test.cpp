// SPDX-License-Identifier: Apache-2.0
//
// The vectors of semantics 2.6 for windows that overlap, firing rules and lateness, and defects from the field about
// them. Where a decision of section 5 gives another result than the vector's, both are stated.
#include <gtest/gtest.h>

#include "tests/unit/window/keyed_totals.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

/// sum(v) by k.
AggregateSpec sums(WindowKind kind, Micros size, Micros slide = 0, Micros allowed_lateness = 0) {
  AggregateSpec spec;
  spec.id = "sums";
  spec.key_columns = {0};
  spec.columns = {{"sum", Function::sum, 1}};
  spec.window.kind = kind;
  spec.window.size_us = size;
  spec.window.slide_us = slide;
  spec.allowed_lateness_us = allowed_lateness;
  return spec;
}

Firing every(Micros interval, bool event_time = true) {
  return Firing{FiringRule::every, interval, event_time, 0};
}

Firing count(uint32_t rows) {
  return Firing{FiringRule::count, 0, false, rows};
}

TEST(WindowVectors, vec_W02) {
  OperatorDriver driver = drive(sums(WindowKind::sliding, 3000, 1000));
  driver.add({at(3999, "k2"), at(3000, "k2"), at(20, "k1"), at(0, "k1"), at(999, "k1"), at(1998, "k2"), at(1999, "k2"),
              at(1000, "k2")});
  EXPECT_EQ(driver.advance(999), "k1 3 [-2000,1000)\n");
  EXPECT_EQ(driver.advance(1999), "k1 3 [-1000,2000)\nk2 3 [-1000,2000)\n");
  EXPECT_EQ(driver.advance(2999), "k1 3 [0,3000)\nk2 3 [0,3000)\n");
  EXPECT_EQ(driver.advance(3999), "k2 5 [1000,4000)\n");
  EXPECT_EQ(driver.advance(4999), "k2 2 [2000,5000)\n");
  EXPECT_EQ(driver.advance(5999), "k2 2 [3000,6000)\n");
  EXPECT_EQ(driver.op().open_panes(), 0U);
}

TEST(WindowVectors, vec_W03) {
  AggregateSpec spec = sums(WindowKind::tumbling, 2000, 0, 500);
  spec.emit.purge = true;
  OperatorDriver driver = drive(spec);
  driver.add({at(500)});
  EXPECT_EQ(driver.advance(1500), "");
  driver.add({at(1300)});
  EXPECT_EQ(driver.advance(2300), "k 2 [0,2000) on_time 1\n");
  driver.add({at(1997)});
  EXPECT_EQ(driver.take(), "k 1 [0,2000) late 2\n");
  EXPECT_EQ(driver.advance(6000), "");
  EXPECT_EQ(driver.add({at(1998)}), 1U);
  EXPECT_EQ(driver.advance(7000), "");
}

TEST(WindowVectors, vec_W05) {
  OperatorDriver driver = drive(sums(WindowKind::sliding, 3000, 1000));
  driver.add({at(1000, "k2")});
  EXPECT_EQ(driver.advance(1999), "k2 1 [-1000,2000)\n");
  driver.add({at(2000, "k2")});
  EXPECT_EQ(driver.advance(3000), "k2 2 [0,3000)\n");
  driver.add({at(3001, "k1"), at(2400, "k2"), at(2400, "k2"), at(3001, "k1"), at(3900, "k2")});
  EXPECT_EQ(driver.op().counters().rows_partly_late, 2U);
  EXPECT_EQ(driver.op().counters().windows_missed, 2U);
  EXPECT_EQ(driver.advance(6000),
            "k1 2 [1000,4000)\nk2 5 [1000,4000)\nk1 2 [2000,5000)\nk2 4 [2000,5000)\nk1 2 [3000,6000)\n"
            "k2 1 [3000,6000)\n");
  EXPECT_EQ(driver.add({at(3001, "k1")}), 1U);
}

TEST(WindowVectors, vec_W07) {
  OperatorDriver driver = drive(sums(WindowKind::tumbling, 2, 0, 20));
  driver.advance(20);
  EXPECT_EQ(driver.add({at(0)}), 0U);
  EXPECT_EQ(driver.take(), "k 1 [0,2) late 1\n");  // its end had passed before there was anything to give
  EXPECT_EQ(driver.op().open_panes(), 1U);
  EXPECT_EQ(driver.advance(21), "");
  EXPECT_EQ(driver.op().open_panes(), 0U);
  EXPECT_EQ(driver.add({at(0)}), 1U);
}

TEST(WindowVectors, vec_W08) {
  const Micros start = kEndOfTime - 10 - (kEndOfTime - 10) % 10;  // the last whole window ends at or before MAX - 10
  OperatorDriver driver = drive(sums(WindowKind::tumbling, 10, 0, 20));
  driver.add({at(start - 1)});
  driver.advance(kEndOfTime - 1);
  EXPECT_EQ(driver.op().open_panes(), 1U);  // the cleanup time saturates
  driver.advance(kEndOfTime);
  EXPECT_EQ(driver.op().open_panes(), 0U);

  AggregateSpec spec = sums(WindowKind::tumbling, 10, 0, 20);
  spec.window.processing_time = true;
  OperatorDriver by_clock = drive(spec);
  by_clock.add({at(5)});
  EXPECT_EQ(by_clock.tick(9), "k 1 [0,10) on_time 1\n");
  EXPECT_EQ(by_clock.op().open_panes(), 0U);  // allowed lateness is ignored
}

TEST(WindowVectors, vec_W10) {
  OperatorDriver driver = drive(sums(WindowKind::tumbling, 10));
  driver.add({at(1)});
  EXPECT_EQ(driver.advance(9), "k 1 [0,10)\n");  // fire and cleanup fall together: the result comes first
  EXPECT_EQ(driver.op().open_panes(), 0U);
}

TEST(WindowVectors, vec_W14) {
  OperatorDriver driver = drive(sums(WindowKind::sliding, 3000, 1000));
  driver.add({at(500)});
  EXPECT_EQ(driver.advance(1000), "k 1 [-2000,1000)\n");
  EXPECT_EQ(driver.add({at(600)}), 0U);
  const std::vector<LateGroup> late = driver.take_late();  // counted nowhere in the vector: here it is kept
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].why, LateGroup::Why::partly_late);
  EXPECT_EQ(late[0].pane_end, 1000);
  EXPECT_EQ(late[0].windows_missed, 1U);
  EXPECT_EQ(driver.add({at(-2500)}), 1U);
  EXPECT_EQ(driver.advance(5000), "k 2 [-1000,2000)\nk 2 [0,3000)\n");
  EXPECT_EQ(driver.op().counters().rows_aggregated, 2U);
  EXPECT_EQ(driver.op().counters().rows_partly_late, 1U);
  EXPECT_EQ(driver.op().counters().rows_late, 1U);
}

// The vector's per-key timer leaves k2 out at 3000, since its first row was of 3000; an interval here is the
// window's, and at its multiples all groups that changed are given. What did not change is not given again.
TEST(WindowVectors, vec_W35) {
  AggregateSpec spec = sums(WindowKind::global, 0);
  spec.emit.early = every(3000);
  OperatorDriver driver = drive(spec);
  driver.add({at(0, "k1"), at(20, "k1"), at(999, "k1")});
  EXPECT_EQ(driver.advance(1000), "");
  EXPECT_EQ(driver.advance(2000), "");
  EXPECT_EQ(driver.advance(3000), "k1 3 [-9223372036854775808,9223372036854775807) early 1\n");
  driver.add({at(3000, "k2"), at(3999, "k2"), at(4998, "k2"), at(4999, "k2"), at(4000, "k2")});
  EXPECT_EQ(driver.advance(4000), "");
  EXPECT_EQ(driver.advance(5000), "");
  EXPECT_EQ(driver.advance(6000), "k2 5 [-9223372036854775808,9223372036854775807) early 1\n");
}

TEST(WindowVectors, vec_W36) {
  AggregateSpec spec = sums(WindowKind::global, 0);
  spec.emit.early = count(4);
  spec.emit.purge = true;
  OperatorDriver driver = drive(spec);
  const std::string window = " [-9223372036854775808,9223372036854775807) ";
  driver.add({at(1, "k2"), at(2, "k2"), at(3, "k1"), at(4, "k1"), at(5, "k1")});
  driver.add({at(6, "k2")});
  EXPECT_EQ(driver.take(), "");
  driver.add({at(7, "k2")});
  EXPECT_EQ(driver.take(), "k2 4" + window + "early 1\n");
  driver.add({at(8, "k1")});
  EXPECT_EQ(driver.take(), "k1 4" + window + "early 1\n");
  driver.add({at(9, "k2"), at(9, "k2"), at(9, "k2")});
  EXPECT_EQ(driver.take(), "");
  driver.add({at(9, "k2")});
  EXPECT_EQ(driver.take(), "k2 4" + window + "early 2\n");
}

TEST(WindowVectors, vec_W37) {
  OperatorDriver driver = drive(sums(WindowKind::global, 0));
  driver.add({at(20, "k1"), at(0, "k1"), at(999, "k1"), at(3999, "k2"), at(3000, "k2"), at(1998, "k2"), at(1999, "k2"),
              at(1000, "k2")});
  EXPECT_EQ(driver.advance(kEndOfTime - 2), "");
  const std::string window = " [-9223372036854775808,9223372036854775807) on_time 1\n";
  EXPECT_EQ(driver.advance(kEndOfTime), "k1 3" + window + "k2 5" + window);
}

TEST(WindowVectors, vec_W38) {
  AggregateSpec spec = sums(WindowKind::tumbling, 10);
  spec.emit.early = every(3);
  OperatorDriver driver = drive(spec);
  driver.add({at(1), at(2)});
  EXPECT_EQ(driver.advance(3), "k 2 [0,10) early 1\n");
  driver.add({at(5)});
  EXPECT_EQ(driver.advance(6), "k 3 [0,10) early 2\n");
  EXPECT_EQ(driver.advance(9), "k 3 [0,10) on_time 3\n");
  EXPECT_EQ(driver.add({at(7)}), 1U);
}

// In one jump the vector gives the same result three times (3, 6, 9); here once, since nothing changed in between.
TEST(WindowVectors, vec_W39) {
  AggregateSpec spec = sums(WindowKind::tumbling, 10, 0, 5);
  spec.emit.early = every(3);
  OperatorDriver driver = drive(spec);
  driver.add({at(1)});
  EXPECT_EQ(driver.advance(9), "k 1 [0,10) on_time 1\n");
  driver.add({at(4)});
  EXPECT_EQ(driver.take(), "k 2 [0,10) late 2\n");
  EXPECT_EQ(driver.advance(14), "");
  EXPECT_EQ(driver.add({at(4)}), 1U);
}

// The vector's remainder truncates: nothing at -6000, {1} at -3000 and again at the end. With floor division
// (decision 11) -6000 is the first multiple behind -7000; at -3000 nothing changed.
TEST(WindowVectors, vec_W40) {
  AggregateSpec spec = sums(WindowKind::tumbling, 10'000);
  spec.emit.early = every(3000);
  OperatorDriver driver = drive(spec);
  driver.add({at(-7000)});
  EXPECT_EQ(driver.advance(-6001), "");
  EXPECT_EQ(driver.advance(-6000), "k 1 [-10000,0) early 1\n");
  EXPECT_EQ(driver.advance(-3000), "");
  EXPECT_EQ(driver.advance(0), "k 1 [-10000,0) on_time 2\n");
}

// The vector's count trigger knows no time and drops what is not full; here a result at the end is always given.
TEST(WindowVectors, vec_W41) {
  AggregateSpec spec = sums(WindowKind::tumbling, 1000);
  spec.emit.early = count(2);
  OperatorDriver driver = drive(spec);
  driver.add({at(1)});
  EXPECT_EQ(driver.take(), "");
  driver.add({at(1)});
  EXPECT_EQ(driver.take(), "k 2 [0,1000) early 1\n");
  driver.add({at(1)});
  driver.add({at(1)});
  EXPECT_EQ(driver.take(), "k 4 [0,1000) early 2\n");
  driver.add({at(1)});
  EXPECT_EQ(driver.advance(2000), "k 5 [0,1000) on_time 3\n");
  EXPECT_EQ(driver.add({at(1)}), 1U);
}

// Right: every window is forgotten at its cleanup time. Wrong was: no cleanup when nothing had been given.
TEST(WindowDefects, FLINK_33192) {
  AggregateSpec spec = sums(WindowKind::sliding, 3000, 1000, 500);
  spec.having = "sum > 100";
  OperatorDriver driver = drive(spec);
  driver.add({at(500)});
  EXPECT_EQ(driver.advance(3498), "");
  EXPECT_EQ(driver.op().open_panes(), 3U);
  EXPECT_EQ(driver.advance(5499), "");  // the last window that the pane ending at 3000 is part of ends at 5000
  EXPECT_EQ(driver.op().open_panes(), 0U);
  EXPECT_EQ(driver.op().take_closed(), (std::vector<Micros>{1000, 2000, 3000}));
}

// A tick beyond the window's end: it fires at its end all the same.
TEST(WindowDefects, FLINK_20443) {
  AggregateSpec spec = sums(WindowKind::tumbling, 1000);
  spec.window.processing_time = true;
  spec.emit.early = every(700, false);
  OperatorDriver driver = drive(spec);
  driver.set_wall(800);
  driver.add({at(0)});
  EXPECT_EQ(driver.op().next_tick_us(), 999);
  EXPECT_EQ(driver.tick(999), "k 1 [0,1000) on_time 1\n");
  EXPECT_EQ(driver.op().next_tick_us(), kEndOfTime);
}

/// Everything that state keeps of an operator, put into another one.
OperatorDriver restarted(OperatorDriver& from) {
  OperatorDriver into = drive(from.op().spec());
  into.op().restore_watermark(from.op().watermark(), fired_up_to(from.op().watermark()));
  from.op().seal([&](const PaneChange& pane) {
    pane.visit_all([&](const EntryView& entry) {
      EXPECT_TRUE(into.op().restore_entry(pane.pane_end(), entry.key, entry).is_ok());
    });
  });
  return into;
}

// After a restart a late row does not count in windows that were given before it.
TEST(WindowDefects, FLINK_24501_and_36663) {
  for (const WindowKind kind : {WindowKind::cumulative, WindowKind::sliding}) {
    OperatorDriver driver = drive(sums(kind, 3000, 1000));
    driver.add({at(500)});
    const std::string first = kind == WindowKind::sliding ? "k 1 [-2000,1000)\n" : "k 1 [0,1000)\n";
    EXPECT_EQ(driver.advance(1200), first);
    OperatorDriver again = restarted(driver);
    EXPECT_EQ(again.advance(1200), "");
    EXPECT_EQ(again.add({at(600)}), 0U);
    EXPECT_EQ(again.op().counters().windows_missed, 1U);
    const std::string second = kind == WindowKind::sliding ? "k 2 [-1000,2000)\n" : "k 2 [0,2000)\n";
    EXPECT_EQ(again.advance(2500), second);
    EXPECT_EQ(again.advance(2999), "k 2 [0,3000)\n");
    EXPECT_EQ(again.add({at(600)}), 1U);
  }
}

// A row of a slice that has been given counts in the windows that are still open.
TEST(WindowDefects, FLINK_21305) {
  OperatorDriver driver = drive(sums(WindowKind::cumulative, 10, 2));
  driver.add({at(5)});
  EXPECT_EQ(driver.advance(6), "k 1 [0,6)\n");
  EXPECT_EQ(driver.add({at(5)}), 0U);  // as S13: it counts from the window ending at 8 on
  EXPECT_EQ(driver.advance(9), "k 2 [0,8)\nk 2 [0,10)\n");
}

}  // namespace
}  // namespace tidemark::core::test
