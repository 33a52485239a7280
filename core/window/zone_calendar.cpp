// SPDX-License-Identifier: Apache-2.0
//
// Two kinds of ranges: dates follow the latest local time seen so far (so that clocks set back never reopen a day),
// hours follow the clock within each era and are stitched where eras meet.
#include "core/window/zone_calendar.hpp"

#include <algorithm>

namespace tidemark::core {

Result<ZoneCalendar> ZoneCalendar::load(const std::string& zone) {
  auto loaded = TimeZone::load(zone);
  if (!loaded) return loaded.status();
  return ZoneCalendar(std::move(*loaded));
}

size_t ZoneCalendar::era_at(Micros time) const {
  if (const TimeZone::Era& last = era(last_); time < last.begin || time >= last.end) last_ = zone_->era_at(time);
  return last_;
}

TimeRange ZoneCalendar::range_around(Micros time, Micros length, Micros offset) const {
  time = std::min(time, kEndOfTime - 1);  // the last range also takes the end itself
  return length % kMicrosPerDay == 0 ? dates_around(time, length, offset) : hours_around(time, length, offset);
}

TimeRange ZoneCalendar::dates_around(Micros time, Micros length, Micros offset) const {
  const Micros local = latest_local(time);
  const Micros position = position_in(local, length, offset);
  return {zone_->from_local(saturating_sub(local, position)),
          zone_->from_local(saturating_add(local, length - position))};
}

/// The latest local time that was shown at or before `time`.
Micros ZoneCalendar::latest_local(Micros time) const {
  size_t number = era_at(time);
  Micros latest = time + era(number).utc_offset;
  // Clocks were never set back by more than a day (Alaska, 1867).
  for (; number > 0 && era(number).begin > saturating_sub(time, 2 * kMicrosPerDay); --number) {
    latest = std::max(latest, era(number).begin - 1 + era(number - 1).utc_offset);
  }
  return latest;
}

TimeRange ZoneCalendar::hours_around(Micros time, Micros length, Micros offset) const {
  const auto position_of = [&](Micros at, size_t number) {
    return position_in(at, length, offset - era(number).utc_offset);
  };
  const size_t home = era_at(time);
  TimeRange out;
  Micros at = time;
  for (size_t number = home;; --number) {
    out.start = saturating_sub(at, position_of(at, number));
    if (out.start >= era(number).begin) break;
    out.start = era(number).begin;
    if (number == 0 || starts_range(number, length, offset)) break;
    at = era(number).begin - 1;
  }
  at = time;
  for (size_t number = home;; ++number) {
    out.end = saturating_add(at, length - position_of(at, number));
    if (out.end < era(number).end) break;
    out.end = era(number).end;
    if (number + 1 == zone_->eras().size() || starts_range(number + 1, length, offset)) break;
    at = era(number).end;
  }
  return out;
}

/// Whether an era begins with a multiple, or by jumping over one.
bool ZoneCalendar::starts_range(size_t number, Micros length, Micros offset) const {
  const Micros past = position_in(era(number).begin, length, offset - era(number).utc_offset);
  return past == 0 || past <= era(number).utc_offset - era(number - 1).utc_offset;
}

}  // namespace tidemark::core
