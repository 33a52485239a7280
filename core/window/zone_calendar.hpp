// SPDX-License-Identifier: Apache-2.0
//
// ZoneCalendar: cuts the time line into days and hours as the clocks of an IANA zone show them. The zone is always
// named; the machine's own is never asked for. Days may have 23 or 25 hours, the hour that autumn repeats is two.
//
// Invariants: ranges of one (length, offset) tile the line without gaps; none is empty. Clock changes are known up to
// the year 2437, the last offset stays after that; beyond 2^62 microseconds (some 146,000 years) a zone counts as UTC,
// so that nothing overflows. Immutable but for a cache of the last place; one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/window/time_range.hpp"

namespace tidemark::core {

class ZoneCalendar {
 public:
  /// Reads the system's zone data. Code::config when there is no such zone.
  static Result<ZoneCalendar> load(const std::string& zone);

  /// What the zone's clocks show less UTC, at `time`.
  Micros utc_offset(Micros time) const { return era(era_at(time)).utc_offset; }
  /// True when the zone never differs from UTC.
  bool is_utc() const;

  /// The range that holds `time`. Lengths of whole days count dates: a range begins when local time first reaches
  /// midnight (plus `offset`) of its first date, at the clock change if there is no midnight. Other lengths count
  /// clock time: every instant that shows a multiple (plus `offset`) begins one, and so does a clock change that
  /// jumps over a multiple. `length` > 0, |offset| < length.
  TimeRange range_around(Micros time, Micros length, Micros offset) const;

 private:
  /// A time without clock changes.
  struct Era {
    Micros begin;
    Micros end;
    Micros utc_offset;
  };

  explicit ZoneCalendar(std::vector<Era> eras) : eras_(std::make_shared<const std::vector<Era>>(std::move(eras))) {}
  const Era& era(size_t number) const { return (*eras_)[number]; }
  size_t era_at(Micros time) const;
  TimeRange dates_around(Micros time, Micros length, Micros offset) const;
  Micros latest_local(Micros time) const;
  Micros first_at(Micros local) const;
  TimeRange hours_around(Micros time, Micros length, Micros offset) const;
  bool starts_range(size_t number, Micros length, Micros offset) const;

  std::shared_ptr<const std::vector<Era>> eras_;  // tile the line
  mutable size_t last_ = 0;                       // era of the last question
};

}  // namespace tidemark::core
