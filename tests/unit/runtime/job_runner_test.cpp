// SPDX-License-Identifier: Apache-2.0
//
// JobRunner with real threads over scripted sources: results, errors of any component, stopping, and many epochs.
// (Orders of steps are the simulator's subject; here threads, wake-ups and the end are.)
#include "core/runtime/job_runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "core/base/log.hpp"
#include "core/runtime/job_graph.hpp"
#include "core/state/records.hpp"
#include "tests/sim/epoch_audit.hpp"
#include "tests/sim/scripted_source.hpp"
#include "tests/sim/sim_sink.hpp"
#include "tests/sim/sim_store.hpp"

namespace tidemark::test {
namespace {

using core::AggregateFunction;
using core::ColumnType;
using core::Micros;
using core::Status;

constexpr Micros kSecond = core::kMicrosPerSecond;

/// `splits` splits of `rows` rows, one per second of event time, in 7 groups. They end when `ends` says so.
SimJob rows_job(uint32_t splits, int rows, Micros checkpoint_us, bool ends = true) {
  SimJob job;
  SourceScript script;
  script.columns = {column_of("k", ColumnType::text), column_of("v", ColumnType::int64)};
  for (uint32_t split = 0; split < splits; ++split) {
    SplitScript one;
    one.id = "split" + std::to_string(split);
    one.ends = ends;
    for (int i = 0; i < rows; ++i) {
      one.steps.push_back(script_row(i, {"key" + std::to_string(i % 7), std::to_string(i)}));
    }
    script.splits.push_back(std::move(one));
  }
  add_source(job, std::move(script), false, kSecond);
  add_aggregate(job, {0}, 60 * kSecond, {"k"}, {{AggregateFunction::count_all}, {AggregateFunction::sum, "v"}});
  job.plan.checkpoint_interval_us = checkpoint_us;
  job.plan.cores = 2;
  return job;
}

/// A sink whose target is away for some calls.
struct Faults {
  int flushes = 0;   ///< that fail
  int confirms = 0;  ///< the same of committed()
  uint32_t attempts = 0;
  uint64_t epochs_meanwhile = 0;  ///< stored ones, between the first failure and the last
};

class FailingSink final : public core::Sink {
 public:
  FailingSink(std::unique_ptr<core::Sink> sink, Faults& faults, const core::JobCounters& counters)
      : sink_(std::move(sink)), faults_(faults), counters_(counters) {}

  Status open(std::shared_ptr<const core::BatchLayout> layout, std::string_view progress) override {
    return sink_->open(std::move(layout), progress);
  }
  Status write(const core::Batch& rows, uint32_t row) override { return sink_->write(rows, row); }
  core::Result<std::string> flush(uint64_t epoch) override {
    if (Status away = fails(faults_.flushes); !away) return away;
    return sink_->flush(epoch);
  }
  Status committed() override { return fails(faults_.confirms); }
  Status finish() override { return sink_->finish(); }
  uint64_t rows_written() const override { return sink_->rows_written(); }
  core::SinkRetry retry() const override { return {faults_.attempts, 1000, 4000}; }

 private:
  Status fails(int& left) {
    if (left == 0) return {};
    if (!first_) first_ = counters_.epochs.load();
    faults_.epochs_meanwhile = counters_.epochs.load() - *first_;
    --left;
    return Status(core::Code::io, "the server is away").set_retryable();
  }

  std::unique_ptr<core::Sink> sink_;
  Faults& faults_;
  const core::JobCounters& counters_;
  std::optional<uint64_t> first_;
};

/// What outlives a process, and a process on real threads.
class Process {
 public:
  explicit Process(SimJob job) : job_(std::move(job)), audit_(job_), content_(std::make_shared<SinkContent>()) {
    store_.on_commit = [this](core::EpochStore& store) { audit_.after_commit(store); };
  }

  Status run(
      const ScriptOptions& script = {}, uint64_t sink_fails_at_row = 0,
      const std::function<bool()>& watch = [] { return true; }) {
    const core::SystemClock clock;
    core::JobRunner runner(job_.plan.cores, clock);
    ScriptedSource source(job_.scripts[0], script_clock_, script);
    core::JobGraph::Inputs inputs;
    inputs.sources = {&source};
    std::unique_ptr<core::Sink> sink = std::make_unique<SimSink>(content_, sink_fails_at_row);
    inputs.sinks.push_back(std::make_unique<FailingSink>(std::move(sink), faults_, counters_));
    inputs.store = &store_;
    inputs.clock = &clock;
    counters_.epochs = 0;
    inputs.counters = &counters_;
    inputs.wake_core = [&runner](uint32_t core) { runner.wake_core(core); };
    inputs.wake_committer = [&runner] { runner.wake_committer(); };
    inputs.wake_enumerator = [&runner] { runner.wake_enumerator(); };
    auto graph = core::JobGraph::create(job_.plan, std::move(inputs));
    if (!graph) return graph.status();
    restored_epoch_ = (*graph)->restored_epoch();
    was_finished_ = (*graph)->was_finished();
    if (was_finished_) return {};  // the epoch that could not be confirmed had all of the rows
    graph_ = graph->get();
    Status status = runner.run(**graph, watch);
    graph_ = nullptr;
    source_epoch_ = source.newest_epoch();
    return status;
  }

  void expect_all_results() {
    EXPECT_EQ(content_->lines, expected_lines(job_, 0));
    EXPECT_TRUE(content_->finished || was_finished_);
    EXPECT_TRUE(audit_.last().finished);
    EXPECT_EQ(audit_.violation(), "");
    EXPECT_EQ(content_->violation, "");
  }

  SimJob job_;
  EpochAudit audit_;
  SimStore store_;
  std::shared_ptr<SinkContent> content_;
  core::JobCounters counters_;
  Faults faults_;
  bool was_finished_ = false;
  SimClock script_clock_;
  uint64_t restored_epoch_ = 0;
  uint64_t source_epoch_ = 0;
  core::JobGraph* graph_ = nullptr;  ///< while it runs
};

TEST(JobRunner, two_cores_give_the_oracles_results) {
  Process process(rows_job(3, 3000, 10 * kSecond));
  Status status = process.run({.batch_rows_max = 200});
  ASSERT_TRUE(status.is_ok()) << status.message();
  process.expect_all_results();
  EXPECT_EQ(process.audit_.epoch(), 1U) << "the end's epoch";
  EXPECT_EQ(process.counters_.rows_read.load(), 9000U);
}

TEST(JobRunner, case_K04_an_epoch_waits_for_a_sink_that_fails) {
  for (Faults faults : {Faults{5, 0, 0}, Faults{0, 5, 0}, Faults{2, 3, 6}}) {
    Process process(rows_job(3, 2000, 5 * core::kMicrosPerMilli));
    process.faults_ = faults;
    Status status = process.run({.batch_rows_max = 100});
    ASSERT_TRUE(status.is_ok()) << status.message();
    process.expect_all_results();
    EXPECT_EQ(process.faults_.flushes + process.faults_.confirms, 0);
    EXPECT_EQ(process.faults_.epochs_meanwhile, 0U);
  }
}

TEST(JobRunner, case_K04_a_sink_that_keeps_failing_ends_the_job_and_moves_nothing) {
  Process process(rows_job(3, 2000, 5 * core::kMicrosPerMilli));
  process.faults_ = {100, 0, 3};
  const Status status = process.run({.batch_rows_max = 100});
  EXPECT_EQ(status.code(), core::Code::io);
  EXPECT_EQ(status.message(), "sink sink0: the server is away (tried 3 times); the job resumes from epoch 0");
  EXPECT_EQ(process.faults_.flushes, 97);
  EXPECT_EQ(process.source_epoch_, 0U) << "the sources were told of nothing";
  process.faults_ = {0, 100, 3};
  EXPECT_FALSE(process.run({.batch_rows_max = 100}).is_ok());
  EXPECT_EQ(process.source_epoch_, 0U) << "nor of an epoch that its target may lack";
  process.faults_ = {};
  ASSERT_TRUE(process.run({.batch_rows_max = 100}).is_ok());
  EXPECT_EQ(process.restored_epoch_, 1U);
  process.expect_all_results();
}

TEST(JobRunner, an_epoch_that_takes_too_long_is_told_once_with_what_it_waits_for) {
  SimJob job = rows_job(3, 2000, 5 * core::kMicrosPerMilli);
  job.plan.checkpoint_timeout_us = 30 * core::kMicrosPerMilli;
  Process process(std::move(job));
  process.faults_ = {40, 0, 0};
  core::set_log_level(core::LogLevel::warning);
  ::testing::internal::CaptureStderr();
  const Status status = process.run({.batch_rows_max = 100});
  const std::string log = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(status.is_ok()) << status.message();
  const size_t told = log.find("epoch 1 is not complete after 30ms: it waits for ");
  ASSERT_NE(told, std::string::npos) << log;
  EXPECT_EQ(log.find("epoch 1 is not complete", told + 1), std::string::npos) << log;
  process.expect_all_results();
}

TEST(JobRunner, a_stop_does_not_wait_for_a_sink_that_fails) {
  Process process(rows_job(3, 2000, 5 * core::kMicrosPerMilli, false));
  process.faults_ = {1'000'000, 0, 0};
  int looks = 0;
  const Status status = process.run({}, 0, [&] { return ++looks < 3; });
  EXPECT_NE(status.message().find("the job was stopped while it was being tried again"), std::string::npos);
}

TEST(JobRunner, whoever_asks_gets_the_status_while_the_cores_work) {
  Process process(rows_job(3, 2000, 20 * core::kMicrosPerMilli, false));
  core::JobStatus last;
  int asked = 0;
  const auto ask = [&] {
    last = process.graph_->status(10 * kSecond);
    Micros lowest = core::kEndOfTime;
    for (const core::SplitView& split : last.splits) lowest = std::min(lowest, split.status.watermark);
    const core::AggregateView& totals = last.aggregates[0];
    const bool all_there = last.rows_read == 6000 && last.epochs.last > 0 && totals.rows_aggregated == 6000 &&
                           totals.watermark == lowest && totals.open_windows == 1;
    return !all_there && ++asked < 300;
  };
  Status status = process.run({.batch_rows_max = 100}, 0, ask);
  ASSERT_TRUE(status.is_ok()) << status.message();
  ASSERT_EQ(last.rows_read, 6000U);
  ASSERT_EQ(last.splits.size(), 3U);
  Micros lowest = core::kEndOfTime;
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(last.splits[i].status.split, i);
    EXPECT_EQ(last.splits[i].name, "split" + std::to_string(i));
    EXPECT_GT(last.splits[i].status.times.life_us(), 0);
    lowest = std::min(lowest, last.splits[i].status.watermark);
  }
  const core::AggregateView& aggregate = last.aggregates.at(0);
  EXPECT_EQ(aggregate.watermark, lowest);
  EXPECT_TRUE(aggregate.holder.has_value());
  EXPECT_EQ(aggregate.rows_aggregated, 6000U);
  EXPECT_EQ(aggregate.open_windows, 1U) << "2000 s are 33 whole minutes and a part";
  EXPECT_EQ(aggregate.next_window_end, 34 * 60 * kSecond);
  EXPECT_EQ(last.sinks.at(0).results, aggregate.results);
  EXPECT_GT(last.epochs.committed, 0U);
}

TEST(JobRunner, an_epoch_every_millisecond) {
  Process process(rows_job(3, 4000, core::kMicrosPerMilli));
  Status status = process.run({.batch_rows_max = 3});
  ASSERT_TRUE(status.is_ok()) << status.message();
  process.expect_all_results();
  EXPECT_GT(process.audit_.epoch(), 5U);
  EXPECT_EQ(process.counters_.epochs.load(), process.audit_.epoch());
  EXPECT_GT(process.source_epoch_, 0U) << "sources hear of durable epochs";
}

TEST(JobRunner, an_error_of_a_source_ends_the_job_and_commits_nothing_of_its_epoch) {
  Process process(rows_job(2, 3000, 3600 * kSecond));
  Status status = process.run({.batch_rows_max = 50, .fails_after_rows = 1000});
  EXPECT_EQ(status.code(), core::Code::io);
  EXPECT_NE(status.message().find("source source0"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("the disk is gone"), std::string::npos) << status.message();
  EXPECT_EQ(process.audit_.epoch(), 0U);
  EXPECT_FALSE(process.content_->finished);
  process.content_->lose_tail(3);  // whatever reached the sink was of no epoch
  status = process.run();
  ASSERT_TRUE(status.is_ok()) << status.message();
  process.expect_all_results();
}

// A generator whose code fails after some rows, as a plugin's may; one per split.
class Tiring final : public core::WatermarkGenerator {
 public:
  explicit Tiring(std::string_view split) : split_(split) {}
  void on_batch(const core::RowTimes& rows) override { rows_ += rows.event_times.size(); }
  core::Micros periodic() const override { return core::kNoTime; }
  std::string snapshot() const override { return {}; }
  void restore(std::string_view) override {}
  core::Status failure() const override {
    return rows_ > 1000 ? core::Status(core::Code::plugin, "split " + split_ + " is tired") : core::Status();
  }

 private:
  std::string split_;
  size_t rows_ = 0;
};

TEST(JobRunner, an_error_of_a_watermark_generator_ends_the_job) {
  SimJob job = rows_job(2, 3000, 3600 * kSecond);
  std::atomic<int> made = 0;
  job.plan.sources[0].watermark.generator =
      [&made](std::string_view split) -> core::Result<std::unique_ptr<core::WatermarkGenerator>> {
    ++made;
    return std::unique_ptr<core::WatermarkGenerator>(std::make_unique<Tiring>(split));
  };
  Process process(job);
  const Status status = process.run({.batch_rows_max = 50});
  EXPECT_EQ(status.code(), core::Code::plugin);
  EXPECT_NE(status.message().find("source source0: split "), std::string::npos) << status.message();
  EXPECT_EQ(made.load(), 2) << "one per split";
  EXPECT_FALSE(process.content_->finished);
}

TEST(JobRunner, an_error_of_a_sink_ends_the_job_and_a_restart_is_exact) {
  Process process(rows_job(2, 3000, core::kMicrosPerMilli));
  Status status = process.run({.batch_rows_max = 20}, 100);
  EXPECT_EQ(status.code(), core::Code::io);
  EXPECT_NE(status.message().find("sink sink0"), std::string::npos) << status.message();
  EXPECT_FALSE(process.audit_.last().finished);
  EXPECT_LT(process.content_->lines.size(), 100U);
  status = process.run();
  ASSERT_TRUE(status.is_ok()) << status.message();
  process.expect_all_results();
}

TEST(JobRunner, an_error_of_the_store_ends_the_job) {
  Process process(rows_job(2, 500, core::kMicrosPerMilli));
  process.store_.dies_at_commit = 3;  // the job's record is the first
  Status status = process.run({.batch_rows_max = 5});
  EXPECT_EQ(status.message(), "state: simulated crash");
  EXPECT_EQ(process.audit_.epoch(), 1U);
}

TEST(JobRunner, stopping_makes_one_last_epoch_and_resumes_exactly) {
  Process process(rows_job(2, 2000, 3600 * kSecond, false));
  int polls = 0;
  Status status = process.run({}, 0, [&] { return ++polls < 2 || process.counters_.rows_read.load() < 4000; });
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(process.audit_.epoch(), 1U);
  EXPECT_FALSE(process.audit_.last().finished) << "the splits are open";
  EXPECT_EQ(process.audit_.last().rows_read, 4000U);
  EXPECT_TRUE(process.content_->finished);

  for (SplitScript& split : process.job_.scripts[0].splits) split.ends = true;
  status = process.run();
  ASSERT_TRUE(status.is_ok()) << status.message();
  EXPECT_EQ(process.restored_epoch_, 1U);
  EXPECT_EQ(process.audit_.last().rows_read, 4000U);
  process.expect_all_results();
}

}  // namespace
}  // namespace tidemark::test
