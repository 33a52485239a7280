// SPDX-License-Identifier: Apache-2.0
//
// What the rules of an aggregate make of its groups: kinds and revisions, retractions, `having` and result columns,
// windows by processing time; and over random jobs with restarts that every row is accounted for and the last result of
// each group is what its rows give.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tests/unit/window/keyed_totals.hpp"

namespace tidemark::core::test {
namespace {

TEST(FiringRules, early_results_by_update_and_retraction) {
  AggregateSpec spec = totals();
  spec.changelog = true;
  spec.emit.early.rule = FiringRule::on_update;
  OperatorDriver driver = drive(spec);
  driver.add({at(1, "a", 5), at(2, "b", 7)});
  EXPECT_EQ(driver.take(), "a 1 5 [0,1000) early 1\nb 1 7 [0,1000) early 1\n");
  driver.add({at(1, "a", 5, Op::update_before), at(1, "b", 6, Op::update_after)});  // moves from group to group
  EXPECT_EQ(driver.take(), "a 0 - [0,1000) retraction 2\nb 2 13 [0,1000) early 2\n");
  driver.add({at(3, "a", 1)});
  EXPECT_EQ(driver.take(), "a 1 1 [0,1000) early 3\n");
  EXPECT_EQ(driver.advance(1000), "a 1 1 [0,1000) on_time 4\nb 2 13 [0,1000) on_time 3\n");
}

TEST(FiringRules, early_results_do_not_wait_for_other_workers) {
  AggregateSpec spec = totals();
  spec.emit.early.rule = FiringRule::on_update;
  OperatorDriver driver = drive(spec);
  Applied applied;
  const BatchRef batch = make_batch(driver.input(), {at(1)});
  ASSERT_TRUE(driver.op().apply(group_rows(driver.op().spec(), batch), 0, applied).is_ok());
  ASSERT_EQ(applied.fired.size(), 1U);
  EXPECT_TRUE(applied.fired[0].immediate);
  ASSERT_TRUE(advance_all(driver.op(), 1000, applied.fired).is_ok());
  ASSERT_EQ(applied.fired.size(), 2U);
  EXPECT_FALSE(applied.fired[1].immediate);
}

TEST(FiringRules, wall_clock_intervals) {
  AggregateSpec spec = totals();
  spec.emit.early = {FiringRule::every, 100, false, 0};
  OperatorDriver driver = drive(spec);
  EXPECT_EQ(driver.op().next_tick_us(), kEndOfTime);
  driver.set_wall(1050);
  driver.add({at(1), at(2, "other")});
  EXPECT_EQ(driver.op().next_tick_us(), 1100);
  EXPECT_EQ(driver.tick(1099), "");
  EXPECT_EQ(driver.tick(1100), "k 1 1 [0,1000) early 1\nother 1 1 [0,1000) early 1\n");
  EXPECT_EQ(driver.op().next_tick_us(), kEndOfTime);
  driver.add({at(3)});
  EXPECT_EQ(driver.op().next_tick_us(), 1200);
  driver.set_wall(500);  // set back: it does not wait until 1200
  driver.add({at(3)});
  EXPECT_EQ(driver.op().next_tick_us(), 600);
  EXPECT_EQ(driver.tick(600), "k 3 3 [0,1000) early 2\n");
}

TEST(FiringRules, event_time_intervals_begin_with_the_first_row_that_changed) {
  AggregateSpec spec = totals(100'000);
  spec.emit.early = {FiringRule::every, 2000, true, 0};
  OperatorDriver driver = drive(spec);
  EXPECT_EQ(driver.advance(0), "");
  driver.add({at(7000), at(5000)});
  EXPECT_EQ(driver.advance(5999), "");
  EXPECT_EQ(driver.advance(6000), "k 2 2 [0,100000) early 1\n");
  driver.add({at(9500)});  // and once it has had a result, at every multiple that follows a change
  EXPECT_EQ(driver.advance(8000), "k 3 3 [0,100000) early 2\n");
}

/// A window that had fired at one worker and not at the other, both of which go on as one.
TEST(FiringRules, late_changes_of_groups_that_had_fired_wait_on_when_others_fire_after_a_restart) {
  AggregateSpec spec = totals();
  spec.allowed_lateness_us = 5000;
  spec.emit.late = {FiringRule::every, 1000, true, 0};
  OperatorDriver ahead = drive(spec);
  OperatorDriver behind = drive(spec);
  OperatorDriver driver = drive(spec);
  ahead.add({at(1, "a")});
  EXPECT_EQ(ahead.advance(1500), "a 1 1 [0,1000) on_time 1\n");
  ahead.add({at(2, "a")});
  behind.add({at(1, "b")});
  EXPECT_EQ(behind.advance(500), "");
  const GroupedRows rows = group_rows(spec, make_batch(driver.input(), {at(1, "b")}));
  FiredByGroup fired = fired_up_to(1500);
  fired[key_group_of(rows.groups[0].hash)] = 500;
  driver.op().restore_watermark(1500, fired);
  for (OperatorDriver* worker : {&ahead, &behind}) {
    worker->op().seal([&](const PaneChange& pane) {
      pane.visit_all([&](const EntryView& entry) {
        ASSERT_TRUE(driver.op().restore_entry(pane.pane_end(), entry.key, entry).is_ok());
      });
    });
  }
  EXPECT_EQ(driver.advance(1500), "b 1 1 [0,1000) on_time 1\n");
  EXPECT_EQ(driver.advance(2000), "a 2 2 [0,1000) late 2\n");
}

TEST(FiringRules, late_intervals_and_counts_leave_nothing_behind) {
  for (const Firing late : {Firing{FiringRule::every, 1000, true, 0}, Firing{FiringRule::count, 0, false, 3}}) {
    AggregateSpec spec = totals();
    spec.allowed_lateness_us = 5000;
    spec.emit.late = late;
    OperatorDriver driver = drive(spec);
    EXPECT_EQ(driver.advance(1500), "");
    driver.add({at(1), at(2)});
    EXPECT_EQ(driver.advance(1999), "");
    if (late.rule == FiringRule::every) {
      EXPECT_EQ(driver.advance(2000), "k 2 2 [0,1000) late 1\n");
    } else {
      driver.add({at(3)});
      EXPECT_EQ(driver.take(), "k 3 3 [0,1000) late 1\n");
    }
    driver.add({at(4)});
    EXPECT_EQ(driver.advance(2001), "");
    const std::string rows = late.rule == FiringRule::every ? "3 3" : "4 4";
    EXPECT_EQ(driver.advance(9000), "k " + rows + " [0,1000) late 2\n");  // before the window is forgotten
  }
  AggregateSpec spec = totals();
  spec.allowed_lateness_us = 5000;
  spec.emit.late.rule = FiringRule::never;
  OperatorDriver driver = drive(spec);
  driver.advance(1500);
  EXPECT_EQ(driver.add({at(1)}), 0U);
  EXPECT_EQ(driver.advance(9000), "");
}

TEST(FiringRules, having_and_result_columns) {
  AggregateSpec spec = totals();
  spec.changelog = true;
  spec.allowed_lateness_us = 5000;
  spec.having = "n >= 2";
  spec.results = {{"per_row", "n * 10"}, {"shout", "UPPER(who)"}};
  spec.key_names = {"who"};
  OperatorDriver driver = drive(spec);
  driver.add({at(1, "a", 5), at(2, "a", 7), at(3, "b", 1)});
  EXPECT_EQ(driver.advance(1000), "a 20 A [0,1000) on_time 1\n");
  EXPECT_EQ(driver.op().output_layout()->columns[2].name, "who");
  driver.add({at(3, "b", 1)});
  EXPECT_EQ(driver.take(), "b 20 B [0,1000) late 1\n");
  driver.add({at(2, "a", 7, Op::remove)});
  EXPECT_EQ(driver.take(), "a 0 A [0,1000) retraction 2\n");
  driver.add({at(1, "a", 5, Op::remove)});
  EXPECT_EQ(driver.take(), "");  // there is nothing left to take back
  spec.having = "nobody > 2";
  EXPECT_EQ(WindowOperator::create(spec, input_layout()).status().code(), Code::config);
}

TEST(FiringRules, results_that_cannot_be_computed_name_everything) {
  AggregateSpec spec = totals();
  spec.results = {{"big", "n * 9223372036854775807"}};
  OperatorDriver driver = drive(spec);
  driver.add({at(1, "eu"), at(2, "eu")});
  const std::string text = driver.advance(1000);
  EXPECT_EQ(
      text.rfind("error: aggregate 'totals', window 1970-01-01T00:00:00Z to 1970-01-01T00:00:00.001Z, key ('eu'): "
                 "column 'big': ",
                 0),
      0U)
      << text;
}

TEST(FiringRules, processing_time_is_never_late) {
  AggregateSpec spec = totals();
  spec.window.processing_time = true;
  OperatorDriver driver = drive(spec);
  driver.set_wall(100);
  driver.add({at(kEndOfTime - 5), at(-5)});
  EXPECT_EQ(driver.advance(5000), "");  // watermarks mean nothing
  EXPECT_EQ(driver.op().next_tick_us(), 999);
  EXPECT_EQ(driver.tick(1200), "k 2 2 [0,1000)\n");
  driver.set_wall(900);  // set back, or grouped before the window closed: it goes to the one that is open
  EXPECT_EQ(driver.add({at(0)}), 0U);
  EXPECT_EQ(driver.op().open_windows(), std::vector<Micros>{2000});
  EXPECT_EQ(driver.advance(kEndOfTime), "k 1 1 [1000,2000)\n");
  EXPECT_EQ(driver.op().counters().rows_late, 0U);
}

TEST(FiringRules, processing_time_results_do_not_wait_for_other_workers) {
  AggregateSpec spec = totals();
  spec.window.processing_time = true;
  const auto op = WindowOperator::create(spec, input_layout()).value();
  Applied applied;
  ASSERT_TRUE(op->apply(group_rows(spec, make_batch(input_layout(), {at(1)})), 0, applied).is_ok());
  std::vector<FiredRows> fired;
  ASSERT_TRUE(tick_all(*op, 999, fired).is_ok());
  ASSERT_EQ(fired.size(), 1U);
  EXPECT_TRUE(fired[0].immediate);
}

TEST(FiringRules, processing_time_has_one_kind_of_interval) {
  AggregateSpec spec = totals();
  spec.window.processing_time = true;
  spec.emit.early = {FiringRule::every, 100, true, 0};
  OperatorDriver driver = drive(spec);
  driver.set_wall(250);
  driver.add({at(kEndOfTime - 5)});
  EXPECT_EQ(driver.op().next_tick_us(), 300);
  EXPECT_EQ(driver.tick(300), "k 1 1 [0,1000) early 1\n");
  EXPECT_EQ(driver.op().next_tick_us(), 999);
}

// What was open goes by the clock that was wrong; rows that come then have the one that is right.
TEST(FiringRules, processing_time_goes_back_with_the_clock) {
  constexpr Micros kMinute = 60 * kMicrosPerSecond;
  for (const WindowKind kind : {WindowKind::tumbling, WindowKind::sliding}) {
    AggregateSpec spec = totals(20 * kMinute);
    spec.window.kind = kind;
    spec.window.slide_us = 10 * kMinute;
    spec.window.processing_time = true;
    OperatorDriver driver = drive(spec);
    driver.tick(30 * kMinute);
    driver.add({at(0)});
    const size_t windows = driver.op().open_windows().size();
    EXPECT_EQ(driver.tick(29 * kMinute), "") << "as clocks are set now and then";
    EXPECT_FALSE(driver.op().is_ahead_of(29 * kMinute));
    EXPECT_TRUE(driver.op().is_ahead_of(28 * kMinute));
    const std::string given = driver.tick(5 * kMinute);
    EXPECT_EQ(static_cast<size_t>(std::count(given.begin(), given.end(), '\n')), windows);
    EXPECT_EQ(driver.op().watermark(), 5 * kMinute);
    EXPECT_EQ(driver.add({at(0)}), 0U);
    EXPECT_EQ(driver.op().open_windows().front(), (kind == WindowKind::sliding ? 10 : 20) * kMinute);
    EXPECT_EQ(driver.tick(20 * kMinute).substr(0, 5), "k 1 1");
  }
}

// Its rows came by a clock that no tick saw.
TEST(FiringRules, processing_time_windows_far_ahead_do_not_wait_for_their_time) {
  AggregateSpec spec = totals(10 * kMicrosPerSecond);
  spec.window.processing_time = true;
  OperatorDriver driver = drive(spec);
  driver.set_wall(3600 * kMicrosPerSecond);
  driver.add({at(0)});
  EXPECT_EQ(driver.tick(5 * kMicrosPerSecond), "k 1 1 [3600000000,3610000000)\n");
  Applied applied;  // grouped by that clock, applied by this one
  const BatchRef batch = make_batch(driver.input(), {at(0)});
  ASSERT_TRUE(
      driver.op().apply(group_rows(spec, batch, 3600 * kMicrosPerSecond), 6 * kMicrosPerSecond, applied).is_ok());
  EXPECT_EQ(driver.op().open_windows(), std::vector<Micros>{10 * kMicrosPerSecond});
}

TEST(FiringRules, processing_time_takes_inserts_alone) {
  for (const WindowKind kind :
       {WindowKind::tumbling, WindowKind::sliding, WindowKind::cumulative, WindowKind::session, WindowKind::global}) {
    AggregateSpec spec = totals();
    spec.window.kind = kind;
    spec.window.slide_us = 500;
    spec.window.gap_us = 500;
    spec.window.processing_time = true;
    spec.changelog = true;
    EXPECT_FALSE(WindowOperator::create(spec, input_layout()).is_ok());
  }
}

/// A naive model of one random job, and the job itself, which is restarted now and then.
class RandomWindows {
 public:
  explicit RandomWindows(uint64_t seed) : random_(seed) {
    spec_ = totals(100);
    spec_.changelog = chance(50);
    const WindowKind kinds[] = {WindowKind::tumbling, WindowKind::sliding, WindowKind::cumulative};
    spec_.window.kind = kinds[random_() % 3];
    spec_.window.slide_us = spec_.window.kind == WindowKind::sliding && chance(30) ? 60 : 25;
    if (chance(60)) spec_.allowed_lateness_us = static_cast<Micros>(random_() % 200);
    spec_.emit.early = rule(chance(50));
    spec_.emit.late = rule(true);
    if (spec_.emit.late.rule == FiringRule::never) spec_.emit.late.rule = FiringRule::on_update;
    driver_ = std::make_unique<OperatorDriver>(spec_, input_layout());
  }

  void run() {
    for (int step = 0; step < 60; ++step) {
      add_rows();
      if (chance(60)) watermark_ = std::max(watermark_, base_ - static_cast<Micros>(random_() % 120));
      wall_ += static_cast<Micros>(random_() % 30);
      check(driver_->advance(watermark_));
      check(driver_->tick(wall_));
      seal();
      if (chance(15)) restart();
    }
    watermark_ = kEndOfTime;
    check(driver_->advance(watermark_));
    seal();
    EXPECT_TRUE(store_.empty());
    for (const auto& [group, totals] : model_) {
      const auto shown = shown_.find(group);
      ASSERT_TRUE(shown != shown_.end()) << group.second << " of the window ending " << group.first.first
                                         << " is missing";
      EXPECT_EQ(shown->second.rows, totals.rows) << group.second << " of the window ending " << group.first.first;
      EXPECT_EQ(shown->second.sum, totals.sum) << group.second << " of the window ending " << group.first.first;
    }
    EXPECT_EQ(shown_.size(), model_.size());
    const WindowCounters& counters = driver_->op().counters();
    EXPECT_EQ(counters.rows_aggregated + counters.rows_late + counters.rows_no_base, given_);
    EXPECT_EQ(counters.rows_late, late_);
    EXPECT_EQ(counters.rows_partly_late, partly_late_);
    EXPECT_EQ(counters.windows_missed, windows_missed_);
    EXPECT_EQ(counters.rows_no_base, no_base_);
  }

 private:
  using Window = std::pair<Micros, Micros>;  // end, start
  struct Totals {
    int64_t rows = 0;
    int64_t sum = 0;
    bool operator==(const Totals&) const = default;
  };
  using Groups = std::map<std::pair<Window, std::string>, Totals>;

  bool chance(unsigned percent) { return random_() % 100 < percent; }
  Firing rule(bool any) {
    if (!any) return {};
    const FiringRule rules[] = {FiringRule::on_update, FiringRule::every, FiringRule::count};
    return {rules[random_() % 3], static_cast<Micros>(10 + random_() % 40), chance(50),
            static_cast<uint32_t>(1 + random_() % 4)};
  }

  std::vector<Window> windows_of(Micros time) const {
    std::vector<Window> out;
    const WindowSpec& window = spec_.window;
    for (Micros start = -6000; start < 20'000; start += window.kind == WindowKind::sliding ? window.slide_us : 100) {
      for (Micros end = start + (window.kind == WindowKind::cumulative ? 25 : 100); end <= start + 100; end += 25) {
        if (start <= time && time < end) out.push_back({end, start});
      }
    }
    return out;
  }

  void count(const Row& row) {
    const auto& key = std::get<std::string>(row.cells[0]);
    const int sign = weight_of(row.op);
    ++given_;
    uint64_t missed = 0;
    const std::vector<Window> windows = windows_of(row.time);
    for (const Window& window : windows) {
      if (window.first - 1 + spec_.allowed_lateness_us <= watermark_) {
        ++missed;
        continue;
      }
      Totals& totals = model_[{window, key}];
      totals.rows += sign;
      totals.sum += sign * std::get<int64_t>(row.cells[1]);
      if (totals.rows == 0) model_.erase({window, key});
    }
    late_ += missed == windows.size() ? 1 : 0;
    const bool partly = missed > 0 && missed < windows.size();
    partly_late_ += partly ? 1 : 0;
    windows_missed_ += partly ? missed : 0;
    if (sign > 0 && missed < windows.size()) live_.push_back(row);
  }

  void add_rows() {
    base_ += static_cast<Micros>(random_() % 40);
    std::vector<Row> rows;
    for (uint64_t i = 0; i < random_() % 12; ++i) {
      if (spec_.changelog && !live_.empty() && chance(35)) {
        std::swap(live_[random_() % live_.size()], live_.back());
        rows.push_back(live_.back());
        rows.back().op = Op::remove;
        live_.pop_back();
      } else {
        rows.push_back(at(base_ - static_cast<Micros>(random_() % 250),
                          std::string(1, static_cast<char>('a' + random_() % 4)),
                          static_cast<int64_t>(random_() % 100)));
      }
      count(rows.back());
    }
    driver_->set_wall(wall_);
    driver_->add(rows);
    check(driver_->take());
  }

  // Lines: key n sum [start,end), and kind and revision where there may be several.
  void check(const std::string& results) {
    std::istringstream lines(results);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string key, rows, sum, window, kind = "on_time";
      uint64_t revision = 1;
      cells >> key >> rows >> sum >> window >> kind >> revision;
      const Micros start = std::stoll(window.substr(1));
      const Micros end = std::stoll(window.substr(window.find(',') + 1));
      const std::pair<Window, std::string> group({end, start}, key);
      EXPECT_EQ(revision, ++revisions_[group]) << line;
      EXPECT_EQ(kind == "early", kind != "retraction" && end - 1 > watermark_) << line << " at " << watermark_;
      if (kind == "retraction") {
        EXPECT_EQ(shown_.erase(group), 1U) << line;
      } else {
        shown_[group] = {std::stoll(rows), std::stoll(sum)};
      }
    }
  }

  void seal() {
    for (const Micros end : driver_->op().take_closed()) {
      std::erase_if(store_, [end](const auto& entry) { return entry.first.first == end; });
    }
    driver_->op().seal([&](const PaneChange& pane) {
      pane.visit_dirty([&](const EntryView& entry) {
        const auto key = std::pair(pane.pane_end(), std::string(entry.key));
        if (entry.removed) {
          store_.erase(key);
        } else {
          store_[key] = entry.accumulators;
        }
      });
    });
  }

  void restart() {
    const WindowCounters counters = driver_->op().counters();
    driver_ = std::make_unique<OperatorDriver>(spec_, input_layout());
    driver_->op().restore_watermark(watermark_, fired_up_to(watermark_));
    driver_->op().restore_counters(counters);
    for (const auto& [key, bytes] : store_) {
      ASSERT_TRUE(driver_->op().restore_entry(key.first, key.second, EntryView{key.second, bytes, false}).is_ok());
    }
    check(driver_->advance(watermark_));
  }

  std::mt19937_64 random_;
  AggregateSpec spec_;
  std::unique_ptr<OperatorDriver> driver_;
  std::map<std::pair<Micros, std::string>, std::string> store_;
  Micros base_ = 0;
  Micros watermark_ = -2000;
  Micros wall_ = 0;
  std::vector<Row> live_;
  Groups model_;
  Groups shown_;
  std::map<std::pair<Window, std::string>, uint64_t> revisions_;
  uint64_t given_ = 0;
  uint64_t late_ = 0;
  uint64_t partly_late_ = 0;
  uint64_t windows_missed_ = 0;
  uint64_t no_base_ = 0;
};

TEST(FiringRules, random_jobs_end_as_a_naive_model_across_restarts) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWindows(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tidemark::core::test
