// SPDX-License-Identifier: Apache-2.0
//
// Summaries and sizes of a state: panes and pages as the writer counts them, records, late rows and sinks; no epoch,
// and records of sinks that are damaged.
#include "core/inspect/state_summary.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/inspect/summary_text.hpp"
#include "core/sink/mysql_progress.hpp"
#include "core/sink/sink_progress.hpp"
#include "core/state/keys.hpp"
#include "tests/unit/window/session_driver.hpp"

namespace tidemark::core::test {
namespace {

void add_records(EpochStore& store, const std::string& sink) {
  EpochWrites writes;
  EpochRecord epoch;
  epoch.epoch = 2;
  epoch.wall_us = 0;
  writes.put(Family::meta, std::string(kMetaEpoch), encode(epoch));
  writes.put(Family::meta, std::string(kMetaJob), encode(JobRecord{"orders", {}, 1, 0}));
  OperatorRecord record;
  record.operator_id = 3;
  record.aggregate = "sums";
  record.watermark = record.fired = 1500;
  writes.put(Family::meta, operator_key(3), encode(record));
  SplitRecord split;
  split.source = "orders";
  split.split = "shard-1";
  split.rows_read = 12;
  split.position = std::string("\x01pos", 4);
  writes.put(Family::sources, source_key("orders", "shard-1"), encode(split));
  split.split = "shard-0";
  split.rows_read = 3;
  writes.put(Family::meta, left_out_key(source_key("orders", "shard-0")), encode(split));
  writes.put(Family::sinks, sink_key("out"), sink);
  writes.put(Family::sinks, sink_key("table"), encode(MysqlProgress{"id", 0, 2, 9, ""}));
  writes.put(Family::sinks, sink_key("waiting results of sums"), "x");
  ASSERT_TRUE(store.commit(writes).is_ok());
}

TEST(StateSummary, what_is_there_and_how_large_it_is) {
  AggregateSpec spec = sums(0);
  spec.window = {};
  spec.window.size_us = 1000;
  spec.allowed_lateness_us = 5000;
  OperatorDriver driver = driver_of(spec);
  Store store;
  std::vector<Row> rows;
  for (const std::string& key : keys_of_one_group()) rows.push_back(at(10, 1, key));
  rows.push_back(at(2100, 1, "z"));
  driver.add(rows);
  store.seal(driver.op());
  driver.add({at(20, 5, keys_of_one_group()[0])});
  store.seal(driver.op());
  add_records(*store.pages, encode(SinkProgress{100, 4}));

  const auto summary = summarise(*store.pages);
  ASSERT_TRUE(summary.is_ok()) << summary.status().message();
  EXPECT_EQ(summary->job, "orders");
  ASSERT_EQ(summary->aggregates.size(), 1U);
  const std::vector<PaneSummary>& panes = summary->aggregates[0].panes;
  ASSERT_EQ(panes.size(), 2U);
  EXPECT_EQ(panes[0].end, 1000);
  EXPECT_TRUE(panes[0].is_fired);
  EXPECT_EQ(panes[0].key_groups, 1U);
  EXPECT_EQ(panes[0].base.pages, 1U);
  EXPECT_EQ(panes[0].delta.pages, 1U);
  EXPECT_FALSE(panes[1].is_fired);
  ASSERT_EQ(summary->sinks.size(), 3U);
  EXPECT_EQ(summary->sinks[0].file_bytes, 100U);
  EXPECT_EQ(summary->sinks[1].epoch, 2U);
  EXPECT_EQ(summary->sinks[1].rows, 9U);

  const auto folder = std::filesystem::temp_directory_path();
  const auto size = measure(*store.pages, folder);
  ASSERT_TRUE(size.is_ok()) << size.status().message();
  ASSERT_EQ(size->aggregates.size(), 1U);
  EXPECT_EQ(size->aggregates[0].entries, keys_of_one_group().size() + 1);
  EXPECT_EQ(size->aggregates[0].panes, 2U);
  size_t bytes = 0;
  EXPECT_TRUE(
      store.pages->scan(Family::panes, {}, [&](auto, std::string_view page) { return bytes += page.size(), true; }));
  EXPECT_EQ(size->aggregates[0].base.bytes + size->aggregates[0].delta.bytes, bytes);
  EXPECT_EQ(size->families[static_cast<size_t>(Family::panes)].entries, 3U);

  const auto json = nlohmann::json::parse(summary_json(*summary));
  EXPECT_EQ(json["epoch"], 2);
  ASSERT_EQ(json["splits"].size(), 2U);
  EXPECT_EQ(json["splits"][0]["split"], "shard-0");
  EXPECT_EQ(json["splits"][0]["state"], "left out");
  EXPECT_EQ(json["splits"][0]["rows_read"], 3);
  EXPECT_EQ(json["splits"][1]["position"], "\\x01pos");
  EXPECT_NE(json["splits"][1]["state"], "left out");
  EXPECT_EQ(json["aggregates"][0]["panes"][0]["delta"]["pages"], 1);
  EXPECT_EQ(json["sinks"][1]["kind"], "mysql");
  const std::string text = summary_text(*summary, "the job does not run");
  EXPECT_NE(text.find("job orders: epoch 2 of 1970-01-01T00:00:00Z; the job does not run\n"), std::string::npos);
  EXPECT_NE(text.find("orders/shard-0  left out "), std::string::npos) << text;
  EXPECT_NE(text.find("sink table (mysql): 9 rows, the last in epoch 2\n"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(size_json(*size))["aggregates"][0]["panes"], 2);
}

TEST(StateSummary, no_epoch_and_damage_are_errors) {
  const auto empty = make_memory_epoch_store();
  const auto nothing = summarise(*empty);
  EXPECT_EQ(nothing.status().code(), Code::state);
  EXPECT_EQ(nothing.status().message(), "the job has not completed an epoch yet; its state says nothing");
  add_records(*empty, encode(SinkProgress{100, 4}).substr(1));
  const auto damaged = summarise(*empty);
  EXPECT_EQ(damaged.status().code(), Code::damage);
  EXPECT_TRUE(damaged.status().message().starts_with("sink out: ")) << damaged.status().message();
}

}  // namespace
}  // namespace tidemark::core::test
