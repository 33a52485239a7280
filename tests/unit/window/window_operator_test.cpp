// SPDX-License-Identifier: Apache-2.0
//
// The window operator against the vectors of semantics 2.6 and 2.7 that concern tumbling windows, and against the
// cases from the field on sums, NULLs and retraction.
#include "core/window/window_operator.hpp"

#include <gtest/gtest.h>

#include "core/window/window_times.hpp"
#include "tests/unit/window/keyed_totals.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

/// sum(v) by k over windows of `size`.
OperatorDriver sum_by_key(Micros size, Micros allowed_lateness = 0) {
  AggregateSpec spec;
  spec.id = "sums";
  spec.operator_id = 3;
  spec.key_columns = {0};
  spec.columns = {{"sum", Function::sum, 1}};
  spec.window.size_us = size;
  spec.allowed_lateness_us = allowed_lateness;
  return drive(spec);
}

WindowAssigner tumbling(Micros size) {
  WindowSpec spec;
  spec.size_us = size;
  return WindowAssigner::create(spec).value();
}

TimeRange window_of(Micros time, Micros size) {
  return tumbling(size).slice_of(time).value();
}

TEST(Tumbling, vec_S01) {
  const std::vector<std::pair<Micros, Micros>> cases = {{-8, -14}, {-7, -7}, {-6, -7}, {-1, -7},
                                                        {1, 0},    {6, 0},   {7, 7},   {8, 7}};
  for (const auto& [time, start] : cases) EXPECT_EQ(window_of(time, 7).start, start) << time;
}

TEST(Tumbling, vec_S05_without_offset) {
  EXPECT_EQ(window_of(0, 5000).end, 5000);
  EXPECT_EQ(window_of(4999, 5000).end, 5000);
  EXPECT_EQ(window_of(5000, 5000).end, 10000);
}

TEST(Tumbling, vec_S08) {
  const auto input = layout_of({column("k", ColumnType::text)});
  AggregateSpec spec;
  for (const Micros size : {Micros{-1}, Micros{0}}) {
    spec.window.size_us = size;
    EXPECT_EQ(WindowOperator::create(spec, input).status().code(), Code::config);
  }
}

TEST(Tumbling, ends_of_the_range_saturate) {
  EXPECT_EQ(window_of(kEndOfTime - 3, 1000).end, kEndOfTime);
  EXPECT_EQ(tumbling(1000).slice_ending_at(kEndOfTime).start, kEndOfTime - 807);
  EXPECT_EQ(window_of(kNoTime + 1, 1000).end, kNoTime + 808);
  EXPECT_EQ(tumbling(1000).slice_ending_at(kNoTime + 808).start, kNoTime);
  EXPECT_EQ(cleanup_time(kEndOfTime - 10, 20), kEndOfTime);
}

TEST(WindowOperator, vec_W01) {
  OperatorDriver driver = sum_by_key(3000);
  driver.add({at(3999, "k2"), at(3000, "k2"), at(20, "k1"), at(0, "k1"), at(999, "k1"), at(1998, "k2"), at(1999, "k2"),
              at(1000, "k2")});
  EXPECT_EQ(driver.advance(999), "");
  EXPECT_EQ(driver.advance(1999), "");
  EXPECT_EQ(driver.advance(2999), "k1 3 [0,3000)\nk2 3 [0,3000)\n");
  EXPECT_EQ(driver.op().take_closed(), std::vector<Micros>{3000});
  EXPECT_EQ(driver.advance(5999), "k2 2 [3000,6000)\n");
  EXPECT_EQ(driver.advance(6999), "");
  EXPECT_EQ(driver.op().open_panes(), 0U);
}

TEST(WindowOperator, vec_W04) {
  OperatorDriver driver = sum_by_key(2000);
  driver.add({at(1000)});
  EXPECT_EQ(driver.advance(1985), "");
  EXPECT_EQ(driver.add({at(1980)}), 0U);
  EXPECT_EQ(driver.advance(1999), "k 2 [0,2000)\n");
  EXPECT_EQ(driver.add({at(1998)}), 1U);
  EXPECT_EQ(driver.add({at(2001)}), 0U);
  EXPECT_EQ(driver.advance(2999), "");
  EXPECT_EQ(driver.advance(3999), "k 1 [2000,4000)\n");
  EXPECT_EQ(driver.op().counters().rows_late, 1U);
  EXPECT_EQ(driver.op().counters().rows_aggregated, 3U);
}

TEST(WindowOperator, vec_W06) {
  OperatorDriver driver = sum_by_key(1000, 2000);
  driver.add({at(kEndOfTime - 1750)});
  EXPECT_EQ(driver.advance(kEndOfTime - 1500), "");
  const std::string result = driver.advance(fire_time(window_of(kEndOfTime - 1750, 1000).end));
  EXPECT_EQ(result.substr(0, 4), "k 1 ");
}

TEST(WindowOperator, vec_W11) {
  OperatorDriver driver = sum_by_key(2000, 1);
  driver.add({at(1000)});
  EXPECT_EQ(driver.advance(1599), "");
  EXPECT_EQ(driver.advance(1999), "k 1 [0,2000) on_time 1\n");
  EXPECT_EQ(driver.op().open_panes(), 1U);
  EXPECT_EQ(driver.advance(2000), "");
  EXPECT_EQ(driver.op().open_panes(), 0U);
  EXPECT_EQ(driver.advance(5000), "");
}

TEST(WindowOperator, vec_W12) {
  OperatorDriver driver = sum_by_key(2000, 500);
  driver.add({at(100), at(150, "other")});
  EXPECT_EQ(driver.advance(1998), "");
  EXPECT_EQ(driver.advance(1999), "k 1 [0,2000) on_time 1\nother 1 [0,2000) on_time 1\n");
  driver.add({at(50)});
  EXPECT_EQ(driver.take(), "k 2 [0,2000) late 2\n");
  EXPECT_EQ(driver.advance(2498), "");
  driver.add({at(60)});
  EXPECT_EQ(driver.take(), "k 3 [0,2000) late 3\n");
  EXPECT_EQ(driver.advance(2499), "");
  EXPECT_EQ(driver.add({at(70)}), 1U);
}

TEST(WindowOperator, vec_W15) {
  OperatorDriver driver = sum_by_key(1000, kEndOfTime);
  driver.add({at(10)});
  EXPECT_EQ(driver.advance(5000), "k 1 [0,1000) on_time 1\n");
  driver.add({at(20)});
  EXPECT_EQ(driver.take(), "k 2 [0,1000) late 2\n");
  driver.add({at(30)});
  EXPECT_EQ(driver.take(), "k 3 [0,1000) late 3\n");
}

TEST(WindowOperator, vec_W16) {
  OperatorDriver driver = sum_by_key(1000, 500);
  driver.add({at(10), at(-1, "before"), at(kEndOfTime - 2, "last")});
  EXPECT_EQ(driver.advance(kEndOfTime),
            "before 1 [-1000,0) on_time 1\nk 1 [0,1000) on_time 1\nlast 1 [9223372036854775000,"
            "9223372036854775807) on_time 1\n");
  EXPECT_EQ(driver.add({at(20)}), 1U);
}

TEST(WindowOperator, watermarks_do_not_go_back) {
  OperatorDriver driver = sum_by_key(1000);
  driver.advance(5000);
  EXPECT_EQ(driver.advance(10), "");
  EXPECT_EQ(driver.op().watermark(), 5000);
  EXPECT_EQ(driver.add({at(4999)}), 1U);
}

TEST(WindowOperator, late_rows_come_by_window_in_row_order) {
  OperatorDriver driver = sum_by_key(1000);
  driver.advance(3000);
  const BatchRef batch =
      make_batch(driver.input(), {at(1500, "b"), at(500), at(3500), at(1100, "a"), at(1200, "b"), at(20, "z")});
  Applied applied;
  ASSERT_TRUE(driver.op().apply(group_rows(driver.op().spec(), batch), 0, applied).is_ok());
  const std::vector<LateGroup>& late = applied.late;
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[0].pane_end, 1000);
  EXPECT_EQ(late[0].rows, (std::vector<uint32_t>{1, 5}));
  EXPECT_EQ(late[1].pane_end, 2000);
  EXPECT_EQ(late[1].rows, (std::vector<uint32_t>{0, 3, 4}));
  EXPECT_EQ(late[1].watermark, 3000);
  EXPECT_EQ(late[1].operator_id, 3);
  EXPECT_EQ(late[1].batch, batch);
}

TEST(WindowOperator, many_groups_come_sorted_in_batches) {
  OperatorDriver driver = sum_by_key(1000);
  for (int part = 0; part < 10; ++part) {
    std::vector<Row> rows;
    for (int i = 0; i < 1000; ++i)
      rows.push_back(at(
          i, (i % 2 == 0 ? "even" : "odd") + std::string(" customer number ") + std::to_string(part * 1000 + i), part));
    driver.add(rows);
  }
  std::vector<FiredRows> fired;
  ASSERT_TRUE(advance_all(driver.op(), 1000, fired).is_ok());
  ASSERT_EQ(fired.size(), 3U);
  std::string last;
  size_t count = 0;
  for (const FiredRows& rows : fired) {
    EXPECT_EQ(rows.key_ends.size(), rows.rows->rows);
    EXPECT_LE(rows.rows->rows, kBatchRows);
    for (uint32_t row = 0; row < rows.rows->rows; ++row, ++count) {
      EXPECT_LT(last, rows.key_at(row));
      last = rows.key_at(row);
    }
  }
  EXPECT_EQ(count, 10000U);
  EXPECT_EQ(driver.op().counters().results, 10000U);
}

TEST(WindowOperator, overflow_names_everything) {
  AggregateSpec spec;
  spec.id = "big";
  spec.key_columns = {0};
  spec.columns = {{"total", Function::sum, 1}};
  spec.window.size_us = kMicrosPerSecond;
  OperatorDriver driver(spec, layout_of({column("k", ColumnType::text), column("v", ColumnType::decimal256, 76, 0)}));
  driver.add({{5, {"eu", std::string(76, '9')}}, {6, {"eu", "1"}}});
  std::vector<FiredRows> fired;
  const Status status = advance_all(driver.op(), kEndOfTime, fired);
  EXPECT_EQ(status.code(), Code::overflow);
  EXPECT_EQ(status.message(),
            "aggregate 'big', window 1970-01-01T00:00:00Z to 1970-01-01T00:00:01Z, key ('eu'): column 'total': the "
            "result has more than 76 digits; make the window or the groups smaller, or sum a column of fewer digits");
}

TEST(WindowOperator, names_of_results_are_unique) {
  const auto input = layout_of({column("window_end", ColumnType::text)});
  AggregateSpec spec;
  spec.key_columns = {0};
  spec.columns = {{"n", Function::count_all, -1}};
  EXPECT_EQ(WindowOperator::create(spec, input).status().code(), Code::config);
}

// As many results as a window has, no more of them are made than were asked for, and a batch.
TEST(WindowOperator, results_come_in_portions) {
  for (const bool sessions : {false, true}) {
    AggregateSpec spec = totals();
    if (sessions) spec.window = {.kind = WindowKind::session, .size_us = 0, .gap_us = 1000};
    OperatorDriver driver = drive(spec);
    std::vector<Row> rows;
    for (int i = 0; i < 10'000; ++i) rows.push_back(at(i % 2 == 0 ? 0 : 5000, "key" + std::to_string(i)));
    EXPECT_EQ(driver.add(rows), 0U);
    WindowOperator& op = driver.op();
    op.move_watermark(kEndOfTime);
    std::vector<FiredRows> fired;
    size_t given = 0;
    while (op.is_firing()) {
      EXPECT_LT(op.complete(), kEndOfTime);
      fired.clear();
      ASSERT_TRUE(op.fire(1, fired).is_ok());
      size_t portion = 0;
      for (const FiredRows& one : fired) portion += one.rows->rows;
      EXPECT_LE(portion, kBatchRows);
      given += portion;
    }
    EXPECT_EQ(given, 10'000U);
    EXPECT_EQ(op.complete(), kEndOfTime);
  }
}

}  // namespace
}  // namespace tidemark::core::test
