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

namespace tidemark::core {
namespace {

constexpr int kEntriesPerStep = 16;
constexpr Micros kMinute = 60 * kMicrosPerSecond;
constexpr std::array<Micros, 10> kLateBounds{
    kMicrosPerSecond, 5 * kMicrosPerSecond, 15 * kMicrosPerSecond, kMinute,           5 * kMinute,
    15 * kMinute,     60 * kMinute,         6 * 60 * kMinute,      24 * 60 * kMinute, 7 * 24 * 60 * kMinute};

/// Of the workers that made the epoch, however many there are now.
FiredByGroup fired_by_group(const OperatorRecord& saved) {
  FiredByGroup out;
  out.fill(saved.fired);
  for (const FiredRange& range : saved.fired_ranges) {
    for (uint32_t group = range.first; group <= range.last && group < kKeyGroups; ++group) out[group] = range.fired;
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<WorkerComponent>> WorkerComponent::create(const JobPlan& plan, Wiring wiring) {
  auto worker = std::make_unique<WorkerComponent>(std::move(wiring));
  worker->at_barrier_.assign(worker->wiring_.inputs.size(), false);
  worker->late_pages_ = std::make_unique<LatePageWriter>(*worker->wiring_.clock, worker->wiring_.late_writer);
  for (const AggregatePlan& aggregate : plan.aggregates) {
    const SourcePlan& first = plan.sources[aggregate.sources.front()];
    auto stage = std::make_unique<Stage>();
    stage->valve = StatusWatermarkValve(first.watermark.merging);
    stage->valve.postpone_all_idle();
    if (first.watermark.merging.all_idle == AllIdlePolicy::advance) {
      stage->idle_advance.emplace(first.watermark.advance);
    }
    auto window = WindowOperator::create(aggregate.spec, std::make_shared<const BatchLayout>(first.layout));
    if (!window) return window.status();
    stage->window = std::move(*window);
    stage->pages = std::make_unique<PaneWriter>(aggregate.spec.operator_id);
    stage->late_by = LengthHistogram(kLateBounds);
    stage->late = aggregate.late;
    stage->sources = aggregate.sources;
    stage->valve.expect_more_channels(worker->wiring_.more_splits);
    if (const SplitId splits = worker->wiring_.splits->size(); splits > 0) worker->meet_split(*stage, splits - 1);
    worker->note_holder(*stage);
    worker->stages_.push_back(std::move(stage));
  }
  return worker;
}

Result<Progress> WorkerComponent::step() {
  if (wiring_.coordinator->ended()) return Progress::done;
  answer_status();
  Status status;
  bool advanced = false;
  if (Status moved = advance_idle(advanced); !moved) return moved.with_context(name_);
  if (Status moved = settle(advanced); !moved) return moved.with_context(name_);
  if (Status moved = tick(advanced); !moved) return moved.with_context(name_);
  int taken = 0;
  while (taken < kEntriesPerStep && wiring_.output->has_room() && take_entry(status)) {
    if (!status) return status.with_context(name_);
    ++taken;
  }
  return taken > 0 || advanced ? Progress::busy : Progress::idle;
}

Micros WorkerComponent::next_wake_us() const {
  Micros next = kEndOfTime;
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
Status WorkerComponent::settle(bool& advanced) {
  bool waiting = false;
  for (auto& stage : stages_) {
    stage->furthest = wiring_.shared->furthest(stage->window->spec().operator_id);  // before the lanes are looked at
    waiting = waiting || stage->furthest > stage->valve.watermark() ||
              (stage->valve.status() == StreamStatus::idle && !stage->settled);
  }
  if (!waiting || lanes_at_barrier_ > 0) return {};
  for (const Lane<LaneEntry>* lane : wiring_.inputs) {
    if (!lane->is_empty()) return {};
  }
  for (auto& stage : stages_) {
    Status moved = follow(*stage, stage->valve.catch_up_with(stage->furthest), advanced);
    if (!moved) return moved;
    if (stage->valve.status() != StreamStatus::idle || stage->settled) continue;
    stage->settled = true;
    moved = follow(*stage, stage->valve.settle_all_idle(), advanced);
    if (!moved) return moved;
  }
  return {};
}

// What a valve gives without an entry: the others may have nothing else to wake them.
Status WorkerComponent::follow(Stage& stage, const WatermarkOutput& output, bool& advanced) {
  if (!output.watermark) return {};
  advanced = true;
  return advance(stage, *output.watermark, true);
}

Status WorkerComponent::advance_idle(bool& advanced) {
  for (auto& stage : stages_) {
    if (!stage->idle_advance) continue;
    const auto target = stage->idle_advance->poll(wiring_.clock->monotonic_us());
    if (!target) continue;
    if (Status moved = follow(*stage, stage->valve.advance_idle_to(*target), advanced); !moved) return moved;
  }
  return {};
}

// What is due by the wall clock.
Status WorkerComponent::tick(bool& advanced) {
  const Micros now = wiring_.clock->wall_us();
  for (auto& stage : stages_) {
    const bool is_ahead = stage->window->is_ahead_of(now);
    if (!is_ahead && stage->window->next_tick_us() > now) continue;
    advanced = true;
    if (is_ahead) note_clock_back(*stage, now);
    std::vector<FiredRows> fired;
    if (Status ticked = stage->window->tick(now, fired); !ticked) return ticked;
    send(std::move(fired));
  }
  return {};
}

// Once in a process: every aggregate at every worker sees the same clock.
void WorkerComponent::note_clock_back(const Stage& stage, Micros now) {
  if (wiring_.counters->clock_back_told.exchange(true)) return;
  log_warn(
      fmt::format("aggregate {}: the wall clock was set back, to {}; windows by processing time that were open "
                  "are given now, and go on from there",
                  stage.window->spec().id, format_rfc3339(now)));
}

void WorkerComponent::observe_idle(Stage& stage) {
  if (!stage.idle_advance) return;
  const bool idle = stage.valve.status() == StreamStatus::idle;
  stage.idle_advance->observe(idle, wiring_.clock->monotonic_us(), wiring_.clock->wall_us());
}

bool WorkerComponent::take_entry(Status& status) {
  const size_t lanes = wiring_.inputs.size();
  for (size_t i = 0; i < lanes; ++i) {
    const size_t lane = (next_lane_ + i) % lanes;
    if (at_barrier_[lane]) continue;
    if (auto entry = wiring_.inputs[lane]->pop()) {
      next_lane_ = lane + 1;
      status = process(lane, std::move(*entry));
      return true;
    }
  }
  return false;
}

Status WorkerComponent::process(size_t lane, LaneEntry entry) {
  return std::visit(Overloaded{[this](const GroupedRows& rows) { return on_rows(rows); },
                               [this](const SplitChange& change) { return on_change(change); },
                               [this, lane](const Barrier& barrier) {
                                 at_barrier_[lane] = true;
                                 barrier_epoch_ = barrier.epoch;
                                 if (++lanes_at_barrier_ < wiring_.inputs.size()) return Status();
                                 lanes_at_barrier_ = 0;
                                 at_barrier_.assign(at_barrier_.size(), false);
                                 return seal(barrier_epoch_);
                               },
                               [this](const EndOfInput&) { return on_end_of_input(); }},
                    entry);
}

Status WorkerComponent::on_rows(const GroupedRows& rows) {
  Stage& stage = *stages_[rows.operator_id];
  const Micros now = wiring_.clock->wall_us();
  if (stage.window->is_ahead_of(now)) note_clock_back(stage, now);
  if (Status applied = stage.window->apply(rows, now, applied_); !applied) return applied;
  send(std::exchange(applied_.fired, {}));
  for (const LateGroup& group : applied_.late) {
    if (Status taken = take_late(stage, group); !taken) return taken;
  }
  if (late_pages_->bytes_waiting() > kLateBytesMax) wiring_.coordinator->ask_early();
  applied_.late.clear();  // lets go of the batches: they are the reader's credit
  return {};
}

Status WorkerComponent::take_late(Stage& stage, const LateGroup& group) {
  const SplitInfo& split = (*wiring_.splits)[group.batch->split];
  const bool late = group.why != LateGroup::Why::no_base;
  if (late && stage.late == LateRule::fail) return late_failure(stage, group, split);
  if (group.why == LateGroup::Why::too_late) {
    wiring_.counters->rows_late.fetch_add(group.rows.size(), std::memory_order_relaxed);
  }
  for (const uint32_t row : group.rows) {
    if (late) stage.late_by.add(saturating_sub(group.watermark, group.batch->event_times()[row]));
  }
  if (late && stage.late == LateRule::drop) return {};
  late_pages_->add(group, {.source = wiring_.source_ids[split.source],
                           .source_number = static_cast<uint16_t>(split.source),
                           .split = split.name,
                           .aggregate = stage.window->spec().id,
                           .holder = {},
                           .detail = {}});
  return {};
}

Status WorkerComponent::late_failure(const Stage& stage, const LateGroup& group, const SplitInfo& split) const {
  const uint32_t row = group.rows.front();
  const Origin* origin = group.batch->origin_of(row);
  const std::string place =
      origin == nullptr ? "" : fmt::format(", in {} at {}", group.batch->bytes_of(origin->file), origin->position);
  return {Code::data, fmt::format("aggregate {}: a row of {}{}, of {}, came too late for its window: the watermark was "
                                  "{}; raise max_out_of_orderness or allowed_lateness, or keep such rows apart with "
                                  "late = \"store\"",
                                  stage.window->spec().id, split.name, place,
                                  format_rfc3339(group.batch->event_times()[row]), format_rfc3339(group.watermark))};
}

// A new channel is active at once, so it holds or catches up by on_resume; it never moves the watermark.
void WorkerComponent::meet_split(Stage& stage, SplitId split) {
  for (auto next = static_cast<SplitId>(stage.has_split.size()); next <= split; ++next) {
    const uint32_t source = (*wiring_.splits)[next].source;
    const bool is_ours = std::find(stage.sources.begin(), stage.sources.end(), source) != stage.sources.end();
    stage.has_split.push_back(is_ours);
    if (is_ours) stage.valve.add_channel(next);
  }
}

Status WorkerComponent::on_change(const SplitChange& change) {
  for (auto& stage : stages_) {
    meet_split(*stage, change.split);
    if (!stage->has_split[change.split]) continue;
    const WatermarkOutput output = stage->valve.apply(change);
    stage->settled = false;
    observe_idle(*stage);
    note_holder(*stage);
    if (!output.watermark) continue;
    const bool others_may_differ = change.state == SplitState::idle;
    if (Status moved = advance(*stage, *output.watermark, others_may_differ); !moved) return moved;
  }
  return {};
}

Status WorkerComponent::on_end_of_input() {
  if (++ended_inputs_ < wiring_.inputs.size()) return {};
  for (auto& stage : stages_) {
    stage->valve.expect_more_channels(false);
    observe_idle(*stage);  // the clock moves it no more
    if (Status advanced = advance(*stage, kEndOfTime); !advanced) return advanced;
  }
  wiring_.output->push(WorkerEnded{}, kControlWeight);
  return {};
}

Status WorkerComponent::advance(Stage& stage, Micros watermark, bool tell_others) {
  wiring_.shared->reached(stage.window->spec().operator_id, watermark, tell_others);
  std::vector<FiredRows> fired;
  if (Status advanced = stage.window->advance(watermark, fired); !advanced) return advanced;
  send(std::move(fired));
  send_passed(stage);
  return {};
}

void WorkerComponent::send(std::vector<FiredRows> fired) {
  for (FiredRows& rows : fired) {
    const size_t weight = rows.rows->rows + kControlWeight;
    wiring_.output->push(std::move(rows), weight);
  }
}

// Windows by processing time do not wait for each other (their results are immediate), and tell event time.
void WorkerComponent::send_passed(const Stage& stage) {
  const AggregateSpec& spec = stage.window->spec();
  const Micros passed = spec.window.processing_time ? watermark_of(stage) : stage.window->complete();
  wiring_.output->push(ResultsPassed{spec.operator_id, passed}, kControlWeight);
}

Micros WorkerComponent::watermark_of(const Stage& stage) {
  const Micros fired = stage.window->watermark();
  return stage.window->spec().window.processing_time && fired != kEndOfTime ? stage.valve.watermark() : fired;
}

Status WorkerComponent::seal(uint64_t epoch) {
  WorkerSealed sealed;
  sealed.epoch = epoch;
  for (auto& stage : stages_) {
    for (const Micros pane_end : stage->window->take_closed()) {  // first: a pane may be there anew
      stage->pages->close(pane_end, wiring_.key_groups.first, wiring_.key_groups.last, sealed.writes);
    }
    stage->window->seal([&](const PaneChange& change) { stage->pages->write(change, epoch, sealed.writes); });
    sealed.operators.push_back(seal_of(*stage));
  }
  for (LateRecord& page : late_pages_->seal(epoch)) {
    sealed.writes.put(Family::late, std::move(page.key), std::move(page.value));
  }
  wiring_.output->push(std::move(sealed), kControlWeight);
  return {};
}

// Since when: the time for which the same split has been the holder without a break.
void WorkerComponent::note_holder(Stage& stage, Micros age_us) const {
  const std::optional<uint32_t> holder = stage.valve.holder();
  if (holder == stage.holder && age_us == 0) return;
  stage.holder = holder;
  stage.holder_since_us = wiring_.clock->monotonic_us() - age_us;
}

void WorkerComponent::restore_holder(Stage& stage, const OperatorRecord& saved) const {
  note_holder(stage);
  if (!stage.holder) return;
  const SplitInfo& split = (*wiring_.splits)[*stage.holder];
  const bool same = saved.holder_source == wiring_.source_ids[split.source] && saved.holder_split == split.name;
  if (same) note_holder(stage, saved.holder_us);
}

OperatorSeal WorkerComponent::seal_of(const Stage& stage) const {
  OperatorSeal out;
  out.operator_id = stage.window->spec().operator_id;
  out.watermark = watermark_of(stage);
  out.fired = stage.window->watermark();
  out.first_group = wiring_.key_groups.first;
  out.last_group = wiring_.key_groups.last;
  out.idle_age_us = stage.idle_advance ? stage.idle_advance->idle_age_us(wiring_.clock->monotonic_us()) : 0;
  out.counters = stage.window->counters();
  if (stage.holder) {
    const SplitInfo& split = (*wiring_.splits)[*stage.holder];
    out.holder_source = wiring_.source_ids[split.source];
    out.holder_split = split.name;
    out.holder_us = wiring_.clock->monotonic_us() - stage.holder_since_us;
  }
  return out;
}

void WorkerComponent::answer_status() {
  const uint64_t request = wiring_.board->requested();
  if (request == last_answered_) return;
  last_answered_ = request;
  const Micros now = wiring_.clock->monotonic_us();
  std::vector<WorkerFigures> figures;
  for (const auto& stage : stages_) {
    WorkerFigures one;
    one.watermark = stage->valve.watermark();
    one.all_idle = stage->valve.status() == StreamStatus::idle;
    one.holder = stage->holder;
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

void WorkerComponent::restore_valve(Stage& stage, Micros watermark, const std::vector<SplitChange>& splits) {
  ValveState state;
  state.watermark = watermark;
  state.more_expected = wiring_.more_splits;
  std::map<uint32_t, ValveChannel> channels;
  for (uint32_t split = 0; split < stage.has_split.size(); ++split) {
    if (stage.has_split[split]) channels[split] = {split, kNoTime, ChannelStatus::active, watermark == kNoTime};
  }
  for (const SplitChange& split : splits) {
    const auto channel = channels.find(split.split);
    if (channel == channels.end()) continue;
    const bool idle = split.state == SplitState::idle;
    channel->second = {split.split, split.watermark, idle ? ChannelStatus::idle : ChannelStatus::active,
                       !idle && split.watermark >= watermark};
  }
  state.idle = true;
  for (const auto& [split, channel] : channels) {
    state.idle = state.idle && channel.status == ChannelStatus::idle;
    state.channels.push_back(channel);
  }
  stage.valve.restore(state);
}

Status WorkerComponent::restore(EpochStore& store, const std::vector<OperatorRecord>& operators,
                                const std::vector<SplitChange>& splits) {
  for (auto& stage : stages_) {
    const uint16_t id = stage->window->spec().operator_id;
    for (const OperatorRecord& saved : operators) {
      if (saved.operator_id != id) continue;
      const FiredByGroup fired = fired_by_group(saved);
      const bool by_clock = stage->window->spec().window.processing_time;
      stage->window->restore_watermark(by_clock ? *std::max_element(fired.begin(), fired.end()) : saved.watermark,
                                       fired);
      restore_valve(*stage, saved.watermark, splits);
      if (stage->idle_advance && stage->valve.status() == StreamStatus::idle) {
        stage->idle_advance->restore(saved.idle_age_us, wiring_.clock->monotonic_us(), wiring_.clock->wall_us());
      }
      restore_holder(*stage, saved);
      if (wiring_.index == 0) stage->window->restore_counters(saved.counters);  // of all workers, kept by the first
    }
    if (wiring_.key_groups.is_empty()) continue;
    Status restored = stage->pages->restore(store, wiring_.key_groups.first, wiring_.key_groups.last,
                                            [&](Micros pane_end, std::string_view key, const EntryView& entry) {
                                              return stage->window->restore_entry(pane_end, key, entry);
                                            });
    if (!restored) return restored.with_context("restoring aggregate " + stage->window->spec().id);
  }
  for (auto& stage : stages_) {  // says where results stand, and fires what a slower worker had not fired
    const Micros watermark = watermark_of(*stage);
    if (watermark == kNoTime) continue;
    if (Status fired = advance(*stage, watermark); !fired) return fired;
  }
  return {};
}

}  // namespace tidemark::core
