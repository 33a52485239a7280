// SPDX-License-Identifier: Apache-2.0
//
// The worker's step: a bounded number of lane entries, round-robin over lanes that are not waiting at a barrier.
// Results and the watermark that they belong to leave in order, so the committer can tell what is complete.
#include "core/runtime/worker_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/log.hpp"
#include "core/base/overloaded.hpp"
#include "core/runtime/late_contexts.hpp"

namespace tidemark::core {
namespace {

constexpr int kEntriesPerStep = 16;
constexpr int kPortionsPerStep = 16;  // of results that are due, a batch each
constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr Micros kHour = 60 * kMinute;
constexpr std::array<Micros, 10> kLateBounds{
    kMicrosPerSecond, 5 * kMicrosPerSecond, 15 * kMicrosPerSecond, kMinute, 5 * kMinute, 15 * kMinute, kHour,
    6 * kHour,        24 * kHour,           Micros{7} * 24 * kHour};

struct Popped {
  size_t lane;
  LaneEntry entry;
};

// Of the first lane from `next` on, around the ring, that has an entry and is not waiting; `next` goes on behind it.
template <typename IsWaiting>
std::optional<Popped> pop_in_turn(std::span<Lane<LaneEntry>* const> lanes, size_t& next, const IsWaiting& is_waiting) {
  for (size_t i = 0; i < lanes.size(); ++i) {
    const size_t lane = (next + i) % lanes.size();
    if (is_waiting(lane)) continue;
    if (auto entry = lanes[lane]->pop()) {
      next = lane + 1;
      return Popped{lane, std::move(*entry)};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<WorkerComponent>> WorkerComponent::create(const JobPlan& plan, Wiring wiring) {
  auto worker = std::make_unique<WorkerComponent>(plan, std::move(wiring));
  worker->at_barrier_.assign(worker->wiring_.inputs.size(), false);
  worker->late_pages_ = std::make_unique<LatePageWriter>(*worker->wiring_.clock, worker->wiring_.late_writer);
  worker->barriers_ = ResultBarriers(worker->wiring_.from_workers.size(), plan.depth());
  worker->fed_.resize(plan.aggregates.size());
  for (const AggregatePlan& aggregate : plan.aggregates) {
    if (Status added = worker->add_stage(aggregate); !added) return added;
  }
  return worker;
}

Status WorkerComponent::add_stage(const AggregatePlan& aggregate) {
  auto stage = std::make_unique<WorkerStage>();
  auto window = WindowOperator::create(aggregate.spec, std::make_shared<const BatchLayout>(plan_.input_of(aggregate)));
  if (!window) return window.status();
  stage->window = std::move(*window);
  stage->pages = std::make_unique<PaneWriter>(aggregate.spec.operator_id, *wiring_.store,
                                              [this] { return wiring_.coordinator->committed(); });
  stage->may_leave = stage->window->keep_groups_in(*stage->pages, wiring_.memory_bytes);
  stage->late_by = LengthHistogram(kLateBounds);
  stage->late = aggregate.late;
  if (aggregate.results) {
    const auto workers = static_cast<uint32_t>(wiring_.to_workers.size());
    auto feed = ResultFeed::create(plan_, aggregate.spec.operator_id, stage->window->output_layout(), wiring_.owners,
                                   workers, *late_pages_);
    if (!feed) return feed.status();
    stage->feed = std::move(*feed);
    stage->told.operator_id = aggregate.spec.operator_id;
  }
  stage->upstream = aggregate.upstream;
  stage->sources = aggregate.sources;
  if (!stage->upstream.empty()) {
    stage->from_them.emplace(stage->upstream.size(), wiring_.from_workers.size());
  } else {
    const WatermarkPlan& watermark = plan_.sources[aggregate.sources.front()].watermark;
    stage->valve = StatusWatermarkValve(watermark.merging);
    stage->valve.postpone_all_idle();
    if (watermark.merging.all_idle == AllIdlePolicy::advance) stage->idle_advance.emplace(watermark.advance);
    stage->valve.expect_more_channels(wiring_.more_splits);
    if (const SplitId splits = wiring_.splits->size(); splits > 0) meet_split(*stage, splits - 1);
  }
  note_holder(*stage);
  stages_.push_back(std::move(stage));
  return {};
}

Result<Progress> WorkerComponent::step() {
  if (wiring_.coordinator->ended()) return Progress::done;
  answer_status();
  portions_ = 0;
  if (!std::exchange(has_begun_, true)) {
    for (auto& stage : stages_) tell_readers(*stage);
  }
  if (late_pages_->bytes_waiting() > kLateBytesMax) wiring_.coordinator->ask_early();
  if (Status given = give_due(); !given) return given.with_context(name_);
  bool advanced = false;
  if (!barriers_.is_open() && !owes_results(Stages::all)) {
    advance_idle(advanced);
    settle(advanced);
    tick(advanced);
  }
  int taken = 0;
  for (; taken < kEntriesPerStep; ++taken) {
    Status status = give_due();
    if (status && !take_any(status)) break;
    if (!status) return status.with_context(name_);
  }
  const bool goes_on = portions_ >= kPortionsPerStep && owes_results(Stages::all);
  return taken > 0 || portions_ > 0 || advanced || goes_on ? Progress::busy : Progress::idle;
}

// Results first, and whether or not the other workers have room: a worker that did not take what it is sent while it
// cannot send itself could wait for one that waits for it. What has results to give takes no rows meanwhile.
bool WorkerComponent::take_any(Status& status) {
  if (!wiring_.output->has_room()) return false;
  if (!owes_results(Stages::chained) && take_result(status)) return true;
  return !owes_results(Stages::all) && workers_have_room() && take_entry(status);
}

bool WorkerComponent::owes_results(Stages which) const {
  return std::any_of(stages_.begin(), stages_.end(), [which](const auto& stage) {
    return stage->owes_results && (which == Stages::all || stage->from_them);
  });
}

// The results that watermarks and clocks made due, while there is room for them. Aggregates of aggregates do not wait
// for room at other workers, which may wait for them in turn; there are fewer results of results.
Status WorkerComponent::give_due() {
  for (auto& stage : stages_) {
    while (stage->owes_results && portions_ < kPortionsPerStep && wiring_.output->has_room() &&
           (stage->from_them || workers_have_room())) {
      ++portions_;
      std::vector<FiredRows> fired;
      if (Status given = stage->window->fire(kBatchRows, fired); !given) return given;
      if (Status sent = send(*stage, std::move(fired)); !sent) return sent;
      stage->owes_results = stage->window->is_firing();
      wiring_.output->push(ResultsPassed{stage->spec().operator_id, stage->passed()}, kControlWeight);
      tell_readers(*stage);
      if (stage->owes_results) continue;
      end_when_done();
    }
  }
  return {};
}

bool WorkerComponent::workers_have_room() const {
  return std::all_of(wiring_.to_workers.begin(), wiring_.to_workers.end(),
                     [](const auto* lane) { return lane->has_room(); });
}

Micros WorkerComponent::next_wake_us() const {
  Micros next = kEndOfTime;
  if (barriers_.is_open() || owes_results(Stages::all)) return next;
  for (const auto& stage : stages_) {
    if (stage->idle_advance) next = std::min(next, stage->idle_advance->next_us());
    const Micros tick = stage->window->next_tick_us();
    if (tick == kEndOfTime) continue;
    const Micros wait = std::max<Micros>(saturating_sub(tick, wiring_.clock->wall_us()), 0);
    next = std::min(next, saturating_add(wiring_.clock->monotonic_us(), wait));
  }
  return next;
}

// Lanes are not ordered among each other: that a split woke up may wait in one lane while another tells that the last
// of the others turned idle, and workers hear of idle splits in different orders. Once all lanes are empty, what was
// said before has been heard: every row that stood before another worker's watermark too, since rows are in all lanes
// before the change that covers them is in any.
void WorkerComponent::settle(bool& advanced) {
  bool waiting = false;
  for (auto& stage : stages_) {
    stage->furthest = wiring_.shared->furthest(stage->spec().operator_id);  // before the lanes are looked at
    waiting = waiting || stage->furthest > stage->input_watermark() ||
              (!stage->from_them && stage->is_idle() && !stage->settled);
  }
  if (!waiting || lanes_at_barrier_ > 0) return;
  for (const auto* lanes : {&wiring_.inputs, &wiring_.from_workers}) {
    if (std::any_of(lanes->begin(), lanes->end(), [](const auto* lane) { return !lane->is_empty(); })) return;
  }
  for (auto& stage : stages_) {
    if (stage->owes_results) continue;
    if (stage->from_them) {
      follow(*stage, stage->from_them->catch_up_with(stage->furthest), advanced);
      continue;
    }
    follow(*stage, stage->valve.catch_up_with(stage->furthest).watermark, advanced);
    if (stage->owes_results || !stage->is_idle() || stage->settled) continue;
    stage->settled = true;
    follow(*stage, stage->valve.settle_all_idle().watermark, advanced);
    tell_readers(*stage);
  }
}

// What an input gives without an entry: the others may have nothing else to wake them.
void WorkerComponent::follow(WorkerStage& stage, std::optional<Micros> watermark, bool& advanced) {
  if (!watermark) return;
  advanced = true;
  advance(stage, *watermark, true);
}

void WorkerComponent::advance_idle(bool& advanced) {
  for (auto& stage : stages_) {
    if (!stage->idle_advance) continue;
    const auto target = stage->idle_advance->poll(wiring_.clock->monotonic_us());
    if (target) follow(*stage, stage->valve.advance_idle_to(*target).watermark, advanced);
  }
}

// What is due by the wall clock.
void WorkerComponent::tick(bool& advanced) {
  const Micros now = wiring_.clock->wall_us();
  for (auto& stage : stages_) {
    if (stage->owes_results) continue;
    const bool is_ahead = stage->window->is_ahead_of(now);
    if (!is_ahead && stage->window->next_tick_us() > now) continue;
    advanced = true;
    if (is_ahead) note_clock_back(*stage, now);
    stage->window->move_clock(now);
    stage->owes_results = true;
  }
}

// Once in a process: every aggregate at every worker sees the same clock.
void WorkerComponent::note_clock_back(const WorkerStage& stage, Micros now) {
  if (wiring_.counters->clock_back_told.exchange(true)) return;
  log_warn(
      fmt::format("aggregate {}: the wall clock was set back, to {}; windows by processing time that were open "
                  "are given now, and go on from there",
                  stage.spec().id, format_rfc3339(now)));
}

void WorkerComponent::observe_idle(WorkerStage& stage) {
  if (!stage.idle_advance) return;
  const bool idle = stage.valve.status() == StreamStatus::idle;
  stage.idle_advance->observe(idle, wiring_.clock->monotonic_us(), wiring_.clock->wall_us());
}

bool WorkerComponent::take_entry(Status& status) {
  auto next = pop_in_turn(wiring_.inputs, next_lane_, [this](size_t lane) { return at_barrier_[lane]; });
  if (!next) return false;
  status = process(next->lane, std::move(next->entry));
  return true;
}

Status WorkerComponent::process(size_t lane, LaneEntry entry) {
  return std::visit(Overloaded{[this](const GroupedRows& rows) { return on_rows(rows); },
                               [this](const SplitChange& change) {
                                 on_change(change);
                                 return Status();
                               },
                               [this, lane](const Barrier& barrier) {
                                 at_barrier_[lane] = true;
                                 barrier_epoch_ = barrier.epoch;
                                 if (++lanes_at_barrier_ < wiring_.inputs.size()) return Status();
                                 barriers_.open();
                                 return pass_barriers();
                               },
                               [this](const EndOfInput&) {
                                 on_end_of_input();
                                 return Status();
                               },
                               [](const ResultsProgress&) { return Status(); }},
                    entry);
}

bool WorkerComponent::take_result(Status& status) {
  auto next =
      pop_in_turn(wiring_.from_workers, next_result_lane_, [this](size_t lane) { return barriers_.is_waiting(lane); });
  if (!next) return false;
  status = process_result(next->lane, std::move(next->entry));
  return true;
}

Status WorkerComponent::process_result(size_t lane, LaneEntry entry) {
  return std::visit(Overloaded{[this](const GroupedRows& rows) { return on_rows(rows); },
                               [this, lane](const ResultsProgress& progress) {
                                 on_progress(lane, progress);
                                 return Status();
                               },
                               [this, lane](const Barrier&) {
                                 barriers_.note(lane);
                                 return pass_barriers();
                               },
                               [](const SplitChange&) { return Status(); }, [](const EndOfInput&) { return Status(); }},
                    entry);
}

// From the first barrier until the seal nothing is read from the ingest side, so that what every stage has is what was
// before the barrier.
Status WorkerComponent::pass_barriers() {
  while (barriers_.is_open()) {
    const ResultBarriers::Next next = barriers_.next();
    if (next == ResultBarriers::Next::wait) return {};
    if (next == ResultBarriers::Next::send) {
      for (Lane<LaneEntry>* lane : wiring_.to_workers) lane->push(Barrier{barrier_epoch_}, kControlWeight);
      continue;
    }
    lanes_at_barrier_ = 0;
    at_barrier_.assign(at_barrier_.size(), false);
    if (Status sealed = seal(barrier_epoch_); !sealed) return sealed;
  }
  return {};
}

void WorkerComponent::on_progress(size_t worker, const ResultsProgress& progress) {
  for (auto& stage : stages_) {
    if (!stage->from_them) continue;
    const auto input = std::find(stage->upstream.begin(), stage->upstream.end(), progress.operator_id);
    if (input == stage->upstream.end()) continue;
    const auto number = static_cast<size_t>(input - stage->upstream.begin());
    const auto watermark = stage->from_them->note(number, worker, progress.watermark, progress.idle);
    note_holder(*stage);
    if (watermark) advance(*stage, *watermark, progress.idle);
    tell_readers(*stage);
  }
}

Status WorkerComponent::on_rows(const GroupedRows& rows) {
  WorkerStage& stage = *stages_[rows.operator_id];
  const Micros now = wiring_.clock->wall_us();
  if (stage.window->is_ahead_of(now)) note_clock_back(stage, now);
  if (Status applied = stage.window->apply(rows, now, applied_); !applied) return applied;
  if (Status sent = send(stage, std::exchange(applied_.fired, {})); !sent) return sent;
  for (const LateGroup& group : applied_.late) {
    if (Status taken = take_late(stage, group); !taken) return taken;
  }
  applied_.late.clear();  // lets go of the batches: they are the reader's credit
  rows_unmeasured_ += rows.rows.size();
  return is_memory_due() ? make_room() : Status();
}

Status WorkerComponent::take_late(WorkerStage& stage, const LateGroup& group) {
  const bool late = group.why != LateGroup::Why::no_base;
  if (late && stage.late == LateRule::fail) return late_failure(stage, group);
  if (group.why == LateGroup::Why::too_late) {
    wiring_.counters->rows_late.fetch_add(group.rows.size(), std::memory_order_relaxed);
  }
  for (const uint32_t row : group.rows) {
    if (late) stage.late_by.add(saturating_sub(group.watermark, group.batch->event_times()[row]));
  }
  if (late && stage.late == LateRule::drop) return {};
  if (const uint32_t number = group.batch->split; number >= kFirstResultSplit) {
    late_pages_->add(group, context_of_result(plan_, number - kFirstResultSplit, stage.spec().id));
  } else {
    const SplitInfo& split = (*wiring_.splits)[number];
    late_pages_->add(group, context_of_split(plan_, split.source, split.name, stage.spec().id));
  }
  return {};
}

Status WorkerComponent::late_failure(const WorkerStage& stage, const LateGroup& group) const {
  const uint32_t row = group.rows.front();
  const uint32_t number = group.batch->split;
  std::string what;
  if (number >= kFirstResultSplit) {
    what = "a result of " + stages_[number - kFirstResultSplit]->spec().id;
  } else {
    what = "a row of " + (*wiring_.splits)[number].name;
    const Origin* origin = group.batch->origin_of(row);
    if (origin != nullptr) what += fmt::format(", in {} at {}", group.batch->bytes_of(origin->file), origin->position);
  }
  return {Code::data, fmt::format("aggregate {}: {}, of {}, came too late for its window: the watermark was {}; raise "
                                  "max_out_of_orderness or allowed_lateness, or keep such rows apart with late = "
                                  "\"store\"",
                                  stage.spec().id, what, format_rfc3339(group.batch->event_times()[row]),
                                  format_rfc3339(group.watermark))};
}

// A new channel is active at once, so it holds or catches up by on_resume; it never moves the watermark.
void WorkerComponent::meet_split(WorkerStage& stage, SplitId split) {
  for (auto next = static_cast<SplitId>(stage.has_split.size()); next <= split; ++next) {
    const uint32_t source = (*wiring_.splits)[next].source;
    const bool is_ours = std::find(stage.sources.begin(), stage.sources.end(), source) != stage.sources.end();
    stage.has_split.push_back(is_ours);
    if (is_ours) stage.valve.add_channel(next);
  }
}

void WorkerComponent::on_change(const SplitChange& change) {
  for (auto& stage : stages_) {
    if (stage->from_them) continue;
    meet_split(*stage, change.split);
    if (!stage->has_split[change.split]) continue;
    const WatermarkOutput output = stage->valve.apply(change);
    stage->settled = false;
    observe_idle(*stage);
    note_holder(*stage);
    if (output.watermark) advance(*stage, *output.watermark, change.state == SplitState::idle);
    tell_readers(*stage);
  }
}

void WorkerComponent::on_end_of_input() {
  if (++ended_inputs_ < wiring_.inputs.size()) return;
  for (auto& stage : stages_) {
    if (stage->from_them) continue;
    stage->valve.expect_more_channels(false);
    observe_idle(*stage);  // the clock moves it no more
    advance(*stage, kEndOfTime, false);
  }
}

// Aggregates of aggregates end when those have, at every worker.
void WorkerComponent::end_when_done() {
  if (has_ended_ || ended_inputs_ < wiring_.inputs.size() || owes_results(Stages::all)) return;
  for (const auto& stage : stages_) {
    if (stage->window->watermark() != kEndOfTime) return;
  }
  has_ended_ = true;
  wiring_.output->push(WorkerEnded{}, kControlWeight);
}

void WorkerComponent::advance(WorkerStage& stage, Micros watermark, bool tell_others) {
  wiring_.shared->reached(stage.spec().operator_id, watermark, tell_others);
  stage.window->move_watermark(watermark);
  stage.owes_results = true;
}

Status WorkerComponent::send(WorkerStage& stage, std::vector<FiredRows> fired) {
  for (FiredRows& rows : fired) {
    if (stage.feed) {
      Status fed = stage.feed->send(rows, wiring_.clock->wall_us(), wiring_.to_workers, fed_);
      if (!fed) return fed;
      rows.replaced.clear();  // sinks have no use for them
    }
    const size_t weight = rows.rows->rows + kControlWeight;
    wiring_.output->push(std::move(rows), weight);
  }
  return {};
}

// Behind the results that it covers. That it is idle is told once the watermark is where that leaves it, and its
// results with it: what is idle is not waited for.
void WorkerComponent::tell_readers(WorkerStage& stage) {
  if (!stage.feed) return;
  const bool idle = !stage.owes_results && stage.is_idle() && (stage.from_them || stage.settled);
  const ResultsProgress now{stage.spec().operator_id, stage.passed(), idle || stage.has_no_input()};
  if (now == stage.told) return;
  stage.told = now;
  for (Lane<LaneEntry>* lane : wiring_.to_workers) lane->push(now, kControlWeight);
}

void WorkerComponent::answer_status() {
  const uint64_t request = wiring_.board->requested();
  if (request == last_answered_) return;
  last_answered_ = request;
  const Micros now = wiring_.clock->monotonic_us();
  std::vector<WorkerFigures> figures;
  for (const auto& stage : stages_) {
    WorkerFigures one;
    const size_t number = figures.size();
    one.watermark = stage->input_watermark();
    one.all_idle = stage->is_idle();
    (stage->from_them ? one.held_by : one.holder) = stage->holder;
    one.fed = fed_[number];
    one.holder_us = stage->holder ? now - stage->holder_since_us : 0;
    one.catching_up = stage->valve.catching_up_count();
    one.open_windows = stage->window->open_windows();
    one.waits_for_sinks = !wiring_.output->has_room();
    one.state_bytes = stage->window->memory_bytes();
    one.rows_aggregated = stage->window->counters().rows_aggregated;
    one.rows_late = stage->window->counters().rows_late;
    one.rows_set_aside = stage->window->counters().rows_no_base;
    one.results = stage->window->counters().results;
    one.late_by = stage->late_by;
    figures.push_back(std::move(one));
  }
  wiring_.board->publish_worker(wiring_.index, request, std::move(figures));
}

}  // namespace tidemark::core
