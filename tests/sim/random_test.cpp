// SPDX-License-Identifier: Apache-2.0
//
// Random jobs by seed. TIDEMARK_SIM_SEEDS: how many (default 300, fewer under sanitizers), from
// TIDEMARK_SIM_FIRST_SEED on; TIDEMARK_SIM_SEED: that one alone, to look at a failure again. Each seed is run
// plainly on one core and wildly (more cores, restarts, stalls, tight lanes). Punctual jobs: both give the same
// bytes, and they are the oracle's. Others: late rows and counted rows together are all rows, and the results are
// the oracle's over the rows that were not late. Planted faults show that the checks are not blind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tests/sim/random_job.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

using Lines = std::vector<std::string>;

#if defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeeds = 8;
#elif defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeeds = 60;
#else
constexpr uint64_t kSeeds = 300;
#endif

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Empty when they are equal.
std::string first_difference(const Lines& is, const Lines& should) {
  const auto line = [](const Lines& lines, size_t i) { return i < lines.size() ? lines[i] : "nothing"; };
  for (size_t i = 0; i < std::max(is.size(), should.size()); ++i) {
    if (line(is, i) == line(should, i)) continue;
    return "line " + std::to_string(i + 1) + " is " + line(is, i) + ", should be " + line(should, i);
  }
  return "";
}

/// The last revision of each (window, key), which stand in front of the results of a line.
Lines last_revisions(const Lines& lines, size_t key_cells) {
  std::map<std::string, std::string> latest;
  for (const std::string& line : lines) {
    size_t end = 0;
    for (size_t i = 0; i < key_cells; ++i) end = line.find('|', end) + 1;
    latest[line.substr(0, end)] = line;
  }
  Lines out;
  for (const auto& [key, line] : latest) out.push_back(line);
  return sorted(out);
}

using RowIds = std::set<std::tuple<std::string, std::string, uint64_t>>;

/// What is wrong with a sink's lines; empty = nothing.
std::string check_sink(const SimWorld& world, const RandomJob& random, size_t sink, const RowIds& late) {
  const SimJob& job = random.job;
  const uint32_t aggregate = job.plan.sinks[sink].aggregate;
  const size_t key_cells = 2 + job.plan.aggregates[aggregate].spec.key_columns.size();
  const auto counted = oracle_rows(job, aggregate, [&](uint32_t source, uint32_t split, uint64_t sequence) {
    return !late.contains({job.plan.sources[source].id, job.scripts[source].splits[split].id, sequence});
  });
  const Lines should = sorted(oracle_lines(oracle_final(oracle_job(job, aggregate), counted)));
  const Lines& lines = world.lines(sink);
  return first_difference(random.punctual ? sorted(lines) : last_revisions(lines, key_cells), should);
}

struct Sightings {
  uint64_t resumes = 0;
  uint64_t late_rows = 0;
  uint64_t set_aside = 0;
};

/// Runs a job to its end; says what is wrong with it, empty = nothing.
std::string run_and_check(const RandomJob& random, SimWorld& world, Sightings& seen) {
  world.run_to_end();
  if (!world.failure().empty()) return world.failure();
  std::map<std::string, RowIds> late;
  for (const core::LateItem& item : world.late()) {
    ++(item.aggregate.empty() ? seen.set_aside : seen.late_rows);
    late[item.aggregate].insert({item.source, item.split, item.sequence});
    if (!random.punctual || item.aggregate.empty()) continue;
    return "late in a punctual job: row " + std::to_string(item.sequence) + " of " + item.source + ", " + item.split +
           ", time " + core::format_rfc3339(item.event_time) + ", watermark " + core::format_rfc3339(item.watermark);
  }
  seen.resumes += world.resumes();
  for (size_t sink = 0; sink < random.job.plan.sinks.size(); ++sink) {
    const auto& id = random.job.plan.aggregates[random.job.plan.sinks[sink].aggregate].spec.id;
    if (std::string wrong = check_sink(world, random, sink, late[id]); !wrong.empty()) {
      return "sink " + std::to_string(sink) + ": " + wrong;
    }
  }
  return "";
}

void run_seed(uint64_t seed, Sightings& seen) {
  const RandomJob random = random_job(seed);
  SimWorld plain(random.job, random_options(seed, 0));
  EXPECT_EQ(run_and_check(random, plain, seen), "") << "TIDEMARK_SIM_SEED=" << seed << ", on one core";
  SimWorld wild(random.job, random_options(seed, static_cast<uint32_t>(1 + seed % 4)));
  EXPECT_EQ(run_and_check(random, wild, seen), "") << "TIDEMARK_SIM_SEED=" << seed << ", with restarts and more cores";
  if (!random.punctual) return;
  for (size_t sink = 0; sink < random.job.plan.sinks.size(); ++sink) {
    EXPECT_EQ(first_difference(wild.lines(sink), plain.lines(sink)), "")
        << "TIDEMARK_SIM_SEED=" << seed << ", other bytes in sink " << sink;
  }
}

TEST(SimRandom, rows_are_counted_once_or_late) {
  Sightings seen;
  if (const uint64_t seed = number_from("TIDEMARK_SIM_SEED", 0); seed != 0) return run_seed(seed, seen);
  const uint64_t seeds = number_from("TIDEMARK_SIM_SEEDS", kSeeds);
  const uint64_t first = number_from("TIDEMARK_SIM_FIRST_SEED", 1);
  for (uint64_t seed = first; seed < first + seeds && !testing::Test::HasFailure(); ++seed) run_seed(seed, seen);
  if (seeds < 30) return;
  EXPECT_GT(seen.resumes, seeds / 4);  // else the runs are too tame to say anything
  EXPECT_GT(seen.late_rows, seeds);
  EXPECT_GT(seen.set_aside, seeds);
}

TEST(SimRandom, planted_faults_are_found) {
  for (const core::Family family :
       {core::Family::sources, core::Family::panes, core::Family::late, core::Family::sinks}) {
    bool found = false;
    for (uint64_t seed = 1; seed <= 60 && !found; ++seed) {
      const RandomJob random = random_job(seed);
      SimOptions options = random_options(seed, 2);
      options.store_forgets = family;
      options.crashes = 5;
      SimWorld world(random.job, options);
      Sightings seen;
      found = !run_and_check(random, world, seen).empty();
    }
    EXPECT_TRUE(found) << "nobody notices that writes to " << core::family_name(family) << " are lost";
  }
}

}  // namespace
}  // namespace tidemark::test
