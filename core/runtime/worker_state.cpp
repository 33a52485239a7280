// SPDX-License-Identifier: Apache-2.0
//
// WorkerComponent: what goes into an epoch and comes out of it.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/process_memory.hpp"
#include "core/runtime/worker_component.hpp"

namespace tidemark::core {
namespace {

constexpr uint64_t kRestoredBytesMax = uint64_t{16} << 20;  // of pages: rows should not wait for more
constexpr size_t kBytesOfRow = 256;                         // that may come with one, of all that it makes

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

Status WorkerComponent::seal(uint64_t epoch) {
  const Micros begun_us = wiring_.clock->monotonic_us();
  WorkerSealed sealed;
  sealed.epoch = epoch;
  for (auto& stage : stages_) {
    Status written =
        stage->pages->seal(*stage->window, epoch, wiring_.key_groups.first, wiring_.key_groups.last, sealed.writes);
    if (!written) return written.with_context("aggregate " + stage->spec().id);
    sealed.operators.push_back(seal_of(*stage));
    sealed.operators.back().fed = fed_[sealed.operators.size() - 1];
  }
  for (LateRecord& page : late_pages_->seal(epoch)) {
    sealed.writes.put(Family::late, std::move(page.key), std::move(page.value));
  }
  sealed.held_us = wiring_.clock->monotonic_us() - begun_us;
  wiring_.output->push(std::move(sealed), kControlWeight);
  if (has_left_) return_free_memory();
  return {};
}

// Looking at it goes over all tables, so rows that could be a small part of the memory are let through first.
bool WorkerComponent::is_memory_due() const noexcept {
  return rows_unmeasured_ > wiring_.memory_bytes / kBytesOfRow / 16;
}

// Half of the room is made at once: little by little, every few rows would make pages of their own. So would groups
// that leave because others, which may not, take it all.
Status WorkerComponent::make_room() {
  rows_unmeasured_ = 0;
  size_t bytes = 0;
  WorkerStage* largest = nullptr;
  size_t most = 0;
  for (const auto& stage : stages_) {
    const size_t own = stage->window->memory_bytes();
    bytes += own;
    if (!stage->may_leave || stage->window->is_firing() || own <= most) continue;
    largest = stage.get();
    most = own;
  }
  if (bytes <= wiring_.memory_bytes || largest == nullptr || most < wiring_.memory_bytes / 8) return {};
  const size_t excess = bytes - wiring_.memory_bytes / 2;
  Status left = largest->window->leave(most - std::min(most, excess));
  if (!left) return left.with_context("aggregate " + largest->spec().id);
  has_left_ = true;
  return_free_memory();
  return {};
}

// Since when: the time for which the same split or aggregate has been the holder without a break.
void WorkerComponent::note_holder(WorkerStage& stage, Micros age_us) const {
  const std::optional<uint32_t> holder = stage.input_holder();
  if (holder == stage.holder && age_us == 0) return;
  stage.holder = holder;
  stage.holder_since_us = wiring_.clock->monotonic_us() - age_us;
}

void WorkerComponent::restore_holder(WorkerStage& stage, const OperatorRecord& saved) const {
  note_holder(stage);
  if (!stage.holder) return;
  const auto [source, split] = holder_name(stage);
  if (saved.holder_source == source && saved.holder_split == split) note_holder(stage, saved.holder_us);
}

// The source and split, or the aggregate.
std::pair<std::string, std::string> WorkerComponent::holder_name(const WorkerStage& stage) const {
  if (stage.from_them) return {stages_[*stage.holder]->spec().id, {}};
  const SplitInfo& split = (*wiring_.splits)[*stage.holder];
  return {plan_.sources[split.source].id, split.name};
}

OperatorSeal WorkerComponent::seal_of(const WorkerStage& stage) const {
  OperatorSeal out;
  out.operator_id = stage.spec().operator_id;
  out.watermark = stage.watermark();
  out.fired = stage.window->watermark();
  out.first_group = wiring_.key_groups.first;
  out.last_group = wiring_.key_groups.last;
  out.idle_age_us = stage.idle_advance ? stage.idle_advance->idle_age_us(wiring_.clock->monotonic_us()) : 0;
  out.counters = stage.window->counters();
  if (stage.holder) {
    std::tie(out.holder_source, out.holder_split) = holder_name(stage);
    out.holder_us = wiring_.clock->monotonic_us() - stage.holder_since_us;
  }
  return out;
}

void WorkerComponent::restore_valve(WorkerStage& stage, Micros watermark, const std::vector<SplitChange>& splits) {
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

Status WorkerComponent::restore_panes(WorkerStage& stage) {
  PaneWriter::Restore visit;
  visit.entry = [&stage](Micros pane_end, std::string_view key, const EntryView& entry) {
    return stage.window->restore_entry(pane_end, key, entry);
  };
  if (stage.may_leave) {
    visit.leave = [&stage](Micros pane_end, uint32_t group) { return stage.window->restore_group(pane_end, group); };
    visit.bytes_max = std::min<uint64_t>(kRestoredBytesMax, wiring_.memory_bytes / 4);
  }
  Status restored = stage.pages->restore(wiring_.key_groups.first, wiring_.key_groups.last, visit);
  return restored ? restored : restored.with_context("restoring aggregate " + stage.spec().id);
}

Status WorkerComponent::restore(const std::vector<OperatorRecord>& operators, const std::vector<SplitChange>& splits) {
  for (auto& stage : stages_) {
    const uint16_t id = stage->spec().operator_id;
    for (const OperatorRecord& saved : operators) {
      if (saved.operator_id != id) continue;
      const FiredByGroup fired = fired_by_group(saved);
      const bool by_clock = stage->spec().window.processing_time;
      stage->window->restore_watermark(by_clock ? *std::max_element(fired.begin(), fired.end()) : saved.watermark,
                                       fired);
      if (stage->from_them) {
        stage->from_them->restore(saved.watermark);
      } else {
        restore_valve(*stage, saved.watermark, splits);
      }
      if (stage->idle_advance && stage->is_idle()) {
        stage->idle_advance->restore(saved.idle_age_us, wiring_.clock->monotonic_us(), wiring_.clock->wall_us());
      }
      restore_holder(*stage, saved);
      if (wiring_.index == 0) stage->window->restore_counters(saved.counters);  // of all workers, kept by the first
    }
    if (wiring_.key_groups.is_empty()) continue;
    if (Status restored = restore_panes(*stage); !restored) return restored;
  }
  rows_unmeasured_ = SIZE_MAX / 2;
  for (auto& stage : stages_) {  // says where results stand, and fires what a slower worker had not fired
    const Micros watermark = stage->watermark();
    if (watermark != kNoTime) advance(*stage, watermark, false);
  }
  return {};
}

}  // namespace tidemark::core
