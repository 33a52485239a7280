// SPDX-License-Identifier: Apache-2.0
//
// Applying rows works in steps, so that cache misses overlap: lateness and table per group, entries with prefetching,
// then the update kernels column by column. What the firing rules make of it comes last. Firing on close stands in
// sliced_firing.cpp.
#include "core/window/sliced_operator.hpp"

#include <algorithm>
#include <tuple>

#include "core/window/firing_interval.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kPrefetchAhead = 12;

bool has_rules(const EmitSpec& emit) {
  return emit.early.rule != FiringRule::never || emit.late.rule != FiringRule::never;
}

uint32_t saturating_count(uint32_t a, uint32_t b) {
  return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

}  // namespace

SlicedOperator::SlicedOperator(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec, WindowAssigner assigner)
    : spec_(std::move(spec)),
      layout_(std::move(layout)),
      codec_(std::move(codec)),
      assigner_(std::move(assigner)),
      merges_(spec_.window.kind == WindowKind::cumulative ||
              (spec_.window.kind == WindowKind::sliding && spec_.window.size_us > spec_.window.slide_us)),
      again_(spec_.can_fire_again()),
      has_rules_(again_ && has_rules(spec_.emit)),
      checks_base_(spec_.changelog && spec_.no_base != NoBase::delta),
      panes_(layout_, spec_.kept_result()) {
  restored_fired_.fill(kNoTime);
}

Status SlicedOperator::prepare() {
  auto writer = ResultWriter::create(spec_, layout_, codec_);
  if (!writer) return writer.status();
  writer_ = std::move(*writer);
  return Status::ok();
}

// Windows by processing time are not waited for.
Micros SlicedOperator::cleanup_of(Micros window_end) const {
  return by_processing_time() ? fire_time(window_end) : cleanup_time(window_end, spec_.allowed_lateness_us);
}

const std::vector<Micros>& SlicedOperator::ends_of(Micros slice_end) const {
  ends_.clear();
  assigner_.window_ends(assigner_.slice_ending_at(slice_end), ends_);
  return ends_;
}

SlicedOperator::Window& SlicedOperator::window_at(Micros end, bool fired) {
  const auto [at, is_new] = windows_.try_emplace(end);
  if (is_new) {
    at->second.range = assigner_.window_ending_at(end).value_or(TimeRange{kNoTime, end});
    at->second.fired = fired;
  }
  return at->second;
}

Pane& SlicedOperator::pane_at(Micros end) {
  if (Pane* pane = panes_.find(end)) return *pane;
  return panes_.at(end, ends_of(end).back());
}

const SlicedOperator::CachedPane& SlicedOperator::find_pane(Micros slice_end) {
  CachedPane& cached = recent_[(static_cast<uint64_t>(slice_end) * 0x9e3779b97f4a7c15ULL) >> 58];
  if (cached.end != slice_end) cached = open_pane(slice_end);
  return cached;
}

SlicedOperator::CachedPane SlicedOperator::open_pane(Micros slice_end) {
  CachedPane out;
  out.end = slice_end;
  const std::vector<Micros>& ends = ends_of(slice_end);
  for (const Micros end : ends) {
    if (is_closed(end)) {
      ++out.missed;
      out.last_missed = end;
    } else {
      window_at(end, fire_time(end) <= watermark_);
    }
  }
  if (out.missed < ends.size()) out.pane = &panes_.at(slice_end, ends.back());
  return out;
}

// By processing time nothing is late: rows that were under way while their slice closed, or the clock was set back, go
// to the one open now.
Micros SlicedOperator::slice_open_now(Micros slice_end, Micros wall_us) const {
  const bool is_ahead = assigner_.slice_ending_at(slice_end).start > saturating_add(wall_us, kClockBackMax);
  if (!is_ahead && !is_closed(ends_of(slice_end).front())) return slice_end;
  const Micros open_from = saturating_add(watermark_, 1);
  const auto open = assigner_.slice_of(is_ahead ? std::max(wall_us, open_from) : open_from);
  return open ? open->end : slice_end;
}

Status SlicedOperator::apply(const GroupedRows& rows, Micros wall_us, Applied& out) {
  if (is_ahead_of(wall_us)) {
    begin_clock_back(wall_us);
    if (Status status = fire(SIZE_MAX, out.fired); !status) return status;
  }
  if (Status found = find_lookups(rows, wall_us); !found) return found;
  find_entries(rows);
  if (checks_base_) {
    if (Status status = check_base(rows); !status) return status;
  }
  update(rows);
  if (has_rules_) {
    note_changes(rows, wall_us);
    if (Status status = fire_due(out.fired); !status) return status;
  }
  if (!late_rows_.empty()) add_late(rows, out.late);
  return Status::ok();
}

Status SlicedOperator::find_lookups(const GroupedRows& rows, Micros wall_us) {
  lookups_.clear();
  late_rows_.clear();
  for (uint32_t i = 0; i < rows.groups.size(); ++i) {
    const RowGroup& group = rows.groups[i];
    const CachedPane& cached =
        find_pane(by_processing_time() ? slice_open_now(group.pane_end, wall_us) : group.pane_end);
    if (cached.pane == nullptr) {
      late_rows_.push_back({LateGroup::Why::too_late, cached.last_missed, cached.missed, rows.rows_of(group)});
      counters_.rows_late += group.row_count;
      continue;
    }
    const uint32_t key_group = key_group_of(group.hash);
    if (checks_base_ && cached.pane->absent.test(key_group)) {
      if (Status loaded = panes_.load(*cached.pane, key_group); !loaded) return loaded;
    }
    cached.pane->dirty.set(key_group);
    lookups_.push_back(
        Lookup{&cached.pane->table(key_group), cached.pane, i, 0, kAllRows, group.row_count, cached.missed});
  }
  return Status::ok();
}

void SlicedOperator::find_entries(const GroupedRows& rows) {
  const size_t n = lookups_.size();
  const auto hash_at = [&](size_t i) { return rows.groups[lookups_[i].group].hash; };
  for (size_t i = 0; i < std::min(n, 2 * kPrefetchAhead); ++i) lookups_[i].table->prefetch_slot(hash_at(i));
  for (size_t i = 0; i < std::min(n, kPrefetchAhead); ++i) lookups_[i].table->prefetch_entry(hash_at(i));
  for (size_t i = 0; i < n; ++i) {
    if (i + 2 * kPrefetchAhead < n)
      lookups_[i + 2 * kPrefetchAhead].table->prefetch_slot(hash_at(i + 2 * kPrefetchAhead));
    if (i + kPrefetchAhead < n) lookups_[i + kPrefetchAhead].table->prefetch_entry(hash_at(i + kPrefetchAhead));
    const RowGroup& group = rows.groups[lookups_[i].group];
    lookups_[i].entry = lookups_[i].table->touch(group.hash, rows.key_of(group));
  }
}

Status SlicedOperator::check_base(const GroupedRows& rows) {
  base_check_.start_batch(rows.rows.size());
  for (Lookup& lookup : lookups_) {
    const RowGroup& group = rows.groups[lookup.group];
    const auto kept_before = static_cast<uint32_t>(base_check_.kept().size());
    const size_t refused_before = base_check_.refused().size();
    const int64_t weight = AccumulatorLayout::weight(lookup.table->accumulators(lookup.entry));
    if (!base_check_.find(*rows.batch, rows.rows_of(group), weight)) continue;
    const std::span<const uint32_t> refused = base_check_.refused().subspan(refused_before);
    if (spec_.no_base == NoBase::fail) {
      const std::string name = "aggregate '" + spec_.id + "', window slice ending " + format_rfc3339(group.pane_end) +
                               ", key " + codec_.describe(rows.key_of(group));
      return no_base_error(name, "group that has nothing to take from", *rows.batch, refused.front());
    }
    lookup.kept_begin = kept_before;
    lookup.rows = static_cast<uint32_t>(base_check_.kept().size()) - kept_before;
    late_rows_.push_back({LateGroup::Why::no_base, lookup.pane->end(), 0, refused});
    counters_.rows_no_base += refused.size();
  }
  return Status::ok();
}

void SlicedOperator::update(const GroupedRows& rows) {
  targets_.clear();
  kept_targets_.clear();
  const bool has_partials = !rows.partials.empty();
  for (const Lookup& lookup : lookups_) {
    std::byte* row = lookup.table->accumulators(lookup.entry);
    counters_.rows_aggregated += lookup.rows;
    if (lookup.kept_begin != kAllRows) {
      kept_targets_.push_back(UpdateTarget{row, lookup.kept_begin, lookup.rows});
    } else if (has_partials) {
      panes_.note_growth(layout_.merge(row, rows.partials.data() + lookup.group * layout_.width()));
    } else {
      const RowGroup& group = rows.groups[lookup.group];
      targets_.push_back(UpdateTarget{row, group.row_begin, group.row_count});
    }
    if (lookup.missed == 0 || lookup.rows == 0) continue;
    const Micros last_missed = find_pane(lookup.pane->end()).last_missed;
    late_rows_.push_back({LateGroup::Why::partly_late, last_missed, lookup.missed, applied_rows(rows, lookup)});
    counters_.rows_partly_late += lookup.rows;
    counters_.windows_missed += uint64_t{lookup.rows} * lookup.missed;
  }
  if (!targets_.empty()) panes_.note_growth(layout_.update(*rows.batch, targets_, rows.rows.data()));
  if (!kept_targets_.empty()) {
    panes_.note_growth(layout_.update(*rows.batch, kept_targets_, base_check_.kept().data()));
  }
}

std::span<const uint32_t> SlicedOperator::applied_rows(const GroupedRows& rows, const Lookup& lookup) const {
  if (lookup.kept_begin == kAllRows) return rows.rows_of(rows.groups[lookup.group]);
  return base_check_.kept().subspan(lookup.kept_begin, lookup.rows);
}

void SlicedOperator::add_late(const GroupedRows& rows, std::vector<LateGroup>& late) {
  const auto about = [](const LateRows& part) { return std::tuple(part.why, part.pane_end, part.missed); };
  std::stable_sort(late_rows_.begin(), late_rows_.end(),
                   [&](const LateRows& a, const LateRows& b) { return about(a) < about(b); });
  const size_t first = late.size();
  const LateRows* last = nullptr;
  for (const LateRows& part : late_rows_) {
    if (last == nullptr || about(*last) != about(part)) {
      late.push_back({spec_.operator_id, part.pane_end, watermark_, rows.batch, {}, part.why, part.missed});
    }
    late.back().rows.insert(late.back().rows.end(), part.rows.begin(), part.rows.end());
    last = &part;
  }
  for (size_t i = first; i < late.size(); ++i) std::sort(late[i].rows.begin(), late[i].rows.end());
}

void SlicedOperator::note_changes(const GroupedRows& rows, Micros wall_us) {
  for (const Lookup& lookup : lookups_) {
    if (lookup.rows == 0) continue;
    window_ends_.clear();
    if (merges_) {
      assigner_.window_ends(assigner_.slice_ending_at(lookup.pane->end()), window_ends_);
    } else {
      window_ends_.push_back(lookup.pane->end());
    }
    for (const Micros end : window_ends_) {
      const auto window = windows_.find(end);
      if (window != windows_.end()) note_change(rows, lookup, window->second, wall_us);
    }
  }
}

void SlicedOperator::note_change(const GroupedRows& rows, const Lookup& lookup, Window& window, Micros wall_us) {
  const Firing& rule = rule_of(window);
  if (rule.rule == FiringRule::never) return;
  const RowGroup& group = rows.groups[lookup.group];
  const uint32_t key_group = key_group_of(group.hash);
  PaneTable* table = lookup.table;
  uint32_t entry = lookup.entry;
  if (window.range.end != lookup.pane->end()) {
    Pane& pane = pane_at(window.range.end);
    pane.dirty.set(key_group);
    table = &pane.table(key_group);
    entry = table->touch(group.hash, rows.key_of(group));
  }
  Emission& emission = *table->emission(entry);
  emission.pending = true;
  emission.rows_since = saturating_count(emission.rows_since, lookup.rows);
  if (rule.rule == FiringRule::on_update || (rule.rule == FiringRule::count && emission.rows_since >= rule.count)) {
    if (!emission.queued) due_.push_back(Due{&window, key_group, entry});
    emission.queued = true;
    return;
  }
  window.pending = true;
  if (rule.rule != FiringRule::every) return;
  if (!rule.event_time || by_processing_time()) {
    const Micros now = by_processing_time() ? std::max(wall_us, watermark_) : wall_us;
    return arm(window, rule, next_multiple(now, rule.interval_us));
  }
  Micros first = kEndOfTime;
  for (const uint32_t row : applied_rows(rows, lookup)) first = std::min(first, rows.batch->event_time_us[row]);
  arm(window, rule, next_event_firing(watermark_, first, emission.revision > 0, rule.interval_us));
}

// A wall clock that was set back does not make it wait for longer.
void SlicedOperator::arm(Window& window, const Firing& rule, Micros next) {
  if (window.next_fire <= next) return;
  window.next_fire = next;
  Micros& due = rule.event_time ? event_due_ : wall_due_;
  due = std::min(due, next);
}

Status SlicedOperator::fire_due(std::vector<FiredRows>& fired) {
  std::stable_sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
    return std::tuple(a.window->range.end, a.key_group) < std::tuple(b.window->range.end, b.key_group);
  });
  for (size_t begin = 0; begin < due_.size();) {
    Window& window = *due_[begin].window;
    Pane& pane = pane_at(window.range.end);
    entries_.clear();
    for (; begin < due_.size() && due_[begin].window == &window; ++begin) {
      entries_.emplace_back(pane.table(due_[begin].key_group), due_[begin].entry);
    }
    begin_changed(window);
    while (writing_.window != nullptr) {
      if (Status status = write_some(fired); !status) return status;
    }
  }
  due_.clear();
  return Status::ok();
}

}  // namespace tidemark::core
