// SPDX-License-Identifier: Apache-2.0
//
// WindowOperator: one aggregate at one worker, over the key groups that the worker owns. Applies grouped rows to
// its panes, fires windows when the watermark reaches their end or the aggregate's firing rules say so, forgets them
// at cleanup time (semantics 1.14), and shows what changed since the last epoch to whoever writes state. Knows
// nothing of threads, lanes or RocksDB.
//
// What time makes due is given in portions, since a window may have more results than should be in memory at once:
// move_watermark() or move_clock(), then fire() while is_firing(). Nothing else changes an operator that is firing.
//
// Invariants: a window fires on time once, before anything later is applied; results are sorted by key bytes; every
// row given is applied or in a LateGroup: rows_aggregated + rows_late + rows_no_base = rows given.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/status.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/grouped_rows.hpp"
#include "core/window/stored_groups.hpp"

namespace tidemark::core {

/// How far the wall clock may fall behind what windows by processing time have seen of it before they go back with it.
/// Time services set a clock by seconds at most once it runs, and such a step must not end windows early; more than a
/// minute is a clock that was wrong, and nobody should wait for results until it is right again.
inline constexpr Micros kClockBackMax = 60 * kMicrosPerSecond;

/// What changed in one (pane, key group) since the last seal. Valid during the visit only.
class PaneChange {
 public:
  virtual ~PaneChange() = default;
  virtual Micros pane_end() const = 0;
  virtual uint32_t key_group() const = 0;
  virtual size_t dirty_count() const = 0;  ///< entries changed or removed since the last seal
  virtual size_t entry_count() const = 0;  ///< live entries
  /// Visits changed (and removed) entries, ascending by key bytes.
  virtual void visit_dirty(const std::function<void(const EntryView&)>& visit) const = 0;
  /// Visits all live entries, ascending by key bytes.
  virtual void visit_all(const std::function<void(const EntryView&)>& visit) const = 0;
  /// The group is in state alone: entries, all of them changed, are to be added to those of the same key.
  virtual bool is_addend() const { return false; }
  /// Of an addend: visits what `runs`, which add too, and its own entries come to together, ascending by key bytes.
  virtual Status visit_merged(std::vector<StoredRun>&& runs, const std::function<void(const EntryView&)>& visit) const;
};

/// Counts of one operator at one worker; restored with state.
struct WindowCounters {
  uint64_t rows_aggregated = 0;
  uint64_t rows_late = 0;
  uint64_t panes_fired = 0;
  uint64_t results = 0;
  uint64_t groups_without_base = 0;  ///< groups that more was taken from than was there when they fired: not emitted
  uint64_t rows_partly_late = 0;     ///< of rows_aggregated: late for some of their windows
  uint64_t windows_missed = 0;       ///< by rows that are partly late
  uint64_t rows_no_base = 0;         ///< not applied: they take away what was never there
};

/// What apply() has to hand on.
struct Applied {
  std::vector<LateGroup> late;   ///< rows that were not applied, or not to all of their windows
  std::vector<FiredRows> fired;  ///< results of on_update and count rules, ascending by (window end, key bytes)
};

/// Up to where the windows of each key group have fired.
using FiredByGroup = std::array<Micros, kKeyGroups>;

class WindowOperator {
 public:
  /// `input`: the layout of the batches. Fails when an aggregate cannot be computed on its column.
  static Result<std::unique_ptr<WindowOperator>> create(AggregateSpec spec,
                                                        const std::shared_ptr<const BatchLayout>& input);
  virtual ~WindowOperator() = default;

  /// Applies the groups and appends to `out`. `wall_us`: the wall clock now. Errors: as fire(); Code::data when
  /// rows have no base and the aggregate is to fail then.
  virtual Status apply(const GroupedRows& rows, Micros wall_us, Applied& out) = 0;
  /// Moves the watermark (never back; lower values are ignored): the results of windows that became due are fire()'s.
  /// Windows by processing time heed only kEndOfTime, which fires all.
  virtual void move_watermark(Micros watermark) = 0;
  /// The same for what is due by the wall clock.
  virtual void move_clock(Micros wall_us) = 0;
  /// There may be results that fire() has not given yet.
  virtual bool is_firing() const = 0;
  /// Appends the next of them, ascending by (window_end, key bytes) over all calls; stops when it has appended
  /// `rows_max` rows or more, by a batch at most. Code::overflow (aggregate, window, key, column) when a result cannot
  /// be computed.
  Status fire(size_t rows_max, std::vector<FiredRows>& fired);
  /// Wall time of the next move_clock() that has something to do; kEndOfTime = none. One is due at once where
  /// is_ahead_of() the clock.
  virtual Micros next_tick_us() const = 0;
  /// By processing time: the clock has been set back by more than kClockBackMax since it was heard of. The next
  /// move_clock() or apply() then gives what is open and goes back to the clock, so that nothing waits for a time that
  /// was wrong; windows that were given may be given again, with the rows that come from then on.
  virtual bool is_ahead_of(Micros wall_us) const = 0;
  /// Up to here windows have fired, or are firing: the watermark, or the wall clock for windows by processing time.
  virtual Micros watermark() const = 0;
  /// All results of windows whose last instant (end - 1) is not after this have been given.
  virtual Micros complete() const = 0;

  /// Visits each (pane, key group) that changed since the last seal, then forgets the marks.
  virtual void seal(const std::function<void(const PaneChange&)>& visit) = 0;
  /// Ends of panes that were cleaned up since the last call: their state can go.
  virtual std::vector<Micros> take_closed() = 0;

  /// Restores the watermark before any row: windows at or before `fired` (<= watermark) count as fired; those up to
  /// `watermark` fire at the next move_watermark(). `fired`: by key group, since workers stop at different watermarks.
  virtual void restore_watermark(Micros watermark, const FiredByGroup& fired) = 0;
  /// Restores one entry; later calls for the same key replace or (removed) delete it. Not marked as changed. A pane
  /// whose cleanup time has passed fires at the next move_watermark(), also to an equal watermark: its state is still
  /// there, so the worker that had it was behind.
  virtual Status restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) = 0;

  /// From now on groups may leave memory for `store`, which outlives the operator: where each group has one result, at
  /// the end of its window. False: all groups of this operator stay. `bytes`: of memory for groups, so that a firing
  /// takes no more.
  virtual bool keep_groups_in(StoredGroups& store, size_t bytes);
  /// Lets groups leave until the operator has at most `bytes` in memory, or none are left that may. Errors are the
  /// store's. Between firings.
  virtual Status leave(size_t bytes);
  /// In the place of restore_entry(), of an operator that keeps groups in a store: the group stays there.
  virtual Status restore_group(Micros pane_end, uint32_t key_group);

  virtual const WindowCounters& counters() const = 0;
  virtual void restore_counters(const WindowCounters& counters) = 0;
  virtual size_t open_panes() const = 0;
  /// Ends of the panes that have not fired yet, ascending.
  virtual std::vector<Micros> open_windows() const = 0;
  virtual size_t memory_bytes() const = 0;
  /// The columns of FiredRows::rows: window_start, window_end (timestamps, NULL for a global window), keys, results;
  /// where a group may have several results also kind (text) and revision (1, 2, ... per window and key).
  virtual const std::shared_ptr<const BatchLayout>& output_layout() const = 0;
  virtual const AggregateSpec& spec() const = 0;

 private:
  /// One step of what is due: appends at most one batch of results, or does what comes between two. Called while
  /// is_firing() only.
  virtual Status fire_step(std::vector<FiredRows>& fired) = 0;
};

}  // namespace tidemark::core
