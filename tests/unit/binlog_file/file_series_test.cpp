// SPDX-License-Identifier: Apache-2.0
// The files of a shard through the plugin: their order and ends, rotation, copies that are cut, replaced or removed,
// and files that are named twice. One thread.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/binlog_file/log_folder.hpp"

namespace tidemark::test {
namespace {

TEST_F(BinlogFile, FilesFollowEachOtherAndGapsAreErrors) {
  TableLog log(kInUse);
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.write(path("binlog.000009"));  // no ROTATE: the server was killed
  std::vector<uint8_t> bytes = read_bytes(path("binlog.000009"));
  TableLog next(kServerStart);
  next.insert(kT, {{int64_t{2}, int64_t{2}}});
  next.write(path("binlog.000010"));
  EXPECT_EQ(read(), (Texts{"+ id=1 v=1", "+ id=2 v=2"}));
  // A transaction that was never finished, before a later file: skipped with a notice.
  bytes.resize(bytes.size() - 10);
  write_bytes(path("binlog.000009"), bytes);
  PluginSource source(options());
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(reader.run(), TIDEMARK_END) << reader.error();
  EXPECT_EQ(reader.texts(0), Texts{"+ id=2 v=2"});
  EXPECT_TRUE(any_contains(reader.logged(), "skipped, as binlog.000010 follows"));
  // At the end of a closed file it is damage, and an error.
  std::filesystem::remove(path("binlog.000010"));
  bytes[21] = 0;
  write_bytes(path("binlog.000009"), bytes);
  EXPECT_TRUE(any_contains(read(), "error: ")) << "a torn tail";
  next.write(path("binlog.000011"));
  EXPECT_TRUE(any_contains(read(), "binlog 10 is missing between binlog.000009 and binlog.000011"));
}

TEST_F(BinlogFile, ACutCopyInTheMiddleOfASeriesIsAnError) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  const size_t between = log.log.bytes().size();
  log.insert(kT, {{int64_t{2}, int64_t{2}}});
  log.rotate("binlog.000002");
  const binlog::Bytes whole = log.log.bytes();
  const auto write_cut = [&](size_t size, uint8_t in_use) {
    binlog::Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    bytes[21] = in_use;
    write_bytes(path("binlog.000001"), bytes);
  };
  TableLog next;
  next.insert(kT, {{int64_t{3}, int64_t{3}}});
  next.write(path("binlog.000002"));
  // Between groups, inside one, and copied while the server wrote it: the next file tells that no start came between.
  for (const auto& [size, in_use] :
       std::vector<std::pair<size_t, uint8_t>>{{between, 0}, {between + 60, 0}, {between, 1}}) {
    write_cut(size, in_use);
    const Texts texts = read();
    ASSERT_EQ(texts.size(), 2u) << size;
    EXPECT_EQ(texts[0], "+ id=1 v=1");
    EXPECT_TRUE(contains(texts[1], "binlog.000001:" + std::to_string(between))) << texts[1];
    EXPECT_TRUE(contains(texts[1], "the copy was cut")) << texts[1];
  }
  // A server start after a crash cuts the torn tail off and clears the flag: what is there is all there is.
  TableLog restarted(kServerStart);
  restarted.insert(kT, {{int64_t{3}, int64_t{3}}});
  restarted.write(path("binlog.000002"));
  write_cut(between, 0);
  EXPECT_EQ(read(), (Texts{"+ id=1 v=1", "+ id=3 v=3"}));
  write_cut(between + 60, 0);
  EXPECT_TRUE(any_contains(read(), "the copy was cut")) << "such a start leaves no torn group";
  write_cut(whole.size(), 0);
  EXPECT_EQ(read(), (Texts{"+ id=1 v=1", "+ id=2 v=2", "+ id=3 v=3"}));
}

TEST_F(BinlogFile, RotateTellsTheNextFile) {
  TableLog next;
  next.insert(kT, {{int64_t{2}, int64_t{2}}});
  for (const char* other : {"other.000002", "binlog.000003"}) {
    TableLog log;
    log.ddl("CREATE TABLE t (id INT, v INT)");
    log.insert(kT, {{int64_t{1}, int64_t{1}}});
    log.rotate(other);
    log.write(path("binlog.000001"));
    std::filesystem::remove(path("binlog.000002"));
    EXPECT_EQ(read(), Texts{"+ id=1 v=1"}) << "no file comes next: nothing is missing";
    PluginSource source(options({{"follow", "true"}}));
    PluginReader reader(source);
    reader.add(0, folder_.string());
    reader.no_more_splits();
    const std::string stalled = wait_for_error(reader);
    EXPECT_TRUE(contains(stalled, other) && contains(stalled, "binlog.000001")) << stalled;
    next.write(path("binlog.000002"));
    const Texts texts = read();
    ASSERT_EQ(texts.size(), 2u);
    EXPECT_TRUE(contains(texts[1], other) && contains(texts[1], "binlog.000002")) << texts[1];
  }
}

TEST_F(BinlogFile, AFollowedFileThatIsReplacedIsReadOnOrRefused) {
  TableLog log(kInUse);
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.write(path("binlog.000001"));
  PluginSource source(options({{"follow", "true"}}));
  const auto follow = [&](PluginReader& reader, size_t rows) {
    reader.add(0, folder_.string());
    reader.no_more_splits();
    ASSERT_EQ(wait_for_rows(reader, rows), rows) << reader.error();
  };
  {
    PluginReader reader(source);
    follow(reader, 1);
    log.insert(kT, {{int64_t{2}, int64_t{2}}});
    log.write(path("copy"));
    std::filesystem::rename(path("copy"), path("binlog.000001"));
    EXPECT_EQ(wait_for_rows(reader, 2), 2u) << "a longer copy, as rsync puts it: " << reader.error();
    // The tail comes with the copy, the next file at the same time.
    log.insert(kT, {{int64_t{3}, int64_t{3}}});
    log.rotate("binlog.000002");
    log.write(path("copy"));
    std::filesystem::rename(path("copy"), path("binlog.000001"));
    TableLog next(kInUse);
    next.insert(kT, {{int64_t{4}, int64_t{4}}});
    next.write(path("binlog.000002"));
    EXPECT_EQ(wait_for_rows(reader, 4), 4u) << reader.error();
    EXPECT_EQ(reader.texts(0), (Texts{"+ id=1 v=1", "+ id=2 v=2", "+ id=3 v=3", "+ id=4 v=4"}));
  }
  {
    PluginReader reader(source);
    follow(reader, 4);
    write_with_other_first_event(path("binlog.000002"));
    EXPECT_TRUE(contains(wait_for_error(reader), "not the one that reading stopped in")) << reader.error();
    EXPECT_EQ(reader.poll(), TIDEMARK_E_STATE);
  }
  PluginReader reader(source);
  follow(reader, 4);
  std::filesystem::remove(path("binlog.000002"));
  EXPECT_TRUE(contains(wait_for_error(reader), path("binlog.000002"))) << reader.error();
  EXPECT_EQ(reader.poll(), TIDEMARK_E_STATE);
}

TEST_F(BinlogFile, WhatIsNamedTwiceIsReadOnce) {
  write_resume_log(folder_);
  const std::string again = (folder_ / ".." / folder_.filename()).string();
  PluginSource twice({{"shards", folder_.string()}, {"shards", again}, {"shards", folder_.string() + "/"}});
  EXPECT_EQ(twice.splits().size(), 1u) << twice.error();
  PluginSource files({{"shards", path("binlog.000001")}, {"shards", again + "/binlog.000001"}});
  EXPECT_EQ(files.splits().size(), 1u) << files.error();
  for (const bool directory_first : {true, false}) {
    OptionList both{{"shards", folder_.string()}, {"shards", again + "/binlog.000002"}};
    if (!directory_first) std::swap(both[0], both[1]);
    PluginSource inside(both);
    inside.schema();
    EXPECT_EQ(inside.code(), TIDEMARK_E_CONFIG);
    EXPECT_TRUE(contains(inside.error(), again + "/binlog.000002") && contains(inside.error(), "'" + folder_.string()))
        << inside.error();
  }
}

TEST_F(BinlogFile, case_B20) {
  const LogTable table{"t", "is"};
  for (int64_t number = 1; number <= 3; ++number) {
    TableLog log({"8.4.3", number != 2, false});
    if (number == 1) log.ddl("CREATE TABLE t (id INT, v VARCHAR(20)) CHARSET utf8mb4");
    log.insert(table, {{number, "abcd"}});
    log.rotate("binlog.00000" + std::to_string(number + 1));
    log.write(path("binlog.00000" + std::to_string(number)));
  }
  EXPECT_EQ(read(), (Texts{"+ id=1 v=abcd", "+ id=2 v=abcd", "+ id=3 v=abcd"}));
}

TEST_F(BinlogFile, FollowsGrowthAndRotation) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.write(path("binlog.000001"));
  PluginSource source(options({{"follow", "true"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  EXPECT_EQ(wait_for_rows(reader, 1), 1u);
  EXPECT_EQ(reader.run(), TIDEMARK_NOTHING);
  const size_t whole = log.log.bytes().size();
  log.insert(kT, {{int64_t{2}, int64_t{2}}});
  const binlog::Bytes grown = log.log.bytes();
  write_bytes(path("binlog.000001"),
              binlog::Bytes(grown.begin(), grown.begin() + static_cast<std::ptrdiff_t>(whole) + 60));
  EXPECT_EQ(reader.run(), TIDEMARK_NOTHING);
  EXPECT_EQ(reader.rows(0).size(), 1u) << "half a transaction gives nothing";
  log.rotate("binlog.000002");
  log.write(path("binlog.000001"));
  EXPECT_EQ(wait_for_rows(reader, 2), 2u);
  TableLog next;
  next.insert(kT, {{int64_t{3}, int64_t{3}}});
  write_bytes(path("binlog.000002"), binlog::Bytes{0xfe, 'b'});
  for (int i = 0; i < 5; ++i) {  // past a few waits
    EXPECT_EQ(reader.run(), TIDEMARK_NOTHING) << "the next file has no head yet: " << reader.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(21));
  }
  next.write(path("binlog.000002"));
  EXPECT_EQ(wait_for_rows(reader, 3), 3u) << reader.error();
}

TEST_F(BinlogFile, PositionsAreCheckedAndBelongToTheirFile) {
  write_resume_log(folder_);
  PluginSource source(options({{"tables", "t"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.poll();
  std::string position = reader.position(0);
  {
    PluginReader damaged(source);
    std::string bad = position;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
    damaged.add(1, folder_.string(), bad);
    EXPECT_TRUE(contains(damaged.error(), "checksum")) << damaged.error();
  }
  // Another file under the same name: its first event has another time.
  write_with_other_first_event(path("binlog.000001"));
  PluginReader replaced(source);
  replaced.add(2, folder_.string(), position);
  EXPECT_EQ(replaced.run(), TIDEMARK_E_STATE);
  EXPECT_TRUE(contains(replaced.error(), "not the one that reading stopped in")) << replaced.error();
}

}  // namespace
}  // namespace tidemark::test
