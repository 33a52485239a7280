// SPDX-License-Identifier: Apache-2.0
//
// Rows that take away from a group with nothing to take from, as the ingest side sends them: added up already, so
// that the operator has to go back to the rows.
#include <gtest/gtest.h>

#include "core/exchange/grouper.hpp"
#include "tests/unit/window/keyed_totals.hpp"

namespace tidemark::core::test {
namespace {

class NoBaseTest : public ::testing::Test {
 protected:
  /// As the ingest side sends rows: added up where that pays.
  Status apply(OperatorDriver& driver, const std::vector<Row>& rows, Applied& applied) {
    const auto grouper = Grouper::create(driver.op().spec(), input_layout(), even_owners(1), 1).value();
    std::vector<std::vector<GroupedRows>> out;
    GroupingCounts counts;
    EXPECT_TRUE(grouper->group(make_batch(input_layout(), rows), {}, 0, out, counts).is_ok());
    EXPECT_FALSE(out[0][0].partials.empty());
    return driver.op().apply(out[0][0], 0, applied);
  }
  std::vector<Row> rows_ = {at(1, "a", 3, Op::remove),        at(1, "b", 5),
                            at(1, "b", 5, Op::update_before), at(1, "b", 6, Op::update_after),
                            at(1, "a", 4, Op::update_before), at(1, "a", 9, Op::update_after),
                            at(1, "a", 9, Op::remove),        at(1, "b", 6, Op::remove),
                            at(1, "b", 6, Op::update_before), at(1, "b", 8, Op::update_after)};
};

TEST_F(NoBaseTest, rows_are_set_aside_row_by_row) {
  AggregateSpec spec = totals();
  spec.changelog = true;
  OperatorDriver driver = drive(spec);
  Applied applied;
  ASSERT_TRUE(apply(driver, rows_, applied).is_ok());
  ASSERT_EQ(applied.late.size(), 1U);
  EXPECT_EQ(applied.late[0].why, LateGroup::Why::no_base);
  EXPECT_EQ(applied.late[0].rows, (std::vector<uint32_t>{0, 4, 8}));
  EXPECT_EQ(driver.op().counters().rows_no_base, 3U);
  EXPECT_EQ(driver.op().counters().rows_aggregated, 7U);
  EXPECT_EQ(driver.advance(1000), "b 1 8 [0,1000)\n");
}

TEST_F(NoBaseTest, delta_applies_all_of_it) {
  AggregateSpec spec = totals();
  spec.changelog = true;
  spec.no_base = NoBase::delta;
  OperatorDriver driver = drive(spec);
  Applied applied;
  ASSERT_TRUE(apply(driver, rows_, applied).is_ok());
  EXPECT_TRUE(applied.late.empty());
  EXPECT_EQ(driver.advance(1000), "a -2 -7 [0,1000)\nb 0 2 [0,1000)\n");
}

TEST_F(NoBaseTest, fail_names_group_and_row) {
  AggregateSpec spec = totals();
  spec.changelog = true;
  spec.no_base = NoBase::fail;
  OperatorDriver driver = drive(spec);
  Applied applied;
  const Status status = apply(driver, rows_, applied);
  EXPECT_EQ(status.code(), Code::data);
  EXPECT_NE(status.message().find("aggregate 'totals'"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("key ('a')"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace tidemark::core::test
