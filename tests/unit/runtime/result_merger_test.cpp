// SPDX-License-Identifier: Apache-2.0
//
// ResultMerger: one order whatever the number of workers, waiting for the slowest, and what waits survives epochs.
#include "core/runtime/result_merger.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tidemark::core {
namespace {

std::shared_ptr<const BatchLayout> one_number() {
  auto layout = std::make_shared<BatchLayout>();
  ColumnInfo n;
  n.name = "n";
  n.type = ColumnType::int64;
  layout->columns.push_back(n);
  return layout;
}

/// Results of a window: keys are single letters, ascending, and n is a number of one's own.
FiredRows results(Micros window_end, const std::string& keys, int64_t first_n) {
  static const auto kLayout = one_number();
  const auto rows = static_cast<uint32_t>(keys.size());
  auto batch = std::make_shared<Batch>(kLayout, rows, 0);
  batch->rows = rows;
  FiredRows out;
  out.window_start = window_end - 10;
  out.window_end = window_end;
  out.keys = keys;
  for (uint32_t row = 0; row < rows; ++row) {
    batch->event_time_us[row] = window_end - 1;
    batch->op[row] = static_cast<uint8_t>(Op::insert);
    batch->origin[row] = kNoOrigin;
    const int64_t n = first_n + row;
    std::memcpy(static_cast<char*>(batch->mutable_columns()[0].values) + row * sizeof n, &n, sizeof n);
    batch->mutable_columns()[0].validity[row >> 3] |= static_cast<uint8_t>(1U << (row & 7));
    out.key_ends.push_back(row + 1);
  }
  out.rows = std::move(batch);
  return out;
}

std::string drained(ResultMerger& merger) {
  std::string out;
  Status status = merger.drain([&out](const Batch& rows, uint32_t row) {
    out += std::to_string(rows.column(0).as<int64_t>()[row]) + " ";
    return Status();
  });
  EXPECT_TRUE(status.is_ok());
  return out;
}

TEST(ResultMerger, order_is_window_then_key_whatever_the_workers) {
  ResultMerger merger(0, 3);
  merger.add(0, results(20, "bd", 200));
  merger.add(1, results(10, "ac", 100));
  merger.add(2, results(10, "b", 150));
  merger.add(1, results(20, "ac", 300));
  for (const uint32_t worker : {0U, 1U, 2U}) merger.pass(worker, kEndOfTime);
  EXPECT_EQ(drained(merger), "100 150 101 300 200 301 201 ");
  EXPECT_EQ(merger.waiting_batches(), 0U);
}

TEST(ResultMerger, a_window_waits_for_every_worker) {
  ResultMerger merger(0, 2);
  merger.add(0, results(10, "a", 1));
  merger.pass(0, 50);
  EXPECT_EQ(drained(merger), "");
  EXPECT_EQ(merger.complete(), kNoTime);
  merger.pass(1, 8);
  EXPECT_EQ(drained(merger), "");
  merger.pass(1, 9);  // the last microsecond of [0, 10)
  EXPECT_EQ(merger.complete(), 9);
  EXPECT_EQ(drained(merger), "1 ");
  merger.pass(1, 3);  // never back
  EXPECT_EQ(merger.complete(), 9);
}

TEST(ResultMerger, revisions_of_one_worker_keep_their_order) {
  ResultMerger merger(0, 1);
  merger.add(0, results(10, "ab", 10));
  merger.add(0, results(10, "a", 20));
  merger.pass(0, 9);
  EXPECT_EQ(drained(merger), "10 20 11 ");
}

TEST(ResultMerger, what_waits_survives_an_epoch) {
  ResultMerger before(0, 2);
  before.add(0, results(20, "ac", 1));
  before.add(0, results(30, "b", 5));
  before.pass(0, 40);
  ResultMerger after(0, 3);
  ASSERT_TRUE(after.restore(before.encode(), one_number()).is_ok());
  EXPECT_EQ(after.waiting_batches(), 2U);
  after.add(2, results(20, "b", 9));
  for (const uint32_t worker : {0U, 1U, 2U}) after.pass(worker, 40);
  EXPECT_EQ(drained(after), "1 9 2 5 ");
}

TEST(ResultMerger, early_results_do_not_wait) {
  ResultMerger merger(0, 2);
  FiredRows early = results(10, "ab", 1);
  early.immediate = true;
  merger.add(0, std::move(early));
  merger.add(0, results(10, "a", 5));
  ResultMerger after(0, 1);
  ASSERT_TRUE(after.restore(merger.encode(), one_number()).is_ok());
  EXPECT_EQ(drained(merger), "1 2 ");
  EXPECT_EQ(drained(after), "1 2 ");
  after.pass(0, 9);
  EXPECT_EQ(drained(after), "5 ");
}

TEST(ResultMerger, windows_that_differ_from_row_to_row) {
  ResultMerger merger(0, 2);
  FiredRows sessions = results(0, "dbca", 1);
  sessions.window_starts = {2, 1, 4, 3};
  sessions.window_ends = {10, 20, 20, 30};
  merger.add(0, std::move(sessions));
  FiredRows others = results(0, "ab", 100);
  others.window_starts = {5, 0};
  others.window_ends = {20, 20};
  merger.add(1, std::move(others));
  merger.pass(0, 50);
  merger.pass(1, 10);
  EXPECT_EQ(drained(merger), "1 100 101 ");  // b's session that began at 0 stands before the one that began at 1
  EXPECT_EQ(merger.waiting_batches(), 1U);
  EXPECT_EQ(merger.waiting_rows(0), 3U);
  EXPECT_EQ(merger.waiting_rows(1), 0U);
  ResultMerger after(0, 1);  // rows that were handed out do not come again
  ASSERT_TRUE(after.restore(merger.encode(), one_number()).is_ok());
  after.pass(0, 50);
  EXPECT_EQ(drained(after), "2 3 4 ");
}

TEST(ResultMerger, corrections_stand_behind_what_was_passed) {
  ResultMerger merger(0, 2);
  merger.add(0, results(10, "b", 1));
  merger.pass(0, 24);
  merger.add(0, results(10, "b", 2));  // corrects
  merger.add(0, results(20, "a", 3));  // and this one
  merger.add(0, results(30, "a", 4));
  merger.pass(0, 40);
  merger.pass(1, 9);
  EXPECT_EQ(drained(merger), "1 ");
  merger.add(1, results(20, "c", 5));
  merger.pass(1, 40);
  EXPECT_EQ(drained(merger), "5 3 2 4 ");
}

TEST(ResultMerger, rows_wait_only_for_what_may_stand_before_them) {
  ResultMerger merger(0, 2);
  merger.add(0, results(10, "ace", 1));
  EXPECT_TRUE(merger.is_awaited(1));
  EXPECT_FALSE(merger.is_awaited(0));
  EXPECT_EQ(drained(merger), "");
  merger.add(1, results(10, "b", 10));
  EXPECT_FALSE(merger.is_awaited(1));
  EXPECT_EQ(drained(merger), "1 10 ");
  EXPECT_TRUE(merger.is_awaited(1));
  merger.add(1, results(10, "d", 20));
  EXPECT_EQ(drained(merger), "2 20 ");
  EXPECT_EQ(merger.waiting_rows(0), 1U);
  merger.pass(1, 9);
  EXPECT_EQ(drained(merger), "3 ");
  merger.pass(0, 9);
  EXPECT_EQ(drained(merger), "");
  EXPECT_EQ(merger.waiting_batches(), 0U);
}

TEST(ResultMerger, damaged_state_is_an_error) {
  ResultMerger before(0, 1);
  before.add(0, results(20, "ac", 1));
  const std::string good = before.encode();
  for (const std::string& bad : {good.substr(0, good.size() - 1), good + "x", good.substr(0, 9)}) {
    EXPECT_EQ(ResultMerger(0, 1).restore(bad, one_number()).code(), Code::damage);
  }
  ResultMerger nothing(0, 1);
  EXPECT_TRUE(nothing.restore(ResultMerger(0, 1).encode(), one_number()).is_ok());
  EXPECT_EQ(nothing.waiting_batches(), 0U);
}

TEST(ResultMerger, the_first_error_of_a_sink_ends_the_drain) {
  ResultMerger merger(0, 1);
  merger.add(0, results(10, "abc", 1));
  merger.pass(0, 9);
  int calls = 0;
  Status status = merger.drain(
      [&calls](const Batch&, uint32_t) { return ++calls == 2 ? Status(Code::io, "disk full") : Status(); });
  EXPECT_EQ(status.code(), Code::io);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace tidemark::core
