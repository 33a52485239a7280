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

// MySQL's serialization: the number of one bits at the first byte's end tells how many bytes follow.
void put_variable(Bytes& out, uint64_t value) {
  uint32_t more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) ++more;
  if (more == 8) {
    out.push_back(0xff);
    put_le(out, value, 8);
    return;
  }
  const uint64_t ones = (uint64_t{1} << more) - 1;
  put_le(out, value << (more + 1) | ones, more + 1);
}

void put_signed(Bytes& out, int64_t value) {
  put_variable(out, value < 0 ? static_cast<uint64_t>(-(value + 1)) << 1 | 1 : static_cast<uint64_t>(value) << 1);
}

// What a 9.1.0 wrote, by values; and edges of the encoding.
TEST(Gtid, tagged_by_hand) {
  const auto body_of = [](int64_t number, std::string_view tag, int64_t committed, uint64_t original_us,
                          bool newer_field) {
    Bytes fields;
    const auto put_field = [&](uint64_t id) { put_variable(fields, id); };
    put_field(0);
    put_variable(fields, 1);
    put_field(1);
    for (int i = 0; i < 16; ++i) put_variable(fields, 0x55);
    put_field(2);
    put_signed(fields, number);
    put_field(3);
    put_variable(fields, tag.size());
    put_text(fields, tag);
    put_field(4);
    put_signed(fields, committed);
    put_field(5);
    put_signed(fields, 474);
    put_field(6);
    put_variable(fields, 1'731'444'683'060'515);
    if (original_us != 0) {
      put_field(7);
      put_variable(fields, original_us);
    }
    put_field(8);
    put_variable(fields, 278);
    put_field(9);
    put_variable(fields, 90100);
    if (newer_field) {
      put_field(12);
      put_variable(fields, UINT64_MAX);
    }
    Bytes body{2};  // version 1
    put_variable(body, fields.size() + 3);
    put_variable(body, 0);
    body.insert(body.end(), fields.begin(), fields.end());
    return body;
  };
  const auto gtid = parse(EventType::gtid_tagged, body_of(111111, "secondtest", 472, 0, false));
  ASSERT_TRUE(gtid.ok()) << gtid.error().text;
  EXPECT_EQ(gtid->to_text(), "55555555-5555-5555-5555-555555555555:secondtest:111111");
  EXPECT_EQ(gtid->last_committed, 472);
  EXPECT_EQ(gtid->sequence_number, 474);
  EXPECT_EQ(gtid->immediate_commit_us, 1'731'444'683'060'515);
  EXPECT_EQ(gtid->original_commit_us, gtid->immediate_commit_us);
  EXPECT_EQ(gtid->transaction_bytes, 278u);
  EXPECT_EQ(gtid->immediate_server_version, 90100u);
  const auto edges = parse(EventType::gtid_tagged, body_of(INT64_MAX - 1, "", -1, 77, true));
  ASSERT_TRUE(edges.ok()) << edges.error().text;
  EXPECT_EQ(edges->to_text(), "55555555-5555-5555-5555-555555555555:9223372036854775806");
  EXPECT_EQ(edges->last_committed, -1);
  EXPECT_EQ(edges->original_commit_us, 77);
  EXPECT_EQ(parse(EventType::gtid_tagged, body_of(0, "", 0, 0, false))->to_text(), "") << "an anonymous group";
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
