// SPDX-License-Identifier: Apache-2.0
// GTID sets and positions: texts, bytes of PREVIOUS_GTIDS and GTID_LIST, the filter of a user. One thread.
#include <gtest/gtest.h>

#include "binlog/gtid_filter.hpp"
#include "binlog/gtid_position.hpp"
#include "binlog/gtid_set.hpp"
#include "binlog_builder.hpp"

namespace tidemark::binlog {
namespace {

const std::string kA = "00010203-0405-0607-0809-0a0b0c0d0e0f";
const std::string kB = "b0010203-0405-0607-0809-0a0b0c0d0e0f";

std::string canonical(const std::string& text) {
  const auto set = GtidSet::parse(text);
  return set ? set->to_text() : "error: " + set.error().text;
}

GtidEvent mysql_gtid(uint64_t number, const std::string& tag = {}) {
  GtidEvent gtid;
  gtid.kind = tag.empty() ? GtidKind::mysql : GtidKind::mysql_tagged;
  for (uint8_t i = 0; i < 16; ++i) gtid.uuid[i] = i;
  gtid.tag = tag;
  gtid.number = number;
  return gtid;
}

GtidEvent mariadb_gtid(uint32_t domain, uint32_t server, uint64_t sequence) {
  GtidEvent gtid;
  gtid.kind = GtidKind::mariadb;
  gtid.domain = domain;
  gtid.server_id = server;
  gtid.number = sequence;
  return gtid;
}

TEST(GtidSet, texts_in_any_form_print_as_the_server_prints_them) {
  const std::string& a = kA;
  const std::string& b = kB;
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical(" ,\n, "), "");
  EXPECT_EQ(canonical(a + ":1"), a + ":1");
  EXPECT_EQ(canonical(a + ":5:1-3:4"), a + ":1-5");
  EXPECT_EQ(canonical(a + ":9-10:1-7"), a + ":1-7:9-10") << "gaps are kept";
  EXPECT_EQ(canonical(b + ":2,\n" + a + " : 1 - 3 : 7 "), a + ":1-3:7,\n" + b + ":2");
  EXPECT_EQ(canonical(a + ":tag_2:1-2:5:1tag"),
            "error: GTID set: '1tag' is neither a range of numbers from 1 nor a tag");
  EXPECT_EQ(canonical(a + ":zz:4:Abc:1-2:3," + a + ":7"), a + ":7:abc:1-3:zz:4");
  EXPECT_EQ(canonical("{000102030405060708090A0B0C0D0E0F}:1"), a + ":1");
  EXPECT_EQ(canonical(a + ":1-9223372036854775806"), a + ":1-9223372036854775806");
  for (const std::string& bad : std::vector<std::string>{
           a, a + ":", a + ":0", a + ":3-2", a + ":1-", a + ":-1", a + ":9223372036854775807", a + ":tag",
           a + ":tag:t2:1", a + ":1:tag", a + ":x-y", "0001:1", a + "0:1", a + ":" + std::string(33, 'a') + ":1",
           std::string("0001020x-0405-0607-0809-0a0b0c0d0e0f:1"), a + "::1"}) {
    EXPECT_FALSE(GtidSet::parse(bad).ok()) << bad;
  }
}

TEST(GtidSet, members) {
  GtidSet set = *GtidSet::parse(kA + ":1-7:9-10:blue:3");
  EXPECT_TRUE(set.contains(mysql_gtid(7)));
  EXPECT_FALSE(set.contains(mysql_gtid(8)));
  EXPECT_TRUE(set.contains(mysql_gtid(9)));
  EXPECT_FALSE(set.contains(mysql_gtid(11)));
  EXPECT_TRUE(set.contains(mysql_gtid(3, "blue")));
  EXPECT_FALSE(set.contains(mysql_gtid(4, "blue")));
  EXPECT_FALSE(set.contains(mysql_gtid(3, "red")));
  GtidEvent anonymous = mysql_gtid(0);
  anonymous.kind = GtidKind::mysql_anonymous;
  EXPECT_FALSE(set.contains(anonymous));
  const GtidSet before = set;
  set.add(anonymous);
  EXPECT_EQ(set, before);
  set.add(mysql_gtid(8));
  EXPECT_EQ(set.to_text(), kA + ":1-10:blue:3");
  EXPECT_TRUE(set.contains(before));
  EXPECT_FALSE(before.contains(set));
  GtidSet merged = *GtidSet::parse(kB + ":4");
  merged.merge(set);
  EXPECT_TRUE(merged.contains(set));
  EXPECT_EQ(merged.to_text(), set.to_text() + ",\n" + kB + ":4");
}

TEST(GtidSet, previous_gtids) {
  Bytes old;
  put_le(old, 1, 8);
  const Bytes uuid = from_hex("000102030405060708090a0b0c0d0e0f");
  const auto put_intervals = [](Bytes& body) {
    put_le(body, 2, 8);
    put_le(body, 1, 8);
    put_le(body, 8, 8);
    put_le(body, 9, 8);
    put_le(body, 10, 8);
  };
  old.insert(old.end(), uuid.begin(), uuid.end());
  put_intervals(old);
  EXPECT_EQ(parse_previous_gtids(old)->to_text(), kA + ":1-7:9");
  EXPECT_EQ(parse_previous_gtids(Bytes(8))->to_text(), "");
  // MySQL 8.4 writes the format with tags even for the empty set.
  EXPECT_EQ(parse_previous_gtids(from_hex("01 00 00 00 00 00 00 01"))->to_text(), "");
  Bytes tagged = from_hex("01 02 00 00 00 00 00 01");
  for (const char* tag : {"00", "0a 6d 79 74 61 67"}) {  // none, "mytag"
    tagged.insert(tagged.end(), uuid.begin(), uuid.end());
    const Bytes written = from_hex(tag);
    tagged.insert(tagged.end(), written.begin(), written.end());
    put_intervals(tagged);
  }
  EXPECT_EQ(parse_previous_gtids(tagged)->to_text(), kA + ":1-7:9:mytag:1-7:9");
  for (const Bytes& whole : {old, tagged}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(parse_previous_gtids(std::span(whole).first(size)).ok()) << size;
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_FALSE(parse_previous_gtids(longer).ok());
  }
  Bytes reversed = old;
  reversed[32] = 9;  // first interval: 9 to 8
  EXPECT_FALSE(parse_previous_gtids(reversed).ok());
  Bytes absurd = old;
  std::fill(absurd.begin() + 24, absurd.begin() + 32, uint8_t{0xff});
  EXPECT_FALSE(parse_previous_gtids(absurd).ok());
}

TEST(GtidPosition, lists) {
  Bytes body;
  put_le(body, 0x1000'0003, 4);  // a flag, and 3 entries
  for (const auto& [domain, server, sequence] : {std::tuple{0, 1, 5}, {0, 2, 9}, {3, 1, 7}}) {
    put_le(body, static_cast<uint64_t>(domain), 4);
    put_le(body, static_cast<uint64_t>(server), 4);
    put_le(body, static_cast<uint64_t>(sequence), 8);
  }
  const auto list = parse_gtid_list(body);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->to_text(), "0-1-5,0-2-9,3-1-7");
  EXPECT_EQ(list->find(0)->server_id, 2u) << "the last of a domain is where the log stands";
  EXPECT_EQ(list->find(4), nullptr);
  body.pop_back();
  EXPECT_FALSE(parse_gtid_list(body).ok());
  EXPECT_TRUE(parse_gtid_list(Bytes(4))->empty());
  GtidPosition position = *GtidPosition::parse(" 0-1-42 ,\n1-7-3");
  position.advance({0, 9, 43});
  position.advance({2, 9, 1});
  EXPECT_EQ(position.to_text(), "0-9-43,1-7-3,2-9-1");
  EXPECT_TRUE(GtidPosition::parse("")->empty());
  for (const char* bad : {"0-1", "0-1-2-3", "a-1-2", "0-1-", "4294967296-1-1", "0-1-18446744073709551616", "0 -1-2"}) {
    EXPECT_FALSE(GtidPosition::parse(bad).ok()) << bad;
  }
}

TEST(GtidFilter, takes_both_families) {
  const auto filter = GtidFilter::parse(kA + ":2-3:tag:9, 0-1-42, 0-1-5 .. 0-1-9");
  ASSERT_TRUE(filter.ok()) << filter.error().text;
  EXPECT_TRUE(filter->matches(mysql_gtid(3)));
  EXPECT_FALSE(filter->matches(mysql_gtid(4)));
  EXPECT_TRUE(filter->matches(mysql_gtid(9, "tag")));
  EXPECT_TRUE(filter->matches(mariadb_gtid(0, 1, 42)));
  EXPECT_FALSE(filter->matches(mariadb_gtid(0, 2, 42)));
  EXPECT_TRUE(filter->matches(mariadb_gtid(0, 1, 9)));
  EXPECT_FALSE(filter->matches(mariadb_gtid(0, 1, 10)));
  EXPECT_FALSE(filter->matches(GtidEvent{}));
  for (const char* bad : {"", " , ", "42", "0-1-9..0-1-5", "0-1-5..0-2-9", "0-1-5..", "0-1-5-", "x:1"}) {
    EXPECT_FALSE(GtidFilter::parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tidemark::binlog
