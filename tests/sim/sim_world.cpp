// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/sim/sim_world.hpp"

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"

namespace tidemark::test {

using core::Micros;

namespace {

constexpr uint64_t kStepsAtOnceMax = 200'000;  // without any time passing: a livelock
constexpr uint64_t kStepsMax = 20'000'000;
constexpr uint64_t kSleepsInVainMax = 20'000;  // epochs and ticks go on for ever, also in a job that hangs

}  // namespace

SimWorld::SimWorld(SimJob job, SimOptions options)
    : job_(std::move(job)),
      options_(std::move(options)),
      random_(options_.seed),
      scheduler_(clock_, random_.fork()),
      audit_(job_),
      facts_(job_),
      store_(std::make_unique<SimStore>()) {
  for (size_t i = 0; i < job_.plan.sinks.size(); ++i) contents_.push_back(std::make_shared<SinkContent>());
  store_->on_commit = [this](core::EpochStore& store) { audit_.after_commit(store); };
  store_->forgets = options_.store_forgets;
  counters_ = std::make_unique<core::JobCounters>();
}

SimWorld::~SimWorld() {
  destroy();
  if (ValveWatch::current == &watch_) ValveWatch::current = nullptr;
}

void SimWorld::fail(const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = "seed " + std::to_string(options_.seed) + ", step " + std::to_string(steps_) + ", process " +
             std::to_string(processes_) + " on " + std::to_string(job_.plan.cores) + " cores: " + what;
}

// Valves take their options from one of their sources, so the watch knows them when all sources have the same.
void SimWorld::begin_watch() {
  const core::MergeOptions options = job_.plan.sources.front().watermark.merging;
  watched_ = std::all_of(job_.plan.sources.begin(), job_.plan.sources.end(), [&](const auto& source) {
    const core::MergeOptions& other = source.watermark.merging;
    return other.on_resume == options.on_resume && other.all_idle == options.all_idle;
  });
  ValveWatch::current = watched_ ? &watch_ : nullptr;
  watch_.begin(options, [this](uint32_t id) {
    const core::SplitInfo& split = graph_->splits()[id];
    return facts_.of(split.source, split.name, sources_[split.source]->facts(split.name), clock_.now());
  });
}

void SimWorld::start() {
  if (graph_ != nullptr || ended_ || !failure_.empty()) return;
  job_.plan.cores = options_.cores[std::min<size_t>(processes_, options_.cores.size() - 1)];
  if (options_.panes_bytes_max > 0) job_.plan.memory.panes = random_.below(options_.panes_bytes_max);
  ++processes_;
  clock_.restart_monotonic_at(random_.between(1, 1'000'000'000));
  counters_ = std::make_unique<core::JobCounters>();
  sources_.clear();
  core::JobGraph::Inputs inputs;
  for (const SourceScript& script : job_.scripts) {
    const ScriptOptions how{.seed = random_.below(UINT64_MAX),
                            .batch_rows_max = options_.batch_rows_max,
                            .one_batch_per_poll = options_.one_batch_per_poll};
    sources_.push_back(std::make_unique<ScriptedSource>(script, clock_, how));
    inputs.sources.push_back(sources_.back().get());
  }
  for (const auto& content : contents_) inputs.sinks.push_back(std::make_unique<SimSink>(content));
  inputs.store = store_.get();
  inputs.clock = &clock_;
  inputs.counters = counters_.get();
  inputs.wake_core = [this](uint32_t core) { scheduler_.wake_core(core); };
  inputs.wake_committer = [this] { scheduler_.wake_committer(); };
  inputs.wake_enumerator = [this] { scheduler_.wake_enumerator(); };
  inputs.limits = options_.limits;
  begin_watch();
  auto graph = core::JobGraph::create(job_.plan, std::move(inputs));
  if (!graph) return fail("start: " + graph.status().message());
  graph_ = std::move(*graph);
  if (graph_->restored_epoch() != audit_.epoch()) return fail("restored another epoch than the committed one");
  if (graph_->was_finished()) {
    ended_ = true;
    return;
  }
  resumes_ += graph_->restored_epoch() > 0 ? 1 : 0;
  watermark_ = counters_->watermark.load();
  scheduler_.attach(*graph_);
}

void SimWorld::destroy() {
  scheduler_.detach();
  graph_.reset();
  sources_.clear();
}

void SimWorld::crash() {
  destroy();
  for (const auto& content : contents_) content->lose_tail(random_.below(content->lines.size() + 1));
  written_ahead_ += store_->written_ahead;
  store_ = std::make_unique<SimStore>(*store_, 0);
}

// All components are done: the input has ended, or the job was asked to stop.
void SimWorld::end_process() {
  ended_ = graph_->committer().finished();
  destroy();
}

void SimWorld::stop() {
  start();
  if (graph_ != nullptr) graph_->coordinator().request_stop();
  while (graph_ != nullptr && failure_.empty() && step()) {
  }
}

void SimWorld::disturb() {
  if (options_.stalls && random_.below(400) == 0) {
    scheduler_.hold_any(clock_.now() + random_.between(1, 5 * core::kMicrosPerSecond));
  }
  if (random_.below(500) == 0)
    clock_.jump_wall(random_.between(-core::kMicrosPerSecond * 3600, core::kMicrosPerSecond * 3600));
  if (options_.crashes + options_.stops == 0 || random_.below(options_.steps_to_restart) != 0) return;
  if (random_.below(options_.crashes + options_.stops) < options_.stops) {
    --options_.stops;
    graph_->coordinator().request_stop();
    return;
  }
  --options_.crashes;
  if (random_.chance(60)) return crash();
  if (random_.chance(30)) {
    store_->dies_at_write_ahead = 1;
    return;
  }
  store_->dies_at_commit = 1;  // inside the next commit
  store_->dies_after_write = random_.chance(50);
}

void SimWorld::run_component(core::Component& component) {
  ++steps_;
  ++steps_at_this_time_;
  ValveWatch::current = watched_ ? &watch_ : nullptr;  // worlds may run in turn
  auto progress = component.step();
  if (!progress) {
    if (store_->has_died()) return crash();
    return fail(component.name() + ": " + progress.status().message());
  }
  if (*progress == core::Progress::idle && component.next_wake_us() <= clock_.monotonic_us()) {
    fail(component.name() + " is idle and yet wants to be stepped at once: its core would spin");
  }
  scheduler_.report(*progress);
  if (options_.step_cost_us_max > 0) {
    clock_.advance(random_.between(0, options_.step_cost_us_max));
    steps_at_this_time_ = 0;
  }
  check_step();
}

void SimWorld::check_step() {
  const Micros watermark = counters_->watermark.load();
  if (watermark < watermark_) fail("the job's watermark fell");
  watermark_ = watermark;
  // (At the end of input workers need no word of their valves.)
  if (watermark > watch_.least_watermark() && watermark != core::kEndOfTime)
    fail("the job's watermark is above that of a worker");
  if (!watch_.violation().empty()) fail(watch_.violation());
  if (!audit_.violation().empty()) fail(audit_.violation());
  for (const auto& content : contents_) {
    if (!content->violation.empty()) fail("a sink: " + content->violation);
  }
  if (steps_at_this_time_ > kStepsAtOnceMax || steps_ > kStepsMax) {
    fail("steps without end: " + scheduler_.describe());
  }
}

bool SimWorld::sleep_until(Micros until) {
  Micros next = core::kEndOfTime;
  for (const auto& source : sources_) next = std::min(next, source->next_due_us());
  const uint64_t rows = counters_->rows_read.load();
  sleeps_in_vain_ = next == core::kEndOfTime && rows == rows_at_sleep_ ? sleeps_in_vain_ + 1 : 0;
  rows_at_sleep_ = rows;
  next = std::min(next, scheduler_.next_deadline());
  if (next == core::kEndOfTime || (sleeps_in_vain_ > kSleepsInVainMax && until == core::kEndOfTime)) return false;
  clock_.advance(std::max<Micros>(0, std::min(next, until) - clock_.now()));
  steps_at_this_time_ = 0;
  return true;
}

bool SimWorld::step() {
  start();
  if (ended_ || !failure_.empty()) return false;
  for (const auto& source : sources_) source->notify_due();
  core::Component* component = scheduler_.pick();
  if (component != nullptr) {
    run_component(*component);
    if (graph_ != nullptr && scheduler_.all_done()) {
      end_process();
    } else if (graph_ != nullptr && failure_.empty()) {
      disturb();
    }
    return true;
  }
  return sleep_until(core::kEndOfTime);
}

void SimWorld::run_until(Micros until) {
  start();
  while (!ended_ && failure_.empty() && clock_.now() < until) {
    for (const auto& source : sources_) source->notify_due();
    if (core::Component* component = scheduler_.pick()) {
      run_component(*component);
      if (graph_ != nullptr && scheduler_.all_done()) end_process();
    } else if (!sleep_until(until)) {
      clock_.advance(until - clock_.now());
    }
    start();
  }
}

std::string SimWorld::describe_sources() const {
  std::string out;
  for (const auto& source : sources_) out += source->describe();
  return out;
}

void SimWorld::run_to_end() {
  while (step()) {
  }
  if (!ended_ && failure_.empty()) {
    fail("the job stands still: " + scheduler_.describe() + describe_sources());
  }
  destroy();
  audit_.check_late(*store_);
  if (!audit_.violation().empty()) fail(audit_.violation());
  for (const auto& content : contents_) {
    if (!content->violation.empty()) fail("a sink: " + content->violation);
  }
}

}  // namespace tidemark::test
