// SPDX-License-Identifier: Apache-2.0
// Shards whose files are torn, damaged, missing, empty, encrypted or beyond 4 GiB, through the plugin. One thread.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/binlog/encrypted_log.hpp"
#include "tests/unit/binlog/wrapped_log.hpp"
#include "tests/unit/binlog_file/log_folder.hpp"

namespace tidemark::test {
namespace {

binlog::Bytes head(const binlog::Bytes& bytes, size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST_F(BinlogFile, ATornTailIsReportedOrWaitedFor) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  const size_t begin = log.log.bytes().size();
  log.insert(kT, {{int64_t{2}, int64_t{2}}, {int64_t{3}, int64_t{3}}});
  const binlog::Bytes whole = log.log.bytes();
  const Texts rows{"+ id=1 v=1", "+ id=2 v=2", "+ id=3 v=3"};
  for (size_t size = begin; size < whole.size(); size += 23) {
    write_bytes(path("binlog.000001"), head(whole, size));
    const Texts bounded = read();
    ASSERT_EQ(bounded.size(), size == begin ? 1u : 2u) << size;
    EXPECT_EQ(bounded[0], rows[0]);
    EXPECT_TRUE(size == begin || contains(bounded[1], path("binlog.000001") + ":" + std::to_string(begin))) << size;
    PluginSource source(options({{"follow", "true"}}));
    PluginReader reader(source);
    reader.add(0, folder_.string());
    reader.no_more_splits();
    ASSERT_EQ(wait_for_rows(reader, 1), 1u) << size << ": " << reader.error();
    ASSERT_EQ(reader.poll(), TIDEMARK_NOTHING) << size << ": " << reader.error();
    write_bytes(path("binlog.000001"), whole);
    ASSERT_EQ(wait_for_rows(reader, 3), 3u) << size << ": " << reader.error();
    EXPECT_EQ(reader.texts(0), rows);
  }
}

TEST_F(BinlogFile, AShardWithoutAHeadIsWaitedFor) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  std::filesystem::create_directories(folder_ / "a");
  std::filesystem::create_directories(folder_ / "b");
  log.write(path("a/binlog.000001"));
  const OptionList both{{"shards", path("a")}, {"shards", path("b")}};
  for (const size_t size : {0u, 3u, 4u, 60u}) {
    write_bytes(path("b/binlog.000001"), head(log.log.bytes(), size));
    PluginSource bounded(both);
    bounded.schema();
    EXPECT_EQ(bounded.code(), TIDEMARK_E_DATA) << size;
    EXPECT_TRUE(contains(bounded.error(), path("b/binlog.000001"))) << bounded.error();
    OptionList following = both;
    following.emplace_back("follow", "true");
    PluginSource source(following);
    PluginReader reader(source);
    reader.add(0, path("b"));
    reader.no_more_splits();
    ASSERT_EQ(reader.run(), TIDEMARK_NOTHING) << size << ": " << source.error() << reader.error();
    log.write(path("b/binlog.000001"));
    ASSERT_EQ(wait_for_rows(reader, 1), 1u) << size << ": " << reader.error();
  }
  // Alone it has no columns to make a job of.
  write_bytes(path("b/binlog.000001"), {});
  PluginSource alone({{"shards", path("b")}, {"follow", "true"}});
  alone.schema();
  EXPECT_EQ(alone.code(), TIDEMARK_E_CONFIG);
  EXPECT_TRUE(contains(alone.error(), "has no head yet")) << alone.error();
}

TEST_F(BinlogFile, DamageThatIsFoundAtTheStartIsDamageOfTheData) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  const uint64_t at = log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.write(path("binlog.000001"));
  const size_t table_map = [&] {
    size_t event = static_cast<size_t>(at);
    while (log.log.bytes()[event + 4] != static_cast<uint8_t>(binlog::EventType::table_map)) {
      event += binlog::parse_header({log.log.bytes().data() + event, binlog::kHeaderBytes}).size;
    }
    return event;
  }();
  binlog::Bytes bytes = log.log.bytes();
  bytes[table_map + 30] ^= 1;
  write_bytes(path("binlog.000001"), bytes);
  PluginSource source(options());
  source.schema();
  EXPECT_EQ(source.code(), TIDEMARK_E_DATA);
  EXPECT_TRUE(contains(source.error(), path("binlog.000001") + ":" + std::to_string(table_map) + ": checksum"))
      << source.error();
}

TEST_F(BinlogFile, AMissingFileIsNamedAndThePositionKept) {
  TableLog log;
  log.ddl("CREATE TABLE t (id INT, v INT)");
  log.insert(kT, {{int64_t{1}, int64_t{1}}});
  log.rotate("binlog.000002");
  log.write(path("binlog.000001"));
  PluginSource source(options({{"follow", "true"}}));
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(wait_for_rows(reader, 1), 1u) << reader.error();
  TableLog third;
  third.insert(kT, {{int64_t{3}, int64_t{3}}});
  third.write(path("binlog.000003"));
  EXPECT_TRUE(contains(wait_for_error(reader), "binlog 2 is missing between binlog.000001 and binlog.000003"));
  EXPECT_EQ(reader.poll(), TIDEMARK_E_IO);
  const std::string position = reader.position(0);
  TableLog second;
  second.insert(kT, {{int64_t{2}, int64_t{2}}});
  second.rotate("binlog.000003");
  second.write(path("binlog.000002"));
  PluginReader again(source);
  again.add(0, folder_.string(), position);
  again.no_more_splits();
  ASSERT_EQ(wait_for_rows(again, 2), 2u) << again.error();
  EXPECT_EQ(again.texts(0), (Texts{"+ id=2 v=2", "+ id=3 v=3"}));
}

TEST_F(BinlogFile, EncryptedFilesNeedTheKeyring) {
  const binlog::LogKey key = binlog::log_key(3);
  for (int number = 1; number <= 2; ++number) {
    TableLog log;
    if (number == 1) log.ddl("CREATE TABLE t (id INT, v INT)");
    log.insert(kT, {{int64_t{number}, int64_t{7}}});
    if (number == 1) log.rotate("binlog.000002");
    const binlog::Bytes plain = log.log.bytes();
    write_bytes(path("binlog.00000" + std::to_string(number)), number == 1 ? plain : binlog::encrypted(plain, key));
  }
  const std::string json = binlog::keyring_json({key});
  write_bytes(path("keyring"), {json.begin(), json.end()});
  EXPECT_EQ(read({{"keyring_file", path("keyring")}}), (Texts{"+ id=1 v=7", "+ id=2 v=7"}));
  PluginSource without(options());
  without.schema();
  EXPECT_EQ(without.code(), TIDEMARK_E_UNSUPPORTED);
  EXPECT_TRUE(contains(without.error(), key.id) && contains(without.error(), "'keyring_file'")) << without.error();
  PluginSource absent(options({{"keyring_file", path("none")}}));
  EXPECT_EQ(absent.code(), TIDEMARK_E_CONFIG);
  EXPECT_TRUE(contains(absent.error(), "option 'keyring_file': " + path("none"))) << absent.error();
}

TEST_F(BinlogFile, case_B18) {
  const std::string file = path("binlog.000001");
  binlog::write_wrapped_log(file, 3);
  PluginSource source(options());
  PluginReader reader(source);
  reader.add(0, folder_.string());
  reader.no_more_splits();
  ASSERT_EQ(reader.run(), TIDEMARK_END) << source.error() << reader.error();
  EXPECT_EQ(reader.texts(0), (Texts{"+ id=1 v=1", "+ id=2 v=1", "+ id=3 v=1"}));
  binlog::write_wrapped_log(file, 4);
  PluginReader resumed(source);
  resumed.add(0, folder_.string(), reader.position(0));
  resumed.no_more_splits();
  ASSERT_EQ(resumed.run(), TIDEMARK_END) << resumed.error();
  EXPECT_EQ(resumed.texts(0), Texts{"+ id=4 v=1"});
  EXPECT_EQ(read().size(), 4u);
}

}  // namespace
}  // namespace tidemark::test
