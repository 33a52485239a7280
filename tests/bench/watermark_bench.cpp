// SPDX-License-Identifier: Apache-2.0
//
// How much of a job's time its watermarks take: ingest and worker components turned on one thread, two cores' worth
// of them (and so two lanes for each change), with a status request every second. Each call that has to do with
// watermarks is timed where it happens, in the very run whose time it is compared with: at link time
// watermark_calls.cpp gets in the way of the split clocks, the alignment, the valves and the status views. The clock's
// own cost is counted as watermark work. What cannot be got at so, the way of changes through the lanes, is counted
// and multiplied with what a push and a pop cost here. Medians of five runs.
//   watermark_bench JOB.toml   that job (run.sh: 1,024 shards of binlogs); exit code 1 from 2 % on
//   watermark_bench            1,024 splits in memory, which cost next to nothing to read: the worst case, by batch
//   size
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/job/load.hpp"
#include "core/base/check.hpp"
#include "core/plan/job_sources.hpp"
#include "core/plan/plan_builder.hpp"
#include "core/runtime/job_graph.hpp"
#include "tests/bench/watermark_calls.hpp"

namespace tidemark::bench {
namespace {

using namespace core;
using Watch = std::chrono::steady_clock;

constexpr uint32_t kSplits = 1024;
constexpr uint32_t kCores = 2;
constexpr uint64_t kRowsPerSplit = 16'384;
constexpr std::string_view kRegions = "africaasia..europenorth.oceanisouth.west..";  // of six letters each
constexpr uint32_t kRegionSize = 6;
constexpr int kRounds = 5;
constexpr double kShareMax = 0.02;

double seconds_since(Watch::time_point begin) {
  return std::chrono::duration<double>(Watch::now() - begin).count();
}

// Rows of all splits go on together, a batch of each in turn; as little work as a source can have.
class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(uint32_t batch_rows) : batch_rows_(batch_rows) {}

  Status add_splits(std::span<const SplitAssignment> splits) override {
    for (const SplitAssignment& split : splits) splits_.push_back({split.split, 0});
    return {};
  }
  Status notify_no_more_splits() override { return {}; }
  Status release_split(SplitId) override { return {}; }
  Result<PollStatus> poll_next(ReaderOutput& output) override {
    if (finished_ == splits_.size()) return PollStatus::end;
    auto& [split, at] = splits_[next_];
    auto batch = output.acquire(split);
    if (batch == nullptr) return PollStatus::more;
    fill(*batch, at);
    at += batch->rows;
    output.submit(std::move(batch));
    if (at == kRowsPerSplit) {
      output.finished(split);
      ++finished_;
    }
    next_ = (next_ + 1) % splits_.size();
    return PollStatus::more;
  }
  Status pause_or_resume_splits(std::span<const SplitId>, std::span<const SplitId>) override { return {}; }
  Result<std::string> snapshot_split(SplitId) override { return std::string("position"); }
  Status notify_checkpoint_complete(uint64_t) override { return {}; }
  void wake_up() noexcept override {}

 private:
  // A millisecond of event time per row, seven regions, an amount of four places: the rows of run.sh.
  void fill(Batch& batch, uint64_t at) const {
    batch.rows = batch_rows_;
    std::memset(batch.op, static_cast<int>(Op::insert), batch_rows_);
    for (const uint32_t column : {0U, 1U}) {
      std::memset(batch.mutable_columns()[column].validity, 0xff, (batch_rows_ + 7) / 8);
    }
    TIDEMARK_CHECK(batch.grow_heap(kRegions.size()));
    std::memcpy(batch.heap, kRegions.data(), kRegions.size());
    batch.heap_used = kRegions.size();
    auto* region = static_cast<Slice*>(batch.mutable_columns()[0].values);
    auto* amount = static_cast<int64_t*>(batch.mutable_columns()[1].values);
    for (uint32_t row = 0; row < batch_rows_; ++row) {
      batch.event_time_us[row] = static_cast<Micros>(at + row) * kMicrosPerMilli;
      batch.sequence[row] = at + row;
      batch.origin[row] = kNoOrigin;
      region[row] = {static_cast<uint32_t>((at + row) * 31 % 7 * kRegionSize), kRegionSize};
      amount[row] = static_cast<int64_t>((at + row) * 7919 % 100'000);
    }
  }

  uint32_t batch_rows_;
  std::vector<std::pair<SplitId, uint64_t>> splits_;
  size_t next_ = 0;
  size_t finished_ = 0;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(uint32_t batch_rows) : batch_rows_(batch_rows) {}

  Result<Schema> schema() override { return Schema(); }
  Result<Discovery> discover() override {
    Discovery out;
    for (uint32_t split = 0; split < kSplits; ++split) out.splits.push_back({"shard" + std::to_string(split), ""});
    out.complete = true;
    return out;
  }
  Result<std::unique_ptr<Reader>> open_reader(const Projection&, ReaderHost) override {
    return std::unique_ptr<Reader>(std::make_unique<MemoryReader>(batch_rows_));
  }
  bool can_pause_splits() const noexcept override { return true; }
  bool is_bounded() const noexcept override { return true; }

 private:
  uint32_t batch_rows_;
};

class CountingSink final : public Sink {
 public:
  Status open(std::shared_ptr<const BatchLayout>, std::string_view) override { return {}; }
  Status write(const Batch&, uint32_t) override {
    ++rows_;
    return {};
  }
  Result<std::string> flush(uint64_t) override { return std::string(); }
  Status finish() override { return {}; }
  uint64_t rows_written() const override { return rows_; }

 private:
  uint64_t rows_ = 0;
};

JobPlan make_plan() {
  JobPlan plan;
  plan.name = "bench";
  plan.cores = kCores;
  plan.checkpoint_interval_us = kMicrosPerSecond;
  SourcePlan source;
  source.id = "memory";
  source.layout.columns = {{"region", ColumnType::text, 0, 0, true, ""},
                           {"amount", ColumnType::decimal64, 18, 4, true, ""}};
  source.projection = {0, 1};
  source.watermark.strategy.max_out_of_orderness_us = 10 * kMicrosPerSecond;
  source.watermark.idle_timeout_us = 30 * kMicrosPerSecond;
  source.watermark.alignment = AlignmentPlan{"all", {3600 * kMicrosPerSecond, kMicrosPerSecond}};
  source.program.selections = {RowSelection{}};
  plan.sources.push_back(std::move(source));
  AggregatePlan totals;
  totals.sources = {0};
  totals.spec.id = "totals";
  totals.spec.window.size_us = kMicrosPerSecond;
  totals.spec.key_columns = {0};
  totals.spec.columns = {{"n", AggregateFunction::count_all, -1},
                         {"amount", AggregateFunction::sum, 1},
                         {"least", AggregateFunction::min, 1},
                         {"most", AggregateFunction::max, 1}};
  totals.keys = {"region"};
  totals.arguments = {"", "amount", "amount", "amount"};
  plan.aggregates.push_back(std::move(totals));
  plan.sinks.push_back({"out", SinkKind::standard_output, 0, {}, FileFormat::ndjson, {}});
  return plan;
}

// A push and a pop of a change, as they are on one thread.
double seconds_per_lane_entry() {
  Lane<LaneEntry> lane(SIZE_MAX);
  lane.set_wakers([] {}, [] {});
  constexpr int kEntries = 1'000'000;
  const auto begin = Watch::now();
  for (int i = 0; i < kEntries; i += 16) {
    for (uint32_t split = 0; split < 16; ++split) lane.push(SplitChange{split, i, SplitState::active}, kControlWeight);
    for (int entry = 0; entry < 16; ++entry) TIDEMARK_CHECK(lane.pop().has_value());
  }
  return seconds_since(begin) / kEntries;
}

struct Measured {
  double seconds = 0;
  uint64_t rows = 0;
  double watermark_seconds = 0;
  WatermarkCalls calls;
  double share() const { return watermark_seconds / seconds; }
};

// Turns the components until the job has ended.
Measured run_graph(const JobPlan& plan, const std::vector<Source*>& sources, double lane_entry_seconds) {
  const SystemClock clock;
  const auto store = make_memory_epoch_store();
  JobCounters counters;
  JobGraph::Inputs inputs;
  inputs.sources = sources;
  for (size_t sink = 0; sink < plan.sinks.size(); ++sink) inputs.sinks.push_back(std::make_unique<CountingSink>());
  inputs.store = store.get();
  inputs.clock = &clock;
  inputs.counters = &counters;
  auto graph = JobGraph::create(plan, std::move(inputs)).value();
  std::vector<Component*> components;
  for (uint32_t core = 0; core < graph->cores(); ++core) {
    for (Component* component : graph->components_of(core)) components.push_back(component);
  }
  components.push_back(&graph->committer());

  std::atomic<bool> done = false;
  std::thread asker([&] {  // as a scrape of the metrics does
    for (int tenth = 1; !done; ++tenth) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (tenth % 10 == 0) graph->status(100 * kMicrosPerMilli);
    }
  });
  watermark_calls() = {};
  const auto begin = Watch::now();
  for (size_t running = components.size(); running > 0;) {
    running = 0;
    for (Component* component : components) running += component->step().value() == Progress::done ? 0 : 1;
  }
  Measured out;
  out.seconds = seconds_since(begin);
  out.calls = watermark_calls();
  out.rows = counters.rows_read.load();
  done = true;
  asker.join();
  const double lanes = static_cast<double>(out.calls.changes) * graph->cores() * lane_entry_seconds;
  out.watermark_seconds = lanes;
  for (const auto spent : out.calls.spent) out.watermark_seconds += std::chrono::duration<double>(spent).count();
  return out;
}

// The median by share.
double measure(const char* name, const std::function<Measured()>& run) {
  std::vector<Measured> rounds;
  for (int round = 0; round < kRounds; ++round) rounds.push_back(run());
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end(),
                   [](const Measured& a, const Measured& b) { return a.share() < b.share(); });
  const Measured& median = rounds[kRounds / 2];
  std::printf("%-24s %6.2f M rows/s   %7llu changes of splits   watermarks  %.2f %%\n", name,
              static_cast<double>(median.rows) / median.seconds / 1e6,
              static_cast<unsigned long long>(median.calls.changes), 100 * median.share());
  for (size_t work = 0; work < kWatermarkWork.size(); ++work) {
    const double spent = std::chrono::duration<double>(median.calls.spent[work]).count();
    std::printf("  %-22s %9llu calls   %7.0f ns each   %5.2f %%\n", kWatermarkWork[work],
                static_cast<unsigned long long>(median.calls.count[work]),
                1e9 * spent / static_cast<double>(std::max<uint64_t>(1, median.calls.count[work])),
                100 * spent / median.seconds);
  }
  return median.share();
}

int measure_memory(double lane_entry_seconds) {
  const JobPlan plan = make_plan();
  for (const uint32_t batch_rows : {4096U, 1024U, 256U}) {
    const std::string name = "batches of " + std::to_string(batch_rows) + " rows";
    measure(name.c_str(), [&] {
      MemorySource source(batch_rows);
      const Measured out = run_graph(plan, {&source}, lane_entry_seconds);
      TIDEMARK_CHECK(out.rows == kSplits * kRowsPerSplit);
      return out;
    });
  }
  return 0;
}

int measure_job(const char* path, double lane_entry_seconds) {
  config::LoadResult loaded = config::load_job(path, {});
  TIDEMARK_CHECK(loaded.spec);
  std::filesystem::current_path(loaded.spec->base_dir);
  const PluginCatalog catalog = PluginCatalog::scan(job_plugin_places(&*loaded.spec));
  const double share = measure("the benchmark", [&] {
    JobSources sources = open_job_sources(*loaded.spec, catalog, AbsentInput::is_error, loaded.diagnostics);
    TIDEMARK_CHECK(!loaded.diagnostics.has_errors());
    const JobPlan plan = build_plan(*loaded.spec, sources.schemas, kCores).value();
    std::vector<Source*> opened;
    for (const auto& source : sources.sources) opened.push_back(source.get());
    return run_graph(plan, opened, lane_entry_seconds);
  });
  if (share < kShareMax) return 0;
  std::printf("watermarks must take less than %.0f %% of the time\n", 100 * kShareMax);
  return 1;
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  using namespace tidemark::bench;
  const double lane_entry_seconds = seconds_per_lane_entry();
  return argc > 1 ? measure_job(argv[1], lane_entry_seconds) : measure_memory(lane_entry_seconds);
}
