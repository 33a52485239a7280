// SPDX-License-Identifier: Apache-2.0
//
// WindowOperator: one aggregate at one worker, over the key groups that the worker owns. Applies grouped rows to
// its panes, fires panes when the watermark reaches their end, forgets them at cleanup time (semantics 1.14), and
// shows what changed since the last epoch to whoever writes state. Knows nothing of threads, lanes or RocksDB.
//
// Invariants: a pane fires once per watermark that makes it due, before anything later is applied; results are
// sorted by key bytes; a group whose weight returns to zero is gone; a row is either applied or in a LateGroup.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/grouped_rows.hpp"

namespace tidemark::core {

/// One group as state sees it. `accumulators` is encoded (AccumulatorLayout::encode); empty when `removed`.
struct EntryView {
  std::string_view key;
  std::string_view accumulators;
  bool removed = false;
};

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
};

/// Counts of one operator at one worker; restored with state.
struct WindowCounters {
  uint64_t rows_aggregated = 0;
  uint64_t rows_late = 0;
  uint64_t panes_fired = 0;
  uint64_t results = 0;
  uint64_t groups_without_base = 0;  ///< groups whose weight was negative when they fired: not emitted
};

class WindowOperator {
 public:
  /// `input`: the layout of the batches. Fails when an aggregate cannot be computed on its column.
  static Result<std::unique_ptr<WindowOperator>> create(AggregateSpec spec,
                                                        const std::shared_ptr<const BatchLayout>& input);
  virtual ~WindowOperator() = default;

  /// Applies the groups; groups that are too late at the current watermark are appended to `late`.
  virtual Status apply(const GroupedRows& rows, std::vector<LateGroup>& late) = 0;
  /// Moves the watermark (never back; lower values are ignored) and appends the results of panes that became due,
  /// ascending by (window_end, key bytes). With allowed lateness, groups of fired panes that changed since are
  /// emitted again, whole; an equal watermark does just that. Call it before seal() then: which groups wait to be
  /// emitted again is not part of the state. Code::overflow (aggregate, window, key, column) when a result has more
  /// than 76 digits.
  virtual Status advance(Micros watermark, std::vector<FiredRows>& fired) = 0;
  virtual Micros watermark() const = 0;

  /// Visits each (pane, key group) that changed since the last seal, then forgets the marks.
  virtual void seal(const std::function<void(const PaneChange&)>& visit) = 0;
  /// Ends of panes that were cleaned up since the last call: their state can go.
  virtual std::vector<Micros> take_closed() = 0;

  /// Restores the watermark before any row: panes at or before `fired` (<= watermark) count as fired; those up to
  /// `watermark` fire at the next advance().
  virtual void restore_watermark(Micros watermark, Micros fired) = 0;
  /// Restores one entry; later calls for the same key replace or (removed) delete it. Not marked as changed. A pane
  /// whose cleanup time has passed fires at the next advance(), also to an equal watermark: its state is still
  /// there, so the worker that had it was behind.
  virtual Status restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) = 0;

  virtual const WindowCounters& counters() const = 0;
  virtual void restore_counters(const WindowCounters& counters) = 0;
  virtual size_t open_panes() const = 0;
  /// Ends of the panes that have not fired yet, ascending.
  virtual std::vector<Micros> open_windows() const = 0;
  virtual size_t memory_bytes() const = 0;
  /// The columns of FiredRows::rows: window_start, window_end (timestamps), keys, aggregates.
  virtual const std::shared_ptr<const BatchLayout>& output_layout() const = 0;
  virtual const AggregateSpec& spec() const = 0;
};

}  // namespace tidemark::core
