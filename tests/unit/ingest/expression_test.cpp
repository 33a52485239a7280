// SPDX-License-Identifier: Apache-2.0
//
// Event times and markers out of expressions: NULL and what cannot be computed give neither.
#include <gtest/gtest.h>

#include "core/ingest/marker_evaluator.hpp"
#include "core/ingest/time_assigner.hpp"

namespace tidemark::core {
namespace {

// Rows of ms: 1500, NULL, the largest integer, 0.
std::unique_ptr<Batch> batch_of_milliseconds() {
  auto layout = std::make_shared<BatchLayout>();
  layout->columns = {{"ms", ColumnType::int64, 0, 0, true, ""}};
  auto batch = std::make_unique<Batch>(layout, 4, 0);
  batch->rows = 4;
  auto* values = static_cast<int64_t*>(batch->mutable_columns()[0].values);
  values[0] = 1500;
  values[2] = INT64_MAX;
  batch->mutable_columns()[0].validity[0] = 0b1101;
  return batch;
}

TEST(TimeAssigner, an_expression_gives_event_times) {
  const auto batch = batch_of_milliseconds();
  const auto assigner = TimeAssigner::from_expression(batch->layout(), "FROM_UNIXTIME(ms / 1000)");
  ASSERT_TRUE(assigner.is_ok()) << assigner.status().message();
  std::vector<uint32_t> without_time;
  assigner->assign(*batch, nullptr, without_time);
  EXPECT_EQ(std::vector<Micros>(batch->event_time_us, batch->event_time_us + 4),
            (std::vector<Micros>{1'500'000, kNoTime, kNoTime, 0}));
  EXPECT_EQ(without_time, (std::vector<uint32_t>{1, 2}));
}

TEST(TimeAssigner, an_expression_that_is_no_time_is_refused) {
  const auto batch = batch_of_milliseconds();
  const auto assigner = TimeAssigner::from_expression(batch->layout(), "ms / 1000");
  ASSERT_FALSE(assigner.is_ok());
  EXPECT_NE(assigner.status().message().find("FROM_UNIXTIME(ms / 1000)"), std::string::npos)
      << assigner.status().message();
}

TEST(MarkerEvaluator, null_and_overflow_are_no_markers) {
  const auto batch = batch_of_milliseconds();
  auto evaluator = MarkerEvaluator::create(batch->layout(), "ms + 1 > 0 AND ms <> 0");
  ASSERT_TRUE(evaluator.is_ok()) << evaluator.status().message();
  const auto markers = evaluator->markers(*batch);
  EXPECT_EQ(std::vector<uint8_t>(markers.begin(), markers.end()), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_TRUE(MarkerEvaluator().markers(*batch).empty());
  EXPECT_FALSE(MarkerEvaluator::create(batch->layout(), "FROM_UNIXTIME(ms)").is_ok());
}

}  // namespace
}  // namespace tidemark::core
