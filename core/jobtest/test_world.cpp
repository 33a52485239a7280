// SPDX-License-Identifier: Apache-2.0
//
// See the header. Silences go in steps of the ingest side's tick, and exactly to what workers wait for in between.
#include "core/jobtest/test_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"
#include "core/batch/cell_text.hpp"
#include "core/jobtest/scripted_source.hpp"
#include "core/jobtest/virtual_clock.hpp"
#include "core/late/late_reader.hpp"
#include "core/observe/closing_warnings.hpp"
#include "core/runtime/job_graph.hpp"
#include "core/sink/sink_progress.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kRoundsMax = 1'000'000;                 // without any time passing
constexpr Micros kEndWaitMax = kMicrosPerSecond * 3600;  // virtual time in which ended input must come through

class CollectingSink final : public Sink {
 public:
  explicit CollectingSink(std::vector<ResultCells>& rows) : rows_(rows) {}

  Status open(std::shared_ptr<const BatchLayout>, std::string_view) override { return {}; }
  Status write(const Batch& rows, uint32_t row) override {
    ResultCells& cells = rows_.emplace_back();
    for (size_t column = 0; column < rows.columns().size(); ++column) {
      auto& cell = cells.emplace_back();
      if (rows.column(column).is_valid(row)) append_cell_text(rows, column, row, cell.emplace());
    }
    return {};
  }
  Result<std::string> flush(uint64_t) override { return encode(SinkProgress{rows_.size(), rows_.size()}); }
  Status finish() override { return {}; }
  uint64_t rows_written() const override { return rows_.size(); }

 private:
  std::vector<ResultCells>& rows_;
};

// As the ingest side ticks.
Micros tick_of(const JobPlan& plan) {
  Micros out = kMicrosPerSecond;
  for (const SourcePlan& source : plan.sources) {
    const WatermarkPlan& watermark = source.watermark;
    out = std::min(out, watermark.emit_interval_us);
    if (watermark.idle_timeout_us > 0) out = std::min(out, std::max<Micros>(watermark.idle_timeout_us / 10, 1));
    if (watermark.alignment) out = std::min(out, watermark.alignment->terms.update_interval_us);
  }
  return std::max<Micros>(out, 1);
}

// So long after the last change no clock of a split brings another; a plugin's generator may have clocks of its own.
Micros calm_of(const JobPlan& plan) {
  Micros out = 2 * kMicrosPerSecond;
  for (const SourcePlan& source : plan.sources) {
    const WatermarkPlan& watermark = source.watermark;
    if (watermark.generator) return kEndOfTime;
    out = std::max(out, saturating_add(watermark.idle_timeout_us, watermark.idle_timeout_us));
    if (watermark.alignment) {
      const AlignmentTerms& terms = watermark.alignment->terms;
      out = std::max(out, 2 * (terms.update_interval_us + terms.timeout_us));
    }
  }
  return out;
}

class TestWorld {
 public:
  TestWorld(const JobPlan& plan, const std::vector<Schema>& schemas, const TestScript& script)
      : plan_(plan),
        script_(script),
        clock_(script.wall_start_us),
        store_(make_memory_epoch_store()),
        tick_us_(tick_of(plan)),
        calm_us_(calm_of(plan)) {
    out_.results.resize(plan.aggregates.size());
    for (size_t i = 0; i < schemas.size(); ++i) {
      sources_.push_back(std::make_unique<ScriptedSource>(schemas[i], script.shards[i], clock_));
    }
  }

  TestOutcome run() {
    const LogCapture capture([this](LogLevel level, std::string_view message) {
      if (level == LogLevel::warning || level == LogLevel::error) out_.warnings.emplace_back(message);
    });
    out_.status = play();
    if (graph_ != nullptr) {
      for (std::string& one : closing_warnings(counters_, graph_->committer().last_epoch())) {
        out_.warnings.push_back(std::move(one));
      }
    }
    if (out_.status) out_.status = read_late();
    graph_.reset();
    return std::move(out_);
  }

 private:
  Status play() {
    if (Status started = start(); !started) return started;
    for (const ScriptStep& step : script_.steps) {
      if (Status done = carry_out(step); !done) return done;
    }
    return end();
  }

  Status start() {
    JobGraph::Inputs inputs;
    for (const auto& source : sources_) inputs.sources.push_back(source.get());
    for (const SinkPlan& sink : plan_.sinks) {
      inputs.sinks.push_back(std::make_unique<CollectingSink>(out_.results[sink.aggregate]));
    }
    inputs.store = store_.get();
    inputs.clock = &clock_;
    inputs.counters = &counters_;
    inputs.wake_core = [this](uint32_t) { woken_ = true; };
    inputs.wake_committer = [this] { woken_ = true; };
    auto graph = JobGraph::create(plan_, std::move(inputs));
    if (!graph) return graph.status();
    graph_ = std::move(*graph);
    components_ = graph_->components_of(0);
    ingest_ = components_.front();
    components_.push_back(&graph_->committer());
    return settle();
  }

  // Steps everything until a whole round brings nothing new. Time stands.
  Status settle() {
    moved_ = false;
    for (size_t round = 0; round < kRoundsMax; ++round) {
      woken_ = false;
      bool busy = false;
      for (Component* component : components_) {
        auto progress = component->step();
        if (!progress) return progress.status();
        busy |= *progress == Progress::busy;
      }
      if (!busy && !woken_) return {};
      moved_ = true;
    }
    return {Code::internal, "the job never comes to rest"};
  }

  // The ingest side's clocks need its ticks; once these bring nothing any more only the others' deadlines count.
  Status pass_time(Micros until) {
    Micros moved_us = clock_.monotonic_us();
    while (clock_.monotonic_us() < until) {
      const Micros now = clock_.monotonic_us();
      Micros next = now - moved_us < calm_us_ ? std::min(until, now + tick_us_) : until;
      for (const Component* component : components_) {
        const Micros wanted = component->next_wake_us();
        if (component != ingest_ && wanted > now) next = std::min(next, wanted);
      }
      clock_.advance_to(next);
      if (Status settled = settle(); !settled) return settled;
      if (moved_) moved_us = next;
    }
    return {};
  }

  Status carry_out(const ScriptStep& step) {
    using Kind = config::TestStep::Kind;
    if (step.kind == Kind::silence) return pass_time(saturating_add(clock_.monotonic_us(), step.time_us));
    for (const ShardRef& one : step.shards) {
      ScriptedSource& source = *sources_[one.source];
      switch (step.kind) {
        case Kind::rows:
          source.give(one.shard, step.rows);
          break;
        case Kind::watermark:
          source.give(one.shard, ScriptedSource::Watermark{step.time_us});
          break;
        case Kind::idle:
          source.give(one.shard, ScriptedSource::Idle{step.idle});
          break;
        case Kind::end:
          source.give(one.shard, ScriptedSource::End{});
          break;
        case Kind::silence:
          break;
      }
    }
    return settle();
  }

  // The input ends, or the job is stopped with its windows open. Shards that wait for others go on by the clock.
  Status end() {
    if (script_.ends) {
      for (size_t source = 0; source < sources_.size(); ++source) {
        for (uint32_t shard = 0; shard < script_.shards[source].size(); ++shard) {
          sources_[source]->give(shard, ScriptedSource::End{});
        }
      }
    } else {
      graph_->coordinator().request_stop();
    }
    if (Status settled = settle(); !settled) return settled;
    const Micros limit = saturating_add(clock_.monotonic_us(), kEndWaitMax);
    while (!graph_->coordinator().ended()) {
      if (clock_.monotonic_us() >= limit) return {Code::internal, "the job does not end with its input"};
      if (Status passed = pass_time(clock_.monotonic_us() + tick_us_); !passed) return passed;
    }
    return {};
  }

  Status read_late() {
    Status failed;
    Status scanned = store_->scan(Family::late, "", [&](std::string_view key, std::string_view value) {
      failed = visit_late_page(key, value, {}, [&](const LateItem& item) {
        out_.late.push_back(item);
        return true;
      });
      return failed.is_ok();
    });
    return failed ? scanned : failed;
  }

  const JobPlan& plan_;
  const TestScript& script_;
  VirtualClock clock_;
  std::unique_ptr<EpochStore> store_;
  JobCounters counters_;
  std::vector<std::unique_ptr<ScriptedSource>> sources_;
  std::unique_ptr<JobGraph> graph_;
  std::vector<Component*> components_;
  const Component* ingest_ = nullptr;  // one of them
  Micros tick_us_;
  Micros calm_us_;
  bool woken_ = false;
  bool moved_ = false;  // by the last settle()
  TestOutcome out_;
};

}  // namespace

JobPlan test_plan(JobPlan plan) {
  for (SourcePlan& source : plan.sources) {  // rows of tests are whole, and no test truncates
    source.keeps = {};
    source.layout.partial = false;
  }
  plan.cores = 1;
  plan.checkpoint_interval_us = kEndOfTime;
  plan.sinks.clear();
  for (uint32_t i = 0; i < plan.aggregates.size(); ++i) {
    SinkPlan& sink = plan.sinks.emplace_back();
    sink.id = plan.aggregates[i].spec.id;
    sink.aggregate = i;
  }
  return plan;
}

TestOutcome run_script(const JobPlan& plan, const std::vector<Schema>& schemas, const TestScript& script) {
  return TestWorld(plan, schemas, script).run();
}

}  // namespace tidemark::core
