// SPDX-License-Identifier: Apache-2.0
//
// SlicedOperator: windows with fixed bounds (tumbling, sliding, cumulative, global). Rows are applied once, to the
// pane of their slice; a window is a run of slices whose accumulators are merged per key when it fires, and where
// slice and window are one nothing is merged. The ordered set of windows is the timer queue: firing a million keys is
// one event, given in portions.
//
// Where each group has one result, groups may leave memory (keep_groups_in()). What comes for them is added up apart;
// in a changelog that is checked for what has no base, a group that is touched comes back first. A window of which a
// group is not in memory is given from a stream of what is stored of it.
//
// Invariants: a window is known from its first row until its cleanup time; what has been given of it stands in the
// pane with its end (PaneTable's emissions); a pane goes when the last window that it is part of goes.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "core/window/accumulator_layout.hpp"
#include "core/window/base_check.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/pane_store.hpp"
#include "core/window/result_writer.hpp"
#include "core/window/streamed_window.hpp"
#include "core/window/window_assigner.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core {

class SlicedOperator final : public WindowOperator {
 public:
  SlicedOperator(AggregateSpec spec, AccumulatorLayout layout, KeyCodec codec, WindowAssigner assigner);
  /// Compiles `having` and result columns; call it before anything else.
  Status prepare();

  Status apply(const GroupedRows& rows, Micros wall_us, Applied& out) override;
  void move_watermark(Micros watermark) override;
  void move_clock(Micros wall_us) override;
  bool is_firing() const override { return !parts_.empty(); }
  Micros next_tick_us() const override;
  bool is_ahead_of(Micros wall_us) const override;
  Micros watermark() const override { return watermark_; }
  Micros complete() const override { return is_firing() ? complete_ : overdue_ ? kNoTime : watermark_; }

  void seal(const std::function<void(const PaneChange&)>& visit) override { panes_.seal(visit); }
  std::vector<Micros> take_closed() override { return panes_.take_dropped(); }

  void restore_watermark(Micros watermark, const FiredByGroup& fired) override;
  Status restore_entry(Micros pane_end, std::string_view key, const EntryView& entry) override;

  bool keep_groups_in(StoredGroups& store, size_t bytes) override;
  Status leave(size_t bytes) override;
  Status restore_group(Micros pane_end, uint32_t key_group) override;

  const WindowCounters& counters() const override { return counters_; }
  void restore_counters(const WindowCounters& counters) override { counters_ = counters; }
  size_t open_panes() const override { return panes_.size(); }
  std::vector<Micros> open_windows() const override;
  size_t memory_bytes() const override;
  const std::shared_ptr<const BatchLayout>& output_layout() const override { return writer_->output_layout(); }
  const AggregateSpec& spec() const override { return spec_; }

 private:
  struct Window {
    TimeRange range;
    bool fired = false;             // its end has passed, and with it its on-time result
    bool pending = false;           // groups of its pane are, and no count or update will make them due
    Micros next_fire = kEndOfTime;  // by an interval, in its rule's kind of time
  };
  struct CachedPane {
    Micros end = kNoTime;  // kNoTime is no slice's end
    Pane* pane = nullptr;  // null: all its windows are closed
    uint32_t missed = 0;   // windows that are closed
    Micros last_missed = kNoTime;
  };
  struct Lookup {
    PaneTable* table = nullptr;
    Pane* pane = nullptr;
    uint32_t group = 0;  // index in GroupedRows::groups
    uint32_t entry = 0;
    uint32_t kept_begin = kAllRows;  // in BaseCheck::kept(), where some of the group's rows have no base
    uint32_t rows = 0;               // that have one
    uint32_t missed = 0;             // windows
  };
  static constexpr uint32_t kAllRows = UINT32_MAX;
  struct LateRows {  // a group of the batch, or a part of one
    LateGroup::Why why = LateGroup::Why::too_late;
    Micros pane_end = 0;
    uint32_t missed = 0;
    std::span<const uint32_t> rows;
  };
  /// What one move of time does, in this order: late changes that no rule has shown yet, of windows that are about to
  /// close; windows whose end has passed; early results. A part goes over the windows from `next_window_` on.
  enum class Part : uint8_t { last_changes, on_time, event_intervals, close, clock_back, wall_intervals };
  struct Writing {  // the window whose results are being given: of entries_, from `next` on
    Window* window = nullptr;
    FiringKind kind = FiringKind::on_time;
    std::unique_ptr<Pane> merged;
    size_t next = 0;
    std::unique_ptr<StreamedWindow> stream;  // makes entries_ anew when all of them are given
  };
  struct Due {  // a group whose result is due, in the window's own pane
    Window* window = nullptr;
    uint32_t key_group = 0;
    uint32_t entry = 0;
  };

  // Windows and panes
  bool by_processing_time() const noexcept { return spec_.window.processing_time; }
  Micros cleanup_of(Micros window_end) const;
  bool is_closed(Micros window_end) const { return cleanup_of(window_end) <= watermark_; }
  const std::vector<Micros>& ends_of(Micros slice_end) const;
  const CachedPane& find_pane(Micros slice_end);
  CachedPane open_pane(Micros slice_end);
  Pane& pane_at(Micros end);
  Micros slice_open_now(Micros slice_end, Micros wall_us) const;
  Window& window_at(Micros end, bool fired);
  void restore_window(Micros end);
  bool is_slice_end(Micros pane_end) const;
  Status with_pane(const Status& status, Micros pane_end) const;
  Status misfit(Micros pane_end) const;

  // apply()
  Status find_lookups(const GroupedRows& rows, Micros wall_us);
  void find_entries(const GroupedRows& rows);
  Status check_base(const GroupedRows& rows);
  void update(const GroupedRows& rows);
  std::span<const uint32_t> applied_rows(const GroupedRows& rows, const Lookup& lookup) const;
  void add_late(const GroupedRows& rows, std::vector<LateGroup>& late);

  // Rules
  const Firing& rule_of(const Window& window) const { return window.fired ? spec_.emit.late : spec_.emit.early; }
  void note_changes(const GroupedRows& rows, Micros wall_us);
  void note_change(const GroupedRows& rows, const Lookup& lookup, Window& window, Micros wall_us);
  void arm(Window& window, const Firing& rule, Micros next);
  void arm_restored(Window& window);
  Status fire_due(std::vector<FiredRows>& fired);

  // Firing
  Status fire_step(std::vector<FiredRows>& fired) override;
  void begin_move(Micros time);
  void begin_clock_back(Micros wall_us);
  Status go_on();
  bool find_last_changes();
  Result<bool> find_on_time();
  bool find_interval(bool event_time);
  void begin_pending(Window& window);
  Status begin_on_time(Window& window);
  bool is_streamed(const std::vector<Pane*>& slices) const;
  Status begin_streamed(const std::vector<Pane*>& slices);
  void end_on_time(Window& window);
  bool had_fired(uint32_t key_group, Micros window_end) const;
  void keep_left_out(Window& window);
  void close_windows();
  std::unique_ptr<Pane> merge_slices(const Window& window) const;
  std::unique_ptr<Pane> merge_keys(const Window& window, const std::vector<EntryRef>& entries) const;
  void collect(Pane& pane, Micros window_end);
  void begin_changed(Window& window);
  Status write_some(std::vector<FiredRows>& fired);
  void purge(const EntryRef& entry);

  AggregateSpec spec_;
  AccumulatorLayout layout_;
  KeyCodec codec_;
  WindowAssigner assigner_;
  std::unique_ptr<ResultWriter> writer_;
  const bool merges_;     // windows are of several slices
  const bool again_;      // groups may have several results
  const bool has_rules_;  // early or late rules to follow with every batch
  const bool checks_base_;
  PaneStore panes_;
  size_t bytes_max_ = 0;              // for groups in memory, where they may leave it
  std::map<Micros, Window> windows_;  // by end
  Micros watermark_ = kNoTime;        // by processing time: the wall clock
  Micros complete_ = kNoTime;         // while firing
  std::vector<Part> parts_;           // of the firing, the next one last
  Micros next_window_ = kNoTime;      // of the part in hand
  Micros next_due_ = kEndOfTime;      // of an interval part: of the windows that it has passed
  Micros wall_us_ = kNoTime;          // of move_clock()
  Micros move_from_ = kNoTime;        // windows up to here had fired before
  Writing writing_;
  FiredByGroup restored_fired_{};
  Micros least_fired_ = kNoTime;   // of these
  bool overdue_ = false;           // restored windows may be due without any advance
  Micros event_due_ = kEndOfTime;  // the first next_fire in event time
  Micros wall_due_ = kEndOfTime;   // and by the wall clock
  WindowCounters counters_;

  std::array<CachedPane, 64> recent_;
  mutable std::vector<Micros> ends_;  // scratch, as all that follows
  std::vector<Micros> window_ends_;
  std::vector<Lookup> lookups_;
  std::vector<LateRows> late_rows_;
  std::vector<UpdateTarget> targets_;
  std::vector<UpdateTarget> kept_targets_;
  BaseCheck base_check_;
  std::vector<Due> due_;
  std::vector<EntryRef> entries_;  // of writing_, by key
  std::vector<DueGroup> groups_;
};

}  // namespace tidemark::core
