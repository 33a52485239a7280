// SPDX-License-Identifier: Apache-2.0
//
// The window operator over panes in memory. The pane directory (an ordered map by end) is the timer queue: firing
// a million keys is one event. Applying rows works in three steps, so that cache misses overlap: lateness and
// table per group, entries with prefetching, then the update kernels column by column.
#include "core/window/window_operator.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "core/window/accumulator_layout.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/pane.hpp"
#include "core/window/pane_change.hpp"
#include "core/window/pane_firing.hpp"
#include "core/window/tumbling.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kPrefetchAhead = 12;

class TumblingOperator final : public WindowOperator {
 public:
  TumblingOperator(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec)
      : spec_(std::move(spec)), layout_(std::move(layout)), codec_(std::move(codec)), firing_(spec_, layout_, codec_) {}

  Status apply(const GroupedRows& rows, Micros wall_us, Applied& out) override;
  Status advance(Micros watermark, std::vector<FiredRows>& fired) override;
  Status tick(Micros, std::vector<FiredRows>&) override { return Status::ok(); }
  Micros next_tick_us() const override { return kEndOfTime; }
  Micros watermark() const override { return watermark_; }

  void seal(const std::function<void(const PaneChange&)>& visit) override;
  std::vector<Micros> take_closed() override { return std::exchange(closed_, {}); }

  void restore_watermark(Micros watermark, const FiredByGroup& fired) override;
  Status restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) override;

  const WindowCounters& counters() const override { return counters_; }
  void restore_counters(const WindowCounters& counters) override { counters_ = counters; }
  size_t open_panes() const override { return panes_.size(); }
  std::vector<Micros> open_windows() const override;
  size_t memory_bytes() const override;
  const std::shared_ptr<const BatchLayout>& output_layout() const override { return firing_.output_layout(); }
  const AggregateSpec& spec() const override { return spec_; }

 private:
  struct Lookup {
    PaneTable* table = nullptr;
    uint32_t group = 0;  // index in GroupedRows::groups
    uint32_t entry = 0;
  };
  struct CachedPane {
    Micros end = kNoTime;  // kNoTime is no window's end
    Pane* pane = nullptr;  // null: too late
  };

  bool is_closed(Micros pane_end) const { return cleanup_time(pane_end, spec_.allowed_lateness_us) <= watermark_; }
  Pane* find_pane(Micros pane_end);
  Pane& pane_at(Micros pane_end);
  void find_entries(const GroupedRows& rows);
  void add_late(const GroupedRows& rows, std::vector<LateGroup>& late);

  AggregateSpec spec_;
  AccumulatorLayout layout_;
  KeyCodec codec_;
  PaneFiring firing_;
  Micros watermark_ = kNoTime;
  Micros restored_fired_ = kNoTime;  // by every key group
  std::map<Micros, std::unique_ptr<Pane>> panes_;
  std::array<CachedPane, 64> recent_;
  std::vector<Micros> closed_;
  WindowCounters counters_;
  int64_t owned_bytes_ = 0;            // by accumulators, beside their rows
  std::vector<Lookup> lookups_;        // scratch of apply()
  std::vector<uint32_t> late_groups_;  // scratch of apply()
  std::vector<UpdateTarget> targets_;  // scratch of apply()
};

Pane& TumblingOperator::pane_at(Micros pane_end) {
  std::unique_ptr<Pane>& pane = panes_[pane_end];
  if (pane == nullptr) pane = std::make_unique<Pane>(layout_, pane_end);
  return *pane;
}

Pane* TumblingOperator::find_pane(Micros pane_end) {
  CachedPane& cached = recent_[(static_cast<uint64_t>(pane_end) * 0x9e3779b97f4a7c15ULL) >> 58];
  if (cached.end != pane_end) cached = CachedPane{pane_end, is_closed(pane_end) ? nullptr : &pane_at(pane_end)};
  return cached.pane;
}

Status TumblingOperator::apply(const GroupedRows& rows, Micros, Applied& out) {
  lookups_.clear();
  late_groups_.clear();
  for (uint32_t i = 0; i < rows.groups.size(); ++i) {
    const RowGroup& group = rows.groups[i];
    Pane* pane = find_pane(group.pane_end);
    if (pane == nullptr) {
      late_groups_.push_back(i);
      continue;
    }
    const uint32_t key_group = key_group_of(group.hash);
    pane->dirty.set(key_group);
    pane->pending = true;
    counters_.rows_aggregated += group.row_count;
    lookups_.push_back(Lookup{&pane->table(key_group), i, 0});
  }
  find_entries(rows);
  targets_.clear();
  const bool has_partials = !rows.partials.empty();
  for (const Lookup& lookup : lookups_) {
    std::byte* row = lookup.table->accumulators(lookup.entry);
    if (has_partials) {
      owned_bytes_ += layout_.merge(row, rows.partials.data() + lookup.group * layout_.width());
    } else {
      const RowGroup& group = rows.groups[lookup.group];
      targets_.push_back(UpdateTarget{row, group.row_begin, group.row_count});
    }
  }
  if (!targets_.empty()) owned_bytes_ += layout_.update(*rows.batch, targets_, rows.rows.data());
  if (!late_groups_.empty()) add_late(rows, out.late);
  return Status::ok();
}

void TumblingOperator::find_entries(const GroupedRows& rows) {
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

void TumblingOperator::add_late(const GroupedRows& rows, std::vector<LateGroup>& late) {
  std::stable_sort(late_groups_.begin(), late_groups_.end(),
                   [&](uint32_t a, uint32_t b) { return rows.groups[a].pane_end < rows.groups[b].pane_end; });
  const size_t first = late.size();
  for (const uint32_t i : late_groups_) {
    const RowGroup& group = rows.groups[i];
    if (late.size() == first || late.back().pane_end != group.pane_end) {
      late.push_back(LateGroup{spec_.operator_id, group.pane_end, watermark_, rows.batch});
    }
    const auto begin = rows.rows.begin() + group.row_begin;
    late.back().rows.insert(late.back().rows.end(), begin, begin + group.row_count);
    counters_.rows_late += group.row_count;
  }
  for (size_t i = first; i < late.size(); ++i) std::sort(late[i].rows.begin(), late[i].rows.end());
}

Status TumblingOperator::advance(Micros watermark, std::vector<FiredRows>& fired) {
  if (watermark < watermark_) return Status::ok();
  watermark_ = watermark;
  recent_.fill(CachedPane{});
  for (auto at = panes_.begin(); at != panes_.end() && fire_time(at->first) <= watermark_;) {
    Pane& pane = *at->second;
    if (!pane.fired || pane.pending) {
      PaneFiring::Counts counts;
      const bool first_time = !pane.fired;
      if (Status status = firing_.fire(pane, fired, counts); !status) return status;
      counters_.panes_fired += first_time ? 1 : 0;
      counters_.results += counts.results;
      counters_.groups_without_base += counts.groups_without_base;
    }
    if (!is_closed(pane.end())) {
      ++at;
      continue;
    }
    owned_bytes_ -= static_cast<int64_t>(pane.owned_bytes());
    closed_.push_back(pane.end());
    at = panes_.erase(at);
  }
  return Status::ok();
}

void TumblingOperator::seal(const std::function<void(const PaneChange&)>& visit) {
  for (auto& [end, pane] : panes_) {
    if (pane->dirty.none()) continue;
    for (uint32_t group = 0; group < kKeyGroups; ++group) {
      if (!pane->dirty.test(group)) continue;
      PaneTable* table = pane->find_table(group);
      const TableChange change(layout_, end, group, *table);
      if (change.dirty_count() > 0) visit(change);
      table->forget_changes();
      if (table->size() == 0) pane->drop_table(group);
    }
    pane->dirty.reset();
  }
}

void TumblingOperator::restore_watermark(Micros watermark, const FiredByGroup& fired) {
  watermark_ = watermark;
  restored_fired_ = *std::min_element(fired.begin(), fired.end());
  recent_.fill(CachedPane{});
  for (auto& [end, pane] : panes_) pane->fired = fire_time(end) <= restored_fired_;
}

Status TumblingOperator::restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) {
  const auto context = [&](const Status& status) {
    return status.with_context("aggregate '" + spec_.id + "', window ending " + format_rfc3339(pane_end));
  };
  if (!codec_.is_valid(key)) {
    return context(Status(Code::state,
                          "a stored key does not fit the key columns; the state is damaged or of "
                          "another job"));
  }
  const uint64_t hash = hash_bytes(key);
  Pane& pane = pane_at(pane_end);
  pane.fired = fire_time(pane_end) <= restored_fired_;
  PaneTable& table = pane.table(key_group_of(hash));
  Status status;
  const auto owned_before = static_cast<int64_t>(table.owned_bytes(hash, key));
  if (entry.removed) {
    table.erase(hash, key);
  } else {
    status = table.restore(hash, key, entry.accumulators);
  }
  owned_bytes_ += static_cast<int64_t>(table.owned_bytes(hash, key)) - owned_before;
  return status ? status : context(status);
}

std::vector<Micros> TumblingOperator::open_windows() const {
  std::vector<Micros> out;
  for (const auto& [end, pane] : panes_) {
    if (!pane->fired) out.push_back(end);
  }
  return out;
}

size_t TumblingOperator::memory_bytes() const {
  size_t bytes = sizeof *this + static_cast<size_t>(owned_bytes_);
  for (const auto& [end, pane] : panes_) bytes += pane->memory_bytes();
  return bytes;
}

Status check_spec(const AggregateSpec& spec, const BatchLayout& input) {
  const std::string place = "aggregate '" + spec.id + "': ";
  if (spec.window.size_us <= 0) return Status(Code::config, place + "the window size must be above zero");
  if (spec.allowed_lateness_us < 0) return Status(Code::config, place + "allowed_lateness must not be negative");
  for (const uint32_t column : spec.key_columns) {
    if (column >= input.columns.size()) {
      return Status(Code::config, place + "there is no key column number " + std::to_string(column));
    }
  }
  return Status::ok();
}

Status check_names(const AggregateSpec& spec, const BatchLayout& output) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : output.columns) names.push_back(column.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return Status::ok();
  return Status(Code::config, "aggregate '" + spec.id + "': two result columns are named '" + *twice +
                                  "' (window_start, window_end, keys and columns share one list); rename one");
}

}  // namespace

Result<std::unique_ptr<WindowOperator>> WindowOperator::create(AggregateSpec spec,
                                                               const std::shared_ptr<const BatchLayout>& input) {
  if (Status status = check_spec(spec, *input); !status) return status;
  Result<AccumulatorLayout> layout = AccumulatorLayout::compile(spec, *input);
  if (!layout) return layout.status();
  KeyCodec codec(spec.key_columns, *input);
  auto made = std::make_unique<TumblingOperator>(std::move(spec), std::move(*layout), std::move(codec));
  if (Status status = check_names(made->spec(), *made->output_layout()); !status) return status;
  return std::unique_ptr<WindowOperator>(std::move(made));
}

}  // namespace tidemark::core
