// SPDX-License-Identifier: Apache-2.0
//
// Zone data comes from cctz, which reads the system's files and knows the rules for years after them; it is asked
// once, at load. Two kinds of ranges: dates follow the latest local time seen so far (so that clocks set back never
// reopen a day), hours follow the clock within each era and are stitched where eras meet.
#include "core/window/zone_calendar.hpp"

#include <cctz/time_zone.h>

#include <algorithm>

namespace tidemark::core {
namespace {

constexpr Micros kDay = 24 * 3600 * kMicrosPerSecond;
constexpr Micros kZonedTime = Micros{1} << 62;  // zones count within this distance of 1970

/// Names that the zone files' folder answers to, but that mean the machine's own zone, a file elsewhere or clocks
/// with leap seconds.
bool is_zone_name(const std::string& name) {
  for (const char* refused : {"localtime", "posixrules"}) {
    if (name == refused) return false;
  }
  for (const char* refused : {"Fixed/", "posix/", "right/"}) {
    if (name.starts_with(refused)) return false;
  }
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  }) && name[0] != '/';
}

Micros in_micros(cctz::time_point<cctz::seconds> time) {
  return time.time_since_epoch().count() * kMicrosPerSecond;
}

}  // namespace

Result<ZoneCalendar> ZoneCalendar::load(const std::string& zone) {
  cctz::time_zone found;
  if (!is_zone_name(zone) || !cctz::load_time_zone(zone, &found)) {
    return Status(Code::config, "there is no time zone '" + zone +
                                    "'; write an IANA name such as \"Europe/Berlin\" or \"UTC\" (this machine knows "
                                    "those of its package tzdata)");
  }
  using Seconds = cctz::time_point<cctz::seconds>;
  constexpr int64_t kFirst = -kZonedTime / kMicrosPerSecond;
  Seconds at = Seconds(cctz::seconds(kFirst));
  const auto offset_at = [&](Seconds time) { return Micros{found.lookup(time).offset} * kMicrosPerSecond; };
  std::vector<Era> eras = {{kNoTime, -kZonedTime, 0}, {-kZonedTime, kZonedTime, offset_at(at)}};
  cctz::time_zone::civil_transition change;
  while (found.next_transition(at, &change)) {
    const Seconds next = found.lookup(change.to).trans;
    if (next <= at) break;
    at = next;
    if (offset_at(at) == eras.back().utc_offset) continue;  // another name for the same time
    eras.back().end = in_micros(at);
    eras.push_back({in_micros(at), kZonedTime, offset_at(at)});
  }
  eras.push_back({kZonedTime, kEndOfTime, 0});
  return ZoneCalendar(std::move(eras));
}

bool ZoneCalendar::is_utc() const {
  return std::all_of(eras_->begin(), eras_->end(), [](const Era& each) { return each.utc_offset == 0; });
}

size_t ZoneCalendar::era_at(Micros time) const {
  if (const Era& last = era(last_); time >= last.begin && time < last.end) return last_;
  const auto after = std::upper_bound(eras_->begin() + 1, eras_->end(), time,
                                      [](Micros value, const Era& each) { return value < each.begin; });
  return last_ = static_cast<size_t>(after - eras_->begin()) - 1;
}

TimeRange ZoneCalendar::range_around(Micros time, Micros length, Micros offset) const {
  time = std::min(time, kEndOfTime - 1);  // the last range also takes the end itself
  return length % kDay == 0 ? dates_around(time, length, offset) : hours_around(time, length, offset);
}

TimeRange ZoneCalendar::dates_around(Micros time, Micros length, Micros offset) const {
  const Micros local = latest_local(time);
  const Micros position = position_in(local, length, offset);
  return {first_at(saturating_sub(local, position)), first_at(saturating_add(local, length - position))};
}

/// The latest local time that was shown at or before `time`.
Micros ZoneCalendar::latest_local(Micros time) const {
  size_t number = era_at(time);
  Micros latest = time + era(number).utc_offset;
  // Clocks were never set back by more than a day (Alaska, 1867).
  for (; number > 0 && era(number).begin > saturating_sub(time, 2 * kDay); --number) {
    latest = std::max(latest, era(number).begin - 1 + era(number - 1).utc_offset);
  }
  return latest;
}

/// The first instant that shows `local` or something later.
Micros ZoneCalendar::first_at(Micros local) const {
  for (size_t number = era_at(saturating_sub(local, kDay)); number < eras_->size(); ++number) {
    const Micros shows = std::max(saturating_sub(local, era(number).utc_offset), era(number).begin);
    if (shows < era(number).end) return shows;
  }
  return kEndOfTime;
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
    if (number + 1 == eras_->size() || starts_range(number + 1, length, offset)) break;
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
