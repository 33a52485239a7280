// SPDX-License-Identifier: Apache-2.0
//
// Session windows against the vectors of semantics 2.6 (those with a gap per row: session_set_test.cpp). Where two
// results differ from Flink's, the test says so: a session is complete when the watermark reaches its end, one unit
// later (decision 1), and results whose bounds no longer hold are taken back. At the end of the file: random
// changelogs against sessions made of all rows at once.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/state/pane_writer.hpp"
#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

AggregateSpec sums(Micros gap, Micros allowed_lateness = 0) {
  AggregateSpec spec;
  spec.id = "sums";
  spec.operator_id = 3;
  spec.key_columns = {0};
  spec.columns = {{"sum", Function::sum, 1}};
  spec.window.kind = WindowKind::session;
  spec.window.gap_us = gap;
  spec.allowed_lateness_us = allowed_lateness;
  return spec;
}

AggregateSpec purging(AggregateSpec spec) {
  spec.emit.purge = true;
  return spec;
}

OperatorDriver driver_of(const AggregateSpec& spec) {
  return OperatorDriver(spec, layout_of({column("k", ColumnType::text), column("v", ColumnType::int64)}));
}

Row at(Micros time, int64_t value = 1, std::string key = "k") {
  return Row{time, {std::move(key), value}};
}

Row taken(Micros time, int64_t value = 1, std::string key = "k") {
  return Row{time, {std::move(key), value}, Op::remove};
}

/// Keys that are in one key group, so that they share pages.
const std::vector<std::string>& keys_of_one_group() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> out;
    std::vector<Row> rows;
    for (int i = 0; i < 1500; ++i) rows.push_back(at(0, 1, "k" + std::to_string(i)));
    const AggregateSpec spec = sums(1);
    const GroupedRows grouped = group_rows(spec, make_batch(driver_of(spec).input(), rows));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (key_group_of(grouped.groups[i].hash) != key_group_of(grouped.groups[0].hash)) continue;
      out.push_back(std::get<std::string>(rows[i].cells[0]));
    }
    return out;
  }();
  return keys;
}

/// State of an operator: its pages, base and deltas, and what they come to.
struct Store {
  std::map<std::pair<Micros, std::string>, std::string> entries;
  std::unique_ptr<EpochStore> pages = make_memory_epoch_store();
  PaneWriter writer{3};
  uint64_t epoch = 0;

  void seal(WindowOperator& from) {
    EpochWrites writes;
    ++epoch;
    from.seal([&](const PaneChange& change) {
      writer.write(change, epoch, writes);
      std::map<std::string, std::string> all;
      change.visit_all([&](const EntryView& entry) { all.emplace(entry.key, entry.accumulators); });
      EXPECT_EQ(all.size(), change.entry_count());
      change.visit_dirty([&](const EntryView& entry) {
        const std::pair<Micros, std::string> key(change.pane_end(), entry.key);
        EXPECT_EQ(all.contains(key.second), !entry.removed);
        entry.removed ? (void)entries.erase(key) : (void)(entries[key] = std::string(entry.accumulators));
      });
      for (const auto& [key, value] : all) {
        const auto found = entries.find({change.pane_end(), key});
        EXPECT_TRUE(found != entries.end() && found->second == value) << "a change was not reported";
      }
    });
    EXPECT_TRUE(pages->commit(writes).is_ok());
  }
  size_t page_count() {
    size_t count = 0;
    EXPECT_TRUE(pages->scan(Family::panes, {}, [&](auto, auto) { return ++count, true; }).is_ok());
    return count;
  }
  /// What a restart makes of the operator.
  OperatorDriver reopen(OperatorDriver& old) {
    seal(old.op());
    OperatorDriver out(old.op().spec(), old.input());
    out.op().restore_watermark(old.op().watermark(), fired_up_to(old.op().watermark()));
    out.op().restore_counters(old.op().counters());
    writer = PaneWriter(3);
    const Status status =
        writer.restore(*pages, 0, kKeyGroups - 1, [&](Micros pane_end, std::string_view key, const EntryView& entry) {
          return out.op().restore_entry(pane_end, key, entry);
        });
    EXPECT_TRUE(status.is_ok()) << status.message();
    return out;
  }
};

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
  EXPECT_EQ(driver.op().restore_entry(60'000'000, "short", {"short", "", false}).code(), Code::state);
  Store store;
  driver.add({at(5)});
  store.seal(driver.op());
  ASSERT_EQ(store.entries.size(), 1U);
  const auto& [key, value] = *store.entries.begin();
  OperatorDriver other = driver_of(sums(10));
  EXPECT_EQ(other.op().restore_entry(key.first, key.second, {key.second, "123", false}).code(), Code::state);
  EXPECT_EQ(other.op().restore_entry(key.first + 60'000'000, key.second, {key.second, value, false}).code(),
            Code::state);
  std::string wrong = key.second;
  wrong[0] = '\7';
  EXPECT_EQ(other.op().restore_entry(key.first, wrong, {wrong, value, false}).code(), Code::state);
}

/// Rows that are there, and sessions made of them at once.
class Model {
 public:
  Model(Micros gap, Micros max_size) : gap_(gap), max_size_(max_size) {}
  void add(const Row& row) { rows_.insert(named(row)); }
  void take(const Row& row) { rows_.erase(rows_.find(named(row))); }
  const std::multiset<std::tuple<std::string, Micros, int64_t>>& rows() const { return rows_; }

  /// "k 7 [0,30)" of all sessions.
  std::set<std::string> results() const {
    std::set<std::string> out;
    std::string key;
    Micros first = 0;
    Micros last = 0;
    int64_t sum = 0;
    const auto close = [&] {
      if (key.empty()) return;
      out.insert(key + " " + std::to_string(sum) + " [" + std::to_string(first) + "," + std::to_string(last + gap_) +
                 ")");
    };
    for (const auto& [row_key, time, value] : rows_) {
      const bool joins = row_key == key && time - last <= gap_ && (max_size_ == 0 || time - first <= max_size_);
      if (!joins) {
        close();
        key = row_key;
        first = time;
        sum = 0;
      }
      last = time;
      sum += value;
    }
    close();
    return out;
  }

 private:
  static std::tuple<std::string, Micros, int64_t> named(const Row& row) {
    return {std::get<std::string>(row.cells[0]), row.time, std::get<int64_t>(row.cells[1])};
  }
  Micros gap_;
  Micros max_size_;
  std::multiset<std::tuple<std::string, Micros, int64_t>> rows_;
};

/// What stands of the results of an operator, as an upsert sink has it.
class Standing {
 public:
  void take(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string key, value, window, kind;
      int64_t revision = 0;
      words >> key >> value >> window >> kind >> revision;
      std::string& standing = results_[key + window];
      if (kind.empty()) {
        EXPECT_EQ(standing, "") << "given twice: " << line;
      } else {
        EXPECT_EQ(revision, ++revisions_[key + window]) << line;
      }
      EXPECT_FALSE(kind == "retraction" && standing.empty()) << line;
      standing = kind == "retraction" ? "" : key + " " + value + " " + window;
    }
  }
  std::set<std::string> results() const {
    std::set<std::string> out;
    for (const auto& [name, text] : results_) {
      if (!text.empty()) out.insert(text);
    }
    return out;
  }

 private:
  std::map<std::string, std::string> results_;
  std::map<std::string, int64_t> revisions_;
};

struct RandomCase {
  AggregateSpec spec;
  Micros unit = 1;         // of times
  bool again = false;      // rows may be as old as they like
  bool immediate = false;  // every change shows at once
};

RandomCase random_case(std::mt19937_64& random) {
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  RandomCase out;
  if (pick(3) > 0) out.unit = 20 * kMicrosPerSecond;  // then sessions stand in different pages, and move
  out.spec = sums((1 + pick(12)) * out.unit);
  out.spec.changelog = pick(2) == 0;
  if (pick(2) == 0) out.spec.window.max_size_us = (1 + pick(40)) * out.unit;
  out.again = pick(3) > 0;
  if (!out.again) return out;
  out.spec.allowed_lateness_us = kEndOfTime;
  const std::vector<Firing> rules = {{FiringRule::never, 0, false, 0},
                                     {FiringRule::on_update, 0, false, 0},
                                     {FiringRule::every, (1 + pick(20)) * out.unit, true, 0},
                                     {FiringRule::every, 1 + pick(20), false, 0},
                                     {FiringRule::count, 0, false, 1 + static_cast<uint32_t>(pick(4))}};
  out.spec.emit.early = rules[static_cast<size_t>(pick(rules.size()))];
  out.spec.emit.late = rules[1 + static_cast<size_t>(pick(rules.size() - 1))];
  out.immediate = out.spec.emit.early.rule == FiringRule::on_update && out.spec.emit.late.rule == FiringRule::on_update;
  return out;
}

/// Without lateness rows come in front of the watermark, and only such are taken back.
std::vector<Row> random_rows(std::mt19937_64& random, const RandomCase& about, Micros watermark, Model& model) {
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  std::vector<Row> out;
  for (Micros left = 1 + pick(6); left > 0; --left) {
    std::vector<std::tuple<std::string, Micros, int64_t>> old;
    for (const auto& row : model.rows()) {
      if (about.again || std::get<1>(row) > watermark) old.push_back(row);
    }
    if (about.spec.changelog && !old.empty() && pick(3) == 0) {
      const auto& [key, time, value] = old[static_cast<size_t>(pick(old.size()))];
      out.push_back(taken(time, value, key));
      model.take(out.back());
    } else {
      const Micros time = about.again ? (pick(120) - 20) * about.unit : watermark + 1 + pick(30) * about.unit;
      out.push_back(at(time, 1 + pick(9), keys_of_one_group()[static_cast<size_t>(pick(3))]));
      model.add(out.back());
    }
  }
  return out;
}

void run_random(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  const RandomCase about = random_case(random);
  Model model(about.spec.window.gap_us, about.spec.window.max_size_us);
  Standing standing;
  Store store;
  auto driver = std::make_unique<OperatorDriver>(driver_of(about.spec));
  Micros watermark = 0;
  Micros wall = 0;
  driver->advance(watermark);
  for (int step = 0; step < 40 && !testing::Test::HasFailure(); ++step) {
    switch (pick(6)) {
      case 0:
        watermark += pick(25) * about.unit;
        standing.take(driver->advance(watermark));
        break;
      case 1:
        wall += pick(15);
        standing.take(driver->tick(wall));
        break;
      case 2:
        standing.take(driver->take());
        driver = std::make_unique<OperatorDriver>(store.reopen(*driver));
        driver->set_wall(wall);
        break;
      case 3:
        store.seal(driver->op());
        break;
      default:
        EXPECT_EQ(driver->add(random_rows(random, about, watermark, model)), 0U);
        standing.take(driver->take());
        if (about.immediate) {
          EXPECT_EQ(standing.results(), model.results());
        }
    }
  }
  standing.take(driver->advance(kEndOfTime));
  EXPECT_EQ(standing.results(), model.results());
  store.seal(driver->op());
  EXPECT_TRUE(store.entries.empty());
  EXPECT_EQ(driver->op().open_panes(), 0U);
}

TEST(Session, random_changelogs_equal_sessions_of_all_rows) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    run_random(seed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::core::test
