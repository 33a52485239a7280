// SPDX-License-Identifier: Apache-2.0
//
// The RocksDB store against the memory store over random epochs, with reopening and with copies of the folder
// taken while it is open (what a killed process leaves behind).
#include "core/state/epoch_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

#include "core/base/fail_point.hpp"
#include "tests/unit/state/temporary_folder.hpp"

namespace tidemark::core {
namespace {

namespace fs = std::filesystem;

constexpr RocksOptions kSmall{8ULL << 20, false};
constexpr RocksOptions kReading{8ULL << 20, true};

std::unique_ptr<EpochStore> open_rocks(const fs::path& path, RocksOptions options = kSmall) {
  auto store = open_rocks_epoch_store(path, options);
  EXPECT_TRUE(store.is_ok()) << store.status().message();
  return store ? std::move(*store) : nullptr;
}

using Content = std::map<std::pair<int, std::string>, std::string>;

Content content_of(EpochStore& store, std::string_view prefix = {}) {
  Content out;
  for (size_t family = 0; family < kFamilies; ++family) {
    const Status scanned = store.scan(static_cast<Family>(family), prefix, [&](auto key, auto value) {
      out.emplace(std::pair(static_cast<int>(family), std::string(key)), std::string(value));
      return true;
    });
    EXPECT_TRUE(scanned.is_ok()) << scanned.message();
  }
  return out;
}

EpochWrites put_one(const std::string& key, const std::string& value) {
  EpochWrites writes;
  writes.put(Family::meta, key, value);
  return writes;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

/// Copies an open store as a kill would leave it; again while RocksDB still removes old files behind our back.
void copy_as_killed(const fs::path& from, const fs::path& to) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::error_code error;
    fs::remove_all(to);
    const auto before = names_in(from);
    fs::copy(from, to, fs::copy_options::recursive, error);
    if (!error && before == names_in(from) && before == names_in(to)) return;
  }
  FAIL() << "the folder does not come to rest";
}

std::string random_key(std::mt19937_64& random) {
  std::string out;
  for (uint64_t size = random() % 4; size > 0; --size) out.push_back(static_cast<char>(random() % 3 * 127));
  return out;
}

EpochWrites random_epoch(std::mt19937_64& random) {
  EpochWrites writes;
  for (uint64_t count = random() % 20; count > 0; --count) {
    const auto family = static_cast<Family>(random() % kFamilies);
    switch (random() % 6) {
      case 0:
        writes.remove(family, random_key(random));
        break;
      case 1:
        writes.remove_range(family, random_key(random), random_key(random));
        break;
      default:
        writes.put(family, random_key(random), std::string(random() % 300, static_cast<char>(random())));
    }
  }
  return writes;
}

TEST(EpochStore, memory_and_rocks_agree_over_reopening_and_kills) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const TemporaryFolder folder;
    auto path = folder.path() / "a";
    auto memory = make_memory_epoch_store();
    auto rocks = open_rocks(path);
    for (int epoch = 0; epoch < 60; ++epoch) {
      const EpochWrites writes = random_epoch(random);
      ASSERT_TRUE(memory->commit(writes).is_ok());
      ASSERT_TRUE(rocks->commit(writes).is_ok());
      if (random() % 15 == 0) {  // an orderly end
        rocks.reset();
        rocks = open_rocks(path);
      } else if (random() % 15 == 0) {  // killed: the files as they are now, without any closing
        const auto copy = folder.path() / ("killed-" + std::to_string(epoch));
        copy_as_killed(path, copy);
        rocks.reset();
        rocks = open_rocks(path = copy);
      }
      const std::string prefix = random_key(random);
      ASSERT_EQ(content_of(*memory, prefix), content_of(*rocks, prefix));
      const std::string key = random_key(random);
      ASSERT_EQ(*memory->get(Family::panes, key), *rocks->get(Family::panes, key));
    }
    EXPECT_EQ(content_of(*memory), content_of(*rocks));
    EXPECT_EQ(content_of(*memory), content_of(*make_memory_epoch_store(memory.get())));
  }
}

TEST(EpochStore, a_put_after_its_range_removal_stays) {
  const TemporaryFolder folder;
  for (auto store : {make_memory_epoch_store().release(), open_rocks(folder.path() / "db").release()}) {
    const std::unique_ptr<EpochStore> owned(store);
    ASSERT_TRUE(owned->commit(put_one("b", "old")).is_ok());
    EpochWrites writes;
    writes.remove_range(Family::meta, "a", "c");
    EpochWrites more = put_one("b", "new");
    writes.append(std::move(more));
    ASSERT_TRUE(owned->commit(writes).is_ok());
    EXPECT_EQ(content_of(*owned), (Content{{{0, "b"}, "new"}}));
  }
}

uint64_t table_bytes(const fs::path& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    bytes += entry.path().extension() == ".sst" ? entry.file_size() : 0;
  return bytes;
}

TEST(EpochStore, the_space_of_what_was_dropped_comes_back) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db";
  const auto store = open_rocks(path);
  std::mt19937_64 random(3);
  const auto key = [](int window, int page) { return "op" + std::to_string(window) + std::to_string(1000 + page); };
  for (int window = 0; window < 3; ++window) {
    EpochWrites writes;
    for (int page = 0; page < 600; ++page) {
      std::string value(16 << 10, '\0');
      for (char& c : value) c = static_cast<char>(random());
      writes.put(Family::panes, key(window, page), std::move(value));
    }
    ASSERT_TRUE(store->commit(writes).is_ok());
  }
  EpochWrites gone;
  gone.drop_range(Family::panes, key(0, 0), key(1, 0));
  gone.drop_range(Family::panes, key(1, 0), key(2, 0));
  ASSERT_TRUE(store->commit(gone).is_ok());
  std::atomic<bool> stop{false};
  ASSERT_TRUE(store->reclaim(stop).is_ok());
  ASSERT_TRUE(store->reclaim(stop).is_ok()) << "nothing is left to do";
  EXPECT_EQ(content_of(*store).size(), 600u);
  EXPECT_LT(table_bytes(path), uint64_t{14} << 20) << "of 28 MiB, 9.4 are left";
}

TEST(EpochStore, reading_beside_a_writer_sees_what_is_committed) {
  const TemporaryFolder folder;
  const auto absent = open_rocks_epoch_store(folder.path() / "none", kReading);
  ASSERT_FALSE(absent.is_ok());
  EXPECT_NE(absent.status().message().find("run the job first"), std::string::npos);

  auto writer = open_rocks(folder.path() / "db");
  ASSERT_TRUE(writer->commit(put_one("epoch", "1")).is_ok());
  auto reader = open_rocks(folder.path() / "db", kReading);
  EXPECT_EQ(**reader->get(Family::meta, "epoch"), "1");
  EXPECT_FALSE(reader->commit(put_one("epoch", "9")).is_ok());
  ASSERT_TRUE(writer->commit(put_one("epoch", "2")).is_ok());
  EXPECT_EQ(**open_rocks(folder.path() / "db", kReading)->get(Family::meta, "epoch"), "2");

  const auto second = open_rocks_epoch_store(folder.path() / "db", kSmall);
  ASSERT_FALSE(second.is_ok());
  EXPECT_NE(second.status().message().find("another process"), std::string::npos) << second.status().message();
  writer.reset();
  EXPECT_EQ(**open_rocks(folder.path() / "db", kReading)->get(Family::meta, "epoch"), "2");
}

fs::path find_file(const fs::path& folder, std::string_view suffix) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(suffix) && std::isdigit(static_cast<unsigned char>(name[0])) != 0 && entry.file_size() > 0) {
      return entry.path();
    }
  }
  return {};
}

// A folder as a killed process leaves it after three epochs, all of them in the write-ahead log.
void make_killed(const fs::path& path) {
  const fs::path live = path.string() + ".live";
  auto store = open_rocks(live);
  for (int epoch = 1; epoch <= 3; ++epoch) {
    EpochWrites writes = put_one("epoch", std::to_string(epoch));
    writes.put(Family::sinks, "out", std::string(1000, static_cast<char>('0' + epoch)));
    ASSERT_TRUE(store->commit(writes).is_ok());
  }
  copy_as_killed(live, path);
}

TEST(EpochStore, a_lost_log_tail_is_noticed_and_the_epoch_before_is_whole) {
  const TemporaryFolder folder;
  make_killed(folder.path() / "killed");
  const auto log = find_file(folder.path() / "killed", ".log").filename();
  for (const int cut : {1, 500, 1100}) {
    SCOPED_TRACE(cut);
    const auto copy = folder.path() / ("cut-" + std::to_string(cut));
    fs::copy(folder.path() / "killed", copy, fs::copy_options::recursive);
    fs::resize_file(copy / log, fs::file_size(copy / log) - static_cast<uint64_t>(cut));
    const auto refused = open_rocks_epoch_store(copy, kSmall);
    ASSERT_FALSE(refused.is_ok());
    EXPECT_EQ(refused.status().code(), Code::damage);
    EXPECT_NE(refused.status().message().find("COMMITTED"), std::string::npos) << refused.status().message();
    fs::remove(copy / "COMMITTED");
    auto store = open_rocks(copy);
    const std::string epoch = **store->get(Family::meta, "epoch");
    EXPECT_EQ(epoch, cut > 1000 ? "1" : "2");
    EXPECT_EQ((**store->get(Family::sinks, "out"))[0], epoch[0]);
  }
}

TEST(EpochStore, damage_is_never_an_empty_start) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::function<void(const fs::path&)>& damage) {
    SCOPED_TRACE(name);
    const auto path = folder.path() / name;
    make_killed(path);
    damage(path);
    const auto store = open_rocks_epoch_store(path, kSmall);
    ASSERT_FALSE(store.is_ok());
    EXPECT_EQ(store.status().code(), Code::damage);
    EXPECT_NE(store.status().message().find(path.string()), std::string::npos) << store.status().message();
  };
  refused("current", [](const fs::path& path) { fs::remove(path / "CURRENT"); });
  refused("manifest", [](const fs::path& path) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().filename().string().starts_with("MANIFEST")) fs::remove(entry.path());
    }
  });
  refused("no-log", [](const fs::path& path) { fs::remove(find_file(path, ".log")); });
  refused("first-record", [](const fs::path& path) {
    std::fstream log(find_file(path, ".log"), std::ios::in | std::ios::out | std::ios::binary);
    log.seekp(60);
    log.put('\x7f');
  });
  refused("no-table", [](const fs::path& path) {
    open_rocks(path).reset();  // recovery moves the log into a table
    fs::remove(find_file(path, ".sst"));
  });
}

TEST(EpochStore, an_interrupted_creation_is_an_empty_start) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "CREATING") << "x";
  std::ofstream(folder.path() / "MANIFEST-000001") << "half";
  auto store = open_rocks(folder.path());
  EXPECT_TRUE(content_of(*store).empty());
  EXPECT_FALSE(fs::exists(folder.path() / "CREATING"));
}

TEST(EpochStore, fail_points_stand_around_the_write) {
  const TemporaryFolder folder;
  ASSERT_TRUE(open_rocks(folder.path() / "db")->commit(put_one("epoch", "1")).is_ok());
  const auto with_fail_point = [&](const char* setting, const char* epoch) {
    auto store = open_rocks(folder.path() / "db");
    setenv("TIDEMARK_FAILPOINTS", setting, 1);
    reset_fail_points();
    EXPECT_FALSE(store->commit(put_one("epoch", epoch)).is_ok());
    EXPECT_FALSE(store->commit(put_one("epoch", "later")).is_ok()) << "a failed store takes nothing more";
    unsetenv("TIDEMARK_FAILPOINTS");
    reset_fail_points();
  };
  with_fail_point("epoch_before_write=error", "2");
  EXPECT_EQ(**open_rocks(folder.path() / "db")->get(Family::meta, "epoch"), "1");
  with_fail_point("epoch_after_write=error", "3");
  EXPECT_EQ(**open_rocks(folder.path() / "db")->get(Family::meta, "epoch"), "3");
}

}  // namespace
}  // namespace tidemark::core
