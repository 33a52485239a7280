// SPDX-License-Identifier: Apache-2.0
//
// Barriers between workers: one for each aggregate that stands behind another, in every order of arrival, so that an
// epoch has what each aggregate gave before its barrier and nothing behind it.
#include "core/runtime/result_barriers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace tidemark::core {
namespace {

using Next = ResultBarriers::Next;

TEST(ResultBarriers, without_aggregates_of_aggregates_the_seal_follows_at_once) {
  for (const size_t lanes : {0U, 2U}) {
    ResultBarriers none(lanes, 0);
    for (int epoch = 0; epoch < 2; ++epoch) {
      EXPECT_FALSE(none.is_open());
      none.open();
      EXPECT_TRUE(none.is_open());
      EXPECT_EQ(none.next(), Next::seal);
    }
    EXPECT_FALSE(none.is_open());
  }
}

TEST(ResultBarriers, two_lanes_one_barrier) {
  for (const size_t first : {0U, 1U}) {
    ResultBarriers one(2, 1);
    for (int epoch = 0; epoch < 2; ++epoch) {
      one.open();
      EXPECT_EQ(one.next(), Next::send);
      EXPECT_EQ(one.next(), Next::wait);
      one.note(first);
      EXPECT_TRUE(one.is_waiting(first));
      EXPECT_FALSE(one.is_waiting(1 - first));
      EXPECT_EQ(one.next(), Next::wait);
      one.note(1 - first);
      EXPECT_EQ(one.next(), Next::seal);
      EXPECT_FALSE(one.is_open());
      EXPECT_FALSE(one.is_waiting(0) || one.is_waiting(1));
    }
  }
}

TEST(ResultBarriers, another_worker_may_be_first) {
  ResultBarriers one(2, 1);
  one.note(1);  // before the own ingest lanes have given theirs
  EXPECT_FALSE(one.is_open());
  EXPECT_TRUE(one.is_waiting(1)) << "what comes behind it is of the next epoch";
  one.open();
  EXPECT_EQ(one.next(), Next::send);
  EXPECT_EQ(one.next(), Next::wait);
  one.note(0);
  EXPECT_EQ(one.next(), Next::seal);
}

TEST(ResultBarriers, the_second_barrier_follows_when_all_first_ones_have_come) {
  ResultBarriers two(2, 2);
  two.open();
  EXPECT_EQ(two.next(), Next::send);
  two.note(0);
  EXPECT_EQ(two.next(), Next::wait);
  EXPECT_FALSE(two.is_waiting(0));
  two.note(1);
  EXPECT_EQ(two.next(), Next::send);
  two.note(1);
  EXPECT_EQ(two.next(), Next::wait);
  EXPECT_TRUE(two.is_waiting(1));
  two.note(0);
  EXPECT_EQ(two.next(), Next::seal);
}

/// Workers with lanes to each other, and for each stage that is read the results that they send. A row says its epoch:
/// which one its sender's stage was in.
class Workers {
 public:
  Workers(size_t count, uint32_t depth, uint64_t seed) : depth_(depth), random_(seed), all_(count) {
    for (Worker& one : all_) {
      one.barriers = ResultBarriers(count, depth);
      one.lanes.resize(count);
      one.stage_epochs.assign(depth + 1, 0);
    }
  }

  void run(int epochs) {
    for (int step = 0; step < 4000 || !is_done(epochs); ++step) {
      ASSERT_LT(step, 100'000) << "the workers wait for each other for ever";
      Worker& one = all_[random_() % all_.size()];
      switch (random_() % 4) {
        case 0:
          send_rows(one);
          break;
        case 1:  // all ingest lanes have given the barrier
          if (one.barriers.is_open() || one.stage_epochs[0] == epochs) break;
          one.barriers.open();
          pass(one);
          break;
        default:
          read(one);
      }
    }
    for (const Worker& one : all_) {
      EXPECT_EQ(one.sealed, epochs);
      EXPECT_EQ(one.stage_epochs, std::vector<int>(depth_ + 1, epochs));
    }
  }

 private:
  struct Entry {
    bool is_barrier;
    uint32_t stage;
    int epoch;
  };
  struct Worker {
    ResultBarriers barriers;
    std::vector<std::deque<Entry>> lanes;  // by sender
    std::vector<int> stage_epochs;         // stage 0 reads sources, stage 1 its results
    int sealed = 0;

    /// The first stage that is not at the cut.
    uint32_t next_stage() const {
      const auto at = std::find(stage_epochs.begin(), stage_epochs.end(), sealed);
      return static_cast<uint32_t>(at - stage_epochs.begin());
    }
  };
  size_t number_of(const Worker& one) const { return static_cast<size_t>(&one - all_.data()); }
  bool is_done(int epochs) const {
    return std::all_of(all_.begin(), all_.end(), [&](const Worker& one) { return one.sealed == epochs; });
  }

  void to_all(const Worker& from, const Entry& entry) {
    for (Worker& one : all_) one.lanes[number_of(from)].push_back(entry);
  }
  // What a stage gives: the first one while the worker reads ingest lanes, others with what they read.
  void send_rows(Worker& one) {
    if (depth_ == 0 || one.barriers.is_open()) return;
    to_all(one, {false, 0, one.stage_epochs[0]});
  }
  void read(Worker& one) {
    const size_t lane = random_() % all_.size();
    if (one.barriers.is_waiting(lane) || one.lanes[lane].empty()) return;
    const Entry entry = one.lanes[lane].front();
    one.lanes[lane].pop_front();
    if (entry.is_barrier) {
      one.barriers.note(lane);
      pass(one);
      return;
    }
    const uint32_t reader = entry.stage + 1;
    EXPECT_EQ(entry.epoch, one.stage_epochs[reader]) << "a row of another epoch than its reader's";
    if (reader < depth_) to_all(one, {false, reader, one.stage_epochs[reader]});
  }
  void pass(Worker& one) {
    uint32_t sent = one.next_stage();
    while (one.barriers.is_open()) {
      const Next next = one.barriers.next();
      if (next == Next::wait) return;
      ++one.stage_epochs[sent];
      if (next == Next::seal) {
        EXPECT_EQ(sent, depth_);
        ++one.sealed;
        return;
      }
      to_all(one, {true, sent, 0});
      ++sent;
    }
  }

  uint32_t depth_;
  std::mt19937_64 random_;
  std::vector<Worker> all_;
};

TEST(ResultBarriers, an_epoch_is_one_cut_whatever_the_order) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Workers(1 + seed % 3, static_cast<uint32_t>(seed / 3 % 4), seed).run(5);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::core
