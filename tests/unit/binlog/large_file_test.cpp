// SPDX-License-Identifier: Apache-2.0
// Files beyond 4 GiB, headers without end positions, events that are large or claim to be. One thread.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "binlog/byte_cursor.hpp"
#include "binlog/transaction_payload.hpp"
#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"
#include "wrapped_log.hpp"

namespace tidemark::binlog {
namespace {

TEST(LargeFile, case_B18) {
  const auto path = test::fresh_folder("case_b18") / "binlog.000001";
  const WrappedLog log = write_wrapped_log(path);
  const std::vector<std::string> rows{"rows t + id=1 v='1'", "rows t + id=2 v='1'", "rows t + id=3 v='1'",
                                      "rows t + id=4 v='1'"};
  const Reading all = read_binlog(path.string());
  ASSERT_FALSE(all.error) << all.error->to_string();
  EXPECT_EQ(all.rows(), rows);
  EXPECT_EQ(all.resume_position, log.ends.back());
  EXPECT_GT(all.resume_position, uint64_t{1} << 32);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Reading rest = read_binlog(path.string(), log.starts[i]);
    ASSERT_FALSE(rest.error) << rest.error->to_string();
    EXPECT_EQ(rest.rows(), std::vector<std::string>(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end()));
  }
  // The wrapped position is another place: no event's start.
  EXPECT_TRUE(read_binlog(path.string(), log.ends.back() - (uint64_t{1} << 32)).error);
}

// MariaDB 11.4+ writes 0 into the header of every event that passed through a transaction's cache.
TEST(LargeFile, EndPositionsOfZeroSayNothing) {
  const auto source = test::corpus("orders-mariadb-10.11") / "shard-01" / "binlog.000002";
  Bytes bytes = test::read_bytes(source);
  for (size_t at = 4; at < bytes.size();) {
    const EventHeader header = parse_header({bytes.data() + at, kHeaderBytes});
    if (header.type != EventType::format_description && header.type != EventType::mariadb_gtid) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 13, 4, uint8_t{0});
      const uint32_t sum = libdeflate_crc32(0, bytes.data() + at, header.size - kChecksumBytes);
      for (size_t i = 0; i < 4; ++i) bytes[at + header.size - 4 + i] = static_cast<uint8_t>(sum >> (8 * i));
    }
    at += header.size;
  }
  const auto path = test::fresh_folder("zero_positions") / "binlog.000002";
  test::write_bytes(path, bytes);
  const Reading wanted = read_binlog(source.string(), 0, false);
  const Reading got = read_binlog(path.string(), 0, false);
  ASSERT_FALSE(got.error) << got.error->to_string();
  EXPECT_GT(got.items.size(), 100u);
  EXPECT_EQ(got.items, wanted.items);
  EXPECT_EQ(got.resume_position, wanted.resume_position);
}

// What is passed over is verified all the same, piece by piece.
TEST(LargeFile, DamageInALargeIgnorableEventIsSeen) {
  const auto path = test::fresh_folder("large_ignorable") / "f";
  BinlogBuilder builder;
  const uint64_t at = builder.event(EventType::ignorable, Bytes(5'000'000, uint8_t{7}), kFlagIgnorable);
  builder.begin();
  builder.table_map();
  builder.insert(1, "a");
  builder.xid();
  builder.write(path);
  EXPECT_EQ(read_binlog(path.string()).rows().size(), 1u);
  for (const size_t damaged : {size_t{30}, size_t{2'000'000}, size_t{5'000'019}, size_t{5'000'022}}) {
    Bytes bytes = builder.bytes();
    bytes[static_cast<size_t>(at) + damaged] ^= 1;
    test::write_bytes(path, bytes);
    const Reading reading = read_binlog(path.string());
    ASSERT_TRUE(reading.error) << damaged;
    EXPECT_EQ(reading.error->kind, ErrorKind::corrupt);
    EXPECT_EQ(reading.error->position, at);
  }
}

TEST(LargeFile, AnEventInsideAPayloadIsNoLargerThanAllOfThem) {
  Bytes inner = make_event(EventType::rows_query, Bytes(1000), 0, false);
  const auto read = [&](uint64_t declared) {
    Bytes body{3, 3, 0xfc};
    put_le(body, declared, 2);
    const Bytes rest = payload_body(inner, 0);
    body.insert(body.end(), rest.begin(), rest.end());
    EventView event;
    event.body = body;
    PayloadReader reader;
    EXPECT_TRUE(reader.open(event).ok());
    EventView view;
    auto more = reader.next(view);
    return more ? std::string() : more.error().text;
  };
  EXPECT_EQ(read(inner.size()), "");
  EXPECT_NE(read(inner.size() - 1).find("all events together have 1018"), std::string::npos);
  for (size_t i = 0; i < 4; ++i) inner[9 + i] = static_cast<uint8_t>(uint32_t{900'000'000} >> (8 * i));
  EXPECT_NE(read(1019).find("an event of 900000000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::binlog
