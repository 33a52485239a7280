// SPDX-License-Identifier: Apache-2.0
//
// Operators whose groups leave memory, against twins that keep all of them: the same results at every watermark, with
// epochs that are committed late, restarts that leave groups in the store, and pages that are merged.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/state/epoch_store.hpp"
#include "core/state/keys.hpp"
#include "core/state/pane_writer.hpp"
#include "tests/unit/window/keyed_totals.hpp"

namespace tidemark::core::test {
namespace {

/// An operator over a store, as a worker has it.
class Tight {
 public:
  explicit Tight(const AggregateSpec& spec) : spec_(spec) { open(); }

  OperatorDriver& driver() { return *driver_; }
  bool may_leave() const { return may_leave_; }
  void leave(size_t bytes) { ASSERT_TRUE(driver_->op().leave(bytes).is_ok()); }
  void seal() {
    EpochWrites writes;
    ASSERT_TRUE(pages_->seal(driver_->op(), ++epoch_, 0, kKeyGroups - 1, writes).is_ok());
    waiting_.push_back(std::move(writes));
  }
  void commit() {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      ASSERT_TRUE(store_->commit(waiting_.front()).is_ok());
      ++committed_;
    }
  }
  /// A process that goes on from the last seal.
  void restart(uint64_t bytes_max) {
    seal();
    commit();
    const Micros watermark = driver_->op().watermark();
    const WindowCounters counters = driver_->op().counters();
    driver_.reset();
    open();
    driver_->op().restore_watermark(watermark, fired_up_to(watermark));
    driver_->op().restore_counters(counters);
    PaneWriter::Restore visit;
    visit.entry = [&](Micros end, std::string_view key, const EntryView& entry) {
      return driver_->op().restore_entry(end, key, entry);
    };
    if (may_leave_) visit.leave = [&](Micros end, uint32_t group) { return driver_->op().restore_group(end, group); };
    visit.bytes_max = bytes_max;
    const Status restored = pages_->restore(0, kKeyGroups - 1, visit);
    ASSERT_TRUE(restored.is_ok()) << restored.message();
  }
  std::map<PageKind, size_t> page_counts() const {
    std::map<PageKind, size_t> out;
    EXPECT_TRUE(store_
                    ->scan(Family::panes, {},
                           [&](std::string_view key, auto) { return ++out[decode_page_key(key)->run.kind], true; })
                    .is_ok());
    return out;
  }
  EpochStore& store() { return *store_; }

 private:
  void open() {
    pages_ = std::make_unique<PaneWriter>(spec_.operator_id, *store_, [this] { return committed_; });
    driver_ = std::make_unique<OperatorDriver>(spec_, input_layout());
    may_leave_ = driver_->op().keep_groups_in(*pages_, 1 << 20);
  }

  AggregateSpec spec_;
  std::unique_ptr<EpochStore> store_ = make_memory_epoch_store();
  std::unique_ptr<PaneWriter> pages_;
  std::unique_ptr<OperatorDriver> driver_;
  bool may_leave_ = false;
  uint64_t epoch_ = 0;
  uint64_t committed_ = 0;
  std::deque<EpochWrites> waiting_;
};

AggregateSpec random_spec(std::mt19937_64& random) {
  AggregateSpec spec = totals();
  const auto add = [&](const char* name, AggregateFunction function) { spec.columns.push_back({name, function, 1}); };
  if (random() % 2 == 0) add("least", AggregateFunction::min);
  if (random() % 2 == 0) add("most", AggregateFunction::max);
  if (random() % 2 == 0) add("values", AggregateFunction::count_distinct);
  spec.changelog = random() % 2 == 0;
  spec.no_base = static_cast<NoBase>(random() % 2);
  switch (random() % 3) {
    case 0:
      break;
    case 1:
      spec.window.kind = WindowKind::sliding;
      spec.window.size_us = 3000;
      spec.window.slide_us = 1000;
      break;
    default:
      spec.window.kind = WindowKind::cumulative;
      spec.window.size_us = 4000;
      spec.window.slide_us = 1000;
  }
  return spec;
}

TEST(AbsentGroups, results_are_those_of_an_operator_in_memory) {
  std::map<PageKind, size_t> seen;
  for (uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const AggregateSpec spec = random_spec(random);
    OperatorDriver plain = drive(spec);
    Tight tight(spec);
    ASSERT_TRUE(tight.may_leave());
    const uint64_t keys = 1 + random() % 60;
    std::vector<Row> inserted;
    Micros now = 0;
    for (int step = 0; step < 120; ++step) {
      std::vector<Row> rows;
      for (uint64_t i = random() % 12; i > 0; --i) {
        Row row = at(now + static_cast<Micros>(random() % 2500), "key" + std::to_string(random() % keys),
                     static_cast<int64_t>(random() % 20));
        if (spec.changelog && random() % 3 == 0) {
          if (!inserted.empty() && random() % 5 > 0) row = inserted[random() % inserted.size()];
          row.op = Op::remove;
        } else {
          inserted.push_back(row);
        }
        rows.push_back(row);
      }
      ASSERT_EQ(tight.driver().add(rows), plain.add(rows));
      if (random() % 3 == 0) tight.leave(random() % 2 == 0 ? 0 : random() % 30'000);
      if (random() % 4 == 0) tight.seal();
      if (random() % 4 == 0) tight.commit();
      if (random() % 3 == 0) {
        now += static_cast<Micros>(random() % 900);
        ASSERT_EQ(tight.driver().advance(now), plain.advance(now));
      }
      if (random() % 25 == 0) tight.restart(random() % 2 == 0 ? 0 : 500);
      for (const auto& [kind, count] : tight.page_counts()) seen[kind] += count;
    }
    ASSERT_EQ(tight.driver().advance(kEndOfTime), plain.advance(kEndOfTime));
    EXPECT_EQ(tight.driver().op().counters().results, plain.op().counters().results);
    EXPECT_EQ(tight.driver().op().counters().rows_no_base, plain.op().counters().rows_no_base);
    tight.seal();
    tight.commit();
    EXPECT_TRUE(tight.page_counts().empty()) << "nothing is left of closed windows";
  }
  EXPECT_GT(seen[PageKind::base], 10'000u);
  EXPECT_GT(seen[PageKind::delta], 500u);
  EXPECT_GT(seen[PageKind::addend], 10'000u);
}

TEST(AbsentGroups, pages_of_an_epoch_that_never_was_are_dropped) {
  Tight tight(totals());
  tight.driver().add({at(1, "a", 1), at(2, "b", 2)});
  tight.leave(0);
  EXPECT_EQ(tight.page_counts()[PageKind::base], 2u) << "ahead of the epoch";
  ASSERT_TRUE(drop_pages_ahead(tight.store()).is_ok());
  EXPECT_TRUE(tight.page_counts().empty());
  size_t marks = 0;
  ASSERT_TRUE(tight.store().scan(Family::meta, kMetaAhead, [&](auto, auto) { return ++marks, true; }).is_ok());
  EXPECT_EQ(marks, 0u);
}

TEST(AbsentGroups, what_an_epoch_has_taken_stays) {
  Tight tight(totals());
  tight.driver().add({at(1, "a", 1)});
  tight.leave(0);
  tight.seal();
  tight.driver().add({at(2, "a", 2)});
  tight.leave(0);  // ahead of the next epoch, before this one is committed
  tight.commit();
  EXPECT_EQ(tight.page_counts()[PageKind::base], 1u);
  ASSERT_TRUE(drop_pages_ahead(tight.store()).is_ok());
  EXPECT_EQ(tight.page_counts(), (std::map<PageKind, size_t>{{PageKind::base, 1}}));
}

TEST(AbsentGroups, many_addends_become_few) {
  Tight tight(totals(1'000'000));
  for (int i = 0; i < 300; ++i) {
    tight.driver().add({at(i, "a", 1), at(i, "b" + std::to_string(i), 1)});
    tight.leave(0);
    if (i % 10 == 0) tight.seal();
    if (i % 10 == 0) tight.commit();
  }
  tight.seal();
  tight.commit();
  EXPECT_LT(tight.page_counts()[PageKind::addend], 300u) << "two for each group or so";
  const std::string results = tight.driver().advance(1'000'000);
  EXPECT_TRUE(results.starts_with("a 300 300 ")) << results.substr(0, 40);
}

TEST(AbsentGroups, only_where_each_group_has_one_result) {
  AggregateSpec late = totals();
  late.allowed_lateness_us = 1;
  AggregateSpec early = totals();
  early.emit.early.rule = FiringRule::on_update;
  AggregateSpec clock = totals();
  clock.window.processing_time = true;
  AggregateSpec session = totals();
  session.window.kind = WindowKind::session;
  session.window.gap_us = 10;
  for (const AggregateSpec& spec : {late, early, clock, session}) EXPECT_FALSE(Tight(spec).may_leave());
}

TEST(AbsentGroups, a_part_that_is_lost_is_noticed) {
  Tight tight(totals(1'000'000));
  std::vector<Row> rows;
  for (int i = 0; rows.size() < 20; ++i) {  // of one key group, so that it has several parts
    const Row row = at(1, std::to_string(i) + std::string(3000, 'x'));
    const GroupedRows grouped = group_rows(totals(), make_batch(input_layout(), {row}));
    if (key_group_of(grouped.groups[0].hash) == 7) rows.push_back(row);
  }
  tight.driver().add(rows);
  tight.leave(0);
  tight.seal();
  tight.commit();
  std::vector<std::string> pages;
  ASSERT_TRUE(tight.store()
                  .scan(Family::panes, {}, [&](std::string_view key, auto) { return pages.emplace_back(key), true; })
                  .is_ok());
  ASSERT_GT(pages.size(), 2u);
  EpochWrites loss;
  loss.remove(Family::panes, pages[1]);
  ASSERT_TRUE(tight.store().commit(loss).is_ok());
  const std::string result = tight.driver().advance(1'000'000);
  EXPECT_NE(result.find("part 1: is missing"), std::string::npos) << result.substr(0, 200);
}

}  // namespace
}  // namespace tidemark::core::test
