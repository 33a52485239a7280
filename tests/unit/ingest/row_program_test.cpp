// SPDX-License-Identifier: Apache-2.0
//
// Computed columns in the batch itself, and which rows an aggregate takes: NULL does not pass a condition, a row that
// passes and cannot be computed is neither filtered nor counted, and what is not looked at is not counted twice.
#include "core/ingest/row_program.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time_zone.hpp"
#include "core/ingest/time_assigner.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kHour = 3600 * kMicrosPerSecond;

ColumnInfo info(const char* name, ColumnType type) {
  return {name, type, 0, 0, true, ""};
}

// n int64 and t datetime are delivered; the rest is computed.
std::shared_ptr<const BatchLayout> layout() {
  auto out = std::make_shared<BatchLayout>();
  out->columns = {info("n", ColumnType::int64),      info("t", ColumnType::datetime),
                  info("$twice", ColumnType::int64), info("$name", ColumnType::text),
                  info("$copy", ColumnType::int64),  info("$masked", ColumnType::int64),
                  info("$shard", ColumnType::text),  info("$table", ColumnType::text)};
  out->computed = 6;
  return out;
}

Expression compile(const char* text, ExpressionUse use = ExpressionUse::value) {
  auto compiled = Expression::compile(text, layout()->columns, use);
  EXPECT_TRUE(std::holds_alternative<Expression>(compiled)) << text;
  return std::get<Expression>(std::move(compiled));
}

std::unique_ptr<Batch> batch_of(const std::vector<std::optional<int64_t>>& values) {
  auto out = std::make_unique<Batch>(layout(), static_cast<uint32_t>(values.size()), 16);
  out->rows = static_cast<uint32_t>(values.size());
  std::memcpy(out->heap, "orders", 6);
  out->heap_used = 6;
  out->origin_count = 1;
  out->origins[0] = Origin{.gtid = {}, .file = {}, .database = {}, .table = {0, 6}};
  for (uint32_t row = 0; row < out->rows; ++row) {
    out->op[row] = static_cast<uint8_t>(Op::insert);
    out->origin[row] = row % 2 == 0 ? 0 : kNoOrigin;
    if (!values[row]) continue;
    static_cast<int64_t*>(out->mutable_columns()[0].values)[row] = *values[row];
    uint8_t& bits = out->mutable_columns()[0].validity[row >> 3];
    bits = static_cast<uint8_t>(bits | 1U << (row & 7));
  }
  return out;
}

std::string number_at(const Batch& batch, size_t column, uint32_t row) {
  return batch.column(column).is_valid(row) ? std::to_string(batch.column(column).as<int64_t>()[row]) : "NULL";
}
std::string text_at(const Batch& batch, size_t column, uint32_t row) {
  return batch.column(column).is_valid(row) ? std::string(batch.bytes_at(column, row)) : "NULL";
}

RowProgram program() {
  RowProgram out;
  out.columns.push_back({2, compile("n * 2")});
  out.columns.push_back({3, compile("CONCAT('row ', n)")});
  out.columns.push_back({4, CopyOfColumn{2}});
  out.columns.push_back({5, MaskedColumn{0, compile("n > 1", ExpressionUse::condition)}});
  out.columns.push_back({6, RowPlace::shard});
  out.columns.push_back({7, RowPlace::table});
  return out;
}

TEST(RowProgram, columns_are_computed_into_the_batch) {
  const RowProgram wanted = program();
  RowEvaluator evaluator(wanted);
  for (int round = 0; round < 2; ++round) {  // the second with what the first left behind
    const auto batch = batch_of({1, std::nullopt, 3});
    evaluator.run(*batch, "shard-07");
    EXPECT_EQ(number_at(*batch, 2, 0), "2");
    EXPECT_EQ(number_at(*batch, 2, 1), "NULL");
    EXPECT_EQ(text_at(*batch, 3, 2), "row 3");
    EXPECT_EQ(text_at(*batch, 3, 1), "NULL");
    EXPECT_EQ(number_at(*batch, 4, 2), "6");
    EXPECT_EQ(number_at(*batch, 5, 0), "NULL");
    EXPECT_EQ(number_at(*batch, 5, 1), "NULL");
    EXPECT_EQ(number_at(*batch, 5, 2), "3");
    EXPECT_EQ(text_at(*batch, 6, 1), "shard-07");
    EXPECT_EQ(text_at(*batch, 7, 0), "orders");
    EXPECT_EQ(text_at(*batch, 7, 1), "NULL");  // its origin is not known
  }
}

TEST(RowProgram, rows_are_taken_filtered_or_not_computable) {
  RowProgram wanted = program();
  wanted.selections.push_back(
      {0, {{compile("n > 1", ExpressionUse::condition)}, {compile("n <> 5", ExpressionUse::condition)}}, {4, 2}});
  wanted.selections.push_back({1, {}, {}});
  RowEvaluator evaluator(wanted);
  constexpr int64_t kLarge = INT64_MAX - 1;  // twice of it does not fit
  const auto batch = batch_of({1, std::nullopt, 3, kLarge, -kLarge, 5, 7});
  batch->op[6] = static_cast<uint8_t>(Op::remove);
  evaluator.run(*batch, "s");
  const std::vector<uint32_t> aside = {2};
  const RowEvaluator::Rows rows = evaluator.choose(*batch, 0, aside, 0);
  EXPECT_EQ(std::vector<uint32_t>(rows.skip.begin(), rows.skip.end()), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(std::vector<uint32_t>(rows.not_computable.begin(), rows.not_computable.end()), std::vector<uint32_t>{3});
  EXPECT_EQ(rows.filtered, 4u);  // 1, NULL, -large (which the conditions refuse first) and 5
  const RowEvaluator::Rows all = evaluator.choose(*batch, 1, aside, 0);
  EXPECT_EQ(all.skip.size(), 1u);
  EXPECT_EQ(all.filtered, 0u);
}

// `$twice` is NULL where it outgrew its type: a condition on it has not been answered.
TEST(RowProgram, a_condition_on_what_cannot_be_computed_does_not_filter) {
  RowProgram wanted = program();
  wanted.selections.push_back({0, {{compile("`$twice` > 5", ExpressionUse::condition), {2}}}, {}});
  wanted.selections.push_back({0, {{compile("`$twice` > 5 OR n > 0", ExpressionUse::condition), {2}}}, {}});
  RowEvaluator evaluator(wanted);
  const auto batch = batch_of({1, 3, INT64_MAX, std::nullopt});
  evaluator.run(*batch, "s");
  const RowEvaluator::Rows rows = evaluator.choose(*batch, 0, {}, 0);
  EXPECT_EQ(std::vector<uint32_t>(rows.not_computable.begin(), rows.not_computable.end()), std::vector<uint32_t>{2});
  EXPECT_EQ(rows.filtered, 2u);
  const RowEvaluator::Rows either = evaluator.choose(*batch, 1, {}, 0);
  EXPECT_TRUE(either.not_computable.empty());  // the other half of the condition answers it
  EXPECT_EQ(either.filtered, 1u);
}

TEST(RowProgram, kinds_that_are_not_looked_at_are_not_counted) {
  RowProgram wanted;
  wanted.selections.push_back({0, {{compile("n > 1", ExpressionUse::condition)}}, {}});
  RowEvaluator evaluator(wanted);
  const auto batch = batch_of({0, 0, 2});
  batch->op[0] = static_cast<uint8_t>(Op::remove);
  evaluator.run(*batch, "s");
  const RowEvaluator::Rows rows = evaluator.choose(*batch, 0, {}, 1U << static_cast<int>(Op::remove));
  EXPECT_EQ(rows.filtered, 1u);
  EXPECT_EQ(std::vector<uint32_t>(rows.skip.begin(), rows.skip.end()), std::vector<uint32_t>{1});
}

TEST(RowProgram, more_rows_than_a_word) {
  RowProgram wanted;
  wanted.selections.push_back({0, {{compile("n % 3 = 0", ExpressionUse::condition)}}, {}});
  RowEvaluator evaluator(wanted);
  std::vector<std::optional<int64_t>> values;
  for (int64_t i = 0; i < 200; ++i) values.emplace_back(i);
  const auto batch = batch_of(values);
  evaluator.run(*batch, "s");
  EXPECT_EQ(evaluator.choose(*batch, 0, {}, 0).filtered, 133u);
}

// A DATETIME is of the clocks of its shard.
TEST(TimeAssigner, times_without_a_zone_are_of_the_shards_clocks) {
  const auto assigner = TimeAssigner::from_column(*layout(), 1);
  ASSERT_TRUE(assigner);
  const auto batch = batch_of({0, 0});
  batch->mutable_columns()[1].validity[0] = 0xff;
  static_cast<Micros*>(batch->mutable_columns()[1].values)[0] = 10 * kHour;
  static_cast<Micros*>(batch->mutable_columns()[1].values)[1] = -10 * kHour;
  const auto kolkata = TimeZone::load("Asia/Kolkata");
  ASSERT_TRUE(kolkata);
  std::vector<uint32_t> without_time;
  assigner->assign(*batch, kolkata->get(), without_time);
  EXPECT_EQ(batch->event_time_us[0], 10 * kHour - 5 * kHour - kHour / 2);
  EXPECT_EQ(batch->event_time_us[1], -10 * kHour - 5 * kHour - kHour / 2);
  EXPECT_TRUE(without_time.empty());
}

}  // namespace
}  // namespace tidemark::core
