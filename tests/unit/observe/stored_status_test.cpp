// SPDX-License-Identifier: Apache-2.0
//
// Where a status comes from when the job does not say it: its last epoch, and whether the job runs by the state's lock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/files.hpp"
#include "core/observe/http_address.hpp"
#include "core/observe/status_client.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/keys.hpp"
#include "core/state/records.hpp"
#include "tests/unit/observe/sample_status.hpp"

namespace tidemark::core::test {
namespace {

class StandingClock final : public Clock {
 public:
  Micros monotonic_us() const noexcept override { return 0; }
  Micros wall_us() const noexcept override { return kNow + 3 * kSecond; }
};

TEST(FindStatus, the_lock_tells_whether_the_job_runs) {
  const auto folder = std::filesystem::temp_directory_path() / ("tidemark_stored_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  config::JobSpec job;
  job.name.value = "revenue";
  job.state.path.value = folder.string();
  {
    auto store = open_rocks_epoch_store(folder / "db", {});
    ASSERT_TRUE(store.is_ok()) << store.status().message();
    EpochRecord epoch;
    epoch.epoch = 12;
    epoch.wall_us = kNow;
    EpochWrites writes;
    writes.put(Family::meta, std::string(kMetaEpoch), encode(epoch));
    ASSERT_TRUE((*store)->commit(writes).is_ok());
  }
  const StandingClock clock;
  auto found = find_status(job, clock);
  ASSERT_TRUE(found.is_ok()) << found.status().message();
  EXPECT_EQ(found->note, "the job does not run: this is its last epoch, 12, of 3s ago (2026-03-29T00:00:00Z)");
  EXPECT_FALSE(found->status.running);
  EXPECT_TRUE(found->status.as_of_epoch);

  const auto lock = FileLock::acquire(folder / kStateLock);
  ASSERT_TRUE(lock.is_ok());
  found = find_status(job, clock);
  ASSERT_TRUE(found.is_ok()) << found.status().message();
  const std::string runs = "the job runs (process " + std::to_string(::getpid()) + ") and has ";
  EXPECT_EQ(found->note, runs + "no status server: this is its last epoch, 12, of 3s ago (2026-03-29T00:00:00Z)");
  EXPECT_TRUE(found->status.running);
  EXPECT_EQ(found->status.pid, ::getpid());

  // It listens, so it is said, but nobody answers there.
  ASSERT_TRUE(write_http_address(folder, {"127.0.0.1:1", ::getpid(), kNow}).is_ok());
  found = find_status(job, clock);
  ASSERT_TRUE(found.is_ok()) << found.status().message();
  EXPECT_TRUE(found->note.starts_with(runs + "not answered (")) << found->note;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tidemark::core::test
