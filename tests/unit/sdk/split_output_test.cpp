// SPDX-License-Identifier: Apache-2.0
//
// SplitOutput and Row: credit, room, values into every width, refusals that take the row back, and signals that
// come after the rows before them.
#include <gtest/gtest.h>
#include <tidemark/split_output.hpp>

#include "tests/unit/sdk/fake_host.hpp"

namespace tidemark {
namespace {

using test::cell;
using test::FakeBatch;
using test::FakeHost;
using test::is_set;

const Schema kSchema = {{"i8", Type::int8},
                        {"u64", Type::uint64},
                        {"unused", Type::int32},
                        {"text", Type::text},
                        {"f32", Type::float32},
                        Column::decimal("d64", 6, 2),
                        Column::decimal("d128", 38, 3),
                        Column::decimal("d256", 60, 1),
                        {"flag", Type::boolean},
                        {"key", Type::int64, false},
                        {"at", Type::timestamp}};
enum Columns : uint32_t { kI8, kU64, kUnused, kText, kF32, kD64, kD128, kD256, kFlag, kKey, kAt };
constexpr uint32_t kProjection[] = {kI8, kU64, kText, kF32, kD64, kD128, kD256, kFlag, kKey, kAt};

class SplitOutputTest : public ::testing::Test {
 protected:
  SplitOutput open() { return {host.output, layout, 3, next_sequence}; }
  const FakeBatch& last() const { return *host.submitted.back(); }

  FakeHost host{10};
  Layout layout{kSchema, kProjection};
  uint64_t next_sequence = 1;
};

std::string failure_of(const auto& body) {
  try {
    body();
  } catch (const SourceError& e) {
    return e.what();
  }
  return "no error";
}

TEST_F(SplitOutputTest, ValuesTakeTheWidthOfTheirColumn) {
  {
    auto out = open();
    out.append(Op::insert, 77)
        .set(kI8, -128)
        .set(kU64, UINT64_MAX)
        .set(kUnused, "skipped, whatever it is")
        .set(kText, "grüße, longer than the heap at first")
        .set(kF32, 0.5)
        .set(kD64, "-12.5")
        .set(kD128, Unscaled{int128{-5} * 1'000'000'000'000'000'000})
        .set(kD256, "-1")
        .set(kFlag, true)
        .set(kKey, int16_t{9})
        .set(kAt, std::chrono::sys_days(std::chrono::year(1970) / 1 / 2));
    out.append(Op::remove).set(kD64, 12).set(kText, std::optional<std::string_view>{}).set(kKey, 1u);
  }
  EXPECT_EQ(host.said(3), "[1 2]");
  EXPECT_EQ(cell<int8_t>(last(), 0, 0), -128);
  EXPECT_EQ(cell<uint64_t>(last(), 1, 0), UINT64_MAX);
  EXPECT_EQ(test::text_cell(last(), 2, 0), "grüße, longer than the heap at first");
  EXPECT_EQ(cell<float>(last(), 3, 0), 0.5f);
  EXPECT_EQ(cell<int64_t>(last(), 4, 0), -1250);
  EXPECT_EQ(cell<int128>(last(), 5, 0), int128{-5} * 1'000'000'000'000'000'000);
  const auto wide = cell<std::array<uint64_t, 4>>(last(), 6, 0);
  EXPECT_EQ(wide, (std::array<uint64_t, 4>{static_cast<uint64_t>(-10), UINT64_MAX, UINT64_MAX, UINT64_MAX}));
  EXPECT_EQ(cell<uint8_t>(last(), 7, 0), 1);
  EXPECT_EQ(cell<int64_t>(last(), 8, 0), 9);
  EXPECT_EQ(last().event_times[0], 77);
  EXPECT_EQ(last().event_times[1], kNoTime);
  EXPECT_EQ(last().ops[1], TIDEMARK_DELETE);
  EXPECT_EQ(cell<int64_t>(last(), 4, 1), 1200);
  EXPECT_FALSE(is_set(last(), 0, 1));
  EXPECT_FALSE(is_set(last(), 2, 1));
  EXPECT_EQ(cell<int64_t>(last(), 9, 0), 86'400'000'000);
}

TEST_F(SplitOutputTest, ValuesThatDoNotFitAreRefusedAndTheRowIsTakenBack) {
  {
    auto out = open();
    out.append(Op::insert).set(kKey, 1);
    EXPECT_EQ(failure_of([&] { out.append(Op::insert).set(kI8, 128); }), "column 'i8' cannot hold the number: '128'");
    EXPECT_EQ(failure_of([&] { out.append(Op::insert).set(kKey, 5).set(kU64, -1); }),
              "column 'u64' cannot hold the number: '-1'");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kD64, "12345.0"); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kD64, "1.001"); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kD64, "1.2.3"); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kD64, Unscaled{1'000'000}); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kF32, 1e300); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kText, 5); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kKey, "text"); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kKey, std::nullopt); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kFlag, 2); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(99, 2); }), "no error");
    EXPECT_NE(failure_of([&] { out.append(Op::insert).set(kText, std::string(5000, 'x')); }), "no error");
    out.append(Op::update_before).set(kKey, 2);
    EXPECT_NE(failure_of([&] { out.append(Op::update_after).set(kI8, 300); }), "no error");
    out.append(Op::insert).set(kI8, 4);
  }
  EXPECT_EQ(host.said(3), "[1 2]");  // the numbers of refused rows are used again
  EXPECT_FALSE(is_set(last(), 8, 1)) << "a refused row left a value behind";
  EXPECT_EQ(cell<int8_t>(last(), 0, 1), 4);
}

TEST_F(SplitOutputTest, RoomIsOneBatchAndNothingWithoutCredit) {
  {
    auto out = open();
    uint32_t rows = 0;
    while (out.has_room()) {
      out.append(Op::insert).set(kKey, ++rows);
      if (rows == 3) out.submit();
    }
    EXPECT_EQ(rows, 8u) << "one output takes one batch's worth";
    EXPECT_FALSE(out.has_room(0, 2));
  }
  EXPECT_EQ(host.said(3), "[1 2 3][4 5 6 7 8]");
  host.set_credit(false);
  auto out = open();
  EXPECT_FALSE(out.has_room());
  EXPECT_EQ(out.batch(), nullptr);
  EXPECT_NE(failure_of([&] { out.append(Op::insert); }).find("without room"), std::string::npos);
  host.set_credit(true);
  EXPECT_FALSE(out.has_room()) << "an output that met no credit stays closed for this call";
  auto open_one = open();
  const auto moved = std::move(open_one);
  EXPECT_FALSE(open_one.has_room());  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST_F(SplitOutputTest, SignalsComeAfterTheRowsBeforeThem) {
  {
    auto out = open();
    out.append(Op::insert).set(kKey, 1);
    out.emit_watermark(5);
    out.append(Op::insert).set(kKey, 2);
    out.progress(9);
    out.mark_idle();
    out.mark_active();
    out.append(Op::insert).set(kKey, 3);
    out.finish();
    out.finish();
    EXPECT_FALSE(out.has_room());
  }
  EXPECT_EQ(host.said(3), "[1]W5[2]P9IA[3]F");
  EXPECT_EQ(host.batches_out(), 0u);
}

TEST_F(SplitOutputTest, OriginsAreOfTheirBatch) {
  {
    auto out = open();
    out.set_origin({.gtid = "0-1-7", .file = "bin.000001", .table = "orders", .position = 4, .commit_time_us = 8});
    out.append(Op::insert).set(kKey, 1);
    out.submit();
    out.append(Op::insert).set(kKey, 2);
  }
  const FakeBatch& first = *host.submitted.front();
  ASSERT_EQ(first.view.origin_count, 1u);
  EXPECT_EQ(first.origin_of_row[0], 0u);
  const tidemark_slice gtid = first.origins[0].gtid;
  EXPECT_EQ(std::string_view(first.view.heap + gtid.offset, gtid.size), "0-1-7");
  EXPECT_EQ(first.origins[0].position, 4u);
  EXPECT_EQ(first.origins[0].database.size, 0u);
  EXPECT_EQ(last().origin_of_row[0], kNoOrigin);
}

TEST_F(SplitOutputTest, RowsThatAreSetAsideShareTheirText) {
  {
    auto out = open();
    out.append(Op::update_before).set(kKey, 1);
    out.append(Op::update_after);
    EXPECT_TRUE(out.set_aside(2, Problem::missing_column, "no key"));
    out.append(Op::insert);
    EXPECT_TRUE(out.set_aside(1, Problem::missing_column, "no key"));
    out.append(Op::insert).set(kKey, 2);
    out.append(Op::unread);
    EXPECT_TRUE(out.set_aside(1, Problem::statement, "UPDATE t"));
    EXPECT_FALSE(out.has_room()) << "the batch has no room for another problem";
    EXPECT_FALSE(out.set_aside(9, Problem::statement, "more rows than there are"));
  }
  const FakeBatch& batch = last();
  ASSERT_EQ(batch.view.problem_count, 2u);
  EXPECT_EQ(batch.problems[0].row, 0u);
  EXPECT_EQ(batch.problems[0].rows, 3u);
  EXPECT_EQ(batch.problems[1].row, 4u);
  const tidemark_slice text = batch.problems[1].text;
  EXPECT_EQ(std::string_view(batch.view.heap + text.offset, text.size), "UPDATE t");
}

TEST_F(SplitOutputTest, ARowThatIsTakenBackTakesItsProblemAlong) {
  auto out = open();
  out.append(Op::insert);
  EXPECT_TRUE(out.set_aside(1, Problem::undecodable, "first"));
  Row row = out.append(Op::insert);
  EXPECT_TRUE(out.set_aside(1, Problem::undecodable, "first"));
  EXPECT_NE(failure_of([&] { row.set(kI8, 1000); }), "no error");
  EXPECT_EQ(out.batch()->problem_count, 1u);
  EXPECT_EQ(out.batch()->problems[0].rows, 1u);
}

TEST_F(SplitOutputTest, ATruncateEndsTheTurn) {
  Layout wanting{kSchema, kProjection, TIDEMARK_WANTS_TRUNCATES | TIDEMARK_WANTS_PARTIAL_IMAGES};
  host.partial = true;
  {
    SplitOutput out(host.output, wanting, 3, next_sequence);
    ASSERT_TRUE(out.has_room());
    const Row row = out.append(Op::remove).set(kKey, 5);
    out.set_absent(row, kText);
    out.set_absent(row, kUnused);
    out.truncate({.database = "db", .table = "t"}, 7);
    EXPECT_TRUE(out.is_truncated());
    EXPECT_FALSE(out.has_room());
    EXPECT_NE(failure_of([&] { out.finish(); }).find("after truncate()"), std::string::npos);
    EXPECT_NE(failure_of([&] { out.progress(1); }).find("after truncate()"), std::string::npos);
  }
  EXPECT_EQ(host.said(3), "[1 2]");
  EXPECT_EQ(last().view.op[1], TIDEMARK_TRUNCATE);
  EXPECT_EQ(last().view.event_time_us[1], 7);
  EXPECT_EQ(last().view.origins[last().view.origin[1]].table.size, 1u);
  EXPECT_EQ(last().absent[2][0], 1) << "of the text";
  EXPECT_EQ(last().absent[1][0], 0);
}

TEST_F(SplitOutputTest, ATruncateThatIsNotAskedForIsPassedOver) {
  {
    auto out = open();
    ASSERT_TRUE(out.has_room());
    out.truncate({});
    out.append(Op::insert).set(kKey, 5);
    out.finish();
  }
  EXPECT_EQ(host.said(3), "[1]F");
}

}  // namespace
}  // namespace tidemark
