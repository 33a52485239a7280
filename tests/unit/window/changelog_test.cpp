// SPDX-License-Identifier: Apache-2.0
//
// Changelog mode: what is taken back is gone to the last digit, also for minima, maxima and distinct counts; and
// what a seal writes restores to the same operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

AggregateSpec changelog_spec(std::vector<AggregateColumn> columns) {
  AggregateSpec spec;
  spec.id = "totals";
  spec.key_columns = {0};
  spec.columns = std::move(columns);
  spec.window.size_us = 1000;
  spec.allowed_lateness_us = kEndOfTime;  // so that one window can be looked at again and again
  spec.changelog = true;
  return spec;
}

Row change(Op op, Cell key, Cell value, Micros time = 0) {
  return Row{time, {std::move(key), std::move(value)}, op};
}

TEST(Changelog, case_A10) {
  OperatorDriver driver(changelog_spec({{"n", Function::count_all, -1}, {"sum", Function::sum, 1}}),
                        layout_of({column("k", ColumnType::text), column("v", ColumnType::decimal64, 16, 2)}));
  driver.add(std::vector<Row>(70, change(Op::insert, "eu", "0.40")));
  EXPECT_EQ(driver.advance(1000), "eu 70 28.00 [0,1000) on_time 1\n");
  for (const Op op : {Op::insert, Op::remove}) {
    driver.add({change(op, "eu", "0.10"), change(op, "eu", "0.20"), change(op, "eu", "0.30")});
  }
  EXPECT_EQ(driver.take(), "eu 73 28.60 [0,1000) late 2\neu 70 28.00 [0,1000) late 3\n");
  driver.add(std::vector<Row>(70, change(Op::remove, "eu", "0.40")));
  EXPECT_EQ(driver.take(), "eu 0 - [0,1000) retraction 4\n");

  const std::string nines = std::string(36, '9') + ".99";
  OperatorDriver wide(changelog_spec({{"sum", Function::sum, 1}}),
                      layout_of({column("k", ColumnType::text), column("v", ColumnType::decimal128, 38, 2)}));
  wide.add({change(Op::insert, "eu", nines), change(Op::insert, "eu", nines), change(Op::insert, "eu", "0.02")});
  EXPECT_EQ(wide.advance(1000), "eu 2" + std::string(36, '0') + ".00 [0,1000) on_time 1\n");

  AggregateSpec spec = changelog_spec({{"avg", Function::avg, 1}});
  spec.changelog = false;
  OperatorDriver average(spec, layout_of({column("k", ColumnType::text), column("v", ColumnType::int32)}));
  average.add({change(Op::insert, "eu", int64_t{10}), change(Op::insert, "eu", int64_t{10}),
               change(Op::insert, "eu", int64_t{11})});
  EXPECT_EQ(average.advance(1000), "eu 10.3333 [0,1000) on_time 1\n");
}

TEST(Changelog, case_A12) {
  OperatorDriver driver(changelog_spec({{"sum", Function::sum, 1}}),
                        layout_of({column("k", ColumnType::text), column("v", ColumnType::int64)}));
  const int64_t most = std::numeric_limits<int64_t>::max();
  driver.add({change(Op::insert, "eu", most), change(Op::insert, "eu", int64_t{1})});
  EXPECT_EQ(driver.advance(1000), "eu 9223372036854775808 [0,1000) on_time 1\n");
  driver.add({change(Op::remove, "eu", int64_t{1})});
  EXPECT_EQ(driver.take(), "eu 9223372036854775807 [0,1000) late 2\n");
}

TEST(Changelog, case_A14) {
  OperatorDriver driver(
      changelog_spec({{"sum", Function::sum, 1}, {"n", Function::count_all, -1}, {"c", Function::count, 1}}),
      layout_of({column("k", ColumnType::text), column("v", ColumnType::int32)}));
  driver.add({change(Op::insert, "eu", Cell()), change(Op::insert, "eu", int64_t{3})});
  EXPECT_EQ(driver.advance(1000), "eu 3 2 1 [0,1000) on_time 1\n");
  driver.add({change(Op::update_before, "eu", Cell()), change(Op::update_after, "eu", int64_t{5})});
  EXPECT_EQ(driver.take(), "eu 8 2 2 [0,1000) late 2\n");
  driver.add({change(Op::update_before, "eu", int64_t{3}), change(Op::update_after, "eu", Cell())});
  EXPECT_EQ(driver.take(), "eu 5 2 1 [0,1000) late 3\n");
  driver.add({change(Op::remove, "eu", int64_t{5}), change(Op::remove, "eu", Cell())});
  EXPECT_EQ(driver.take(), "eu - 0 0 [0,1000) retraction 4\n");
  driver.add({change(Op::insert, Cell(), Cell()), change(Op::insert, "NULL", Cell())});
  EXPECT_EQ(driver.take(), "- - 1 0 [0,1000) late 1\nNULL - 1 0 [0,1000) late 1\n");
}

TEST(Changelog, state_hears_of_groups_that_are_gone) {
  AggregateSpec spec = changelog_spec({{"n", Function::count_all, -1}});
  spec.allowed_lateness_us = 0;
  OperatorDriver driver(spec, layout_of({column("k", ColumnType::text), column("v", ColumnType::int32)}));
  driver.add({change(Op::insert, "eu", Cell()), change(Op::insert, "us", Cell())});
  driver.add({change(Op::remove, "us", Cell())});
  std::vector<bool> removed;
  const auto seal = [&] {
    driver.op().seal([&](const PaneChange& pane) {
      pane.visit_dirty([&](const EntryView& entry) { removed.push_back(entry.removed); });
    });
    return std::exchange(removed, {});
  };
  EXPECT_EQ(seal(), std::vector<bool>{false});  // us came and went: state need not hear of it
  driver.add({change(Op::remove, "eu", Cell())});
  EXPECT_EQ(seal(), std::vector<bool>{true});
  EXPECT_EQ(seal(), std::vector<bool>{});
}

/// All rows of a group by hand.
struct NaiveGroup {
  std::multiset<int64_t> numbers;
  std::multiset<std::string> texts;
  int64_t rows = 0;
};

class RetractionTest : public ::testing::TestWithParam<ColumnType> {
 protected:
  std::vector<AggregateColumn> columns_ = {{"n", Function::count_all, -1},
                                           {"sum", Function::sum, 1},
                                           {"min", Function::min, 1},
                                           {"max", Function::max, 1},
                                           {"distinct", Function::count_distinct, 1},
                                           {"tmin", Function::min, 2},
                                           {"tmax", Function::max, 2},
                                           {"tdistinct", Function::count_distinct, 2}};
  std::shared_ptr<const BatchLayout> input_ =
      layout_of({column("k", ColumnType::int32), column("v", GetParam(), 18, 0), column("t", ColumnType::text)});
  Cell number(int64_t value) const {
    if (GetParam() == ColumnType::int64) return value;
    return std::to_string(value);
  }
};

std::string naive_text(const std::map<int64_t, NaiveGroup>& groups) {
  std::string out;
  for (const auto& [key, group] : groups) {
    if (group.rows == 0) continue;
    int64_t sum = 0;
    for (const int64_t value : group.numbers) sum += value;
    const auto extreme = [](const auto& values, bool largest, const auto& text) {
      return values.empty() ? std::string("-") : text(largest ? *values.rbegin() : *values.begin());
    };
    const auto same = [](const std::string& text) { return text; };
    const auto digits = [](int64_t value) { return std::to_string(value); };
    out += std::to_string(key) + " " + std::to_string(group.rows) + " " +
           (group.numbers.empty() ? "-" : std::to_string(sum)) + " " + extreme(group.numbers, false, digits) + " " +
           extreme(group.numbers, true, digits) + " " +
           std::to_string(std::set<int64_t>(group.numbers.begin(), group.numbers.end()).size()) + " " +
           extreme(group.texts, false, same) + " " + extreme(group.texts, true, same) + " " +
           std::to_string(std::set<std::string>(group.texts.begin(), group.texts.end()).size()) + " [0,1000)\n";
  }
  return out;
}

/// Copies what seals wrote, the way state would keep it.
using Store = std::map<std::pair<Micros, std::string>, std::string>;

void seal_into(WindowOperator& from, Store& store) {
  from.seal([&](const PaneChange& pane) {
    size_t dirty = 0;
    std::string last;
    pane.visit_dirty([&](const EntryView& entry) {
      EXPECT_TRUE(dirty++ == 0 || last < entry.key);
      last = entry.key;
      const auto key = std::pair(pane.pane_end(), std::string(entry.key));
      EXPECT_EQ(key_group_of(hash_bytes(entry.key)), pane.key_group());
      if (entry.removed) {
        EXPECT_EQ(store.erase(key), 1U);
      } else {
        store[key] = entry.accumulators;
      }
    });
    EXPECT_EQ(dirty, pane.dirty_count());
    size_t all = 0;
    pane.visit_all([&](const EntryView& entry) {
      ++all;
      EXPECT_EQ(store.at({pane.pane_end(), std::string(entry.key)}), entry.accumulators);
    });
    EXPECT_EQ(all, pane.entry_count());
  });
}

void restore_from(const Store& store, WindowOperator& into) {
  for (const auto& [key, bytes] : store) {
    const Status status = into.restore_entry(key.first, key.second, EntryView{key.second, bytes, false});
    ASSERT_TRUE(status.is_ok()) << status.message();
  }
}

TEST_P(RetractionTest, like_a_naive_model_also_across_restarts) {
  for (const uint64_t seed : {11U, 12U, 13U}) {
    std::mt19937_64 random(seed);
    AggregateSpec spec = changelog_spec(columns_);
    spec.allowed_lateness_us = 0;
    spec.no_base = NoBase::delta;
    auto driver = std::make_unique<OperatorDriver>(spec, input_);
    std::map<int64_t, NaiveGroup> model;
    std::vector<std::pair<int64_t, std::vector<Cell>>> live;  // value and cells of rows that are there
    Store store;
    for (int step = 0; step < 60; ++step) {
      std::vector<Row> rows;
      for (int i = 0; i < 20; ++i) {
        const bool removes = !live.empty() && random() % 20 < (step % 20 < 10 ? 6U : 14U);
        if (removes) {
          std::swap(live[random() % live.size()], live.back());
          rows.push_back({0, live.back().second, Op::remove});
        } else {
          const auto value = static_cast<int64_t>(random() % 30) - 15;
          Cell text = std::string(1, static_cast<char>('a' + random() % 5));
          if (random() % 4 == 0) text = Cell();
          const bool null = random() % 5 == 0;
          live.push_back({value, {static_cast<int64_t>(random() % 8), null ? Cell() : number(value), text}});
          rows.push_back({0, live.back().second, Op::insert});
        }
        const auto& [value, cells] = live.back();
        NaiveGroup& group = model[std::get<int64_t>(cells[0])];
        group.rows += removes ? -1 : 1;
        if (cells[1].index() != 0) {
          removes ? void(group.numbers.erase(group.numbers.find(value))) : void(group.numbers.insert(value));
        }
        if (const auto* text = std::get_if<std::string>(&cells[2])) {
          removes ? void(group.texts.erase(group.texts.find(*text))) : void(group.texts.insert(*text));
        }
        if (removes) live.pop_back();
      }
      std::shuffle(rows.begin(), rows.end(), random);  // also removals before their additions
      driver->add(rows);
      if (step % 3 == 0) seal_into(driver->op(), store);
      if (step % 9 == 3) {  // a restart from what is stored
        driver = std::make_unique<OperatorDriver>(spec, input_);
        restore_from(store, driver->op());
      }
    }
    seal_into(driver->op(), store);
    EXPECT_EQ(driver->advance(1000), naive_text(model));
    driver = std::make_unique<OperatorDriver>(spec, input_);
    restore_from(store, driver->op());
    std::vector<Row> rest;
    for (const auto& [value, cells] : live) rest.push_back({0, cells, Op::remove});
    driver->add(rest);
    seal_into(driver->op(), store);
    EXPECT_EQ(driver->advance(1000), "");
    EXPECT_TRUE(store.empty());
    EXPECT_EQ(driver->op().counters().groups_without_base, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, RetractionTest,
                         ::testing::Values(ColumnType::int64, ColumnType::decimal64, ColumnType::decimal128,
                                           ColumnType::decimal256));

TEST(WindowState, restored_operator_continues_like_the_uninterrupted_one) {
  AggregateSpec spec = changelog_spec(
      {{"n", Function::count_all, -1}, {"sum", Function::sum, 1}, {"lo", Function::min, 1}, {"hi", Function::max, 1}});
  spec.changelog = false;
  spec.allowed_lateness_us = 0;
  const auto input = layout_of({column("k", ColumnType::text), column("v", ColumnType::int32)});
  std::mt19937_64 random(5);
  OperatorDriver whole(spec, input);
  auto part = std::make_unique<OperatorDriver>(spec, input);
  Store store;
  for (Micros watermark = 0; watermark < 20'000; watermark += 700) {
    std::vector<Row> rows;
    for (int i = 0; i < 50; ++i) {
      const Micros time = watermark - 1500 + static_cast<Micros>(random() % 3000);
      rows.push_back(
          {time,
           {"a customer with a long name " + std::to_string(random() % 20), static_cast<int64_t>(random() % 1000)}});
    }
    EXPECT_EQ(whole.add(rows), part->add(rows));
    EXPECT_EQ(whole.advance(watermark), part->advance(watermark));
    for (const Micros end : part->op().take_closed()) {
      std::erase_if(store, [end](const auto& entry) { return entry.first.first == end; });
    }
    seal_into(part->op(), store);
    const WindowCounters counters = part->op().counters();
    part = std::make_unique<OperatorDriver>(spec, input);
    part->op().restore_watermark(watermark, fired_up_to(watermark));
    part->op().restore_counters(counters);
    restore_from(store, part->op());
  }
  EXPECT_EQ(whole.advance(kEndOfTime), part->advance(kEndOfTime));
  EXPECT_EQ(whole.op().counters().results, part->op().counters().results);
  EXPECT_GT(whole.op().counters().rows_late, 0U);
}

TEST(WindowState, a_window_that_a_slower_worker_had_not_fired_fires_after_a_restart) {
  AggregateSpec spec = changelog_spec({{"n", Function::count_all, -1}});
  spec.allowed_lateness_us = 5000;
  const std::string key("\1a\0\0", 4);
  const EntryView entry{key,
                        std::string_view("\5\0\0\0\0\0\0\0"
                                         "\0\0\0\0\0\0\0\0\0",
                                         17),
                        false};
  for (const Micros fired : {Micros{1500}, Micros{500}}) {
    OperatorDriver driver(spec, layout_of({column("k", ColumnType::text)}));
    driver.op().restore_watermark(1500, fired_up_to(fired));
    ASSERT_TRUE(driver.op().restore_entry(1000, key, entry).is_ok());
    EXPECT_EQ(driver.advance(1500), fired < 999 ? "a 5 [0,1000) on_time 1\n" : "");
  }
}

TEST(WindowState, damaged_state_is_an_error) {
  AggregateSpec spec = changelog_spec({{"n", Function::count_all, -1}});
  OperatorDriver again(spec, layout_of({column("k", ColumnType::text)}));
  spec.allowed_lateness_us = 0;
  OperatorDriver driver(spec, layout_of({column("k", ColumnType::text)}));
  EXPECT_EQ(driver.op().restore_entry(1000, "no key", EntryView{"no key", "12345678", false}).code(), Code::damage);
  const std::string key("\1a\0\0", 4);
  EXPECT_EQ(driver.op().restore_entry(1000, key, EntryView{key, "123", false}).code(), Code::damage);
  EXPECT_EQ(driver.op().restore_entry(1001, key, EntryView{key, "12345678", false}).code(), Code::damage);
  EXPECT_EQ(again.op().restore_entry(1000, key, EntryView{key, "12345678", false}).code(), Code::damage);
  EXPECT_TRUE(driver.op().restore_entry(1000, key, EntryView{key, std::string("\5\0\0\0\0\0\0\0", 8), false}).is_ok());
  EXPECT_EQ(driver.advance(1000), "a 5 [0,1000)\n");
  EXPECT_TRUE(driver.op().restore_entry(1000, key, EntryView{key, "", true}).is_ok());
  EXPECT_EQ(driver.advance(kEndOfTime), "");
}

}  // namespace
}  // namespace tidemark::core::test
