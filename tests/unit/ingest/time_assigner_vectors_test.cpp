// SPDX-License-Identifier: Apache-2.0
//
// Vector G19 of semantics 2.4 (Flink's operator in mid-stream) where tidemark gives rows their time: at the source.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "core/ingest/time_assigner.hpp"

namespace tidemark::core::test {
namespace {

constexpr std::array<Micros, 5> kTimes = {kNoTime, -1, 0, 1, kEndOfTime};

std::shared_ptr<Batch> batch_of_times() {
  const ColumnInfo at{"at", ColumnType::timestamp, 0, 0, true, ""};
  auto batch = std::make_shared<Batch>(std::make_shared<BatchLayout>(BatchLayout{{at}}), kBatchRows, size_t{1} << 10);
  batch->rows = kTimes.size();
  Column& column = batch->mutable_columns()[0];
  for (uint32_t row = 0; row < kTimes.size(); ++row) {
    batch->event_time_us[row] = kTimes[row];
    static_cast<Micros*>(column.values)[row] = kTimes[row];
    column.validity[0] = static_cast<uint8_t>(column.validity[0] | (1U << row));
  }
  return batch;
}

// Flink forwards all five unchanged. tidemark does too, but its MIN is "none yet", so that row is told of and set
// aside; Flink's assigners refuse it further down (semantics 1.13.4).
TEST(TimeAssigner, vec_G19) {
  auto from_column = TimeAssigner::from_column(batch_of_times()->layout(), 0);
  ASSERT_TRUE(from_column.is_ok());
  const TimeAssigner from_source;
  for (const TimeAssigner* assigner : std::initializer_list<const TimeAssigner*>{&from_source, &*from_column}) {
    const auto batch = batch_of_times();
    std::vector<uint32_t> without_time;
    assigner->assign(*batch, nullptr, without_time);
    EXPECT_EQ(std::vector<Micros>(batch->event_times().begin(), batch->event_times().end()),
              std::vector<Micros>(kTimes.begin(), kTimes.end()));
    EXPECT_EQ(without_time, std::vector<uint32_t>{0});
  }
}

}  // namespace
}  // namespace tidemark::core::test
