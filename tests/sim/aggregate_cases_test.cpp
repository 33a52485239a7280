// SPDX-License-Identifier: Apache-2.0
//
// Field cases about exact aggregates (cases A) at every parallelism, where partial sums of ingest cores meet.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::AggregateFunction;
using core::ColumnType;
using core::Op;
using Lines = std::vector<std::string>;

const std::string kMost = "9223372036854775807";
const std::string kNines(38, '9');

/// k, v int64, d decimal(38,0), t int8. Rows of zeros stand between the interesting ones, so that each batch holds
/// many rows of one group and is added up before it crosses to the worker.
SplitScript numbers(std::string id, const std::vector<ScriptStep>& rows) {
  SplitScript split{std::move(id), {}, true, 0};
  for (const ScriptStep& row : rows) {
    for (int i = 0; i < 4; ++i) split.steps.push_back(script_row(1, {"k", "0", "0", "0"}));
    split.steps.push_back(row);
  }
  return split;
}

ScriptStep number(const std::string& v, const std::string& d, const std::string& t, Op op = Op::insert) {
  return script_row(1, {"k", v, d, t}, op);
}

Lines sums(std::vector<SplitScript> splits, uint32_t cores) {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("k", ColumnType::text), column_of("v", ColumnType::int64),
                    column_of("d", ColumnType::decimal128, 38, 0), column_of("t", ColumnType::int8)};
  script.splits = std::move(splits);
  add_source(job, std::move(script), true, 0);
  add_aggregate(job, {0}, 10 * core::kMicrosPerSecond, {"k"},
                {{AggregateFunction::sum, "v"}, {AggregateFunction::sum, "d"}, {AggregateFunction::sum, "t"}});
  SimOptions options;
  options.cores = {cores};
  SimWorld world(std::move(job), options);
  world.run_to_end();
  EXPECT_EQ(world.failure(), "");
  EXPECT_EQ(world.lines(0), expected_lines(world.job(), 0)) << "the oracle's";
  return world.lines(0);
}

TEST(SimCases, case_A12) {
  const std::string window = "1970-01-01T00:00:00Z|1970-01-01T00:00:10Z|k|";
  const ScriptStep most = number(kMost, kNines, "127");
  const ScriptStep more = number("1", kNines, "1");
  ScriptStep gone = more;
  gone.op = Op::remove;
  for (const uint32_t cores : {1U, 2U, 4U}) {
    SCOPED_TRACE(cores);
    const Lines both{window + "9223372036854775808|199999999999999999999999999999999999998|128"};
    EXPECT_EQ(sums({numbers("a", {most, more})}, cores), both) << "in one shard";
    EXPECT_EQ(sums({numbers("a", {most}), numbers("b", {more})}, cores), both) << "from two shards";
    const Lines one{window + kMost + "|" + kNines + "|127"};
    EXPECT_EQ(sums({numbers("a", {most}), numbers("b", {more, gone})}, cores), one) << "the exact old value";
  }
}

TEST(SimCases, case_A14) {
  const auto row = [](OracleCell amount, Op op) { return script_row(1, {"eu", std::move(amount)}, op); };
  const std::vector<ScriptStep> changes{
      row({}, Op::insert),         row("3", Op::insert),        // sum 3, count(*) 2, count(col) 1
      row({}, Op::update_before),  row("5", Op::update_after),  // 8 2 2
      row("3", Op::update_before), row({}, Op::update_after),   // 5 2 1
      row("5", Op::remove),        row({}, Op::remove),         // gone
  };
  const std::string window = "1970-01-01T00:00:00Z|1970-01-01T00:00:10Z|eu|";
  const std::vector<std::pair<size_t, Lines>> moments{
      {1, {window + "\\N|1|0"}}, {2, {window + "3|2|1"}}, {4, {window + "8|2|2"}}, {6, {window + "5|2|1"}}, {8, {}}};
  for (const uint32_t cores : {1U, 2U, 4U}) {
    for (const auto& [count, expected] : moments) {
      SimJob job;
      SourceScript script;
      script.columns = {column_of("region", ColumnType::text), column_of("amount", ColumnType::int64)};
      script.splits = {{"a", {changes.begin(), changes.begin() + static_cast<ptrdiff_t>(count)}, true, 0}};
      add_source(job, std::move(script), true, 0);
      add_aggregate(
          job, {0}, 10 * core::kMicrosPerSecond, {"region"},
          {{AggregateFunction::sum, "amount"}, {AggregateFunction::count_all}, {AggregateFunction::count, "amount"}});
      SimOptions options;
      options.cores = {cores};
      options.batch_rows_max = static_cast<uint32_t>(1 + count % 3);
      SimWorld world(std::move(job), options);
      world.run_to_end();
      EXPECT_EQ(world.failure(), "");
      EXPECT_EQ(world.lines(0), expected) << "after " << count << " changes on " << cores << " cores";
    }
  }
}

}  // namespace
}  // namespace tidemark::test
