// SPDX-License-Identifier: Apache-2.0
//
// Results in parts: the same bytes wherever the sink dies, parts that have their names only when an epoch has them,
// roll by time, restored epochs, and files of others.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "core/base/fail_point.hpp"
#include "core/sink/sink.hpp"
#include "core/sink/sink_progress.hpp"
#include "tests/unit/state/temporary_folder.hpp"

namespace tidemark::core {
namespace {

namespace fs = std::filesystem;

class ManualClock final : public Clock {
 public:
  Micros monotonic_us() const noexcept override { return now; }
  Micros wall_us() const noexcept override { return now; }
  Micros now = 1000;
};

std::shared_ptr<const BatchLayout> layout() {
  static const auto kLayout = [] {
    BatchLayout out;
    out.columns.resize(1);
    out.columns[0].name = "n";
    out.columns[0].type = ColumnType::int64;
    return std::make_shared<const BatchLayout>(std::move(out));
  }();
  return kLayout;
}

class RolledFileSinkTest : public ::testing::Test {
 protected:
  ~RolledFileSinkTest() override { set_fail_point(nullptr); }
  static void set_fail_point(const char* point) {
    point == nullptr ? ::unsetenv("TIDEMARK_FAILPOINTS") : ::setenv("TIDEMARK_FAILPOINTS", point, 1);
    reset_fail_points();
  }

  fs::path folder() const { return folder_.path() / "out"; }
  std::unique_ptr<Sink> make(FileRoll roll = {60, 0}, FileFormat format = FileFormat::csv) const {
    return make_rolled_file_sink(folder() / "a.csv", format, roll, clock_);
  }
  static Status write(Sink& sink, int64_t number) {
    Batch rows(layout(), 1, 0);
    rows.rows = 1;
    static_cast<int64_t*>(rows.mutable_columns()[0].values)[0] = number;
    rows.mutable_columns()[0].set_valid(0);
    return sink.write(rows, 0);
  }
  static std::string epoch(Sink& sink) {
    auto progress = sink.flush(1);
    EXPECT_TRUE(progress.is_ok()) << progress.status().message();
    EXPECT_TRUE(sink.committed().is_ok());
    return progress ? *progress : std::string();
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder())) {
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      out[entry.path().filename().string()] = text.str();
    }
    return out;
  }

  TemporaryFolder folder_;
  ManualClock clock_;
};

TEST_F(RolledFileSinkTest, parts_are_the_same_wherever_it_dies) {
  constexpr int64_t kRows = 1000;
  {
    auto calm = make();
    ASSERT_TRUE(calm->open(layout(), {}).is_ok());
    for (int64_t n = 0; n < kRows; ++n) ASSERT_TRUE(write(*calm, n).is_ok());
    epoch(*calm);
    ASSERT_TRUE(calm->finish().is_ok());
  }
  const auto wanted = files();
  ASSERT_GT(wanted.size(), 50u);
  fs::remove_all(folder());
  std::mt19937_64 random(5);
  std::vector<std::pair<std::string, int64_t>> epochs{{"", 0}};  // progress, and the first row after it
  const char* points[] = {"sink_before_flush=error",  "sink_after_flush=error",  "sink_after_truncate=error",
                          "sink_before_rename=error", "sink_after_rename=error", nullptr};
  int restored = 0;
  while (epochs.back().second < kRows) {
    set_fail_point(random() % 3 == 0 ? points[random() % 6] : nullptr);
    if (random() % 20 == 0 && epochs.size() > 3) {  // back to an older epoch
      epochs.resize(epochs.size() - random() % 3);
      ++restored;
    }
    auto sink = make();
    if (!sink->open(layout(), epochs.back().first)) continue;
    int64_t at = epochs.back().second;
    ASSERT_EQ(sink->rows_written(), static_cast<uint64_t>(at));
    for (uint64_t rounds = random() % 4; rounds > 0; --rounds) {
      Status status;
      for (uint64_t count = random() % 50; count > 0 && at < kRows && status; --count, ++at) status = write(*sink, at);
      const auto progress = status ? sink->flush(1) : Result<std::string>(status);
      if (!progress || random() % 4 == 0) break;  // killed between flush and epoch
      epochs.emplace_back(*progress, at);
      if (!sink->committed() || random() % 4 == 0) break;
    }
    for (const auto& [name, content] : files()) {  // what has its name is whole
      if (!name.ends_with(".csv")) continue;
      ASSERT_EQ(content, wanted.at(name)) << name;
    }
  }
  set_fail_point(nullptr);
  auto last = make();
  ASSERT_TRUE(last->open(layout(), epochs.back().first).is_ok());
  epoch(*last);
  ASSERT_TRUE(last->finish().is_ok());
  EXPECT_EQ(files(), wanted);
  EXPECT_GT(restored, 0);
}

TEST_F(RolledFileSinkTest, a_part_has_its_name_once_an_epoch_has_it) {
  auto sink = make({10, 0});
  ASSERT_TRUE(sink->open(layout(), {}).is_ok());
  EXPECT_TRUE(files().contains("a.csv.uncommitted"));
  for (int64_t n = 10; n < 15; ++n) ASSERT_TRUE(write(*sink, n).is_ok());
  const auto progress = sink->flush(1);
  ASSERT_TRUE(progress.is_ok());
  for (const auto& [name, content] : files()) EXPECT_FALSE(name.ends_with(".csv")) << name;
  ASSERT_TRUE(sink->committed().is_ok());
  const std::map<std::string, std::string> two = {{"a-000001.csv", "n\n10\n11\n12\n"},
                                                  {"a-000002.csv.open", "n\n13\n14\n"}};
  EXPECT_EQ(files(), two);
}

TEST_F(RolledFileSinkTest, by_time_with_the_next_epoch_also_over_restarts) {
  auto sink = make({0, 10 * kMicrosPerSecond});
  ASSERT_TRUE(sink->open(layout(), {}).is_ok());
  ASSERT_TRUE(write(*sink, 1).is_ok());
  clock_.now += 6 * kMicrosPerSecond;
  const std::string progress = epoch(*sink);
  clock_.now = 50;  // another process
  sink = make({0, 10 * kMicrosPerSecond});
  ASSERT_TRUE(sink->open(layout(), progress).is_ok());
  ASSERT_TRUE(write(*sink, 2).is_ok());
  clock_.now += 3 * kMicrosPerSecond;
  epoch(*sink);
  EXPECT_TRUE(files().contains("a-000001.csv.open"));
  clock_.now += 2 * kMicrosPerSecond;
  epoch(*sink);
  EXPECT_EQ(files(), (std::map<std::string, std::string>{{"a-000001.csv", "n\n1\n2\n"}}));
  clock_.now += 60 * kMicrosPerSecond;
  epoch(*sink);
  EXPECT_EQ(files().size(), 1u) << "no part without rows";
}

TEST_F(RolledFileSinkTest, what_is_of_others_stays) {
  fs::create_directories(folder());
  std::ofstream(folder() / "a-000007.csv") << "precious\n";
  std::ofstream(folder() / "a-7.csv") << "no part\n";
  const Status refused = make()->open(layout(), {});
  EXPECT_EQ(refused.code(), Code::state);
  EXPECT_NE(refused.message().find("move the parts away"), std::string::npos) << refused.message();
  EXPECT_EQ(files().size(), 2u);
  fs::remove(folder() / "a-000007.csv");
  EXPECT_TRUE(make()->open(layout(), {}).is_ok());
  EXPECT_TRUE(files().contains("a-7.csv"));
}

TEST_F(RolledFileSinkTest, roll_may_come_later_and_not_go) {
  auto whole = make_file_sink(folder() / "a.csv", FileFormat::csv);
  ASSERT_TRUE(whole->open(layout(), {}).is_ok());
  ASSERT_TRUE(write(*whole, 1).is_ok());
  const std::string before = epoch(*whole);
  whole.reset();
  auto sink = make();
  ASSERT_TRUE(sink->open(layout(), before).is_ok());
  EXPECT_EQ(sink->rows_written(), 1u);
  ASSERT_TRUE(write(*sink, 2).is_ok());
  const std::string progress = epoch(*sink);
  const auto there = files();
  EXPECT_EQ(there.at("a.csv"), "n\n1\n");
  EXPECT_EQ(there.at("a-000001.csv.open"), "n\n2\n");
  const Status refused = make_file_sink(folder() / "a.csv", FileFormat::csv)->open(layout(), progress);
  EXPECT_NE(refused.message().find("keep `roll`"), std::string::npos) << refused.message();
}

TEST_F(RolledFileSinkTest, missing_parts_and_damaged_progress_are_errors) {
  auto sink = make();
  ASSERT_TRUE(sink->open(layout(), {}).is_ok());
  ASSERT_TRUE(write(*sink, 1).is_ok());
  const std::string progress = epoch(*sink);
  sink.reset();
  for (size_t at = 0; at < progress.size(); ++at) {
    std::string damaged = progress;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(decode_roll_progress(damaged).is_ok());
  }
  fs::remove(folder() / "a-000001.csv.open");
  const Status missing = make()->open(layout(), progress);
  EXPECT_EQ(missing.code(), Code::state);
  EXPECT_NE(missing.message().find("is missing, with results that an epoch has"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::core
