// SPDX-License-Identifier: Apache-2.0
//
// Appending files that are cut to their committed length, locks that name their holder, binary records that
// never read past their end.
#include "core/base/files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tidemark_files_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(FilesTest, a_file_is_cut_to_its_committed_length) {
  const auto path = folder_ / "deep" / "out";
  {
    auto file = AppendFile::open(path, 0);
    ASSERT_TRUE(file) << file.status().message();
    ASSERT_TRUE(file->append("committed"));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(file->append("lost"));
  }
  auto again = AppendFile::open(path, 9);
  ASSERT_TRUE(again);
  ASSERT_TRUE(again->append("!"));
  EXPECT_EQ(*read_file(path), "committed!");
  const auto missing = AppendFile::open(path, 100);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code(), Code::state);
  EXPECT_NE(missing.status().message().find("results are missing"), std::string::npos);
}

TEST_F(FilesTest, a_lock_names_its_holder) {
  auto first = FileLock::acquire(folder_ / "LOCK");
  ASSERT_TRUE(first);
  const auto second = FileLock::acquire(folder_ / "LOCK");
  ASSERT_FALSE(second);
  EXPECT_NE(second.status().message().find(std::to_string(::getpid())), std::string::npos);
}

TEST_F(FilesTest, a_lock_is_asked_for_its_holder_without_being_touched) {
  const auto path = folder_ / "LOCK";
  auto nobody = lock_holder(path);
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(nobody->has_value());
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    const auto lock = FileLock::acquire(path);
    ASSERT_TRUE(lock);
    const auto holder = lock_holder(path);
    ASSERT_TRUE(holder && holder->has_value());
    EXPECT_EQ((*holder)->pid, ::getpid());
  }
  nobody = lock_holder(path);
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(nobody->has_value()) << "a file that is left behind is no lock";
  EXPECT_TRUE(FileLock::acquire(path)) << "asking keeps nothing";
}

TEST_F(FilesTest, who_asks_for_the_holder_does_not_keep_others_from_the_lock) {
  const auto path = folder_ / "LOCK";
  { ASSERT_TRUE(FileLock::acquire(path)); }
  std::atomic<bool> done{false};
  std::thread asker([&] {
    while (!done) (void)lock_holder(path);
  });
  int failed = 0;
  for (int i = 0; i < 500; ++i) failed += FileLock::acquire(path) ? 0 : 1;
  done = true;
  asker.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(FilesTest, errors_name_the_path_and_the_reason) {
  const auto missing = read_file(folder_ / "nowhere");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.status().message().find((folder_ / "nowhere").string() + ": No such file"), std::string::npos);
  ASSERT_TRUE(replace_file(folder_ / "a", "1"));
  ASSERT_TRUE(replace_file(folder_ / "a", "2"));
  EXPECT_EQ(*read_file(folder_ / "a"), "2");
}

TEST(Bytes, readers_stop_at_the_end) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.fixed(uint32_t{7});
  writer.varint(300);
  writer.text("abc");
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    ByteReader reader(std::string_view(bytes).substr(0, cut));
    reader.fixed<uint32_t>();
    reader.varint();
    reader.text();
    EXPECT_EQ(reader.ok(), cut == bytes.size()) << cut;
  }
  EXPECT_FALSE(ByteReader(std::string(11, '\xff')).varint() != 0);
}

TEST(Bytes, ordered_integers_sort_like_numbers) {
  std::string last;
  for (const int64_t value : {INT64_MIN, int64_t{-5}, int64_t{-1}, int64_t{0}, int64_t{1}, INT64_MAX}) {
    std::string now;
    append_ordered_i64(now, value);
    EXPECT_LT(last, now);
    EXPECT_EQ(read_ordered_i64(now), value);
    last = now;
  }
}

}  // namespace
}  // namespace tidemark::core
