// SPDX-License-Identifier: Apache-2.0
//
// Grouping plus window on one core: rows/s with 7 text groups (added up before the exchange) and with 50,000
// integer groups (rows applied one by one), count, sum, min and max of a decimal, batches of 4,096 rows.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <random>

#include "core/base/check.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/exchange/grouper.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {
namespace {

using Function = AggregateFunction;

constexpr size_t kBatches = 64;
constexpr std::array<std::string_view, 7> kRegions = {"eu-west",  "eu-north", "us-east", "us-west",
                                                      "ap-south", "ap-east",  "africa"};

std::shared_ptr<const BatchLayout> input_layout() {
  ColumnInfo key{"region", ColumnType::text, 0, 0, true, ""};
  ColumnInfo customer{"customer", ColumnType::int64, 0, 0, true, ""};
  ColumnInfo amount{"amount", ColumnType::decimal64, 12, 2, true, ""};
  return std::make_shared<BatchLayout>(BatchLayout{{key, customer, amount}});
}

void give_all(WindowOperator& window, Micros watermark, std::vector<FiredRows>& fired) {
  window.move_watermark(watermark);
  while (window.is_firing()) TIDEMARK_CHECK(window.fire(SIZE_MAX, fired).is_ok());
}

/// Event times run over `span` microseconds in all, in order but for 0.5 s of disorder.
std::vector<BatchRef> make_batches(uint64_t customers, Micros span) {
  std::mt19937_64 random(42);
  const auto layout = input_layout();
  std::vector<BatchRef> out;
  for (size_t b = 0; b < kBatches; ++b) {
    auto batch = std::make_shared<Batch>(layout, kBatchRows, 64 << 10);
    batch->rows = kBatchRows;
    for (uint32_t row = 0; row < kBatchRows; ++row) {
      const size_t at = b * kBatchRows + row;
      batch->event_time_us[row] = static_cast<Micros>(at) * span / static_cast<Micros>(kBatches * kBatchRows) -
                                  static_cast<Micros>(random() % 500'000);
      batch->op[row] = static_cast<uint8_t>(Op::insert);
      const std::string_view region = kRegions[random() % kRegions.size()];
      if (!put_text(*batch, 0, row, region)) std::abort();
      put_value(*batch, 1, row, static_cast<int64_t>(random() % customers));
      put_value(*batch, 2, row, static_cast<int64_t>(random() % 100'000));
    }
    out.push_back(std::move(batch));
  }
  return out;
}

AggregateSpec spec_of(uint32_t key) {
  AggregateSpec spec;
  spec.id = "bench";
  spec.key_columns = {key};
  spec.columns = {
      {"n", Function::count_all, -1}, {"sum", Function::sum, 2}, {"min", Function::min, 2}, {"max", Function::max, 2}};
  return spec;
}

void run(benchmark::State& state, uint32_t key, bool with_window) {
  const std::vector<BatchRef> batches = make_batches(50'000, 10 * 60 * kMicrosPerSecond);
  const AggregateSpec spec = spec_of(key);
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  auto window = WindowOperator::create(spec, input_layout()).value();
  std::vector<std::vector<GroupedRows>> grouped(1);
  Applied applied;
  GroupingCounts counts;
  for (auto _ : state) {
    for (const BatchRef& batch : batches) {
      grouped[0].clear();
      TIDEMARK_CHECK(grouper->group(batch, {}, 0, grouped, counts).is_ok());
      if (with_window) TIDEMARK_CHECK(window->apply(grouped[0][0], 0, applied).is_ok());
    }
    benchmark::DoNotOptimize(grouped);
  }
  state.SetItemsProcessed(static_cast<int64_t>(counts.grouped));
  state.counters["MiB"] = static_cast<double>(window->memory_bytes()) / 1048576.0;
}

void group_7_texts(benchmark::State& state) {
  run(state, 0, false);
}
void group_and_window_7_texts(benchmark::State& state) {
  run(state, 0, true);
}
void group_50000_integers(benchmark::State& state) {
  run(state, 1, false);
}
void group_and_window_50000_integers(benchmark::State& state) {
  run(state, 1, true);
}
BENCHMARK(group_7_texts);
BENCHMARK(group_and_window_7_texts);
BENCHMARK(group_50000_integers);
BENCHMARK(group_and_window_50000_integers);

/// Everything new and soon fired: 10 windows of 26,000 rows each, most groups of one row, the watermark 2 s behind.
void stream_50000_integers(benchmark::State& state) {
  const std::vector<BatchRef> batches = make_batches(50'000, 10 * 60 * kMicrosPerSecond);
  const AggregateSpec spec = spec_of(1);
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  std::vector<std::vector<GroupedRows>> grouped(1);
  Applied applied;
  std::vector<FiredRows> fired;
  GroupingCounts counts;
  size_t results = 0;
  for (auto _ : state) {
    auto window = WindowOperator::create(spec, input_layout()).value();
    for (const BatchRef& batch : batches) {
      grouped[0].clear();
      TIDEMARK_CHECK(grouper->group(batch, {}, 0, grouped, counts).is_ok());
      TIDEMARK_CHECK(window->apply(grouped[0][0], 0, applied).is_ok());
      give_all(*window, batch->event_time_us[0] - 2 * kMicrosPerSecond, fired);
      fired.clear();
    }
    give_all(*window, kEndOfTime, fired);
    fired.clear();
    results += window->counters().results;
  }
  state.SetItemsProcessed(static_cast<int64_t>(counts.grouped));
  state.counters["results"] = static_cast<double>(results) / static_cast<double>(counts.grouped);
}
BENCHMARK(stream_50000_integers);

/// A seal of 50,000 changed groups, and firing them: time per group.
void seal_50000_groups(benchmark::State& state) {
  const std::vector<BatchRef> batches = make_batches(50'000, kMicrosPerSecond);
  const AggregateSpec spec = spec_of(1);
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  auto window = WindowOperator::create(spec, input_layout()).value();
  std::vector<std::vector<GroupedRows>> grouped(1);
  Applied applied;
  GroupingCounts counts;
  for (const BatchRef& batch : batches) TIDEMARK_CHECK(grouper->group(batch, {}, 0, grouped, counts).is_ok());
  size_t entries = 0;
  size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (const GroupedRows& rows : grouped[0]) TIDEMARK_CHECK(window->apply(rows, 0, applied).is_ok());
    state.ResumeTiming();
    window->seal([&](const PaneChange& change) {
      entries += change.dirty_count();
      change.visit_dirty([&](const EntryView& entry) { bytes += entry.key.size() + entry.accumulators.size(); });
    });
  }
  benchmark::DoNotOptimize(bytes);
  state.SetItemsProcessed(static_cast<int64_t>(entries));
}
BENCHMARK(seal_50000_groups);

void fire_50000_groups(benchmark::State& state) {
  const std::vector<BatchRef> batches = make_batches(50'000, kMicrosPerSecond);
  const AggregateSpec spec = spec_of(1);
  const auto grouper = Grouper::create(spec, input_layout(), even_owners(1), 1).value();
  std::vector<std::vector<GroupedRows>> grouped(1);
  GroupingCounts counts;
  for (const BatchRef& batch : batches) TIDEMARK_CHECK(grouper->group(batch, {}, 0, grouped, counts).is_ok());
  size_t results = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto window = WindowOperator::create(spec, input_layout()).value();
    Applied applied;
    std::vector<FiredRows> fired;
    for (const GroupedRows& rows : grouped[0]) TIDEMARK_CHECK(window->apply(rows, 0, applied).is_ok());
    state.ResumeTiming();
    give_all(*window, kEndOfTime, fired);
    results += window->counters().results;
  }
  state.SetItemsProcessed(static_cast<int64_t>(results));
}
BENCHMARK(fire_50000_groups);

}  // namespace
}  // namespace tidemark::core

BENCHMARK_MAIN();
