// SPDX-License-Identifier: Apache-2.0
//
// Retained checkpoints: what one holds can be read and put back; every kind of damage is named; those made by schedule
// go in their order; a crash at any step leaves whole ones only; and what a new one shares is not read again.
#include "core/state/checkpoints.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/base/bytes.hpp"
#include "core/base/fail_point.hpp"
#include "tests/unit/state/temporary_folder.hpp"

namespace tidemark::core {
namespace {

namespace fs = std::filesystem;

class CheckpointsTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void TearDown() override {
    ::unsetenv("TIDEMARK_FAILPOINTS");
    reset_fail_points();
  }

  void open() {
    auto store = open_rocks_epoch_store(database_in(state()), {.memory_bytes = 8ULL << 20});
    ASSERT_TRUE(store) << store.status().message();
    store_ = std::move(*store);
  }
  fs::path state() const { return folder_.path() / "state"; }
  fs::path kept() const { return folder_.path() / "kept"; }

  // An epoch whose value is its number, with bulk that later ones do not change.
  EpochRecord commit(uint64_t epoch) {
    EpochWrites writes;
    writes.put(Family::meta, "epoch", std::to_string(epoch));
    for (int i = 0; epoch == 1 && i < 200; ++i) {
      writes.put(Family::panes, "bulk" + std::to_string(i), std::string(4000, static_cast<char>('a' + i % 26)));
    }
    EXPECT_TRUE(store_->commit(writes));
    EpochRecord record;
    record.epoch = epoch;
    record.wall_us = static_cast<Micros>(epoch) * kMicrosPerSecond;
    return record;
  }
  Checkpoint make(uint64_t epoch, MadeBy by = MadeBy::schedule) {
    auto made = checkpoints_.create(*store_, commit(epoch), by);
    EXPECT_TRUE(made) << made.status().message();
    return made ? std::move(*made) : Checkpoint();
  }
  std::vector<uint64_t> epochs() const {
    std::vector<uint64_t> out;
    const auto all = checkpoints_.list();
    EXPECT_TRUE(all) << all.status().message();
    for (const Checkpoint& one : *all) out.push_back(one.damage ? one.manifest.epoch : 0);
    return out;
  }
  static std::string epoch_in(const fs::path& database) {
    auto store = open_rocks_epoch_store(database, {.memory_bytes = 8ULL << 20, .read_only = true});
    EXPECT_TRUE(store) << store.status().message();
    return store ? (*store)->get(Family::meta, "epoch")->value_or("none") : "";
  }
  static std::string largest_table(const Checkpoint& checkpoint) {
    const auto& files = checkpoint.manifest.files;
    return std::max_element(files.begin(), files.end(),
                            [](const auto& a, const auto& b) { return a.sum.bytes < b.sum.bytes; })
        ->name;
  }
  static void set_fail_point(const char* setting) {
    ::setenv("TIDEMARK_FAILPOINTS", setting, 1);
    reset_fail_points();
  }

  TemporaryFolder folder_;
  std::unique_ptr<EpochStore> store_;
  Checkpoints checkpoints_{"revenue", kept()};
};

TEST_F(CheckpointsTest, hold_what_was_committed_and_give_it_back) {
  make(1);
  const Checkpoint second = make(2);
  commit(3);
  EXPECT_EQ(epochs(), (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(epoch_in(Checkpoints::database_of(second)), "2");
  EXPECT_TRUE(Checkpoints::verify(second)) << "reading one does not change it";
  store_.reset();
  ASSERT_TRUE(restore_checkpoint(second, state()));
  EXPECT_EQ(epoch_in(database_in(state())), "2");
  EXPECT_EQ(epoch_in(state() / "db.replaced"), "3");
  open();
  const Checkpoint third = make(3);  // of another course of things
  EXPECT_TRUE(Checkpoints::verify(second)) << "what goes on from a checkpoint does not change it";
  EXPECT_TRUE(Checkpoints::verify(third));
  const auto size = (*store_->get(Family::panes, "bulk7"))->size();
  EXPECT_EQ(size, 4000U);
}

TEST_F(CheckpointsTest, share_files_that_do_not_change) {
  commit(1);
  store_.reset();
  open();  // what was in the log is in tables now
  const Checkpoint first = make(2);
  const Checkpoint second = make(3);
  const std::string table = largest_table(first);
  const auto in = [&](const Checkpoint& one) { return Checkpoints::database_of(one) / table; };
  ASSERT_TRUE(fs::exists(in(second))) << table;
  EXPECT_TRUE(fs::equivalent(in(first), in(second)));
  EXPECT_TRUE(fs::equivalent(in(first), database_in(state()) / table));
}

TEST_F(CheckpointsTest, every_damage_is_named) {
  const Checkpoint whole = make(1);
  const std::string table = largest_table(whole);
  const auto damaged = [&](const char* what, const std::function<void(const fs::path&)>& damage,
                           const std::string& named) {
    SCOPED_TRACE(what);
    const auto copy = folder_.path() / what / "epoch-000000000001";
    fs::create_directories(copy.parent_path());
    fs::copy(whole.path, copy, fs::copy_options::recursive);
    damage(copy);
    const auto all = Checkpoints("revenue", copy.parent_path()).list();
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 1U);
    const Status status = Checkpoints::verify(all->front());
    EXPECT_EQ(status.code(), Code::damage) << status.message();
    EXPECT_NE(status.message().find(named), std::string::npos) << status.message();
    const auto to = folder_.path() / what / "state";
    EXPECT_FALSE(restore_checkpoint(all->front(), to));
    EXPECT_FALSE(fs::exists(database_in(to)));
  };
  damaged(
      "missing", [&](const fs::path& path) { fs::remove(path / "db" / table); }, table);
  damaged(
      "short", [&](const fs::path& path) { fs::resize_file(path / "db" / table, 100); }, "has 100 bytes");
  damaged(
      "flipped",
      [&](const fs::path& path) {
        std::fstream file(path / "db" / table, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(1000);
        file.put('#');
      },
      table + " has another content");
  damaged(
      "torn", [](const fs::path& path) { fs::resize_file(path / "CHECKPOINT", 60); }, "it has no end");
  damaged(
      "edited",
      [](const fs::path& path) {
        std::fstream file(path / "CHECKPOINT", std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(40);
        file.put('9');
      },
      "checksum differs");
  EXPECT_TRUE(Checkpoints::verify(whole));
}

TEST_F(CheckpointsTest, of_another_job_are_refused) {
  make(1);
  const auto other = Checkpoints("other", kept()).list();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.status().code(), Code::state);
  EXPECT_NE(other.status().message().find("of job `revenue`, not `other`"), std::string::npos);
}

TEST_F(CheckpointsTest, those_by_schedule_go_and_those_by_hand_stay) {
  make(1, MadeBy::hand);
  for (uint64_t epoch = 2; epoch <= 5; ++epoch) make(epoch);
  fs::resize_file(make(6).path / "CHECKPOINT", 10);
  const auto gone = checkpoints_.prune(2);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->size(), 3U) << "the damaged one does not count among those that stay";
  EXPECT_EQ(epochs(), (std::vector<uint64_t>{5, 4, 1}));
  const auto all = checkpoints_.list();
  ASSERT_TRUE(checkpoints_.remove(all->back()));
  EXPECT_EQ(epochs(), (std::vector<uint64_t>{5, 4}));
}

TEST_F(CheckpointsTest, after_a_restore_what_came_later_is_abandoned_and_nothing_of_it_is_overwritten) {
  const Checkpoint first = make(1);
  make(2);
  const Checkpoint by_hand = make(3, MadeBy::hand);
  store_.reset();
  ASSERT_TRUE(restore_checkpoint(first, state()));
  ASSERT_TRUE(checkpoints_.abandon_after(first));
  open();
  EpochRecord again = commit(3);
  again.wall_us = 10 * kMicrosPerSecond;
  ASSERT_TRUE(checkpoints_.create(*store_, again, MadeBy::schedule));
  ASSERT_TRUE(checkpoints_.prune(1));
  EXPECT_EQ(epochs(), (std::vector<uint64_t>{3, 3, 2})) << "of now, and the two that were abandoned";
  const auto all = checkpoints_.list();
  EXPECT_FALSE(all->front().is_abandoned);
  EXPECT_TRUE((*all)[1].is_abandoned);
  EXPECT_EQ((*all)[1].manifest, by_hand.manifest);
  EXPECT_TRUE(Checkpoints::verify((*all)[1]));
}

TEST_F(CheckpointsTest, what_cannot_be_read_is_not_pruned) {
  const Checkpoint later = make(1, MadeBy::hand);
  std::string text = *read_file(later.path / "CHECKPOINT");
  text.replace(text.find("checkpoint 1"), 12, "checkpoint 2");
  const std::string body = text.substr(0, text.rfind("end "));
  ASSERT_TRUE(replace_file(later.path / "CHECKPOINT", body + fmt::format("end {:08x}\n", crc32(body))));
  ASSERT_TRUE(checkpoints_.prune(0));
  const auto all = checkpoints_.list();
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().damage.code(), Code::state);
  EXPECT_NE(all->front().damage.message().find("written by a later version"), std::string::npos);
}

// K06: cut off at each step, fifty times; what is there is always whole, and nothing piles up.
TEST_F(CheckpointsTest, case_K06) {
  uint64_t epoch = 1;
  int cuts = 0;
  make(epoch);
  const char* points[] = {"checkpoint_before_manifest=error", "checkpoint_before_name=error",
                          "checkpoint_while_pruning=error"};
  for (int round = 0; round < 50; ++round) {
    set_fail_point(points[round % 3]);
    const auto made = checkpoints_.create(*store_, commit(++epoch), MadeBy::schedule);
    if (!made || !checkpoints_.prune(2)) ++cuts;
    set_fail_point("");
    size_t folders = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(kept())) ++folders;
    EXPECT_LE(folders, 4U) << "two, the newest, and what was cut off";
    const auto all = checkpoints_.list();
    ASSERT_TRUE(all);
    ASSERT_FALSE(all->empty());
    for (const Checkpoint& one : *all) {
      EXPECT_TRUE(Checkpoints::verify(one)) << Checkpoints::verify(one).message();
    }
    const Checkpoint& newest = all->front();
    EXPECT_EQ(epoch_in(Checkpoints::database_of(newest)), std::to_string(newest.manifest.epoch));
    EXPECT_GE(all->front().manifest.epoch + 2, epoch);
  }
  EXPECT_EQ(cuts, 49) << "all but the first round that had nothing to prune";
  ASSERT_TRUE(checkpoints_.create(*store_, commit(++epoch), MadeBy::schedule));
  ASSERT_TRUE(checkpoints_.prune(2));
  EXPECT_EQ(epochs(), (std::vector<uint64_t>{epoch, epoch - 3})) << "those between were cut off";
  size_t folders = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(kept())) ++folders;
  EXPECT_EQ(folders, 2U);
}

TEST_F(CheckpointsTest, a_restore_that_is_cut_off_leaves_one_state_or_the_other) {
  const Checkpoint first = make(1);
  commit(2);
  store_.reset();
  set_fail_point("restore_before_exchange=error");
  EXPECT_FALSE(restore_checkpoint(first, state()));
  EXPECT_EQ(epoch_in(database_in(state())), "2");
  set_fail_point("restore_after_exchange=error");
  EXPECT_FALSE(restore_checkpoint(first, state()));
  EXPECT_EQ(epoch_in(database_in(state())), "1");
  set_fail_point("");
  EXPECT_TRUE(restore_checkpoint(first, state()));
  EXPECT_TRUE(check_no_cut_restore(state()));
  fs::rename(database_in(state()), state() / "db.elsewhere");  // as between the steps of a file system that cannot
  EXPECT_EQ(check_no_cut_restore(state()).code(), Code::damage);
  EXPECT_TRUE(restore_checkpoint(first, state()));
  EXPECT_EQ(epoch_in(database_in(state())), "1");
}

}  // namespace
}  // namespace tidemark::core
