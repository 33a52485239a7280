// SPDX-License-Identifier: Apache-2.0
// Savepoints: ROLLBACK TO is refused where rows that were logged may or may not stay, and nowhere else. One thread.
#include <gtest/gtest.h>

#include "binlog/savepoints.hpp"
#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Lines = std::vector<std::string>;

TEST(Savepoints, follow_the_rules_of_the_server) {
  Savepoints points;
  points.declare("a", 1);
  points.declare("b", 2);
  EXPECT_TRUE(points.roll_back_to("B", 2)) << "case does not count";
  EXPECT_FALSE(points.roll_back_to("a", 2));
  EXPECT_FALSE(points.roll_back_to("b", 2)) << "gone with the rollback to a: not known";
  EXPECT_TRUE(points.roll_back_to("a", 1)) << "it stays";
  points.declare("A", 5);  // moves
  EXPECT_TRUE(points.roll_back_to("a", 5));
  points.declare("c", 5);
  points.declare("d", 5);
  points.release("c");
  EXPECT_FALSE(points.roll_back_to("d", 5)) << "released with the one before it";
  points.release("nothing");
  EXPECT_TRUE(points.roll_back_to("a", 5));
  points.clear();
  EXPECT_TRUE(points.roll_back_to("a", 0)) << "nothing was logged at all";
}

class SavepointGroups : public ::testing::Test {
 protected:
  /// Steps: "+" a row; another text is a statement.
  Reading read(const Lines& steps, bool compressed = false) {
    BinlogBuilder log;
    Bytes events;
    const auto add = [&](EventType type, const Bytes& body) {
      if (compressed) {
        const Bytes event = make_event(type, body, 0, false);
        events.insert(events.end(), event.begin(), event.end());
      } else {
        log.event(type, body);
      }
    };
    if (compressed) log.mysql_gtid(1, 100);
    int32_t id = 0;
    for (const std::string& step : steps) {
      const bool savepoint = step.find("OINT") != std::string::npos || step.find("TO ") != std::string::npos;
      if (savepoint && step.starts_with("ROLLBACK")) rollback_at_ = log.position();
      if (step == "XID") {
        add(EventType::xid, Bytes(8));
      } else if (step == "+") {
        add(EventType::table_map, table_map_body("t", 7));
        add(EventType::write_rows_v1, insert_body(++id, "x", 7));
      } else {
        add(EventType::query, query_body(step, "db"));
      }
    }
    if (compressed) rollback_at_ = log.event(EventType::transaction_payload, payload_body(events, 0));
    end_ = log.position();
    return read_binlog(log.write(folder_ / "f").string());
  }
  void expect_refused(const Lines& steps, bool compressed = false) {
    const Reading reading = read(steps, compressed);
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.error->kind, ErrorKind::unsupported);
    EXPECT_EQ(reading.error->position, rollback_at_);
    EXPECT_NE(reading.error->text.find("ROLLBACK TO SAVEPOINT `s`"), std::string::npos) << reading.error->text;
    EXPECT_NE(reading.error->remedy.find("ends at " + std::to_string(end_)), std::string::npos)
        << reading.error->remedy;
    EXPECT_TRUE(reading.items.empty());
  }
  size_t rows(const Lines& steps, bool compressed = false) {
    const Reading reading = read(steps, compressed);
    EXPECT_FALSE(reading.error) << reading.error->to_string();
    return reading.rows().size();
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("savepoints_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  uint64_t rollback_at_ = 0;
  uint64_t end_ = 0;
};

TEST_F(SavepointGroups, are_refused_only_where_rows_are_in_doubt) {
  for (const bool compressed : {false, true}) {
    EXPECT_EQ(rows({"BEGIN", "+", "SAVEPOINT `s`", "ROLLBACK TO `s`", "XID"}, compressed), 1u);
    EXPECT_EQ(rows({"BEGIN", "+", "SAVEPOINT `s`", "RELEASE SAVEPOINT `s`", "+", "XID"}, compressed), 2u);
    EXPECT_EQ(rows({"BEGIN", "SAVEPOINT `s`", "+", "SAVEPOINT `S`", "ROLLBACK TO `s`", "+", "XID"}, compressed), 2u);
    EXPECT_EQ(rows({"BEGIN", "+", "SAVEPOINT `a b`", "SAVEPOINT c", "ROLLBACK TO SAVEPOINT \"A B\"", "XID"}), 1u);
    expect_refused({"BEGIN", "SAVEPOINT `s`", "+", "ROLLBACK TO `s`", "XID"}, compressed);
    expect_refused({"BEGIN", "SAVEPOINT `s`", "+", "ROLLBACK TO `s`", "COMMIT"}, compressed);
    expect_refused({"BEGIN", "+", "ROLLBACK WORK TO SAVEPOINT `s`", "XID"}, compressed);
    // All of it was rolled back: nothing is in doubt.
    EXPECT_EQ(rows({"BEGIN", "SAVEPOINT `s`", "+", "ROLLBACK TO `s`", "+", "ROLLBACK"}, compressed), 0u);
  }
}

// In XA the verdict comes later: the error too, if there is one.
TEST_F(SavepointGroups, in_doubt_in_a_prepared_transaction) {
  const Lines prepare{"XA START 'a'", "SAVEPOINT `s`", "+", "ROLLBACK TO `s`", "XA END 'a'", "XA PREPARE 'a'"};
  Lines rolled_back = prepare;
  rolled_back.push_back("XA ROLLBACK 'a'");
  EXPECT_EQ(rows(rolled_back), 0u);
  const uint64_t at = rollback_at_;
  Lines committed = prepare;
  committed.push_back("XA COMMIT 'a'");
  const Reading reading = read(committed);
  ASSERT_TRUE(reading.error);
  EXPECT_NE(reading.error->text.find(":" + std::to_string(at) + ": ROLLBACK TO SAVEPOINT `s`"), std::string::npos)
      << reading.error->text;
  EXPECT_NE(reading.error->text.find("XA COMMIT X'61',X'',1"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::binlog
