// SPDX-License-Identifier: Apache-2.0
//
// WindowAssigner: which windows a time belongs to (semantics 1.13, 1.17.9). Rows are gathered in slices, the largest
// pieces that no window cuts; a window is a run of slices and is named by its end. Sessions have no fixed windows: see
// window/session_set.hpp.
//
// Invariants: each end belongs to at most one window; ends beyond the range fall together in kEndOfTime. Copies share
// the zone's data. Immutable but for caches; one thread.
#pragma once

#include <optional>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/time_range.hpp"
#include "core/window/zone_calendar.hpp"

namespace tidemark::core {

/// A row may fall into so many windows.
inline constexpr Micros kMaxWindowsPerRow = 100'000;

class WindowAssigner {
 public:
  /// Code::config, naming the setting and what it may be; Code::unsupported for sessions, once they are checked.
  static Result<WindowAssigner> create(const WindowSpec& spec);

  /// The slice that holds `time`; nothing where a slide leaves room between windows.
  std::optional<TimeRange> slice_of(Micros time) const;
  /// The slice with this end, which slice_of() or window_ends() gave.
  TimeRange slice_ending_at(Micros end) const;
  /// The window with this end, if there is one.
  std::optional<TimeRange> window_ending_at(Micros end) const;
  /// Appends the ends of the windows that `slice` is part of, ascending.
  void window_ends(const TimeRange& slice, std::vector<Micros>& out) const;

 private:
  WindowAssigner(const WindowSpec& spec, std::optional<ZoneCalendar> zone);
  bool has_zone() const { return zone_.has_value(); }
  TimeRange cut(Micros time, Micros length) const;

  WindowKind kind_;
  Micros size_;
  Micros slide_;  // from window to window; cumulative: from end to end
  Micros slice_;
  Micros offset_;
  std::optional<ZoneCalendar> zone_;  // none: UTC
  mutable TimeRange last_;            // of slice_of(), with a zone; empty at first
};

/// What create() checks, for all kinds. Code::config.
Status check_window(const WindowSpec& spec);

}  // namespace tidemark::core
