// SPDX-License-Identifier: Apache-2.0
//
// Aggregates of aggregates in whole jobs: random jobs, punctual or not, get one that reads the results of their first
// aggregate, and sometimes one that reads its results. With as much allowed lateness as what it reads, none of these
// rows is late, however the workers interleave; and what stands in the end is the oracle's over what stands in the end
// of the aggregate before, with restarts on other numbers of cores too. One thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/window/window_operator.hpp"
#include "tests/sim/job_check.hpp"
#include "tests/sim/random_job.hpp"
#include "tests/sim/sim_random.hpp"
#include "tests/sim/sim_world.hpp"

namespace tidemark::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr uint64_t kSeeds = 8;
#elif defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeeds = 40;
#else
constexpr uint64_t kSeeds = 200;
#endif

using core::AggregateFunction;
using core::kMicrosPerSecond;
using core::Micros;

core::BatchLayout results_of(const core::JobPlan& plan, const core::AggregatePlan& aggregate) {
  const auto made =
      core::WindowOperator::create(aggregate.spec, std::make_shared<const core::BatchLayout>(plan.input_of(aggregate)));
  EXPECT_TRUE(made) << made.status().message();
  core::BatchLayout out = *(*made)->output_layout();
  if (aggregate.spec.can_fire_again()) out.columns.resize(out.columns.size() - 2);
  return out;
}

AggregateFunction random_function(SimRandom& random, const core::ColumnInfo& column) {
  static constexpr AggregateFunction kText[] = {AggregateFunction::count, AggregateFunction::min,
                                                AggregateFunction::max, AggregateFunction::count_distinct};
  static constexpr AggregateFunction kNumber[] = {AggregateFunction::count, AggregateFunction::min,
                                                  AggregateFunction::max,   AggregateFunction::count_distinct,
                                                  AggregateFunction::sum,   AggregateFunction::sum};
  return column.type == core::ColumnType::text ? kText[random.below(4)] : kNumber[random.below(6)];
}

/// Adds an aggregate over the results of number `read`, and a sink.
void add_reader(SimJob& job, SimRandom& random, uint32_t read) {
  const auto number = static_cast<uint32_t>(job.plan.aggregates.size());
  const core::BatchLayout rows = results_of(job.plan, job.plan.aggregates[read]);
  core::AggregatePlan plan;
  plan.upstream = {read};
  core::AggregateSpec& spec = plan.spec;
  const core::AggregateSpec& before = job.plan.aggregates[read].spec;
  spec.id = "aggregate" + std::to_string(number);
  spec.operator_id = static_cast<uint16_t>(number);
  spec.changelog = before.replaces_results();
  spec.allowed_lateness_us = before.allowed_lateness_us + (random.chance(30) ? 5 * kMicrosPerSecond : 0);
  spec.window.size_us = random.between(1, 200) * kMicrosPerSecond;
  if (random.chance(30)) {
    spec.window.kind = core::WindowKind::sliding;
    spec.window.slide_us = spec.window.size_us;
    spec.window.size_us *= random.between(1, 3);
  }
  if (random.chance(30)) spec.emit.early = {core::FiringRule::on_update, 0, false, 0};
  const auto first_value = static_cast<uint32_t>(2 + before.key_columns.size());
  if (!before.key_columns.empty() && random.chance(60)) spec.key_columns.push_back(2);
  for (size_t i = 0; i < spec.key_columns.size(); ++i) plan.keys.emplace_back("key");
  spec.columns.push_back({"n", AggregateFunction::count_all, -1});
  plan.arguments.emplace_back();
  for (uint32_t column = first_value; column < rows.columns.size(); ++column) {
    if (random.chance(40)) continue;
    core::AggregateSpec tried = spec;
    tried.columns.push_back(
        {"c" + std::to_string(column), random_function(random, rows.columns[column]), static_cast<int>(column)});
    if (!core::WindowOperator::create(tried, std::make_shared<const core::BatchLayout>(rows))) continue;  // too wide
    spec.columns = std::move(tried.columns);
    plan.arguments.push_back(rows.columns[column].name);
  }
  core::AggregatePlan& upstream = job.plan.aggregates[read];
  upstream.spec.is_read = true;
  if (!upstream.results) {
    upstream.results.emplace();
    upstream.results->layout = rows;
    for (uint32_t i = 0; i < rows.columns.size(); ++i) upstream.results->projection.push_back(i);
  }
  upstream.results->program.selections.push_back({spec.operator_id, {}, {}});
  job.plan.aggregates.push_back(std::move(plan));
  add_sink(job, number);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out{""};
  for (const char c : line) {
    if (c == '|') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// What stands in the end of a sink, cells without kind and revision, by window and keys.
std::vector<std::vector<std::string>> standing(const SimWorld& world, uint32_t sink) {
  const core::JobPlan& plan = world.job().plan;
  const core::AggregateSpec& spec = plan.aggregates[plan.sinks[sink].aggregate].spec;
  std::map<std::vector<std::string>, std::vector<std::string>> latest;
  for (const std::string& line : world.lines(sink)) {
    std::vector<std::string> cells = cells_of(line);
    const std::vector<std::string> key(cells.begin(),
                                       cells.begin() + static_cast<ptrdiff_t>(2 + spec.key_columns.size()));
    const bool gone = spec.can_fire_again() && cells[cells.size() - 2] == "retraction";
    if (spec.can_fire_again()) cells.resize(cells.size() - 2);
    if (gone) {
      latest.erase(key);
    } else {
      latest[key] = std::move(cells);
    }
  }
  std::vector<std::vector<std::string>> out;
  for (auto& [key, cells] : latest) out.push_back(std::move(cells));
  return out;
}

/// The oracle's results over what stands in the sink of what is read.
std::vector<std::string> expected_of(const SimWorld& world, uint32_t read_sink, const core::AggregatePlan& reader,
                                     const core::BatchLayout& rows) {
  OracleJob job;
  job.window_size_us = reader.spec.window.size_us;
  if (reader.spec.window.kind == core::WindowKind::sliding) job.window_slide_us = reader.spec.window.slide_us;
  for (const core::AggregateColumn& column : reader.spec.columns) {
    OracleColumn one;
    one.function = oracle_function(column.function);
    if (column.input >= 0) {
      one.measure = static_cast<size_t>(column.input);
      const core::ColumnInfo& info = rows.columns[one.measure];
      one.scale = info.type == core::ColumnType::text ? kOracleText : info.scale;
    }
    job.columns.push_back(one);
  }
  std::vector<OracleRow> all;
  for (const std::vector<std::string>& cells : standing(world, read_sink)) {
    OracleRow row;
    row.event_time = *core::parse_rfc3339(cells[1]) - 1;
    row.sequence = all.size();
    for (const std::string& cell : cells) row.measures.push_back(cell == "\\N" ? OracleCell() : OracleCell(cell));
    for (const uint32_t key : reader.spec.key_columns) row.keys.push_back(row.measures[key]);
    all.push_back(std::move(row));
  }
  std::vector<std::string> lines = oracle_lines(oracle_final(job, all));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> joined(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> out;
  for (const auto& cells : rows) {
    std::string line;
    for (const std::string& cell : cells) line += (line.empty() ? "" : "|") + cell;
    out.push_back(std::move(line));
  }
  std::sort(out.begin(), out.end());
  return out;
}

uint32_t first_sink_of(const core::JobPlan& plan, uint32_t aggregate) {
  uint32_t sink = 0;
  while (plan.sinks[sink].aggregate != aggregate) ++sink;
  return sink;
}

struct Chain {
  SimJob job;
  std::vector<uint32_t> readers;
};

Chain random_chain(uint64_t seed) {
  SimRandom random(seed * 104'729 + 3);
  Chain out{random_job(seed).job, {}};
  const auto add = [&](uint32_t read) {
    out.readers.push_back(static_cast<uint32_t>(out.job.plan.aggregates.size()));
    add_reader(out.job, random, read);
  };
  add(0);
  if (random.chance(40)) add(out.readers.front());
  if (random.chance(30)) add(0);
  return out;
}

std::string check_readers(const SimWorld& world, const std::vector<uint32_t>& readers) {
  const core::JobPlan& plan = world.job().plan;
  for (const core::LateItem& item : world.late()) {
    for (const uint32_t reader : readers) {
      if (item.aggregate == plan.aggregates[reader].spec.id) return "a result came too late for " + item.aggregate;
    }
  }
  for (const uint32_t reader : readers) {
    const core::AggregatePlan& aggregate = plan.aggregates[reader];
    const uint32_t read = aggregate.upstream.front();
    const std::vector<std::string> should =
        expected_of(world, first_sink_of(plan, read), aggregate, results_of(plan, plan.aggregates[read]));
    const std::string wrong = first_difference(joined(standing(world, first_sink_of(plan, reader))), should);
    if (!wrong.empty()) return aggregate.spec.id + ": " + wrong;
  }
  return "";
}

TEST(SimChained, results_of_results_are_the_oracles) {
  const uint64_t only = number_from("TIDEMARK_SIM_SEED", 0);
  const uint64_t seeds = only != 0 ? 1 : number_from("TIDEMARK_SIM_SEEDS", kSeeds);
  const uint64_t first = only != 0 ? only : number_from("TIDEMARK_SIM_FIRST_SEED", 1);
  uint64_t resumes = 0;
  uint64_t replaced = 0;
  for (uint64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    const Chain chain = random_chain(seed);
    for (const uint32_t variant : {0U, static_cast<uint32_t>(1 + seed % 4)}) {
      SimWorld world(chain.job, random_options(seed, variant));
      world.run_to_end();
      ASSERT_EQ(world.failure(), "") << "TIDEMARK_SIM_SEED=" << seed << ", variant " << variant;
      ASSERT_EQ(check_readers(world, chain.readers), "") << "TIDEMARK_SIM_SEED=" << seed << ", variant " << variant;
      resumes += world.resumes();
      replaced += chain.job.plan.aggregates[0].spec.replaces_results() ? 1 : 0;
    }
  }
  if (seeds < 30) return;
  EXPECT_GT(resumes, seeds / 4);  // else the runs are too tame to say anything
  EXPECT_GT(replaced, seeds / 4);
}

SourceScript silent_after(std::vector<std::vector<double>> seconds_by_split) {
  SourceScript out;
  out.columns = {column_of("v", core::ColumnType::int64)};
  for (size_t i = 0; i < seconds_by_split.size(); ++i) {
    SplitScript split;
    split.id = "split" + std::to_string(i);
    for (const double seconds : seconds_by_split[i]) split.steps.push_back(script_row(seconds, {OracleCell("1")}));
    split.ends_at_us = 600 * kMicrosPerSecond;
    out.splits.push_back(std::move(split));
  }
  return out;
}

// When all splits of an input turn idle, all_idle = flush gives the windows up to the last row. Their results are not
// late for a reader that no longer waits for that input, since another one is far ahead.
TEST(SimChained, an_input_is_idle_only_after_its_last_results) {
  for (const uint32_t cores : {1U, 2U, 3U}) {
    SimJob job;
    const uint32_t x = add_source(job, silent_after({{0}, {180, 300}}), false, 0, kMicrosPerSecond);
    const uint32_t y = add_source(job, silent_after({{600, 900}}), false, 0, 0);
    job.plan.sources[x].watermark.merging.all_idle = core::AllIdlePolicy::flush;
    for (const uint32_t source : {x, y}) {
      add_aggregate(job, {source}, 60 * kMicrosPerSecond, {}, {{AggregateFunction::count_all}});
    }
    core::AggregatePlan both;
    both.upstream = {0, 1};
    both.spec.id = "both";
    both.spec.operator_id = 2;
    both.spec.window.size_us = 60 * kMicrosPerSecond;
    both.spec.columns = {{"n", AggregateFunction::sum, 2}};
    both.arguments = {"c0"};
    for (const uint32_t read : both.upstream) {
      core::AggregatePlan& upstream = job.plan.aggregates[read];
      upstream.spec.is_read = true;
      upstream.results.emplace();
      upstream.results->layout = results_of(job.plan, upstream);
      upstream.results->projection = {0, 1, 2};
      upstream.results->program.selections.push_back({2, {}, {}});
    }
    job.plan.aggregates.push_back(both);
    add_sink(job, 2);
    SimOptions options;
    options.cores = {cores};
    SimWorld world(job, options);
    world.run_to_end();
    ASSERT_EQ(world.failure(), "");
    EXPECT_EQ(world.lines(2).size(), 4U) << cores << " cores";
    ASSERT_EQ(world.late().size(), 1U) << cores << " cores";  // of the window that the flush left open
    EXPECT_EQ(world.late().front().event_time, 360 * kMicrosPerSecond - 1) << cores << " cores";
  }
}

}  // namespace
}  // namespace tidemark::test
