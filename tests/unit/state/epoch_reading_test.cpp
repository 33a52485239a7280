// SPDX-License-Identifier: Apache-2.0
//
// A store is opened again when write-ahead logs went meanwhile, and taken when they stayed or only became more.
#include "core/state/epoch_reading.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/state/temporary_folder.hpp"

namespace tidemark::core::test {
namespace {

class EpochReading : public ::testing::Test {
 protected:
  void touch(const std::string& name) { std::ofstream(folder_.path() / name) << "x"; }
  void remove(const std::string& name) { std::filesystem::remove(folder_.path() / name); }
  template <typename Meanwhile>
  Result<std::unique_ptr<EpochStore>> open(const Meanwhile& meanwhile) {
    return open_while_logs_stay(folder_.path(), [&]() -> Result<std::unique_ptr<EpochStore>> {
      meanwhile(++opened_);
      return make_memory_epoch_store();
    });
  }

  TemporaryFolder folder_;
  int opened_ = 0;
};

TEST_F(EpochReading, logs_that_stay_or_begin_are_none_that_were_missed) {
  touch("000004.log");
  EXPECT_TRUE(open([&](int) {
                touch("000007.log");
                touch("000009.sst");
              }).is_ok());
  EXPECT_EQ(opened_, 1);
  EXPECT_TRUE(open([&](int) { remove("000009.sst"); }).is_ok());
  EXPECT_EQ(opened_, 2);
}

TEST_F(EpochReading, a_log_that_went_meanwhile_is_looked_for_again) {
  touch("000004.log");
  touch("000007.log");
  EXPECT_TRUE(open([&](int attempt) {
                if (attempt == 1) remove("000007.log");  // the newest goes first
                if (attempt == 2) remove("000004.log");
              }).is_ok());
  EXPECT_EQ(opened_, 3);
}

TEST_F(EpochReading, logs_that_never_stay_end_the_attempts) {
  touch("0.log");
  const auto store = open([&](int attempt) {
    touch(std::to_string(attempt) + ".log");
    remove(std::to_string(attempt - 1) + ".log");
  });
  ASSERT_FALSE(store.is_ok());
  EXPECT_EQ(store.status().code(), Code::state);
  EXPECT_NE(store.status().message().find("look again"), std::string::npos) << store.status().message();
  EXPECT_EQ(opened_, 10);
}

TEST_F(EpochReading, what_cannot_be_opened_is_not_tried_again) {
  touch("000004.log");
  const auto store = open_while_logs_stay(folder_.path(), [&]() -> Result<std::unique_ptr<EpochStore>> {
    ++opened_;
    return Status(Code::damage, "damaged");
  });
  EXPECT_EQ(store.status().code(), Code::damage);
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(open_epoch_store_to_read(folder_.path() / "none").status().code(), Code::state);
}

}  // namespace
}  // namespace tidemark::core::test
