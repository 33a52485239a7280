// SPDX-License-Identifier: Apache-2.0
//
// Grouping: every row goes to exactly one worker, once; and results and state bytes are the same with added-up
// groups and with rows, with one worker and with several.
#include "core/exchange/grouper.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/unit/window/batch_builder.hpp"

namespace tidemark::core::test {
namespace {

using Function = AggregateFunction;

AggregateSpec four_aggregates() {
  AggregateSpec spec;
  spec.id = "totals";
  spec.operator_id = 9;
  spec.key_columns = {0, 1};
  spec.columns = {{"n", Function::count_all, -1},
                  {"sum", Function::sum, 2},
                  {"min", Function::min, 2},
                  {"max", Function::max, 2},
                  {"avg", Function::avg, 3}};
  spec.window.size_us = 1000;
  return spec;
}

std::shared_ptr<const BatchLayout> input_layout() {
  return layout_of({column("region", ColumnType::text), column("id", ColumnType::int32),
                    column("amount", ColumnType::decimal64, 16, 2), column("big", ColumnType::decimal128, 38, 4)});
}

BatchRef random_batch(std::mt19937_64& random, uint64_t ids, bool only_inserts = true) {
  std::vector<Row> rows;
  for (int i = 0; i < 1000; ++i) {
    Row row;
    row.time = static_cast<Micros>(random() % 3000) - 1500;
    const char* regions[] = {"eu", "us", "a region with a long name", "\0"};
    row.cells = {regions[random() % 4], static_cast<int64_t>(random() % ids), Cell(), Cell()};
    if (random() % 7 == 0) row.cells[0] = Cell();
    if (random() % 7 != 0) row.cells[2] = std::to_string(random() % 100'000) + ".25";
    if (random() % 7 != 0) row.cells[3] = "-123456789012345678901234567890." + std::to_string(random() % 1000);
    if (!only_inserts && random() % 3 == 0) row.op = static_cast<Op>(1 + random() % 4);
    rows.push_back(std::move(row));
  }
  return make_batch(input_layout(), rows);
}

enum class Path { as_decided, rows_only };

/// Runs batches through `workers` operators: results by (window end, key), then all state entries.
std::string run(const AggregateSpec& spec, const std::vector<BatchRef>& batches, uint32_t workers, Path path,
                size_t& added_up) {
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(workers), workers).value();
  std::vector<std::unique_ptr<WindowOperator>> operators;
  for (uint32_t i = 0; i < workers; ++i) operators.push_back(WindowOperator::create(spec, input_layout()).value());
  added_up = 0;
  GroupingCounts counts;
  Applied applied;
  for (const BatchRef& batch : batches) {
    std::vector<std::vector<GroupedRows>> out;
    EXPECT_TRUE(grouper->group(batch, {}, 0, out, counts).is_ok());
    for (uint32_t worker = 0; worker < workers; ++worker) {
      for (GroupedRows& rows : out[worker]) {
        added_up += rows.partials.empty() ? 0 : 1;
        if (path == Path::rows_only) rows.partials.clear();
        EXPECT_TRUE(operators[worker]->apply(rows, 0, applied).is_ok());
      }
    }
  }
  std::map<std::pair<Micros, std::string>, std::string> ordered;
  for (const auto& op : operators) {
    op->seal([&](const PaneChange& pane) {
      pane.visit_dirty([&](const EntryView& entry) {
        ordered[{pane.pane_end(), std::string(entry.key)}] = entry.accumulators;
      });
    });
  }
  std::map<std::pair<Micros, std::string>, std::string> results;
  for (const auto& op : operators) {
    std::vector<FiredRows> fired;
    EXPECT_TRUE(advance_all(*op, kEndOfTime, fired).is_ok());
    for (const FiredRows& rows : fired) {
      for (uint32_t row = 0; row < rows.rows->rows; ++row) {
        std::string& text = results[{rows.window_end, std::string(rows.key_at(row))}];
        for (size_t at = 0; at < rows.rows->columns().size(); ++at) {
          if (rows.rows->column(at).is_valid(row)) append_cell_text(*rows.rows, at, row, text);
          text += '|';
        }
      }
    }
  }
  std::string out;
  for (const auto& [key, text] : results) out += text + "\n";
  for (const auto& [key, bytes] : ordered) out += key.second + bytes;
  return out;
}

TEST(Grouper, paths_and_workers_give_the_same_bytes) {
  for (const bool changelog : {false, true}) {
    AggregateSpec spec = four_aggregates();
    spec.changelog = changelog;
    spec.no_base = NoBase::delta;  // rows are drawn at random, and come in any order
    if (changelog) std::erase_if(spec.columns, [](const auto& c) { return c.name == "min" || c.name == "max"; });
    std::mt19937_64 random(1);
    std::vector<BatchRef> batches;
    for (int i = 0; i < 5; ++i) batches.push_back(random_batch(random, 5, !changelog));
    size_t added_up = 0;
    const std::string expected = run(spec, batches, 1, Path::rows_only, added_up);
    EXPECT_EQ(added_up, 5U);
    for (const uint32_t workers : {1U, 2U, 4U}) {
      EXPECT_EQ(run(spec, batches, workers, Path::as_decided, added_up), expected) << workers;
      EXPECT_EQ(run(spec, batches, workers, Path::rows_only, added_up), expected) << workers;
    }
    std::reverse(batches.begin(), batches.end());
    EXPECT_EQ(run(spec, batches, 2, Path::as_decided, added_up), expected);
  }
}

TEST(Grouper, adds_up_only_where_it_pays) {
  std::mt19937_64 random(2);
  size_t added_up = 0;
  std::vector<BatchRef> batches;
  for (int i = 0; i < 3; ++i) batches.push_back(random_batch(random, 1'000'000));
  run(four_aggregates(), batches, 1, Path::as_decided, added_up);
  EXPECT_EQ(added_up, 0U);
  for (int i = 0; i < 16; ++i) batches.push_back(random_batch(random, 2));
  run(four_aggregates(), batches, 1, Path::as_decided, added_up);
  EXPECT_GE(added_up, 8U);  // decided by the last 16 batches
  EXPECT_LT(added_up, 16U);
  AggregateSpec spec = four_aggregates();
  spec.columns.push_back({"distinct", Function::count_distinct, 1});
  run(spec, batches, 1, Path::as_decided, added_up);
  EXPECT_EQ(added_up, 0U);
}

TEST(Grouper, goes_on_adding_up_when_the_number_of_groups_varies) {
  std::mt19937_64 random(5);
  std::vector<BatchRef> batches;
  for (int i = 0; i < 64; ++i) batches.push_back(random_batch(random, i % 2 == 0 ? 2 : 3));
  size_t added_up = 0;
  run(four_aggregates(), batches, 1, Path::as_decided, added_up);
  EXPECT_GE(added_up, 60U);
}

TEST(Grouper, groups_hold_each_row_once_in_order) {
  std::mt19937_64 random(3);
  const AggregateSpec spec = four_aggregates();
  const BatchRef batch = random_batch(random, 40, false);
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(3), 3).value();
  const std::vector<uint32_t> skip = {0, 17, 18, 999};
  std::vector<std::vector<GroupedRows>> out;
  GroupingCounts counts;
  ASSERT_TRUE(grouper->group(batch, skip, 0, out, counts).is_ok());

  std::vector<int> seen(batch->rows, 0);
  const KeyCodec codec(spec.key_columns, batch->layout());
  const KeyGroupOwners owners = even_owners(3);
  for (uint32_t worker = 0; worker < 3; ++worker) {
    ASSERT_EQ(out[worker].size(), 1U);
    const GroupedRows& rows = out[worker][0];
    EXPECT_EQ(rows.operator_id, 9);
    EXPECT_EQ(rows.batch, batch);
    uint32_t next = 0;
    for (const RowGroup& group : rows.groups) {
      EXPECT_EQ(group.hash, hash_bytes(rows.key_of(group)));
      EXPECT_EQ(owners[key_group_of(group.hash)], worker);
      EXPECT_EQ(group.row_begin, next);
      next += group.row_count;
      for (uint32_t i = 0; i < group.row_count; ++i) {
        const uint32_t row = rows.rows[group.row_begin + i];
        ++seen[row];
        EXPECT_TRUE(i == 0 || rows.rows[group.row_begin + i - 1] < row);
        const Micros start = floor_to(batch->event_time_us[row], spec.window.size_us);
        EXPECT_EQ(saturating_add(start, spec.window.size_us), group.pane_end);
        EncodedKeys key;
        ASSERT_TRUE(codec.encode(*batch, {&row, 1}, key));
        EXPECT_EQ(key.at(0), rows.key_of(group));
      }
    }
    EXPECT_EQ(next, rows.rows.size());
  }
  uint64_t grouped = 0;
  uint64_t filtered = 0;
  for (uint32_t row = 0; row < batch->rows; ++row) {
    const bool skipped = std::find(skip.begin(), skip.end(), row) != skip.end();
    const bool expected = !skipped && batch->op_at(row) == Op::insert;
    EXPECT_EQ(seen[row], expected ? 1 : 0) << row;
    grouped += expected ? 1 : 0;
    filtered += !skipped && !expected ? 1 : 0;
  }
  EXPECT_EQ(counts.grouped, grouped);
  EXPECT_EQ(counts.filtered, filtered);
  EXPECT_GT(filtered, 0U);
}

// A row in no window is filtered, whatever the watermark: it was never late. The vectors' systems drop such a row
// uncounted before its time has passed, and count it as late (or hand it out, W09) after that.
TEST(Grouper, vec_W13_and_W09) {
  AggregateSpec spec = four_aggregates();
  spec.window.kind = WindowKind::sliding;
  spec.window.size_us = 500;
  spec.window.slide_us = 1000;
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  std::vector<Row> rows;
  for (const Micros time : {700, 499, 500, 1000, -1, -600}) rows.push_back({time, {"eu", int64_t{1}, "1.00", "1"}});
  std::vector<std::vector<GroupedRows>> out;
  GroupingCounts counts;
  ASSERT_TRUE(grouper->group(make_batch(input_layout(), rows), {}, 0, out, counts).is_ok());
  EXPECT_EQ(counts.grouped, 3U);
  EXPECT_EQ(counts.filtered, 3U);
  EXPECT_EQ(counts.no_window, 3U);
  std::map<Micros, std::vector<uint32_t>> panes;
  for (const RowGroup& group : out[0][0].groups) {
    panes[group.pane_end].assign(out[0][0].rows_of(group).begin(), out[0][0].rows_of(group).end());
  }
  EXPECT_EQ(panes, (std::map<Micros, std::vector<uint32_t>>{{-500, {5}}, {500, {1}}, {1500, {3}}}));
}

TEST(Grouper, processing_time_is_the_clock_of_the_grouping) {
  AggregateSpec spec = four_aggregates();
  spec.window.processing_time = true;
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  std::mt19937_64 random(7);
  std::vector<std::vector<GroupedRows>> out;
  GroupingCounts counts;
  ASSERT_TRUE(grouper->group(random_batch(random, 5), {}, 7'100, out, counts).is_ok());
  for (const RowGroup& group : out[0][0].groups) EXPECT_EQ(group.pane_end, 8000);
}

TEST(Grouper, owners_are_contiguous_and_even) {
  for (const uint32_t workers : {1U, 2U, 3U, 7U, 256U}) {
    const KeyGroupOwners owners = even_owners(workers);
    std::map<uint16_t, uint32_t> shares;
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      ++shares[owners[group]];
      EXPECT_TRUE(group == 0 || owners[group] - owners[group - 1] <= 1);
    }
    EXPECT_EQ(shares.size(), workers);
    for (const auto& [owner, share] : shares) EXPECT_LE(share, kKeyGroups / workers + 1);
  }
}

TEST(Grouper, refuses_a_plan_that_does_not_fit) {
  AggregateSpec spec = four_aggregates();
  EXPECT_EQ(Grouper::create(spec, input_layout(), even_owners(4), 2).status().code(), Code::config);
  spec.key_columns = {9};
  EXPECT_EQ(Grouper::create(spec, input_layout(), even_owners(1), 1).status().code(), Code::config);
}

}  // namespace
}  // namespace tidemark::core::test
