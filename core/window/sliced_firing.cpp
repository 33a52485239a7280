// SPDX-License-Identifier: Apache-2.0
//
// SlicedOperator: what time does. Windows that have fired before come first, then those that are due, then early
// results, so that what one move gives is ascending by window end. Restoring is here too, since it says what has
// fired.
#include <algorithm>

#include "core/window/firing_interval.hpp"
#include "core/window/sliced_operator.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {

Status SlicedOperator::advance(Micros watermark, std::vector<FiredRows>& fired) {
  if (watermark < watermark_ || (by_processing_time() && watermark != kEndOfTime)) return Status::ok();
  return move_to(watermark, fired);
}

Status SlicedOperator::tick(Micros wall_us, std::vector<FiredRows>& fired) {
  if (is_ahead_of(wall_us)) {
    if (Status status = follow_clock_back(wall_us, fired); !status) return status;
  } else if (by_processing_time() && wall_us > watermark_) {
    if (Status status = move_to(wall_us, fired); !status) return status;
  }
  if (wall_due_ > wall_us) return Status::ok();
  return fire_intervals(false, wall_us, fired);
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
Status SlicedOperator::follow_clock_back(Micros wall_us, std::vector<FiredRows>& fired) {
  if (Status status = move_to(fire_time(kEndOfTime) - 1, fired); !status) return status;
  watermark_ = wall_us;
  restored_fired_.fill(kNoTime);
  least_fired_ = kNoTime;
  recent_.fill(CachedPane{});
  return Status::ok();
}

Status SlicedOperator::move_to(Micros time, std::vector<FiredRows>& fired) {
  const Micros before = std::exchange(watermark_, time);
  recent_.fill(CachedPane{});
  if (Status status = fire_last_changes(fired); !status) return status;
  auto at = overdue_ || before == kNoTime ? windows_.begin() : windows_.upper_bound(saturating_add(before, 1));
  for (; at != windows_.end() && fire_time(at->first) <= watermark_; ++at) {
    if (at->second.fired) continue;
    if (Status status = fire_on_time(at->second, fired); !status) return status;
  }
  overdue_ = false;
  if (event_due_ <= watermark_) {
    if (Status status = fire_intervals(true, watermark_, fired); !status) return status;
  }
  close_windows();
  return Status::ok();
}

// Late rows that no interval or count has shown yet are shown before their window is forgotten.
Status SlicedOperator::fire_last_changes(std::vector<FiredRows>& fired) {
  for (auto at = windows_.begin(); at != windows_.end() && is_closed(at->first); ++at) {
    Window& window = at->second;
    if (!window.fired || !window.pending) continue;
    if (Status status = fire_pending(window, fired); !status) return status;
  }
  return Status::ok();
}

Status SlicedOperator::fire_on_time(Window& window, std::vector<FiredRows>& fired) {
  const Micros end = window.range.end;
  entries_.clear();
  std::unique_ptr<Pane> merged;
  if (merges_) {
    merged = merge_slices(window);
    if (again_) {
      Pane& own = pane_at(end);
      for (uint32_t group = 0; group < kKeyGroups; ++group) {
        const PaneTable* table = merged->find_table(group);
        for (uint32_t entry = 0; table != nullptr && entry < table->size(); ++entry) {
          own.table(group).touch(hash_bytes(table->key(entry)), table->key(entry));
        }
      }
    }
  }
  Pane* shown = merges_ && !again_ ? merged.get() : panes_.find(end);
  if (shown != nullptr) collect(*shown, end);
  if (Status status = write(window, merged.get(), FiringKind::on_time, fired); !status) return status;
  window.fired = true;
  window.pending = false;
  window.next_fire = kEndOfTime;
  ++counters_.panes_fired;
  if (again_) keep_left_out(window);
  return Status::ok();
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

Status SlicedOperator::fire_intervals(bool event_time, Micros now, std::vector<FiredRows>& fired) {
  Micros& due = event_time ? event_due_ : wall_due_;
  due = kEndOfTime;
  for (auto& [end, window] : windows_) {
    const Firing& rule = rule_of(window);
    if (rule.rule != FiringRule::every || rule.event_time != event_time) continue;
    if (window.pending && window.next_fire <= now) {
      if (Status status = fire_pending(window, fired); !status) return status;
    }
    due = std::min(due, window.next_fire);
  }
  return Status::ok();
}

Status SlicedOperator::fire_pending(Window& window, std::vector<FiredRows>& fired) {
  window.pending = false;
  window.next_fire = kEndOfTime;
  entries_.clear();
  Pane* pane = panes_.find(window.range.end);
  if (pane == nullptr) return Status::ok();
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    PaneTable* table = pane->find_table(group);
    for (uint32_t entry = 0; table != nullptr && entry < table->size(); ++entry) {
      if (!table->emission(entry)->pending) continue;
      pane->dirty.set(group);
      entries_.emplace_back(*table, entry);
    }
  }
  return write_changed(window, fired);
}

Status SlicedOperator::write_changed(const Window& window, std::vector<FiredRows>& fired) {
  const std::unique_ptr<Pane> merged = merges_ ? merge_keys(window, entries_) : nullptr;
  return write(window, merged.get(), window.fired ? FiringKind::late : FiringKind::early, fired);
}

Status SlicedOperator::write(const Window& window, const Pane* merged, FiringKind kind, std::vector<FiredRows>& fired) {
  sort_by_key(entries_);
  groups_.clear();
  groups_.reserve(entries_.size());
  for (const EntryRef& entry : entries_) {
    DueGroup group{window.range, entry.key, entry.accumulators(), entry.table->emission(entry.entry),
                   entry.table->given_row(entry.entry)};
    if (merged != nullptr && again_) {
      const uint64_t hash = hash_bytes(entry.key);
      const PaneTable* table = merged->find_table(key_group_of(hash));
      const auto found = table == nullptr ? std::nullopt : table->lookup(hash, entry.key);
      group.accumulators = found ? table->accumulators(*found) : nullptr;
    }
    groups_.push_back(group);
  }
  ResultWriter::Counts counts;
  if (Status status = writer_->write(groups_, kind, fired, counts); !status) return status;
  counters_.results += counts.results;
  counters_.groups_without_base += counts.groups_without_base;
  if (!again_) return Status::ok();
  for (const EntryRef& entry : entries_) {
    entry.table->mark_changed(entry.entry);
    if (spec_.emit.purge && entry.table->emission(entry.entry)->present) purge(entry);
  }
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

Status SlicedOperator::restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) {
  const auto context = [&](const Status& status) {
    return status.with_context("aggregate '" + spec_.id + "', window ending " + format_rfc3339(pane_end));
  };
  const auto slice = assigner_.slice_of(saturating_sub(pane_end, 1));
  if (!codec_.is_valid(key) || !slice || slice->end != pane_end) {
    return context(Status(Code::state,
                          "a stored key or window does not fit the aggregate; the state is damaged or of another job"));
  }
  Pane& pane = pane_at(pane_end);
  const uint64_t hash = hash_bytes(key);
  if (Status status = panes_.restore(pane, hash, {key, entry.accumulators, entry.removed}); !status) {
    return context(status);
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
