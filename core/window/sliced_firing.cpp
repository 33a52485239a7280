// SPDX-License-Identifier: Apache-2.0
//
// SlicedOperator: what time does. Windows that have fired before come first, then those that are due, then early
// results, so that what one move gives is ascending by window end. Restoring is here too, since it says what has
// fired.
#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/process_memory.hpp"
#include "core/window/firing_interval.hpp"
#include "core/window/sliced_operator.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {

void SlicedOperator::move_watermark(Micros watermark) {
  TIDEMARK_DCHECK(!is_firing());
  if (watermark < watermark_ || (by_processing_time() && watermark != kEndOfTime)) return;
  begin_move(watermark);
}

void SlicedOperator::move_clock(Micros wall_us) {
  TIDEMARK_DCHECK(!is_firing());
  wall_us_ = wall_us;
  complete_ = complete();
  parts_.push_back(Part::wall_intervals);
  if (is_ahead_of(wall_us)) {
    begin_clock_back(wall_us);
  } else if (by_processing_time() && wall_us > watermark_) {
    begin_move(wall_us);
  }
}

Status SlicedOperator::fire_step(std::vector<FiredRows>& fired) {
  if (writing_.window != nullptr) return write_some(fired);
  return go_on();
}

Micros SlicedOperator::next_tick_us() const {
  if (!by_processing_time() || windows_.empty()) return wall_due_;
  return std::min({wall_due_, event_due_, fire_time(windows_.begin()->first)});
}

bool SlicedOperator::is_ahead_of(Micros wall_us) const {
  if (!by_processing_time() || watermark_ == kEndOfTime) return false;
  const Micros latest = saturating_add(wall_us, kClockBackMax);
  return watermark_ > latest || (!windows_.empty() && windows_.rbegin()->second.range.start > latest);
}

// All but a global window, whose end no clock comes to. Their panes go with them, so none of their rows is in what is
// given again.
void SlicedOperator::begin_clock_back(Micros wall_us) {
  wall_us_ = wall_us;
  parts_.push_back(Part::clock_back);
  begin_move(fire_time(kEndOfTime) - 1);
}

void SlicedOperator::begin_move(Micros time) {
  complete_ = overdue_ ? kNoTime : watermark_;
  move_from_ = std::exchange(watermark_, time);
  recent_.fill(CachedPane{});
  parts_.insert(parts_.end(), {Part::close, Part::event_intervals, Part::on_time, Part::last_changes});
  next_window_ = kNoTime;
}

// Finds the next window that has results in the part in hand, or ends the part.
Status SlicedOperator::go_on() {
  Result<bool> found = false;
  switch (parts_.back()) {
    case Part::last_changes:
      found = find_last_changes();
      break;
    case Part::on_time:
      found = find_on_time();
      break;
    case Part::event_intervals:
      found = find_interval(true);
      break;
    case Part::wall_intervals:
      found = find_interval(false);
      break;
    case Part::close:
      close_windows();
      break;
    case Part::clock_back:
      watermark_ = wall_us_;
      restored_fired_.fill(kNoTime);
      least_fired_ = kNoTime;
      recent_.fill(CachedPane{});
      break;
  }
  if (!found) return found.status();
  if (*found) return Status::ok();
  parts_.pop_back();
  next_window_ = kNoTime;
  next_due_ = kEndOfTime;
  return Status::ok();
}

// Late rows that no interval or count has shown yet are shown before their window is forgotten.
bool SlicedOperator::find_last_changes() {
  for (auto at = windows_.lower_bound(next_window_); at != windows_.end() && is_closed(at->first); ++at) {
    Window& window = at->second;
    if (!window.fired || !window.pending) continue;
    next_window_ = saturating_add(at->first, 1);
    begin_pending(window);
    return true;
  }
  return false;
}

Result<bool> SlicedOperator::find_on_time() {
  if (next_window_ == kNoTime && !overdue_ && move_from_ != kNoTime) next_window_ = saturating_add(move_from_, 2);
  for (auto at = windows_.lower_bound(next_window_); at != windows_.end() && fire_time(at->first) <= watermark_; ++at) {
    if (at->second.fired) continue;
    next_window_ = at->first;  // looked at again, and passed over then
    if (Status begun = begin_on_time(at->second); !begun) return begun;
    return true;
  }
  overdue_ = false;
  return false;
}

bool SlicedOperator::find_interval(bool event_time) {
  const Micros now = event_time ? watermark_ : wall_us_;
  Micros& due = event_time ? event_due_ : wall_due_;
  if (next_window_ == kNoTime && due > now) return false;
  for (auto at = windows_.lower_bound(next_window_); at != windows_.end(); ++at) {
    Window& window = at->second;
    const Firing& rule = rule_of(window);
    if (rule.rule != FiringRule::every || rule.event_time != event_time) continue;
    if (window.pending && window.next_fire <= now) {
      next_window_ = saturating_add(at->first, 1);
      begin_pending(window);
      return true;
    }
    next_due_ = std::min(next_due_, window.next_fire);
  }
  due = next_due_;
  return false;
}

// Entries in memory are sorted as a whole, which takes about as much memory as they do.
constexpr size_t kEntryRefBytes = 2 * (sizeof(EntryRef) + 16);

bool SlicedOperator::is_streamed(const std::vector<Pane*>& slices) const {
  if (!panes_.may_leave()) return false;
  size_t entries = 0;
  for (const Pane* pane : slices) {
    if (pane->absent.any()) return true;
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      const PaneTable* table = pane->find_table(group);
      entries += table != nullptr ? table->size() : 0;
    }
  }
  return entries * kEntryRefBytes > bytes_max_ / 2;
}

// What is left of it in memory is stored first, so that all comes from one place.
Status SlicedOperator::begin_streamed(const std::vector<Pane*>& slices) {
  writing_.stream = std::make_unique<StreamedWindow>(layout_);
  for (Pane* pane : slices) {
    if (Status left = panes_.leave(*pane); !left) return left;
  }
  return_free_memory();
  for (const Pane* pane : slices) {
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      if (!pane->absent.test(group) || had_fired(group, writing_.window->range.end)) continue;
      std::vector<StoredRun> runs;
      if (Status opened = panes_.open(*pane, group, runs); !opened) return opened;
      writing_.stream->add(std::move(runs));
    }
  }
  return writing_.stream->next(entries_);
}

Status SlicedOperator::begin_on_time(Window& window) {
  const Micros end = window.range.end;
  entries_.clear();
  writing_ = {&window, FiringKind::on_time, nullptr, 0, nullptr};
  const std::vector<Pane*> slices = panes_.range(merges_ ? window.range.start : end - 1, end);
  if (is_streamed(slices)) return begin_streamed(slices);
  if (merges_) {
    writing_.merged = merge_slices(window);
    if (again_) {
      Pane& own = pane_at(end);
      for (uint32_t group = 0; group < kKeyGroups; ++group) {
        const PaneTable* table = writing_.merged->find_table(group);
        for (uint32_t entry = 0; table != nullptr && entry < table->size(); ++entry) {
          own.table(group).touch(hash_bytes(table->key(entry)), table->key(entry));
        }
      }
    }
  }
  Pane* shown = merges_ && !again_ ? writing_.merged.get() : panes_.find(end);
  if (shown != nullptr) collect(*shown, end);
  sort_by_key(entries_);
  return Status::ok();
}

void SlicedOperator::end_on_time(Window& window) {
  window.fired = true;
  window.pending = false;
  window.next_fire = kEndOfTime;
  ++counters_.panes_fired;
  if (again_) keep_left_out(window);
  complete_ = std::max(complete_, fire_time(window.range.end));
}

bool SlicedOperator::had_fired(uint32_t key_group, Micros window_end) const {
  return restored_fired_[key_group] >= fire_time(window_end);
}

// Their late changes may wait for an interval or a count.
void SlicedOperator::keep_left_out(Window& window) {
  const Pane* pane = panes_.find(window.range.end);
  if (pane == nullptr || spec_.emit.late.rule == FiringRule::never) return;
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    if (!had_fired(group, window.range.end)) continue;
    const PaneTable* table = pane->find_table(group);
    for (uint32_t entry = 0; table != nullptr && entry < table->size(); ++entry) {
      window.pending = window.pending || table->emission(entry)->pending;
    }
  }
  if (window.pending) arm_restored(window);
}

// Key groups whose worker had fired the window before a restart are left out.
void SlicedOperator::collect(Pane& pane, Micros window_end) {
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    PaneTable* table = pane.find_table(group);
    if (table == nullptr || had_fired(group, window_end)) continue;
    if (again_) pane.dirty.set(group);
    for (uint32_t entry = 0; entry < table->size(); ++entry) {
      if (again_ || !layout_.is_neutral(table->accumulators(entry))) entries_.emplace_back(*table, entry);
    }
  }
}

std::unique_ptr<Pane> SlicedOperator::merge_slices(const Window& window) const {
  auto out = std::make_unique<Pane>(layout_, window.range.end, window.range.end, KeptResult::none);
  for (const Pane* pane : panes_.range(window.range.start, window.range.end)) {
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      const PaneTable* table = pane->find_table(group);
      if (table == nullptr) continue;
      PaneTable& into = out->table(group);
      for (uint32_t entry = 0; entry < table->size(); ++entry) {
        const std::byte* row = table->accumulators(entry);
        if (layout_.is_neutral(row)) continue;
        const std::string_view key = table->key(entry);
        layout_.merge(into.accumulators(into.touch(hash_bytes(key), key)), row);
      }
    }
  }
  return out;
}

std::unique_ptr<Pane> SlicedOperator::merge_keys(const Window& window, const std::vector<EntryRef>& entries) const {
  auto out = std::make_unique<Pane>(layout_, window.range.end, window.range.end, KeptResult::none);
  const std::vector<Pane*> slices = panes_.range(window.range.start, window.range.end);
  for (const EntryRef& entry : entries) {
    const uint64_t hash = hash_bytes(entry.key);
    PaneTable& into = out->table(key_group_of(hash));
    const uint32_t at = into.touch(hash, entry.key);
    for (const Pane* pane : slices) {
      const PaneTable* table = pane->find_table(key_group_of(hash));
      const auto found = table == nullptr ? std::nullopt : table->lookup(hash, entry.key);
      if (found) layout_.merge(into.accumulators(at), table->accumulators(*found));
    }
  }
  return out;
}

void SlicedOperator::begin_pending(Window& window) {
  window.pending = false;
  window.next_fire = kEndOfTime;
  entries_.clear();
  if (Pane* pane = panes_.find(window.range.end)) {
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      PaneTable* table = pane->find_table(group);
      for (uint32_t entry = 0; table != nullptr && entry < table->size(); ++entry) {
        if (!table->emission(entry)->pending) continue;
        pane->dirty.set(group);
        entries_.emplace_back(*table, entry);
      }
    }
  }
  begin_changed(window);
}

/// entries_: the groups, in the window's own pane.
void SlicedOperator::begin_changed(Window& window) {
  const FiringKind kind = window.fired ? FiringKind::late : FiringKind::early;
  writing_ = {&window, kind, merges_ ? merge_keys(window, entries_) : nullptr, 0, nullptr};
  sort_by_key(entries_);
}

// A batch of the window in hand; after the last one the window is done.
Status SlicedOperator::write_some(std::vector<FiredRows>& fired) {
  const auto chunk =
      std::span(entries_).subspan(writing_.next, std::min<size_t>(kBatchRows, entries_.size() - writing_.next));
  groups_.clear();
  groups_.reserve(chunk.size());
  for (const EntryRef& entry : chunk) {
    DueGroup group{writing_.window->range, entry.key, entry.accumulators(), entry.table->emission(entry.entry),
                   entry.table->given_row(entry.entry)};
    if (writing_.merged != nullptr && again_) {
      const uint64_t hash = hash_bytes(entry.key);
      const PaneTable* table = writing_.merged->find_table(key_group_of(hash));
      const auto found = table == nullptr ? std::nullopt : table->lookup(hash, entry.key);
      group.accumulators = found ? table->accumulators(*found) : nullptr;
    }
    groups_.push_back(group);
  }
  ResultWriter::Counts counts;
  if (Status status = writer_->write(groups_, writing_.kind, fired, counts); !status) return status;
  counters_.results += counts.results;
  counters_.groups_without_base += counts.groups_without_base;
  for (const EntryRef& entry : chunk) {
    if (!again_) break;
    entry.table->mark_changed(entry.entry);
    if (spec_.emit.purge && entry.table->emission(entry.entry)->present) purge(entry);
  }
  writing_.next += chunk.size();
  if (writing_.next < entries_.size()) return Status::ok();
  if (writing_.stream != nullptr) {
    writing_.next = 0;
    if (Status more = writing_.stream->next(entries_); !more) return more;
    if (!entries_.empty()) return Status::ok();
    writing_.stream.reset();
  }
  Window& window = *std::exchange(writing_.window, nullptr);
  writing_.merged.reset();
  if (writing_.kind == FiringKind::on_time) end_on_time(window);
  return Status::ok();
}

void SlicedOperator::purge(const EntryRef& entry) {
  std::byte* row = entry.table->accumulators(entry.entry);
  panes_.note_growth(-static_cast<int64_t>(layout_.owned_bytes(row)));
  layout_.destroy(row);
  entry.table->emission(entry.entry)->present = false;  // what comes next stands beside it, and replaces nothing
}

void SlicedOperator::close_windows() {
  while (!windows_.empty() && is_closed(windows_.begin()->first)) windows_.erase(windows_.begin());
  panes_.drop_closed([this](Micros window_end) { return is_closed(window_end); });
  if (windows_.empty()) event_due_ = wall_due_ = kEndOfTime;
}

void SlicedOperator::restore_watermark(Micros watermark, const FiredByGroup& fired) {
  watermark_ = watermark;
  restored_fired_ = fired;
  least_fired_ = *std::min_element(fired.begin(), fired.end());
  recent_.fill(CachedPane{});
}

// Not those that may have several results: what was given of them is looked at with every change. Windows by processing
// time may be there anew after they closed, before state has heard of it.
bool SlicedOperator::keep_groups_in(StoredGroups& store, size_t bytes) {
  if (again_ || by_processing_time()) return false;
  panes_.let_groups_leave(store);
  bytes_max_ = bytes;
  return true;
}

Status SlicedOperator::leave(size_t bytes) {
  TIDEMARK_DCHECK(!is_firing());
  return panes_.may_leave() ? panes_.leave(bytes) : Status::ok();
}

Status SlicedOperator::restore_group(Micros pane_end, uint32_t key_group) {
  if (!panes_.may_leave()) return WindowOperator::restore_group(pane_end, key_group);
  if (!is_slice_end(pane_end)) return misfit(pane_end);
  panes_.leave_in_state(pane_at(pane_end), key_group);
  for (const Micros end : ends_of(pane_end)) restore_window(end);
  return Status::ok();
}

bool SlicedOperator::is_slice_end(Micros pane_end) const {
  const auto slice = assigner_.slice_of(saturating_sub(pane_end, 1));
  return slice && slice->end == pane_end;
}

Status SlicedOperator::with_pane(const Status& status, Micros pane_end) const {
  return status.with_context("aggregate '" + spec_.id + "', window ending " + format_rfc3339(pane_end));
}

Status SlicedOperator::misfit(Micros pane_end) const {
  return with_pane(
      {Code::damage, "a stored key or window does not fit the aggregate; the state is damaged or of another job"},
      pane_end);
}

Status SlicedOperator::restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) {
  if (!codec_.is_valid(key) || !is_slice_end(pane_end)) return misfit(pane_end);
  Pane& pane = pane_at(pane_end);
  const uint64_t hash = hash_bytes(key);
  if (Status status = panes_.restore(pane, hash, {key, entry.accumulators, entry.removed}); !status) {
    return with_pane(status, pane_end);
  }
  if (entry.removed) return Status::ok();
  const PaneTable& table = pane.table(key_group_of(hash));
  const uint32_t at = *table.lookup(hash, key);
  if (!layout_.is_neutral(table.accumulators(at))) {
    for (const Micros end : ends_of(pane_end)) restore_window(end);
  }
  const Emission* emission = table.emission(at);
  if (emission != nullptr && (emission->present || emission->pending)) restore_window(pane_end);
  const auto window = windows_.find(pane_end);
  if (emission == nullptr || !emission->pending || window == windows_.end()) return Status::ok();
  window->second.pending = true;
  arm_restored(window->second);
  return Status::ok();
}

// When its rows came is not known any more: by the clock, at the first tick.
void SlicedOperator::arm_restored(Window& window) {
  const Firing& rule = rule_of(window);
  if (rule.rule == FiringRule::every) {
    arm(window, rule, next_multiple(rule.event_time ? watermark_ : kNoTime, rule.interval_us));
  }
}

// One that is closed has been fired, unless a worker was behind.
void SlicedOperator::restore_window(Micros end) {
  const bool has_fired = fire_time(end) <= least_fired_;
  if (has_fired && is_closed(end)) return;
  window_at(end, has_fired);
  overdue_ = overdue_ || (!has_fired && fire_time(end) <= watermark_);
}

std::vector<Micros> SlicedOperator::open_windows() const {
  std::vector<Micros> out;
  for (const auto& [end, window] : windows_) {
    if (!window.fired) out.push_back(end);
  }
  return out;
}

size_t SlicedOperator::memory_bytes() const {
  return sizeof *this + panes_.memory_bytes() + windows_.size() * sizeof(std::pair<Micros, Window>);
}

}  // namespace tidemark::core
