// SPDX-License-Identifier: Apache-2.0
// XA transactions of two phases: rows count at the verdict, wherever they were prepared. One thread.
#include <gtest/gtest.h>

#include <sstream>

#include "binlog/prepared_transactions.hpp"
#include "binlog/transaction_reader.hpp"
#include "binlog/xid.hpp"
#include "binlog_builder.hpp"
#include "cat_file.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

using Lines = std::vector<std::string>;
constexpr char kUuid[] = "00010203-0405-0607-0809-0a0b0c0d0e0f";

class Xa : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_ / name).string(); }
  /// A group that prepares X'61...' with one row; gives its position.
  static uint64_t prepare(BinlogBuilder& log, uint64_t number, int32_t id, const std::string& gtrid = "a") {
    const uint64_t at = log.mysql_gtid(number, static_cast<int64_t>(number) * 100);
    const std::string name = hex_name(gtrid);
    log.query("XA START " + name);
    log.table_map();
    log.insert(id, "p");
    log.query("XA END " + name);
    log.xa_prepare(gtrid);
    return at;
  }
  static uint64_t verdict(BinlogBuilder& log, uint64_t number, const char* word, const std::string& gtrid = "a") {
    const uint64_t at = log.mysql_gtid(number, static_cast<int64_t>(number) * 100);
    log.query(std::string("XA ") + word + " " + hex_name(gtrid));
    return at;
  }
  static void plain(BinlogBuilder& log, uint64_t number, int32_t id) {
    log.mysql_gtid(number, static_cast<int64_t>(number) * 100);
    log.begin();
    log.table_map();
    log.insert(id, "x");
    log.xid();
  }
  static std::string hex_name(const std::string& gtrid) { return Xid{1, gtrid, ""}.to_text(); }
  static std::string begin_line(uint64_t number) {
    return std::string("begin ") + kUuid + ":" + std::to_string(number) + " " + std::to_string(number * 100);
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("xa_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST(Xid, spellings_are_one_name) {
  const Xid name{1, "ab", "c"};
  for (const char* text :
       {"XA COMMIT X'6162',X'63',1", "xa commit 'ab', 'c'", "XA START x'6162', \"c\", 1 ", "XA PREPARE 0x6162,0x63",
        "/* c */ XA ROLLBACK 'ab',X'63',4294967297", "XA COMMIT X'6162',X'63',1 ONE PHASE"}) {
    ASSERT_TRUE(read_xid(text)) << text;
    EXPECT_EQ(*read_xid(text), name) << text;
  }
  EXPECT_EQ(name.to_text(), "X'6162',X'63',1");
  EXPECT_EQ(read_xid("XA END X'',X'',18446744073709551615")->format_id, 0xffffffffu);
  EXPECT_NE(read_xid("XA COMMIT 'AB','c'"), name) << "case counts";
  for (const std::string& text : {std::string("XA COMMIT"), std::string("XA COMMIT X'616'"),
                                  std::string("XA COMMIT X'6g'"), std::string("XA COMMIT 'a',1"),
                                  std::string("XA COMMIT 'a','b',x"), "XA COMMIT '" + std::string(65, 'x') + "'"}) {
    EXPECT_FALSE(read_xid(text)) << text;
  }
  const Bytes body = xa_prepare_body("ab", true);
  EXPECT_TRUE(parse_xa_prepare(body)->one_phase);
  EXPECT_EQ(parse_xa_prepare(body)->xid, (Xid{1, "ab", ""}));
  for (size_t size = 0; size < body.size(); ++size) EXPECT_FALSE(parse_xa_prepare(std::span(body).first(size)));
}

TEST_F(Xa, rows_count_at_the_commit) {
  BinlogBuilder log;
  prepare(log, 1, 1);
  plain(log, 2, 2);
  verdict(log, 3, "COMMIT");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.items, (Lines{begin_line(1), "end prepared", begin_line(2), "rows t + id=2 v='x'", "end committed",
                                  begin_line(3), "rows t + id=1 v='p'", "end committed"}));
  EXPECT_TRUE(reading.notices.empty());
}

TEST_F(Xa, rows_are_withheld_for_good_at_the_rollback) {
  BinlogBuilder log;
  prepare(log, 1, 1);
  verdict(log, 2, "ROLLBACK");
  prepare(log, 3, 3);  // the name is free again
  verdict(log, 4, "COMMIT");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  EXPECT_EQ(reading.rows(), Lines{"rows t + id=3 v='p'"});
  EXPECT_EQ(reading.withheld, 1u);
  EXPECT_TRUE(reading.notices.empty());
}

TEST_F(Xa, several_are_open_at_a_time) {
  BinlogBuilder log;
  for (uint8_t i = 0; i < 3; ++i) prepare(log, i + 1u, i, std::string(1, static_cast<char>('a' + i)));
  verdict(log, 4, "COMMIT", "b");
  verdict(log, 5, "ROLLBACK", "c");
  verdict(log, 6, "COMMIT", "a");
  EXPECT_EQ(read_binlog(log.write(folder_ / "f")).rows(), (Lines{"rows t + id=1 v='p'", "rows t + id=0 v='p'"}));
}

// One phase, in both spellings, is a commit like any other; so is a rollback in the same group.
TEST_F(Xa, one_phase) {
  BinlogBuilder log;
  for (const bool by_event : {true, false}) {
    log.query("XA START 'o'");
    log.table_map();
    log.insert(by_event ? 1 : 2, "o");
    log.query("XA END 'o'");
    if (by_event) {
      log.xa_prepare("o", true);
    } else {
      log.query("XA COMMIT X'6f',X'',1 ONE PHASE");
    }
  }
  log.query("XA START 'o'");
  log.table_map();
  log.insert(3, "gone");
  log.query("XA END 'o'");
  log.query("XA ROLLBACK 'o'");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows(), (Lines{"rows t + id=1 v='o'", "rows t + id=2 v='o'"}));
  EXPECT_EQ(reading.withheld, 1u);
  EXPECT_TRUE(reading.notices.empty());
}

TEST_F(Xa, mariadb_without_xa_start) {
  BinlogBuilder log({"10.11.19-MariaDB", true, false});
  const auto gtid = [&](uint64_t number, uint8_t flags) {
    Bytes body;
    put_le(body, number, 8);
    put_le(body, 0, 4);
    body.push_back(flags);
    put_le(body, 1, 4);
    body.insert(body.end(), {1, 0, 'a'});
    log.event(EventType::mariadb_gtid, body);
  };
  gtid(1, kMariadbTransactional | kMariadbPreparedXa);
  log.event(EventType::annotate_rows, {'I', 'N'});
  log.table_map();
  log.insert(1, "m");
  log.query("XA END X'61',X'',1");
  log.xa_prepare("a");
  gtid(2, kMariadbStandalone | kMariadbCompletedXa);
  log.query("XA COMMIT X'61',X'',1");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.items, (Lines{"begin 0-5-1 1000000000000000", "end prepared", "begin 0-5-2 1000000000000000",
                                  "rows t + id=1 v='m'", "end committed"}));
}

// The whole group of a prepared transaction in one payload.
TEST_F(Xa, compressed) {
  Bytes events;
  const auto add = [&events](EventType type, const Bytes& body) {
    const Bytes event = make_event(type, body, 0, false);
    events.insert(events.end(), event.begin(), event.end());
  };
  add(EventType::query, query_body("XA START X'61',X'',1", "db"));
  for (const int32_t id : {1, 2}) {
    add(EventType::table_map, table_map_body("t", 7));
    add(EventType::write_rows_v1, insert_body(id, "z", 7));
  }
  add(EventType::query, query_body("XA END X'61',X'',1", "db"));
  add(EventType::xa_prepare, xa_prepare_body("a", false));
  BinlogBuilder log;
  log.mysql_gtid(1, 100);
  log.event(EventType::transaction_payload, payload_body(events, 0));
  plain(log, 2, 9);
  verdict(log, 3, "COMMIT");
  PreparedTransactions prepared;
  const Reading reading = read_binlog(log.write(folder_ / "f"), 0, true, &prepared);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows(), (Lines{"rows t + id=9 v='x'", "rows t + id=1 v='z'", "rows t + id=2 v='z'"}));
  EXPECT_TRUE(prepared.empty());
  auto file = FileReader::open(path("f"));
  ASSERT_TRUE(track_prepared(*file, prepared).ok());
  EXPECT_TRUE(prepared.empty());
}

// Statements that change data without rows count at the verdict too.
TEST_F(Xa, statements_of_a_prepared_group) {
  BinlogBuilder log;
  log.query("XA START 'a'");
  log.query("UPDATE t SET v = 1");
  log.query("XA END 'a'");
  log.xa_prepare("a");
  log.query("XA COMMIT 'a'");
  EXPECT_EQ(
      read_binlog(log.write(folder_ / "f")).items,
      (Lines{"begin  1000000000000000", "end prepared", "begin  1000000000000000", "change db.t", "end committed"}));
}

TEST_F(Xa, over_files_and_restarts) {
  BinlogBuilder first;
  const uint64_t at = prepare(first, 1, 1);
  prepare(first, 2, 2, "never");
  first.write(folder_ / "log.000001");
  BinlogBuilder second;
  plain(second, 3, 3);
  const uint64_t commit_at = verdict(second, 4, "COMMIT");
  plain(second, 5, 5);
  second.write(folder_ / "log.000002");
  PreparedTransactions prepared;
  EXPECT_TRUE(read_binlog(path("log.000001"), 0, true, &prepared).rows().empty());
  ASSERT_EQ(prepared.all().size(), 2u);
  EXPECT_EQ(prepared.all()[0].place(), "log.000001:" + std::to_string(at));
  EXPECT_EQ(prepared.all()[0].gtid, std::string(kUuid) + ":1");
  // By another reader, from bytes.
  std::string bytes;
  prepared.serialise(bytes);
  PreparedTransactions restored;
  ASSERT_TRUE(restored.deserialise(bytes));
  EXPECT_EQ(restored.all(), prepared.all());
  for (const uint64_t from : {uint64_t{0}, commit_at}) {
    PreparedTransactions known = restored;
    const Reading reading = read_binlog(path("log.000002"), from, true, &known);
    ASSERT_FALSE(reading.error) << reading.error->to_string();
    Lines expected{"rows t + id=3 v='x'", "rows t + id=1 v='p'", "rows t + id=5 v='x'"};
    if (from != 0) expected.erase(expected.begin());
    EXPECT_EQ(reading.rows(), expected);
    ASSERT_EQ(known.all().size(), 1u);
    EXPECT_NE(known.pending_text().find("1 XA transaction is prepared"), std::string::npos) << known.pending_text();
    EXPECT_NE(known.pending_text().find("log.000001:"), std::string::npos);
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(restored.deserialise(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_TRUE(restored.empty());
  }
  // Without what was known: rows are missing, and that is said.
  const Reading lost = read_binlog(path("log.000002"));
  ASSERT_FALSE(lost.error);
  EXPECT_EQ(lost.rows().size(), 2u);
  ASSERT_EQ(lost.notices.size(), 1u);
  EXPECT_NE(lost.notices[0].find("log.000002:" + std::to_string(commit_at)), std::string::npos) << lost.notices[0];
  EXPECT_NE(lost.notices[0].find("X'61',X'',1"), std::string::npos);
}

TEST_F(Xa, cat_knows_what_earlier_files_prepared) {
  BinlogBuilder first;
  prepare(first, 1, 1);
  prepare(first, 2, 2, "open");
  first.write(folder_ / "log.000001");
  BinlogBuilder second;
  verdict(second, 3, "COMMIT");
  second.write(folder_ / "log.000002");
  for (const bool earlier : {true, false}) {
    std::ostringstream out, notes;
    CatOptions options;
    options.use_earlier_files = earlier;
    const auto summary = cat_file(folder_ / "log.000002", options, out, notes);
    ASSERT_TRUE(summary.ok()) << summary.error().to_string();
    EXPECT_EQ(out.str().find("\"id\":1") != std::string::npos, earlier);
    EXPECT_EQ(notes.str().find("whose XA PREPARE is not in what was read") != std::string::npos, !earlier)
        << notes.str();
    EXPECT_EQ(notes.str().find("1 XA transaction is prepared without") != std::string::npos, earlier) << notes.str();
  }
}

// Nothing is forgotten before the verdict's group is over: a reader that stops at any item finds the rows again.
TEST_F(Xa, stopped_at_every_item) {
  BinlogBuilder log;
  prepare(log, 1, 1);
  verdict(log, 2, "COMMIT");
  prepare(log, 3, 3);
  verdict(log, 4, "ROLLBACK");
  prepare(log, 5, 5, "open");
  log.write(folder_ / "f");
  const Lines whole = read_binlog(path("f")).items;
  for (size_t stop = 0; stop <= whole.size(); ++stop) {
    PreparedTransactions prepared;
    uint64_t position = 0;
    size_t done = 0;  // items before `position`
    {
      auto reader = TransactionReader::open(path("f"), 0, &prepared);
      Item item;
      for (size_t i = 0; i < stop; ++i) {
        ASSERT_EQ(*reader->next(item), ReadState::ready);
        if (item.kind == ItemKind::end) done = i + 1;
      }
      position = reader->resume_position();
    }
    const Reading rest = read_binlog(path("f"), position, true, &prepared);
    ASSERT_FALSE(rest.error) << rest.error->to_string();
    EXPECT_EQ(rest.items, Lines(whole.begin() + static_cast<std::ptrdiff_t>(done), whole.end())) << stop;
    EXPECT_TRUE(rest.notices.empty());
    EXPECT_EQ(prepared.all().size(), 1u);
  }
}

TEST_F(Xa, a_prepared_file_that_is_gone_or_changed) {
  BinlogBuilder first;
  plain(first, 1, 1);
  const uint64_t at = prepare(first, 2, 1);
  BinlogBuilder second;
  const uint64_t commit_at = verdict(second, 3, "COMMIT");
  second.write(folder_ / "log.000002");
  const std::string place = "log.000001:" + std::to_string(at);
  const auto read_second = [&] {
    first.write(folder_ / "log.000001");
    PreparedTransactions prepared;
    (void)read_binlog(path("log.000001"), 0, true, &prepared);
    return prepared;
  };
  const auto expect_error = [&](PreparedTransactions prepared, ErrorKind kind) {
    const Reading reading = read_binlog(path("log.000002"), 0, true, &prepared);
    ASSERT_TRUE(reading.error);
    EXPECT_EQ(reading.error->kind, kind) << reading.error->to_string();
    EXPECT_EQ(reading.error->position, commit_at);
    EXPECT_NE(reading.error->text.find(place), std::string::npos) << reading.error->text;
    EXPECT_TRUE(reading.items.empty());
    EXPECT_EQ(prepared.all().size(), 1u);
  };
  PreparedTransactions prepared = read_second();
  std::filesystem::remove(path("log.000001"));
  expect_error(prepared, ErrorKind::io);
  // Another file of that name: other groups, or other bytes.
  BinlogBuilder other;
  plain(other, 1, 1);
  plain(other, 2, 1);
  other.write(folder_ / "log.000001");
  expect_error(prepared, ErrorKind::corrupt);
  prepared = read_second();
  Bytes damaged = first.bytes();
  damaged[damaged.size() - 10] ^= 1;
  test::write_bytes(path("log.000001"), damaged);
  expect_error(prepared, ErrorKind::corrupt);
  test::write_bytes(path("log.000001"),
                    Bytes(first.bytes().begin(), first.bytes().begin() + static_cast<std::ptrdiff_t>(at)));
  expect_error(prepared, ErrorKind::corrupt);
  BuilderOptions restarted;
  restarted.server_version = "8.4.9";
  BinlogBuilder replaced(restarted);
  replaced.bytes()[4] ^= 1;
  test::write_bytes(path("log.000001"), replaced.bytes());
  expect_error(prepared, ErrorKind::corrupt);
}

TEST_F(Xa, prepared_twice_without_a_verdict) {
  BinlogBuilder log;
  const uint64_t at = prepare(log, 1, 1);
  prepare(log, 2, 2);
  verdict(log, 3, "COMMIT");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  ASSERT_FALSE(reading.error);
  EXPECT_EQ(reading.rows(), Lines{"rows t + id=2 v='p'"});
  ASSERT_EQ(reading.notices.size(), 1u);
  EXPECT_NE(reading.notices[0].find("f:" + std::to_string(at)), std::string::npos) << reading.notices[0];
}

TEST_F(Xa, names_that_do_not_fit_are_damage) {
  BinlogBuilder log;
  log.query("XA START 'a'");
  log.table_map();
  log.insert(1, "x");
  log.query("XA END 'a'");
  const uint64_t at = log.xa_prepare("b");
  const Reading reading = read_binlog(log.write(folder_ / "f"));
  ASSERT_TRUE(reading.error);
  EXPECT_EQ(reading.error->position, at);
  BinlogBuilder alone;
  alone.xa_prepare("b");
  EXPECT_TRUE(read_binlog(alone.write(folder_ / "f")).error);
  BinlogBuilder nameless;
  nameless.query("XA COMMIT");
  EXPECT_TRUE(read_binlog(nameless.write(folder_ / "f")).error);
}

TEST_F(Xa, mariadb_corpus) {
  const auto file = test::corpus("variants") / "mariadb-10.11-minimal-image-xa.binlog";
  const Reading reading = read_binlog(file.string(), 0, false);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  EXPECT_EQ(reading.rows().size(), 8u);
  EXPECT_EQ(reading.items.back(), "rotate binlog.000002");
  EXPECT_TRUE(reading.notices.empty());
}

TEST_F(Xa, mysql_corpus) {
  const auto file = test::corpus("variants") / "mysql-9.7-partial-json-minimal-image-xa.binlog";
  const Reading reading = read_binlog(file.string(), 0, false);
  ASSERT_FALSE(reading.error) << reading.error->to_string();
  const auto prepared = std::find(reading.items.begin(), reading.items.end(), "end prepared");
  ASSERT_GE(reading.items.end() - prepared, 4);
  EXPECT_TRUE(prepared[-1].starts_with("begin ")) << "its rows are withheld";
  EXPECT_TRUE(prepared[1].starts_with("begin "));
  EXPECT_EQ(prepared[2], "rows j");
  EXPECT_EQ(prepared[3], "end committed");
  EXPECT_TRUE(reading.notices.empty());
}

}  // namespace
}  // namespace tidemark::binlog
