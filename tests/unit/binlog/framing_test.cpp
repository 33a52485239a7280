// SPDX-License-Identifier: Apache-2.0
// Files: magic, FORMAT_DESCRIPTION, event sizes, checksums, positions beyond 4 GiB, growing files. One thread.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "binlog/file_reader.hpp"
#include "binlog_builder.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

class Framing : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_ / name).string(); }
  // Opens bytes as a file and gives the error; ok() = no error.
  Outcome<FileReader> open(const Bytes& bytes) {
    test::write_bytes(folder_ / "f", bytes);
    return FileReader::open(path("f"));
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("framing_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Framing, heads_that_are_not_binlogs) {
  EXPECT_EQ(FileReader::open(path("none")).error().kind, ErrorKind::io);
  EXPECT_EQ(open({}).error().kind, ErrorKind::torn_tail);
  EXPECT_EQ(open({0xfe, 'b'}).error().kind, ErrorKind::torn_tail);
  EXPECT_EQ(open({'t', 'e', 'x', 't', '\n'}).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(open({0xfd, 'b', 'i', 'n', 1, 0}).error().kind, ErrorKind::torn_tail);  // its header comes
  Bytes headless{0xfe, 'b', 'i', 'n'};
  const Bytes query = make_event(EventType::query, query_body("BEGIN", ""), 4, false);
  headless.insert(headless.end(), query.begin(), query.end());
  EXPECT_EQ(open(headless).error().kind, ErrorKind::unsupported);
}

TEST_F(Framing, format_description) {
  BinlogBuilder builder({"10.11.19-MariaDB-log", true, true});
  auto reader = open(builder.bytes());
  ASSERT_TRUE(reader.ok()) << reader.error().to_string();
  EXPECT_EQ(reader->format().flavor, Flavor::mariadb);
  EXPECT_EQ(reader->format().version_number, 101119u);
  EXPECT_TRUE(reader->format().in_use);  // and its checksum was right, computed without that flag
  EXPECT_EQ(reader->format().checksum, ChecksumAlgorithm::crc32);
  Bytes damaged = builder.bytes();
  damaged[40] ^= 1;
  EXPECT_EQ(open(damaged).error().kind, ErrorKind::corrupt);
}

TEST_F(Framing, sizes) {
  for (const uint32_t size : {0u, 18u, (1u << 30) + 1}) {
    BinlogBuilder builder;
    const auto at = static_cast<size_t>(builder.begin());
    for (size_t i = 0; i < 4; ++i) builder.bytes()[at + 9 + i] = static_cast<uint8_t>(size >> (8 * i));
    auto reader = open(builder.bytes());
    ASSERT_TRUE(reader.ok());
    EventView event;
    const auto state = reader->next(event);
    ASSERT_FALSE(state.ok()) << size;
    EXPECT_EQ(state.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(state.error().position, at);
  }
}

TEST_F(Framing, wrong_end_position) {
  BinlogBuilder builder;
  const uint64_t at = builder.begin();
  builder.set_end_position(at, 12345);
  auto reader = open(builder.bytes());
  EventView event;
  EXPECT_EQ(reader->next(event).error().kind, ErrorKind::corrupt);
  builder.set_end_position(at, 0);  // as MariaDB 11.4+ writes it
  auto zero = open(builder.bytes());
  ASSERT_EQ(*zero->next(event), ReadState::ready);
  EXPECT_EQ(event.next_position, builder.position());
}

// A sparse file beyond 4 GiB: end positions in headers wrap, ours do not.
TEST_F(Framing, beyond_4_gib) {
  BinlogBuilder builder({"8.4.3", false, false});
  builder.write(path("big"));
  constexpr uint64_t kBase = (uint64_t{1} << 32) + 1000;
  ASSERT_EQ(::truncate(path("big").c_str(), static_cast<off_t>(kBase)), 0);
  const Bytes event = make_event(EventType::query, query_body("BEGIN", ""), kBase, false);
  {
    std::ofstream out(path("big"), std::ios::binary | std::ios::app);
    out.write(reinterpret_cast<const char*>(event.data()), static_cast<std::streamsize>(event.size()));
  }
  auto reader = FileReader::open(path("big"));
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(reader->seek(kBase).ok());
  EventView view;
  auto state = reader->next(view);
  ASSERT_TRUE(state.ok()) << state.error().to_string();
  ASSERT_EQ(*state, ReadState::ready);
  EXPECT_LT(view.header.end_position, 2000u);
  EXPECT_EQ(view.next_position, kBase + event.size());
  EXPECT_FALSE(reader->seek(kBase + event.size() + 1).ok());
}

// A file that grows byte by byte: never an error, each event as soon as it is whole.
TEST_F(Framing, growing_file) {
  BinlogBuilder builder;
  const auto first = static_cast<size_t>(builder.begin());
  builder.query("CREATE TABLE x (a INT)");
  const Bytes& all = builder.bytes();
  test::write_bytes(path("g"), {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first)});
  auto reader = FileReader::open(path("g"));
  ASSERT_TRUE(reader.ok());
  EventView event;
  std::vector<size_t> seen_at;
  for (size_t size = first; size < all.size(); ++size) {
    auto state = reader->next(event);
    ASSERT_TRUE(state.ok()) << state.error().to_string();
    if (*state == ReadState::ready) {
      seen_at.push_back(size);
      state = reader->next(event);
      ASSERT_NE(*state, ReadState::ready);
    }
    EXPECT_EQ(*state, size == reader->position() ? ReadState::end_of_file : ReadState::incomplete);
    std::ofstream out(path("g"), std::ios::binary | std::ios::app);
    out.put(static_cast<char>(all[size]));
  }
  ASSERT_EQ(*reader->next(event), ReadState::ready);
  ASSERT_EQ(seen_at.size(), 1u);
  EXPECT_EQ(reader->position(), all.size());
}

// Each file's own FORMAT_DESCRIPTION decides: CRC32, then none, then CRC32 again. The last column's text must
// come out whole in all three.
TEST_F(Framing, case_B20) {
  for (const bool crc : {true, false, true}) {
    BinlogBuilder builder({"8.4.3", crc, false});
    builder.begin();
    builder.table_map();
    builder.insert(1, "abcd");
    builder.xid();
    Bytes rotate(8, uint8_t{4});
    put_text(rotate, "binlog.000002");
    builder.event(EventType::rotate, rotate);
    const Reading reading = read_binlog(builder.write(path("b20")).string());
    ASSERT_FALSE(reading.error) << reading.error->to_string();
    EXPECT_EQ(reading.rows(), std::vector<std::string>{"rows t + id=1 v='abcd'"});
    EXPECT_EQ(reading.items.back(), "rotate binlog.000002");
  }
}

}  // namespace
}  // namespace tidemark::binlog
