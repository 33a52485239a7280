// SPDX-License-Identifier: Apache-2.0
// Groups: what is handed out, what is withheld, what is refused. One thread.
#include <gtest/gtest.h>

#include <algorithm>

#include "binlog/transaction_reader.hpp"
#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Lines = std::vector<std::string>;

class Groups : public ::testing::Test {
 protected:
  Reading read(const BinlogBuilder& builder, uint64_t position = 0) {
    return read_binlog(builder.write(folder_ / "f").string(), position);
  }
  static void insert_group(BinlogBuilder& builder, int32_t id) {
    builder.begin();
    builder.table_map();
    builder.insert(id, "x");
    builder.xid();
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("groups_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Groups, commit_times) {
  BinlogBuilder mysql;
  mysql.mysql_gtid(3, 1'773'162'714'363'161);
  insert_group(mysql, 1);
  const Reading reading = read(mysql);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.items, (Lines{"begin 00010203-0405-0607-0809-0a0b0c0d0e0f:3 1773162714363161",
                                  "rows t + id=1 v='x'", "end committed"}));
  // Without commit times: header seconds of the group's last event.
  BinlogBuilder mariadb({"10.11.19-MariaDB", true, false});
  mariadb.mariadb_gtid(9, kMariadbTransactional);
  mariadb.table_map();
  mariadb.insert(1, "x");
  mariadb.event(EventType::xid, Bytes(8), 0, 1'000'000'777);
  EXPECT_EQ(read(mariadb).items.front(), "begin 0-5-9 1000000777000000");
}

TEST_F(Groups, rolled_back_rows_are_withheld) {
  BinlogBuilder builder;
  insert_group(builder, 1);
  builder.begin();
  builder.table_map();
  builder.insert(2, "gone");
  builder.query("ROLLBACK");
  insert_group(builder, 3);
  const Reading reading = read(builder);
  ASSERT_FALSE(reading.error);
  EXPECT_EQ(reading.rows(), (Lines{"rows t + id=1 v='x'", "rows t + id=3 v='x'"}));
  EXPECT_EQ(std::count(reading.items.begin(), reading.items.end(), "end rolled back"), 1);
}

TEST_F(Groups, resumes_at_every_group) {
  BinlogBuilder builder;
  std::vector<uint64_t> starts;
  for (int32_t id = 0; id < 5; ++id) {
    starts.push_back(builder.position());
    insert_group(builder, id);
  }
  for (size_t i = 0; i < starts.size(); ++i) {
    const Reading reading = read(builder, starts[i]);
    ASSERT_FALSE(reading.error);
    ASSERT_EQ(reading.rows().size(), 5 - i);
    EXPECT_EQ(reading.rows().front(), "rows t + id=" + std::to_string(i) + " v='x'");
    EXPECT_EQ(reading.resume_position, builder.position());
  }
  // A position inside a group is noticed.
  Reading reading = read(builder, starts[1] + 1);
  EXPECT_TRUE(reading.error || reading.incomplete);
  EXPECT_TRUE(reading.rows().empty());
}

TEST_F(Groups, nothing_before_the_end_is_there) {
  BinlogBuilder whole;
  insert_group(whole, 1);
  const uint64_t second = whole.position();
  whole.begin();
  whole.table_map();
  whole.insert(2, "y");
  const uint64_t before_xid = whole.position();
  whole.xid();
  const Bytes all = whole.bytes();
  const auto file = folder_ / "growing";
  test::write_bytes(file, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before_xid)});
  auto reader = TransactionReader::open(file.string());
  ASSERT_TRUE(reader.ok());
  Item item;
  Lines kinds;
  while (*reader->next(item) == ReadState::ready) kinds.push_back(std::to_string(static_cast<int>(item.kind)));
  EXPECT_EQ(kinds, (Lines{"0", "1", "4"}));  // begin, rows, end of the first group
  EXPECT_EQ(*reader->next(item), ReadState::incomplete);
  EXPECT_EQ(reader->incomplete_error().kind, ErrorKind::torn_tail);
  EXPECT_EQ(reader->incomplete_error().position, second);
  EXPECT_EQ(reader->resume_position(), second);
  test::write_bytes(file, all);
  ASSERT_EQ(*reader->next(item), ReadState::ready);
  EXPECT_EQ(item.kind, ItemKind::begin);
  EXPECT_EQ(item.position, second);
}

TEST_F(Groups, statements_that_change_data) {
  BinlogBuilder builder;
  builder.begin();
  builder.event(EventType::intvar, Bytes(9));
  builder.query("/* app */ INSERT INTO `shop`.orders VALUES (1)");
  builder.query("UPDATE a JOIN b USING (x) SET a.y = 1");
  builder.query("DELETE FROM t WHERE id = 1");
  builder.xid();
  builder.query("CREATE TABLE x AS SELECT * FROM y");
  builder.query("CREATE TABLE z (a INT) COMMENT 'select'");
  const Reading reading = read(builder);
  ASSERT_FALSE(reading.error);
  EXPECT_EQ(reading.items,
            (Lines{"begin  1000000000000000", "change shop.orders", "change db.a db.b", "change db.t", "end committed",
                   "begin  1000000000000000", "change db.x", "end standalone", "begin  1000000000000000",
                   "statement CREATE TABLE z (a INT) COMMENT 'select'", "end standalone"}));
}

TEST_F(Groups, create_table_select_of_mysql_8) {
  BinlogBuilder builder;
  builder.mysql_gtid(1, 5);
  builder.query("CREATE TABLE `t` (\n  `id` int\n) START TRANSACTION");
  builder.table_map();
  builder.insert(1, "x");
  builder.xid();
  const Reading reading = read(builder);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows().size(), 1u);
  EXPECT_EQ(reading.items.back(), "end committed");
}

TEST_F(Groups, statement_format_is_told) {
  const Reading reading = read_binlog((test::corpus("variants") / "mariadb-10.11-statement-format.binlog").string());
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  Lines changes;
  for (const auto& line : reading.items) {
    if (line.starts_with("change")) changes.push_back(line);
  }
  EXPECT_EQ(changes, (Lines{"change st.s", "change st.s"}));
}

// A rows event without the TABLE_MAP of its own statement.
TEST_F(Groups, stale_table_map) {
  BinlogBuilder builder;
  insert_group(builder, 1);
  builder.begin();
  const uint64_t at = builder.insert(2, "x");
  builder.xid();
  const Reading reading = read(builder);
  ASSERT_TRUE(reading.error);
  EXPECT_EQ(reading.error->position, at);
}

// One plain insert, then a wrapper with three; inner events have no checksum. Resumed before the wrapper too.
TEST_F(Groups, case_B12) {
  const auto inner = [] {
    Bytes events;
    const auto add = [&events](EventType type, const Bytes& body) {
      const Bytes event = make_event(type, body, 0, false);
      events.insert(events.end(), event.begin(), event.end());
    };
    add(EventType::query, query_body("BEGIN", "db"));
    add(EventType::table_map, table_map_body("t", 7));
    for (const int32_t v : {1, 2, 4}) {
      add(EventType::table_map, table_map_body("t", 7));
      add(EventType::write_rows_v1, insert_body(v, "in", 7));
    }
    add(EventType::xid, Bytes(8));
    return events;
  }();
  for (const uint64_t compression : {0u, 255u, 1u}) {
    BinlogBuilder builder;
    builder.mysql_gtid(1, 100);
    insert_group(builder, 9);
    const uint64_t group = builder.mysql_gtid(2, 200);
    const uint64_t at = builder.event(EventType::transaction_payload, payload_body(inner, compression));
    const Reading reading = read(builder);
    if (compression == 1) {
      ASSERT_TRUE(reading.error);
      EXPECT_EQ(reading.error->kind, ErrorKind::unsupported);
      EXPECT_EQ(reading.error->position, at);
      EXPECT_EQ(reading.rows().size(), 1u);
      continue;
    }
    ASSERT_FALSE(reading.error) << reading.error->to_string();
    EXPECT_EQ(reading.rows(),
              (Lines{"rows t + id=9 v='x'", "rows t + id=1 v='in'", "rows t + id=2 v='in'", "rows t + id=4 v='in'"}));
    const Reading resumed = read(builder, group);
    EXPECT_EQ(resumed.items.front(), "begin 00010203-0405-0607-0809-0a0b0c0d0e0f:2 200");
    EXPECT_EQ(resumed.rows().size(), 3u);
  }
  // Cut or damaged streams inside a right checksum.
  BinlogBuilder cut;
  Bytes body = payload_body({inner.begin(), inner.end() - 5}, 0);
  cut.event(EventType::transaction_payload, body);
  EXPECT_EQ(read(cut).error->kind, ErrorKind::corrupt);
}

// 200,000 rows in one wrapper: streamed, nothing of the size of the transaction is held.
TEST_F(Groups, compressed_200k_rows) {
  auto reader =
      TransactionReader::open((test::corpus("variants") / "mysql-9.7-compressed-200k-row-transaction.binlog").string());
  ASSERT_TRUE(reader.ok());
  Item item;
  uint64_t events = 0;
  size_t largest = 0;
  while (true) {
    auto state = reader->next(item);
    ASSERT_TRUE(state.ok()) << state.error().to_string();
    if (*state != ReadState::ready) break;
    if (item.kind != ItemKind::rows) continue;
    ++events;
    EXPECT_EQ(item.position, 649u);
    largest = std::max(largest, item.rows.rows.size());
  }
  EXPECT_GT(events, 100u);
  EXPECT_LT(largest, 100'000u);
}

}  // namespace
}  // namespace tidemark::binlog
