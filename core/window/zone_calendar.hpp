// SPDX-License-Identifier: Apache-2.0
//
// ZoneCalendar: cuts the time line into days and hours as the clocks of an IANA zone show them. The zone is always
// named; the machine's own is never asked for. Days may have 23 or 25 hours, the hour that autumn repeats is two.
//
// Invariants: ranges of one (length, offset) tile the line without gaps; none is empty. Immutable but for a cache of
// the last place; one thread.
#pragma once

#include <memory>
#include <string>

#include "core/base/status.hpp"
#include "core/base/time_zone.hpp"
#include "core/window/time_range.hpp"

namespace tidemark::core {

class ZoneCalendar {
 public:
  /// Reads the system's zone data. Code::config when there is no such zone.
  static Result<ZoneCalendar> load(const std::string& zone);

  /// What the zone's clocks show less UTC, at `time`.
  Micros utc_offset(Micros time) const { return era(era_at(time)).utc_offset; }
  /// True when the zone never differs from UTC.
  bool is_utc() const { return zone_->is_utc(); }

  /// The range that holds `time`. Lengths of whole days count dates: a range begins when local time first reaches
  /// midnight (plus `offset`) of its first date, at the clock change if there is no midnight. Other lengths count
  /// clock time: every instant that shows a multiple (plus `offset`) begins one, and so does a clock change that
  /// jumps over a multiple. `length` > 0, |offset| < length.
  TimeRange range_around(Micros time, Micros length, Micros offset) const;

 private:
  explicit ZoneCalendar(std::shared_ptr<const TimeZone> zone) : zone_(std::move(zone)) {}
  const TimeZone::Era& era(size_t number) const { return zone_->eras()[number]; }
  size_t era_at(Micros time) const;
  TimeRange dates_around(Micros time, Micros length, Micros offset) const;
  Micros latest_local(Micros time) const;
  TimeRange hours_around(Micros time, Micros length, Micros offset) const;
  bool starts_range(size_t number, Micros length, Micros offset) const;

  std::shared_ptr<const TimeZone> zone_;
  mutable size_t last_ = 0;  // era of the last question
};

}  // namespace tidemark::core
