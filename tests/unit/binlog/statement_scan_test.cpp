// SPDX-License-Identifier: Apache-2.0
// The statements of whole files: those inside compressed transactions count as in the reader. Thread: one.
#include "binlog/statement_scan.hpp"

#include <gtest/gtest.h>

#include "tests/corpora_files.hpp"
#include "tests/unit/binlog/binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

TEST(StatementScan, CompressedTransactionsAreLookedInto) {
  Bytes inner;
  for (const char* text : {"CREATE TABLE `t` (`a` int) START TRANSACTION", "COMMIT"}) {
    const Bytes event = make_event(EventType::query, query_body(text, "db"), 0, false);
    inner.insert(inner.end(), event.begin(), event.end());
  }
  BinlogBuilder log;
  log.mysql_gtid(1);
  const uint64_t at = log.event(EventType::transaction_payload, payload_body(inner, 0));
  const auto path = log.write(test::fresh_folder("statement_scan") / "binlog.000001");
  auto file = FileReader::open(path.string());
  ASSERT_TRUE(file) << file.error().to_string();
  SchemaTracker tracker;
  const Checked done = track_statements(*file, tracker);
  ASSERT_TRUE(done) << done.error().to_string();
  ASSERT_NE(tracker.find("db", "t").schema, nullptr);
  EXPECT_EQ(tracker.find("db", "t").schema->source, "CREATE TABLE at binlog.000001:" + std::to_string(at));
}

}  // namespace
}  // namespace tidemark::binlog
