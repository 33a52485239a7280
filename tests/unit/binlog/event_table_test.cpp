// SPDX-License-Identifier: Apache-2.0
// Every event type, 0 to 255: what happens between groups, in a group, and in a compressed transaction. One thread.
#include <gtest/gtest.h>

#include <map>

#include "binlog/event_rules.hpp"
#include "binlog/gtid_event.hpp"
#include "binlog/heartbeat_event.hpp"
#include "binlog/rows_query_event.hpp"
#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Lines = std::vector<std::string>;

/// One letter per place (between groups, in a group, in a payload): d decoded or looked at, s skipped, R refused,
/// e an error that the group has no end, > the file's end.
struct Expected {
  const char* name;
  const char* places;
  const char* remedy;  ///< part of that of a refusal
};

// By type code; all others are unknown: skipped with the ignorable flag, refused without.
const std::map<int, Expected> kTable{
    {1, {"START_V3", "RRR", "MySQL before 5.0"}},
    {2, {"QUERY", "ddd", ""}},
    {3, {"STOP", ">eR", "damaged"}},
    {4, {"ROTATE", ">eR", "damaged"}},
    {5, {"INTVAR", "dss", ""}},
    {6, {"LOAD", "RRR", "LOAD DATA"}},
    {7, {"SLAVE", "RRR", "damaged"}},
    {8, {"CREATE_FILE", "RRR", "LOAD DATA"}},
    {9, {"APPEND_BLOCK", "dss", ""}},
    {10, {"EXEC_LOAD", "RRR", "LOAD DATA"}},
    {11, {"DELETE_FILE", "dss", ""}},
    {12, {"NEW_LOAD", "RRR", "LOAD DATA"}},
    {13, {"RAND", "dss", ""}},
    {14, {"USER_VAR", "dss", ""}},
    {15, {"FORMAT_DESCRIPTION", "ReR", "relay log"}},
    {16, {"XID", "ddd", ""}},
    {17, {"BEGIN_LOAD_QUERY", "dss", ""}},
    {18, {"EXECUTE_LOAD_QUERY", "ddd", ""}},
    {19, {"TABLE_MAP", "ddd", ""}},
    {20, {"WRITE_ROWS_V0", "RRR", "5.1"}},
    {21, {"UPDATE_ROWS_V0", "RRR", "5.1"}},
    {22, {"DELETE_ROWS_V0", "RRR", "5.1"}},
    {23, {"WRITE_ROWS_V1", "ddd", ""}},
    {24, {"UPDATE_ROWS_V1", "ddd", ""}},
    {25, {"DELETE_ROWS_V1", "ddd", ""}},
    {26, {"INCIDENT", "RRR", "snapshot"}},
    {27, {"HEARTBEAT", "ssR", "damaged"}},
    {28, {"IGNORABLE", "sss", ""}},
    {29, {"ROWS_QUERY", "sss", ""}},
    {30, {"WRITE_ROWS_V2", "ddd", ""}},
    {31, {"UPDATE_ROWS_V2", "ddd", ""}},
    {32, {"DELETE_ROWS_V2", "ddd", ""}},
    {33, {"GTID", "deR", "damaged"}},
    {34, {"ANONYMOUS_GTID", "deR", "damaged"}},
    {35, {"PREVIOUS_GTIDS", "ssR", "damaged"}},
    {36, {"TRANSACTION_CONTEXT", "sss", ""}},
    {37, {"VIEW_CHANGE", "sss", ""}},
    {38, {"XA_PREPARE", "ddd", ""}},
    {39, {"PARTIAL_UPDATE_ROWS", "ddd", ""}},
    {40, {"TRANSACTION_PAYLOAD", "ddR", "damaged"}},
    {41, {"HEARTBEAT_V2", "ssR", "damaged"}},
    {42, {"GTID_TAGGED", "deR", "damaged"}},
    {160, {"ANNOTATE_ROWS", "sss", ""}},
    {161, {"BINLOG_CHECKPOINT", "ssR", "damaged"}},
    {162, {"MARIADB_GTID", "deR", "damaged"}},
    {163, {"GTID_LIST", "ssR", "damaged"}},
    {164, {"START_ENCRYPTION", "RRR", "file key management"}},
    {165, {"QUERY_COMPRESSED", "ddd", ""}},
    {166, {"WRITE_ROWS_COMPRESSED_V1", "ddd", ""}},
    {167, {"UPDATE_ROWS_COMPRESSED_V1", "ddd", ""}},
    {168, {"DELETE_ROWS_COMPRESSED_V1", "ddd", ""}},
    {169, {"WRITE_ROWS_COMPRESSED_V2", "ddd", ""}},
    {170, {"UPDATE_ROWS_COMPRESSED_V2", "ddd", ""}},
    {171, {"DELETE_ROWS_COMPRESSED_V2", "ddd", ""}},
    {172, {"PARTIAL_ROW_DATA", "RRR", "binlog_row_event_fragment_threshold"}},
};

class EventTable : public ::testing::Test {
 protected:
  Reading read(const BinlogBuilder& log) { return read_binlog(log.write(folder_ / "f").string()); }
  static void insert_group(BinlogBuilder& log, int32_t id) {
    log.begin();
    log.table_map();
    log.insert(id, "x");
    log.xid();
  }

  struct Seen {
    Reading reading;
    uint64_t at = 0;  ///< of the event
  };
  /// The event at `place`, with a body of zeros, and groups before and after it.
  Seen with_event(EventType type, size_t place, uint16_t flags) {
    BinlogBuilder log;
    insert_group(log, 1);
    Seen seen;
    if (place == 0) seen.at = log.event(type, Bytes(16), flags);
    if (place == 1) {
      log.begin();
      log.table_map();
      log.insert(2, "x");
      seen.at = log.event(type, Bytes(16), flags);
      log.xid();
    }
    if (place == 2) {
      Bytes events;
      const auto add = [&events](EventType inner, const Bytes& body, uint16_t inner_flags) {
        const Bytes event = make_event(inner, body, 0, false, inner_flags);
        events.insert(events.end(), event.begin(), event.end());
      };
      add(EventType::query, query_body("BEGIN", "db"), 0);
      add(EventType::table_map, table_map_body("t", 7), 0);
      add(EventType::write_rows_v1, insert_body(2, "x", 7), 0);
      add(type, Bytes(16), flags);
      add(EventType::xid, Bytes(8), 0);
      seen.at = log.event(EventType::transaction_payload, payload_body(events, 0));
    }
    insert_group(log, 3);
    seen.reading = read(log);
    return seen;
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("event_table_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

void check_refused(const DecodeError& error, int code, const Expected& expected, uint64_t at) {
  EXPECT_TRUE(error.kind == ErrorKind::unsupported || error.kind == ErrorKind::corrupt);
  EXPECT_EQ(error.position, at);
  EXPECT_TRUE(error.file.ends_with("/f")) << error.file;
  EXPECT_NE(error.text.find(std::string(expected.name) + " event (type " + std::to_string(code) + ")"),
            std::string::npos)
      << error.text;
  EXPECT_NE(error.remedy.find(expected.remedy), std::string::npos) << error.to_string();
}

TEST_F(EventTable, every_type_in_every_place) {
  for (int code = 0; code <= 255; ++code) {
    const auto type = static_cast<EventType>(code);
    const auto found = kTable.find(code);
    const bool known = found != kTable.end();
    for (const uint16_t flags : {uint16_t{0}, kFlagIgnorable}) {
      const Expected unknown{event_type_name(type), flags != 0 ? "sss" : "RRR", "newer version"};
      const Expected& expected = known ? found->second : unknown;
      EXPECT_STREQ(event_type_name(type), expected.name);
      for (size_t place = 0; place < 3; ++place) {
        SCOPED_TRACE(std::string(expected.name) + " " + std::to_string(code) + " place " + std::to_string(place) +
                     " flags " + std::to_string(flags));
        const char what = expected.places[place];
        if (what == 'd') {
          EventHeader header;
          header.type = type;
          header.flags = flags;
          EXPECT_EQ(action_of(header, static_cast<EventPlace>(place)), EventAction::take);
          continue;
        }
        const Seen seen = with_event(type, place, flags);
        const Reading& reading = seen.reading;
        const size_t rows = place == 0 ? 2u : 3u;
        if (what == 's' || what == '>') {
          ASSERT_FALSE(reading.error) << reading.error->to_string();
          EXPECT_EQ(reading.rows().size(), rows);
          continue;
        }
        ASSERT_TRUE(reading.error);
        EXPECT_EQ(reading.rows().size(), 1u) << "nothing of the group is used";
        if (what == 'R') check_refused(*reading.error, code, expected, seen.at);
        if (what == 'e') {
          EXPECT_NE(reading.error->text.find("has no end before"), std::string::npos) << reading.error->text;
          EXPECT_NE(reading.error->text.find(std::to_string(seen.at)), std::string::npos);
        }
      }
    }
  }
  EXPECT_STREQ(event_type_name(static_cast<EventType>(43)), "LARGE_TRANSACTION_HEADER");
  EXPECT_STREQ(event_type_name(static_cast<EventType>(100)), "AURORA_PADDING");
}

// Skip replication is a wish about replicas: the rows were changed.
TEST_F(EventTable, rows_that_are_not_to_be_replicated_count) {
  BinlogBuilder log({"10.11.19-MariaDB", true, false});
  log.mariadb_gtid(1, kMariadbTransactional);
  log.event(EventType::table_map, table_map_body("t", 7), kFlagSkipReplication);
  log.event(EventType::write_rows_v1, insert_body(1, "x", 7), kFlagSkipReplication);
  log.event(EventType::xid, Bytes(8), kFlagSkipReplication);
  EXPECT_EQ(read(log).rows().size(), 1u);
}

TEST_F(EventTable, compressed_rows_of_version_2) {
  BinlogBuilder log({"10.11.19-MariaDB", true, false});
  log.mariadb_gtid(1, kMariadbTransactional);
  log.table_map();
  // Table 7, flags 1, extra data 2, two columns, then zlib of: no NULLs, 5, "yy".
  Bytes body = from_hex("07 00 00 00 00 00  01 00  02 00  02 03  81 08");
  const Bytes plain = from_hex("00 05 00 00 00 02 79 79");
  Bytes zlib = from_hex("78 01 01 08 00 f7 ff");  // one stored block
  zlib.insert(zlib.end(), plain.begin(), plain.end());
  uint32_t a = 1, b = 0;
  for (const uint8_t byte : plain) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (const uint32_t part : {b >> 8, b & 255, a >> 8, a & 255}) zlib.push_back(static_cast<uint8_t>(part));
  body.insert(body.end(), zlib.begin(), zlib.end());
  log.event(EventType::write_rows_compressed_v2, body);
  log.event(EventType::xid, Bytes(8));
  const Reading reading = read(log);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows(), Lines{"rows t + id=5 v='yy'"});
}

// A server that takes its reader for an old one writes BEGIN in place of a GTID, and dummies.
TEST_F(EventTable, dummies) {
  const auto dummy = [](const std::string& number) {
    return "# Dummy event replacing event type " + number + " that slave cannot handle.   ";
  };
  BinlogBuilder log({"10.11.19-MariaDB", true, false});
  for (const char* number : {"160", "161", "162", "163", "29", "28", "27", "36"}) log.query(dummy(number));
  log.query("# Dum");
  log.begin();
  log.query(dummy("160"));
  log.table_map();
  log.insert(1, "x");
  log.query("# Dumm");
  log.xid();
  const Reading reading = read(log);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows().size(), 1u);
  EXPECT_FALSE(reading.incomplete);
  for (const std::string& text : {dummy("166"), dummy("39"), dummy("40"), dummy("172"), dummy("26"), dummy("999"),
                                  std::string("# Dummy e"), std::string("# Dummy event replacing event type 16")}) {
    for (const bool in_group : {false, true}) {
      BinlogBuilder lost({"10.11.19-MariaDB", true, false});
      if (in_group) {
        lost.begin();
        lost.table_map();
        lost.insert(1, "x");
      }
      const uint64_t at = lost.query(text);
      lost.xid();
      const Reading refused = read(lost);
      ASSERT_TRUE(refused.error) << text;
      EXPECT_EQ(refused.error->position, at);
      EXPECT_NE(refused.error->remedy.find("source's own binlogs"), std::string::npos);
      EXPECT_TRUE(refused.rows().empty());
    }
  }
  EXPECT_NE(read_dummy(dummy("166"))->replaced, EventType::unknown);
  EXPECT_FALSE(read_dummy("# Dummy data for the tests"));
}

TEST_F(EventTable, heartbeats) {
  const auto parse = [](EventType type, const Bytes& body, uint32_t end_position = 0) {
    EventView event;
    event.header.type = type;
    event.header.end_position = end_position;
    event.body = body;
    return parse_heartbeat_event(event);
  };
  Bytes name;
  put_text(name, "binlog.000001");
  const auto old = parse(EventType::heartbeat, name, 777);
  EXPECT_EQ(old->file, "binlog.000001");
  EXPECT_EQ(old->position, 777u);
  EXPECT_FALSE(old->wide);
  EXPECT_FALSE(parse(EventType::heartbeat, {}).ok());
  Bytes head = from_hex("01 0d");
  head.insert(head.end(), name.begin(), name.end());
  const auto wide = [&](const char* tail) {
    Bytes body = head;
    const Bytes more = from_hex(tail);
    body.insert(body.end(), more.begin(), more.end());
    return body;
  };
  const Bytes body = wide("02 01 9e 00");
  const auto first = parse(EventType::heartbeat_v2, body);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->file, "binlog.000001");
  EXPECT_EQ(first->position, 158u);
  EXPECT_TRUE(first->wide);
  EXPECT_EQ(parse(EventType::heartbeat_v2, wide("02 04 fd bb af 27"))->position, 2'600'891u);
  EXPECT_EQ(parse(EventType::heartbeat_v2, wide("09 02 55 66 02 09 fe 00 00 00 00 02 00 00 00 00"))->position,
            uint64_t{2} << 32)
      << "beyond 4 GiB, and a field that is not known";
  for (const char* bad : {"", "00", "02 01", "02 02 9e 00 00", "02 01 fc 00", "02 00 00", "02 ff 00"}) {
    EXPECT_FALSE(parse(EventType::heartbeat_v2, wide(bad)).ok()) << bad;
  }
}

TEST_F(EventTable, statements_beside_rows) {
  EventView event;
  event.header.type = EventType::rows_query;
  Bytes body{44};  // 300 mod 256
  put_text(body, std::string(300, 'q'));
  event.body = body;
  EXPECT_EQ(rows_query_text(event), std::string(300, 'q'));
  event.header.type = EventType::annotate_rows;
  EXPECT_EQ(rows_query_text(event), "," + std::string(300, 'q'));
  event.body = {};
  EXPECT_EQ(rows_query_text(event), "");
}

}  // namespace
}  // namespace tidemark::binlog
