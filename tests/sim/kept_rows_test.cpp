// SPDX-License-Identifier: Apache-2.0
//
// Sources that keep their rows, in random changelogs with partial images and truncates: the results are the oracle's
// over the same changes with whole images and a delete in place of each row that a truncate takes out, whatever
// crashes, on any number of cores. Some rows are long, so that a truncation takes several batches and epochs come in
// between. TIDEMARK_SIM_SEEDS and TIDEMARK_SIM_SEED as in random_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/sim/job_check.hpp"
#include "tests/sim/random_job.hpp"
#include "tests/sim/sim_random.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using core::AggregateFunction;
using core::ColumnType;
using core::Op;

constexpr core::Micros kSecond = core::kMicrosPerSecond;
constexpr uint32_t kAll = 0b11111;  // at, id, k, v, x
constexpr uint32_t kId = 0b00010;

/// The same changes twice: as the source gives them, and as the oracle reads them.
struct Scripts {
  SplitScript given;
  SplitScript whole;
};

class ChangeMaker {
 public:
  explicit ChangeMaker(SimRandom random) : random_(random) {}

  Scripts make(const std::string& id) {
    out_.given.id = out_.whole.id = id;
    const int64_t actions = random_.between(1, 120);
    for (int64_t i = 0; i < actions; ++i) act();
    return out_;
  }

 private:
  ScriptStep row(const std::string& id) {
    ScriptStep step;
    step.time_us = 1'700'000'000 * kSecond + random_.between(0, 3000) * kSecond;
    const std::string text(
        static_cast<size_t>(random_.chance(30) ? random_.between(20'000, 60'000) : random_.between(0, 9)),
        static_cast<char>('a' + random_.below(3)));
    step.cells = {id, "key" + std::to_string(random_.below(3)),
                  random_.chance(20) ? OracleCell() : OracleCell(std::to_string(random_.between(-99, 99))),
                  random_.chance(20) ? OracleCell() : OracleCell(text)};
    return step;
  }
  void give(ScriptStep step, Op op, uint32_t absent) {
    step.op = op;
    out_.whole.steps.push_back(step);
    step.absent = absent;
    out_.given.steps.push_back(std::move(step));
  }
  void act() {
    const uint64_t what = random_.below(100);
    if (what < 45 || live_.empty()) {
      const std::string id = std::to_string(next_id_++);
      give(live_[id] = row(id), Op::insert, 0);
    } else if (what < 75) {
      update();
    } else if (what < 93) {
      const auto gone = any();
      give(gone->second, Op::remove, absent_of_before());
      live_.erase(gone);
    } else {
      truncate();
    }
  }
  std::map<std::string, ScriptStep>::iterator any() {
    return std::next(live_.begin(), static_cast<ptrdiff_t>(random_.below(live_.size())));
  }
  uint32_t absent_of_before() {  // FULL, MINIMAL, or some column
    return random_.chance(30) ? 0 : random_.chance(50) ? kAll & ~kId : (1U << random_.below(5)) & ~kId;
  }
  void update() {
    const auto found = any();
    const ScriptStep before = found->second;
    ScriptStep after = row(random_.chance(20) ? std::to_string(next_id_++) : *before.cells[0]);
    uint32_t absent = 0;
    if (random_.chance(40)) after.time_us = before.time_us;
    if (after.time_us == before.time_us) absent |= 1;
    for (size_t i = 0; i < after.cells.size(); ++i) {
      if (random_.chance(40) && i > 0) after.cells[i] = before.cells[i];
      if (after.cells[i] == before.cells[i]) absent |= 2U << i;
    }
    give(before, Op::update_before, absent_of_before());
    give(after, Op::update_after, random_.chance(80) ? absent : 0);
    live_.erase(found);
    live_[*after.cells[0]] = after;
  }
  void truncate() {
    ScriptStep step;
    step.kind = ScriptStep::Kind::truncate;
    step.truncated = live_.size();
    out_.given.steps.push_back(step);
    for (auto& [id, gone] : live_) {
      gone.op = Op::remove;
      out_.whole.steps.push_back(gone);
    }
    live_.clear();
  }

  SimRandom random_;
  Scripts out_;
  std::map<std::string, ScriptStep> live_;  // by id
  uint64_t next_id_ = 1;
};

struct KeepingJob {
  SimJob given;
  SimJob whole;
};

KeepingJob keeping_job(uint64_t seed) {
  SimRandom random(seed * 31 + 7);
  KeepingJob out;
  SourceScript given;
  given.columns = {column_of("id", ColumnType::int64), column_of("k", ColumnType::text),
                   column_of("v", ColumnType::int64), column_of("x", ColumnType::text)};
  SourceScript whole = given;
  const int64_t splits = random.between(1, 4);
  for (int64_t split = 0; split < splits; ++split) {
    Scripts scripts = ChangeMaker(random.fork()).make("split" + std::to_string(split));
    given.splits.push_back(std::move(scripts.given));
    whole.splits.push_back(std::move(scripts.whole));
  }
  const core::Micros interval = random.chance(50) ? 1'000 : 50'000;
  for (auto* job : {&out.given, &out.whole}) {
    add_source(*job, job == &out.given ? std::move(given) : std::move(whole), true, 86'400 * kSecond);
    job->plan.checkpoint_interval_us = interval;
    add_aggregate(*job, {0}, 600 * kSecond, {"k"},
                  {{AggregateFunction::count_all},
                   {AggregateFunction::sum, "v"},
                   {AggregateFunction::min, "v"},
                   {AggregateFunction::count_distinct, "x"}});
  }
  core::SourcePlan& source = out.given.plan.sources.front();
  source.keeps = {.truncates = true, .partial_images = true, .key = {1}};
  source.layout.partial = true;
  return out;
}

/// What is wrong; empty = nothing.
std::string run(const KeepingJob& job, SimOptions options, uint64_t& resumes) {
  SimWorld world(job.given, std::move(options));
  world.run_to_end();
  if (!world.failure().empty()) return world.failure();
  resumes += world.resumes();
  std::vector<std::string> is = world.lines(0);
  std::vector<std::string> should = expected_lines(job.whole, 0);
  std::sort(is.begin(), is.end());
  std::sort(should.begin(), should.end());
  return first_difference(is, should);
}

void run_seed(uint64_t seed, uint64_t& resumes) {
  const KeepingJob job = keeping_job(seed);
  EXPECT_EQ(run(job, random_options(seed, 0), resumes), "") << "TIDEMARK_SIM_SEED=" << seed << ", on one core";
  EXPECT_EQ(run(job, random_options(seed, static_cast<uint32_t>(1 + seed % 4)), resumes), "")
      << "TIDEMARK_SIM_SEED=" << seed << ", with restarts and more cores";
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeeds = 20;
#else
constexpr uint64_t kSeeds = 150;
#endif

TEST(SimKeptRows, partial_images_and_truncates_are_as_whole_rows_and_deletes) {
  uint64_t resumes = 0;
  if (const uint64_t seed = number_from("TIDEMARK_SIM_SEED", 0); seed != 0) return run_seed(seed, resumes);
  const uint64_t seeds = number_from("TIDEMARK_SIM_SEEDS", kSeeds);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) run_seed(seed, resumes);
  if (seeds < 50) return;
  EXPECT_GT(resumes, seeds / 4);
}

TEST(SimKeptRows, lost_rows_are_found) {
  bool found = false;
  for (uint64_t seed = 1; seed <= 60 && !found; ++seed) {
    SimOptions options = random_options(seed, 2);
    options.store_forgets = core::Family::rows;
    options.crashes = 5;
    uint64_t resumes = 0;
    found = !run(keeping_job(seed), options, resumes).empty();
  }
  EXPECT_TRUE(found) << "nobody notices that kept rows are lost";
}

}  // namespace
}  // namespace tidemark::test
