// SPDX-License-Identifier: Apache-2.0
//
// Session windows against the vectors of semantics 2.6 (those with a gap per row: session_set_test.cpp). Where two
// results differ from Flink's, the test says so: a session is complete when the watermark reaches its end, one unit
// later (decision 1), and results whose bounds no longer hold are taken back. Random ones: session_random_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/window/session_driver.hpp"

namespace tidemark::core::test {
namespace {

AggregateSpec purging(AggregateSpec spec) {
  spec.emit.purge = true;
  return spec;
}

TEST(Session, vec_W17) {
  OperatorDriver first = driver_of(sums(3000));
  first.add({at(0, 1, "k2"), at(1000, 2, "k2"), at(2500, 3, "k2"), at(10, 1, "k1"), at(1000, 2, "k1")});
  Store store;
  OperatorDriver driver = store.reopen(first);
  driver.add({at(2500, 3, "k1"), at(5501, 4, "k2"), at(6000, 5, "k2"), at(6000, 5, "k2"), at(6050, 6, "k2")});
  EXPECT_EQ(driver.advance(12000), "k1 6 [10,5500)\nk2 6 [0,5500)\nk2 20 [5501,9050)\n");
  driver.add({at(15000, 10, "k2"), at(15000, 20, "k2")});
  EXPECT_EQ(driver.advance(17999), "");  // Flink: fires here
  EXPECT_EQ(driver.advance(18000), "k2 30 [15000,18000)\n");
  store.seal(driver.op());
  EXPECT_TRUE(store.entries.empty());
  EXPECT_EQ(driver.op().open_panes(), 0U);
}

/// The base of W18 to W22.
OperatorDriver after_base(const AggregateSpec& spec) {
  OperatorDriver driver = driver_of(spec);
  driver.add({at(1000)});
  EXPECT_EQ(driver.advance(1999), "");
  driver.add({at(2000)});
  EXPECT_EQ(driver.advance(4998), "");
  EXPECT_EQ(driver.add({at(4500), at(8500)}), 0U);
  EXPECT_EQ(driver.advance(7400), "");
  EXPECT_EQ(driver.add({at(7000)}), 0U);
  const std::string kind = spec.can_fire_again() ? " on_time 1" : "";
  EXPECT_EQ(driver.advance(11501), "k 5 [1000,11500)" + kind + "\n");
  EXPECT_EQ(driver.add({at(11600)}), 0U);
  EXPECT_EQ(driver.advance(14600), "k 1 [11600,14600)" + kind + "\n");
  return driver;
}

TEST(Session, vec_W18) {
  for (const AggregateSpec& spec : {sums(3000), purging(sums(3000))}) {
    OperatorDriver driver = after_base(spec);
    EXPECT_EQ(driver.add({at(10000)}), 1U);
    EXPECT_EQ(driver.add({at(10100)}), 1U);
    const std::vector<LateGroup> late = driver.take_late();
    ASSERT_EQ(late.size(), 2U);
    EXPECT_EQ(late[0].pane_end, 13000);
    EXPECT_EQ(late[0].watermark, 14600);
    EXPECT_EQ(driver.add({at(14500)}), 0U);
    EXPECT_EQ(driver.advance(20000), "k 1 [14500,17500)\n");
    EXPECT_EQ(driver.op().counters().rows_late, 2U);
    EXPECT_EQ(driver.op().counters().rows_aggregated, 7U);
  }
}

TEST(Session, vec_W19) {
  OperatorDriver driver = after_base(sums(3000, 10));
  EXPECT_EQ(driver.add({at(10000)}), 0U);  // its own window is closed, the session is not
  EXPECT_EQ(driver.take(), "k 2 [10000,14600) late 1\nk - [11600,14600) retraction 2\n");  // Flink: the first alone
  driver.add({at(14500)});
  EXPECT_EQ(driver.take(), "k - [10000,14600) retraction 2\n");
  EXPECT_EQ(driver.advance(20000), "k 3 [10000,17500) on_time 1\n");
}

TEST(Session, vec_W20) {
  OperatorDriver driver = after_base(purging(sums(3000, 10)));
  driver.add({at(10000)});
  EXPECT_EQ(driver.take(), "k 1 [10000,14600) late 1\n");
  driver.add({at(14500)});
  EXPECT_EQ(driver.advance(20000), "k 1 [10000,17500) on_time 1\n");
}

TEST(Session, vec_W21) {
  OperatorDriver driver = after_base(sums(3000, 10000));
  driver.add({at(10000)});
  EXPECT_EQ(driver.take(), "k - [1000,11500) retraction 2\nk 7 [1000,14600) late 1\nk - [11600,14600) retraction 2\n");
  driver.add({at(14500)});
  EXPECT_EQ(driver.take(), "k - [1000,14600) retraction 2\n");
  EXPECT_EQ(driver.advance(20000), "k 8 [1000,17500) on_time 1\n");
}

/// Emptying a session keeps its bounds (FLINK-4994).
TEST(Session, vec_W22_case_FLINK_4994) {
  OperatorDriver driver = after_base(purging(sums(3000, 10000)));
  driver.add({at(10000)});
  EXPECT_EQ(driver.take(), "k 1 [1000,14600) late 1\n");
  driver.add({at(14500)});
  EXPECT_EQ(driver.advance(20000), "k 1 [1000,17500) on_time 1\n");
}

TEST(Session, vec_W23) {
  AggregateSpec spec = purging(sums(3000));
  spec.emit.early = {FiringRule::count, 0, false, 4};
  OperatorDriver driver = driver_of(spec);
  driver.add({at(0, 1, "k2"), at(1000, 2, "k2"), at(2500, 3, "k2"), at(3500, 4, "k2")});
  EXPECT_EQ(driver.take(), "k2 10 [0,6500) early 1\n");
  driver.add({at(10, 1, "k1"), at(1000, 2, "k1"), at(2500, 3, "k1")});
  driver.add({at(6000, 1, "k1"), at(6500, 2, "k1"), at(7000, 3, "k1")});
  EXPECT_EQ(driver.take(), "");
  driver.add({at(4500, 10, "k1")});
  EXPECT_EQ(driver.take(), "k1 22 [10,10000) early 1\n");
}

TEST(Session, vec_W24) {
  AggregateSpec spec = sums(3000);
  spec.emit.early = {FiringRule::every, 2000, true, 0};
  OperatorDriver driver = driver_of(spec);
  driver.add({at(1500, 1, "k1"), at(0, 1, "k2"), at(2500, 3, "k2"), at(1000, 2, "k2")});
  EXPECT_EQ(driver.advance(2500), "k1 1 [1500,4500) early 1\nk2 6 [0,5500) early 1\n");
  driver.add({at(4000, 5, "k2")});
  EXPECT_EQ(driver.advance(3000), "");
  driver.add({at(4000, 2, "k1"), at(3500, 4, "k2")});
  EXPECT_EQ(driver.advance(4000),
            "k1 - [1500,4500) retraction 2\nk2 - [0,5500) retraction 2\n"
            "k1 3 [1500,7000) early 1\nk2 15 [0,7000) early 1\n");
}

TEST(Session, event_time_intervals_begin_with_the_first_row_that_changed) {
  AggregateSpec spec = sums(3000);
  spec.emit.early = {FiringRule::every, 2000, true, 0};
  OperatorDriver driver = driver_of(spec);
  EXPECT_EQ(driver.advance(0), "");
  driver.add({at(7000, 2), at(5000)});
  EXPECT_EQ(driver.advance(5999), "");
  EXPECT_EQ(driver.advance(6000), "k 3 [5000,10000) early 1\n");
  driver.add({at(9500)});  // and once it has had a result, at every multiple that follows a change
  EXPECT_EQ(driver.advance(8000), "k - [5000,10000) retraction 2\nk 4 [5000,12500) early 1\n");
}

TEST(Session, vec_W27) {
  AggregateSpec spec = sums(3000);
  spec.window.processing_time = true;
  OperatorDriver driver = driver_of(spec);
  driver.set_wall(3);
  driver.add({at(77, 1, "k2")});
  EXPECT_EQ(driver.op().next_tick_us(), 3003);
  driver.set_wall(1000);
  driver.add({at(99, 1, "k2")});
  EXPECT_EQ(driver.tick(5000), "k2 2 [3,4000)\n");
  driver.add({at(0, 1, "k2"), at(0, 1, "k2"), at(0, 1, "k1"), at(0, 2, "k1")});
  EXPECT_EQ(driver.tick(10000), "k1 3 [5000,8000)\nk2 2 [5000,8000)\n");
  EXPECT_EQ(driver.op().next_tick_us(), kEndOfTime);
}

TEST(Session, processing_time_goes_back_with_the_clock) {
  AggregateSpec spec = sums(3000);
  spec.window.processing_time = true;
  OperatorDriver driver = driver_of(spec);
  driver.set_wall(3600 * kMicrosPerSecond);
  driver.add({at(77)});
  EXPECT_TRUE(driver.op().is_ahead_of(1000));
  driver.set_wall(1000);
  driver.add({at(99)});
  EXPECT_EQ(driver.take(), "k 1 [3600000000,3600003000)\n");
  EXPECT_EQ(driver.op().next_tick_us(), 4000);
  EXPECT_EQ(driver.tick(5000), "k 1 [1000,4000)\n");
}

TEST(Session, vec_W29) {
  OperatorDriver driver = driver_of(sums(10));
  driver.add({at(0), at(10), at(21)});
  EXPECT_EQ(driver.advance(kEndOfTime), "k 2 [0,20)\nk 1 [21,31)\n");
}

TEST(Session, vec_W30) {
  OperatorDriver driver = driver_of(sums(10, 100));
  driver.add({at(0), at(15)});
  EXPECT_EQ(driver.advance(40), "k 1 [0,10) on_time 1\nk 1 [15,25) on_time 1\n");
  driver.add({at(8)});  // Flink gives the union alone, and leaves the other two standing
  EXPECT_EQ(driver.take(), "k - [0,10) retraction 2\nk 3 [0,25) late 1\nk - [15,25) retraction 2\n");
}

TEST(Session, vec_W31) {
  OperatorDriver driver = driver_of(sums(10));
  driver.add({at(20)});
  EXPECT_EQ(driver.advance(28), "");
  EXPECT_EQ(driver.add({at(11, 2)}), 0U);
  EXPECT_EQ(driver.add({at(9, 4)}), 0U);
  EXPECT_EQ(driver.advance(29), "");  // Flink: fires here
  EXPECT_EQ(driver.advance(30), "k 7 [9,30)\n");
  EXPECT_EQ(driver.add({at(15, 8)}), 1U);
}

TEST(Session, vec_W32) {
  OperatorDriver driver = driver_of(purging(sums(10, 5)));
  driver.add({at(0)});
  EXPECT_EQ(driver.advance(9), "");  // Flink: fires here
  EXPECT_EQ(driver.advance(10), "k 1 [0,10) on_time 1\n");
  driver.add({at(3, 2), at(8, 4)});
  EXPECT_EQ(driver.advance(14), "");
  driver.add({at(9, 8)});
  EXPECT_EQ(driver.advance(20), "k 14 [0,19) on_time 1\n");
}

/// Flink's job fails at the second row; decision 11: additions saturate.
TEST(Session, vec_W33) {
  OperatorDriver driver = driver_of(sums(3000, kEndOfTime));
  driver.add({at(0)});
  EXPECT_EQ(driver.advance(0), "");
  EXPECT_EQ(driver.add({at(1000)}), 0U);
  EXPECT_EQ(driver.advance(4000), "k 2 [0,4000) on_time 1\n");
}

/// A row at just the end of a session is of it, whether it or the watermark before it comes first.
TEST(Session, row_at_the_end_and_watermark_before_it) {
  for (const bool row_first : {true, false}) {
    OperatorDriver driver = driver_of(sums(10));
    driver.add({at(0)});
    if (row_first) driver.add({at(10)});
    EXPECT_EQ(driver.advance(9), "");
    EXPECT_EQ(driver.op().complete(), 8);  // [0,10) may still grow
    if (!row_first) driver.add({at(10)});
    EXPECT_EQ(driver.advance(20), "k 2 [0,20)\n");
  }
}

TEST(Session, ends_of_the_range) {
  OperatorDriver driver = driver_of(sums(10));
  driver.add({at(kEndOfTime - 3), at(kNoTime + 1)});
  EXPECT_EQ(driver.advance(kEndOfTime),
            "k 1 [-9223372036854775807,-9223372036854775797)\n"
            "k 1 [9223372036854775804,9223372036854775807)\n");
}

TEST(Session, largest_size_does_not_depend_on_the_order_of_rows) {
  AggregateSpec spec = sums(10);
  spec.window.max_size_us = 20;
  std::vector<Row> rows = {at(0), at(8, 2), at(16, 4), at(20, 8), at(24, 16), at(33, 32), at(60, 64)};
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(rows.begin(), rows.end(), random);
    OperatorDriver driver = driver_of(spec);
    for (const Row& row : rows) driver.add({row});
    EXPECT_EQ(driver.advance(100), "k 15 [0,30)\nk 48 [24,43)\nk 64 [60,70)\n");
  }
}

AggregateSpec changelog(AggregateSpec spec) {
  spec.changelog = true;
  return spec;
}

TEST(Session, rows_taken_back_split_and_empty_sessions) {
  OperatorDriver driver = driver_of(changelog(sums(10, 100)));
  driver.add({at(0), at(10, 2), at(20, 4)});
  EXPECT_EQ(driver.advance(30), "k 7 [0,30) on_time 1\n");
  driver.add({taken(10, 2)});
  EXPECT_EQ(driver.take(), "k 1 [0,10) late 1\nk - [0,30) retraction 2\nk 4 [20,30) late 1\n");
  driver.add({taken(0), taken(20, 4)});
  EXPECT_EQ(driver.take(), "k - [0,10) retraction 2\nk - [20,30) retraction 2\n");
  driver.add({at(0), at(10, 2), at(20, 4)});
  EXPECT_EQ(driver.take(), "k 7 [0,30) late 3\n");
}

/// The part that has ended gives its result at once, without any lateness allowed.
TEST(Session, split_behind_the_watermark) {
  OperatorDriver driver = driver_of(changelog(sums(10)));
  driver.add({at(0), at(10, 2), at(20, 4)});
  EXPECT_EQ(driver.advance(25), "");
  driver.add({taken(10, 2)});
  EXPECT_EQ(driver.take(), "k 1 [0,10)\n");
  EXPECT_EQ(driver.advance(30), "k 4 [20,30)\n");
}

TEST(Session, results_of_early_rows_are_replaced_on_time_when_late_ones_are_off) {
  AggregateSpec spec = sums(10, 5);
  spec.emit.late.rule = FiringRule::never;
  OperatorDriver driver = driver_of(spec);
  driver.add({at(0)});
  EXPECT_EQ(driver.advance(10), "k 1 [0,10) on_time 1\n");
  driver.add({at(9, 2)});
  EXPECT_EQ(driver.advance(16), "");  // [0,10) could be forgotten, were it not to be replaced
  EXPECT_EQ(driver.advance(19), "k - [0,10) retraction 2\nk 3 [0,19) on_time 1\n");
}

TEST(Session, result_of_rows_that_are_gone_is_taken_back_at_its_end) {
  AggregateSpec spec = changelog(sums(10, 100));
  spec.emit.early = {FiringRule::count, 0, false, 2};
  spec.emit.late.rule = FiringRule::never;
  OperatorDriver first = driver_of(spec);
  first.add({at(0), at(1)});
  EXPECT_EQ(first.take(), "k 2 [0,11) early 1\n");
  first.add({taken(0), taken(1)});
  Store store;
  OperatorDriver driver = store.reopen(first);
  EXPECT_EQ(driver.advance(10), "");
  EXPECT_EQ(driver.advance(11), "k - [0,11) retraction 2\n");
  driver.add({at(0), at(1)});
  EXPECT_EQ(driver.advance(kEndOfTime), "");  // it had ended, and late results are off
}

TEST(Session, interval_of_a_closed_session_is_forgotten) {
  AggregateSpec spec = sums(10);
  spec.emit.early = {FiringRule::every, 100, false, 0};
  OperatorDriver driver = driver_of(spec);
  driver.add({at(0)});
  EXPECT_EQ(driver.op().next_tick_us(), 100);
  EXPECT_EQ(driver.advance(10), "k 1 [0,10) on_time 1\n");
  EXPECT_EQ(driver.op().next_tick_us(), kEndOfTime);
}

TEST(Session, no_base) {
  OperatorDriver aside = driver_of(changelog(sums(10)));
  EXPECT_EQ(aside.add({taken(5, 7), at(5, 1), taken(5, 1), taken(6, 1)}), 2U);
  EXPECT_EQ(aside.take_late().front().why, LateGroup::Why::no_base);
  EXPECT_EQ(aside.op().counters().rows_no_base, 2U);
  EXPECT_EQ(aside.advance(kEndOfTime), "");
  AggregateSpec spec = changelog(sums(10));
  spec.no_base = NoBase::delta;
  OperatorDriver delta = driver_of(spec);
  delta.add({taken(5, 7), at(6, 1)});
  EXPECT_EQ(delta.advance(kEndOfTime), "k -6 [5,16)\n");
  spec.no_base = NoBase::fail;
  OperatorDriver fail = driver_of(spec);
  fail.add({taken(5, 7)});
  EXPECT_EQ(fail.status().code(), Code::data);
}

TEST(Session, key_that_a_delta_page_removes) {
  const std::vector<std::string>& keys = keys_of_one_group();
  ASSERT_GE(keys.size(), 3U);
  OperatorDriver first = driver_of(changelog(sums(10)));
  first.add({at(0, 1, keys[0]), at(0, 1, keys[1]), at(20, 2, keys[1]), at(40, 4, keys[1])});
  Store store;
  store.seal(first.op());
  first.add({taken(0, 1, keys[0])});
  OperatorDriver driver = store.reopen(first);
  EXPECT_EQ(store.page_count(), 2U);  // base and delta
  store.seal(driver.op());            // forgets the key
  EXPECT_EQ(driver.op().open_panes(), 1U);
  driver.add({at(60, 8, keys[1])});
  store.seal(driver.op());
  EXPECT_EQ(store.entries.size(), 4U);
}

/// Its piece stands in one page as the base has it, and in the next, where it has moved to.
TEST(Session, piece_that_moved_to_another_page) {
  constexpr Micros kSecond = kMicrosPerSecond;
  const std::vector<std::string>& keys = keys_of_one_group();
  OperatorDriver first = driver_of(sums(10 * kSecond));
  for (const std::string& key : {keys[0], keys[1], keys[2]}) first.add({at(kSecond, 1, key), at(40 * kSecond, 2, key)});
  Store store;
  store.seal(first.op());
  first.add({at(50 * kSecond, 4, keys[0])});
  OperatorDriver driver = store.reopen(first);
  store.seal(driver.op());
  driver.add({at(60 * kSecond, 8, keys[0]), at(2 * kSecond, 1, keys[1])});
  driver = store.reopen(driver);
  EXPECT_EQ(driver.advance(kEndOfTime), keys[0] + " 1 [1000000,11000000)\n" + keys[2] + " 1 [1000000,11000000)\n" +
                                            keys[1] + " 2 [1000000,12000000)\n" + keys[1] + " 2 [40000000,50000000)\n" +
                                            keys[2] + " 2 [40000000,50000000)\n" + keys[0] +
                                            " 14 [40000000,70000000)\n");
  store.seal(driver.op());
  EXPECT_TRUE(store.entries.empty());
  EXPECT_EQ(driver.op().open_panes(), 0U);
}

TEST(Session, damaged_state_is_an_error) {
  OperatorDriver driver = driver_of(sums(10));
  EXPECT_EQ(driver.op().restore_entry(60'000'000, "short", {"short", "", false}).code(), Code::damage);
  Store store;
  driver.add({at(5)});
  store.seal(driver.op());
  ASSERT_EQ(store.entries.size(), 1U);
  const auto& [key, value] = *store.entries.begin();
  OperatorDriver other = driver_of(sums(10));
  EXPECT_EQ(other.op().restore_entry(key.first, key.second, {key.second, "123", false}).code(), Code::damage);
  EXPECT_EQ(other.op().restore_entry(key.first + 60'000'000, key.second, {key.second, value, false}).code(),
            Code::damage);
  std::string wrong = key.second;
  wrong[0] = '\7';
  EXPECT_EQ(other.op().restore_entry(key.first, wrong, {wrong, value, false}).code(), Code::damage);
}

/// A window that another took over goes on where it was once it is there again, however late.
TEST(Session, a_window_that_comes_back_after_its_cleanup_time_goes_on_with_its_revisions) {
  for (const bool restarts : {false, true}) {
    AggregateSpec spec = sums(10, 5);
    spec.changelog = true;
    OperatorDriver driver = driver_of(spec);
    Store store;
    driver.add({at(0)});
    EXPECT_EQ(driver.advance(12), "k 1 [0,10) on_time 1\n");
    driver.add({at(9)});
    EXPECT_EQ(driver.advance(13), "k - [0,10) retraction 2\n");
    EXPECT_EQ(driver.advance(18), "") << "[0,10) is closed, [0,19) is not";
    if (restarts) driver = store.reopen(driver);
    driver.add({taken(9)});
    EXPECT_EQ(driver.advance(19), "k 1 [0,10) on_time 3\n");
    EXPECT_EQ(driver.advance(kEndOfTime), "");
    store.seal(driver.op());
    EXPECT_TRUE(store.entries.empty());
    EXPECT_EQ(driver.op().open_panes(), 0U);
  }
}

}  // namespace
}  // namespace tidemark::core::test
