// SPDX-License-Identifier: Apache-2.0
//
// Random changelogs against sessions made of all rows at once: with and without lateness, by every firing rule, over
// one page and several, with restarts in between. What stands of the results at the end is what the rows give.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/window/session_driver.hpp"

namespace tidemark::core::test {
namespace {

/// Rows that are there, and sessions made of them at once.
class Model {
 public:
  Model(Micros gap, Micros max_size) : gap_(gap), max_size_(max_size) {}
  void add(const Row& row) { rows_.insert(named(row)); }
  void take(const Row& row) { rows_.erase(rows_.find(named(row))); }
  const std::multiset<std::tuple<std::string, Micros, int64_t>>& rows() const { return rows_; }

  /// "k 7 [0,30)" of all sessions.
  std::set<std::string> results() const {
    std::set<std::string> out;
    std::string key;
    Micros first = 0;
    Micros last = 0;
    int64_t sum = 0;
    const auto close = [&] {
      if (key.empty()) return;
      out.insert(key + " " + std::to_string(sum) + " [" + std::to_string(first) + "," + std::to_string(last + gap_) +
                 ")");
    };
    for (const auto& [row_key, time, value] : rows_) {
      const bool joins = row_key == key && time - last <= gap_ && (max_size_ == 0 || time - first <= max_size_);
      if (!joins) {
        close();
        key = row_key;
        first = time;
        sum = 0;
      }
      last = time;
      sum += value;
    }
    close();
    return out;
  }

 private:
  static std::tuple<std::string, Micros, int64_t> named(const Row& row) {
    return {std::get<std::string>(row.cells[0]), row.time, std::get<int64_t>(row.cells[1])};
  }
  Micros gap_;
  Micros max_size_;
  std::multiset<std::tuple<std::string, Micros, int64_t>> rows_;
};

/// What stands of the results of an operator, as an upsert sink has it.
class Standing {
 public:
  void take(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string key, value, window, kind;
      int64_t revision = 0;
      words >> key >> value >> window >> kind >> revision;
      std::string& standing = results_[key + window];
      if (kind.empty()) {
        EXPECT_EQ(standing, "") << "given twice: " << line;
      } else {
        EXPECT_EQ(revision, ++revisions_[key + window]) << line;
      }
      EXPECT_FALSE(kind == "retraction" && standing.empty()) << line;
      standing = kind == "retraction" ? "" : key + " " + value + " " + window;
    }
  }
  std::set<std::string> results() const {
    std::set<std::string> out;
    for (const auto& [name, text] : results_) {
      if (!text.empty()) out.insert(text);
    }
    return out;
  }

 private:
  std::map<std::string, std::string> results_;
  std::map<std::string, int64_t> revisions_;
};

struct RandomCase {
  AggregateSpec spec;
  Micros unit = 1;         // of times
  bool again = false;      // rows may be as old as they like, unless the lateness ends
  bool immediate = false;  // every change shows at once

  /// The first time whose own window is not closed.
  Micros again_from(Micros watermark) const {
    return saturating_sub(saturating_sub(watermark, spec.allowed_lateness_us), spec.window.gap_us - 1);
  }
};

RandomCase random_case(std::mt19937_64& random) {
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  RandomCase out;
  if (pick(3) > 0) out.unit = 20 * kMicrosPerSecond;  // then sessions stand in different pages, and move
  out.spec = sums((1 + pick(12)) * out.unit);
  out.spec.changelog = pick(2) == 0;
  if (pick(2) == 0) out.spec.window.max_size_us = (1 + pick(40)) * out.unit;
  out.again = pick(3) > 0;
  if (!out.again) return out;
  out.spec.allowed_lateness_us = kEndOfTime;
  const std::vector<Firing> rules = {{FiringRule::never, 0, false, 0},
                                     {FiringRule::on_update, 0, false, 0},
                                     {FiringRule::every, (1 + pick(20)) * out.unit, true, 0},
                                     {FiringRule::every, 1 + pick(20), false, 0},
                                     {FiringRule::count, 0, false, 1 + static_cast<uint32_t>(pick(4))}};
  out.spec.emit.early = rules[static_cast<size_t>(pick(rules.size()))];
  out.spec.emit.late = rules[1 + static_cast<size_t>(pick(rules.size() - 1))];
  out.immediate = out.spec.emit.early.rule == FiringRule::on_update && out.spec.emit.late.rule == FiringRule::on_update;
  return out;
}

/// Without lateness rows come in front of the watermark, and only such are taken back.
std::vector<Row> random_rows(std::mt19937_64& random, const RandomCase& about, Micros watermark, Model& model) {
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  std::vector<Row> out;
  for (Micros left = 1 + pick(6); left > 0; --left) {
    std::vector<std::tuple<std::string, Micros, int64_t>> old;
    for (const auto& row : model.rows()) {
      if (about.again || std::get<1>(row) > watermark) old.push_back(row);
    }
    if (about.spec.changelog && !old.empty() && pick(3) == 0) {
      const auto& [key, time, value] = old[static_cast<size_t>(pick(old.size()))];
      out.push_back(taken(time, value, key));
      model.take(out.back());
    } else {
      const Micros since = about.again ? about.again_from(watermark) : watermark + 1;
      const Micros time = about.again ? std::max(since, (pick(120) - 20) * about.unit) : since + pick(30) * about.unit;
      out.push_back(at(time, 1 + pick(9), keys_of_one_group()[static_cast<size_t>(pick(3))]));
      model.add(out.back());
    }
  }
  return out;
}

void run_random(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  const RandomCase about = random_case(random);
  Model model(about.spec.window.gap_us, about.spec.window.max_size_us);
  Standing standing;
  Store store;
  auto driver = std::make_unique<OperatorDriver>(driver_of(about.spec));
  Micros watermark = 0;
  Micros wall = 0;
  driver->advance(watermark);
  for (int step = 0; step < 40 && !testing::Test::HasFailure(); ++step) {
    switch (pick(6)) {
      case 0:
        watermark += pick(25) * about.unit;
        standing.take(driver->advance(watermark));
        break;
      case 1:
        wall += pick(15);
        standing.take(driver->tick(wall));
        break;
      case 2:
        standing.take(driver->take());
        driver = std::make_unique<OperatorDriver>(store.reopen(*driver));
        driver->set_wall(wall);
        break;
      case 3:
        store.seal(driver->op());
        break;
      default:
        EXPECT_EQ(driver->add(random_rows(random, about, watermark, model)), 0U);
        standing.take(driver->take());
        if (about.immediate) {
          EXPECT_EQ(standing.results(), model.results());
        }
    }
  }
  standing.take(driver->advance(kEndOfTime));
  EXPECT_EQ(standing.results(), model.results());
  store.seal(driver->op());
  EXPECT_TRUE(store.entries.empty());
  EXPECT_EQ(driver->op().open_panes(), 0U);
}

/// With a lateness that ends, windows are forgotten while others that took their rows over go on, and may be there
/// again. (That revisions go up by one is Standing's business. A row whose own window is closed could begin a forgotten
/// window anew, with no more than itself in it: none is given.)
void run_forgetful(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t below) { return static_cast<Micros>(random() % below); };
  RandomCase about = random_case(random);
  about.again = true;
  about.spec.changelog = true;
  about.spec.allowed_lateness_us = (1 + pick(20)) * about.unit;
  about.spec.emit.late.rule = FiringRule::on_update;
  Model model(about.spec.window.gap_us, about.spec.window.max_size_us);
  Standing standing;
  Store store;
  auto driver = std::make_unique<OperatorDriver>(driver_of(about.spec));
  Micros watermark = 0;
  for (int step = 0; step < 60 && !testing::Test::HasFailure(); ++step) {
    if (pick(3) == 0) standing.take(driver->advance(watermark += pick(8) * about.unit));
    if (pick(8) == 0) driver = std::make_unique<OperatorDriver>(store.reopen(*driver));
    driver->add(random_rows(random, about, watermark, model));
    standing.take(driver->take());
  }
  standing.take(driver->advance(kEndOfTime));
  store.seal(driver->op());
  EXPECT_TRUE(store.entries.empty());
  EXPECT_EQ(driver->op().open_panes(), 0U);
}

TEST(Session, revisions_go_on_when_windows_are_forgotten_and_there_again) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    run_forgetful(seed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Session, random_changelogs_equal_sessions_of_all_rows) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    run_random(seed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark::core::test
