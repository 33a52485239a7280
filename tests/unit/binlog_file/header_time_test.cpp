// SPDX-License-Identifier: Apache-2.0
// Event time = header time: of the row's own event, inside transactions and payloads; what is no good as a time is
// told once with the way out, and counted. One thread.
#include <gtest/gtest.h>

#include "tests/unit/binlog_file/log_folder.hpp"

namespace tidemark::test {
namespace {

using HeaderTime = BinlogFile;
constexpr int64_t kSecond = 1'000'000;

/// A transaction per header time.
void write_log(const std::string& file, const std::vector<uint32_t>& header_seconds) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  int64_t id = 0;
  for (const uint32_t seconds : header_seconds) {
    log.gtid();
    log.log.begin();
    log.log.event(binlog::EventType::table_map, table_map_body(kT), 0, seconds);
    log.log.event(binlog::EventType::write_rows_v2, rows_body(kT, {{++id, int64_t{1}}}, false), 0, seconds);
    log.log.xid();
  }
  log.write(file);
}

std::vector<int64_t> times_of(PluginReader& reader) {
  std::vector<int64_t> out;
  for (const GotRow& row : reader.rows(0)) out.push_back(row.event_time_us);
  return out;
}

// The other half, what windows make of these times, is case_O08 of the simulator.
TEST_F(HeaderTime, case_O08) {
  write_log(path("binlog.000001"), {100, 101, 0, 102, 90, 103, 60});
  PluginSource source(options());
  ASSERT_NE(source.api().source_features(source.raw()) & TIDEMARK_HAS_HEADER_TIME, 0u);
  PluginReader reader(source, 8, TIDEMARK_HEADER_TIME);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(times_of(reader), (std::vector<int64_t>{100 * kSecond, 101 * kSecond, TIDEMARK_NO_TIME, 102 * kSecond,
                                                    90 * kSecond, 103 * kSecond, 60 * kSecond}));
  Texts notes;
  for (const std::string& note : reader.logged()) {
    if (contains(note, "field = \"<column>\"")) notes.push_back(note);
  }
  ASSERT_EQ(notes.size(), 2u) << "each kind once";
  EXPECT_TRUE(contains(notes[0], "binlog.000001:")) << notes[0];
  EXPECT_TRUE(contains(notes[0], "the header time is 0: the rows of this event have no event time"));
  EXPECT_TRUE(contains(notes[1], "90 s, after 102 s: the header times go back")) << notes[1];
}

TEST_F(HeaderTime, OnlyWhereItIsAskedFor) {
  write_log(path("binlog.000001"), {100, 0, 60});
  PluginSource source(options());
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  const int64_t first = kFirstCommitUs + kSecond;
  EXPECT_EQ(times_of(reader), (std::vector<int64_t>{first, first + kSecond, first + 2 * kSecond}));
  EXPECT_FALSE(any_contains(reader.logged(), "header time"));
}

// The transaction's rows have times of their own events, not of its end; inside a payload too.
TEST_F(HeaderTime, RowsOfOneTransactionHaveTheTimesOfTheirEvents) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  const auto event = [&](binlog::EventType type, const binlog::Bytes& body, uint32_t seconds) {
    return binlog::make_event(type, body, 0, false, 0, seconds);
  };
  binlog::Bytes events;
  for (const uint32_t seconds : {100u, 105u}) {
    for (const binlog::Bytes& one :
         {event(binlog::EventType::table_map, table_map_body(kT), seconds),
          event(binlog::EventType::write_rows_v2, rows_body(kT, {{int64_t{seconds}, int64_t{1}}}, false), seconds)}) {
      events.insert(events.end(), one.begin(), one.end());
    }
  }
  binlog::Bytes whole = event(binlog::EventType::query, binlog::query_body("BEGIN", "db"), 99);
  whole.insert(whole.end(), events.begin(), events.end());
  binlog::Bytes xid;
  binlog::put_le(xid, 1, 8);
  const binlog::Bytes end = event(binlog::EventType::xid, xid, 106);
  whole.insert(whole.end(), end.begin(), end.end());
  log.gtid();
  log.log.event(binlog::EventType::transaction_payload, binlog::payload_body(whole, 0), 0, 200);
  log.write(path("binlog.000001"));
  PluginSource source(options());
  PluginReader reader(source, 8, TIDEMARK_HEADER_TIME);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(times_of(reader), (std::vector<int64_t>{100 * kSecond, 105 * kSecond}));
}

}  // namespace
}  // namespace tidemark::test
