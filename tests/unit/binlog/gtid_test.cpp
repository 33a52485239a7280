// SPDX-License-Identifier: Apache-2.0
// GTID events of all kinds. One thread.
#include <gtest/gtest.h>

#include "binlog/gtid_event.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

Outcome<GtidEvent> parse(EventType type, const Bytes& body) {
  EventView event;
  event.header.type = type;
  event.header.server_id = 5;
  event.body = body;
  return parse_gtid_event(event);
}

Bytes base_body() {
  Bytes body = from_hex("01  000102030405060708090a0b0c0d0e0f");
  put_le(body, 42, 8);
  return body;
}

// Each server version added a part to the tail; all lengths are right.
TEST(Gtid, mysql_tails) {
  Bytes body = base_body();
  EXPECT_EQ(parse(EventType::gtid, body)->to_text(), "00010203-0405-0607-0809-0a0b0c0d0e0f:42");
  EXPECT_EQ(parse(EventType::gtid, body)->immediate_commit_us, kNoTime);
  body.push_back(2);
  put_le(body, 7, 8);
  put_le(body, 8, 8);
  EXPECT_EQ(parse(EventType::gtid, body)->sequence_number, 8);
  Bytes both = body;
  put_le(body, 1'773'162'714'363'161, 7);
  const Bytes tail = from_hex("fc 15 01  ad 38 01 00");
  body.insert(body.end(), tail.begin(), tail.end());
  const auto full = parse(EventType::gtid, body);
  EXPECT_EQ(full->immediate_commit_us, 1'773'162'714'363'161);
  EXPECT_EQ(full->original_commit_us, full->immediate_commit_us);
  EXPECT_EQ(full->transaction_bytes, 277u);
  EXPECT_EQ(full->immediate_server_version, 80045u);
  // A replica of a 5.7 source: the original time is written and 0, which means unknown.
  put_le(both, 1'583'812'517'644'225u | uint64_t{1} << 55, 7);
  put_le(both, 0, 7);
  const auto replica = parse(EventType::anonymous_gtid, both);
  EXPECT_EQ(replica->immediate_commit_us, 1'583'812'517'644'225);
  EXPECT_EQ(replica->original_commit_us, kNoTime);
  EXPECT_EQ(replica->to_text(), "");
  EXPECT_FALSE(parse(EventType::gtid, from_hex("01 02")).ok());
}

// The body a MySQL 9.6.0 wrote.
TEST(Gtid, tagged) {
  Bytes body = from_hex(
      "02 78 00 00 00 02 aa ee 25 02 08 04 65 02 22 c5 03 c5 02 e1 02 9c c1 03 11 03 55 02 de ad 03 04 0c 06 0a 6d 79 "
      "74 61 67 08 00 0a 04 0c 7f 1c f3 b8 14 24 4a 06 10 a1 04 12 43 0f 0b");
  const auto gtid = parse(EventType::gtid_tagged, body);
  ASSERT_TRUE(gtid.ok()) << gtid.error().text;
  EXPECT_EQ(gtid->to_text(), "55778904-0299-11f1-b1b8-4ef0c4956feb:mytag:3");
  EXPECT_EQ(gtid->last_committed, 0);
  EXPECT_EQ(gtid->sequence_number, 1);
  EXPECT_EQ(gtid->immediate_commit_us, 1'770'368'687'207'196);
  EXPECT_EQ(gtid->transaction_bytes, 296u);
  EXPECT_EQ(gtid->immediate_server_version, 90600u);
  body.resize(body.size() / 2);
  EXPECT_FALSE(parse(EventType::gtid_tagged, body).ok());
}

TEST(Gtid, mariadb) {
  Bytes body;
  put_le(body, 77, 8);
  put_le(body, 3, 4);
  Bytes plain = body;
  plain.push_back(kMariadbStandalone | kMariadbDdl);
  put_le(plain, 0, 6);
  EXPECT_EQ(parse(EventType::mariadb_gtid, plain)->to_text(), "3-5-77");
  EXPECT_EQ(parse(EventType::mariadb_gtid, plain)->extra_flags, 0);
  // Prepared XA with group commit id, xid "ab" and a further flags byte; bytes of newer servers behind it.
  Bytes long_form = body;
  long_form.push_back(kMariadbGroupCommitId | kMariadbPreparedXa);
  put_le(long_form, 9, 8);
  put_le(long_form, 1, 4);
  long_form.insert(long_form.end(), {1, 1, 'a', 'b', kMariadbStartAlter, 0x55, 0x66});
  EXPECT_EQ(parse(EventType::mariadb_gtid, long_form)->extra_flags, kMariadbStartAlter);
}

}  // namespace
}  // namespace tidemark::binlog
