// SPDX-License-Identifier: Apache-2.0
//
// Zone data comes from cctz, which reads the system's files and knows the rules for years after them; it is asked
// once, at load.
#include "core/base/time_zone.hpp"

#include <cctz/time_zone.h>
#include <fmt/format.h>

#include <algorithm>

namespace tidemark::core {
namespace {

constexpr Micros kDay = Micros{24} * 3600 * kMicrosPerSecond;
constexpr Micros kMinute = 60 * kMicrosPerSecond;
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

Result<std::shared_ptr<const TimeZone>> TimeZone::load(const std::string& name) {
  cctz::time_zone found;
  if (!is_zone_name(name) || !cctz::load_time_zone(name, &found)) {
    return Status(Code::config, "there is no time zone '" + name +
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
  return std::make_shared<const TimeZone>(std::move(eras));
}

bool TimeZone::is_utc() const noexcept {
  return std::all_of(eras_.begin(), eras_.end(), [](const Era& each) { return each.utc_offset == 0; });
}

size_t TimeZone::era_at(Micros time) const noexcept {
  const auto after = std::upper_bound(eras_.begin() + 1, eras_.end(), time,
                                      [](Micros value, const Era& each) { return value < each.begin; });
  return static_cast<size_t>(after - eras_.begin()) - 1;
}

Micros TimeZone::from_local(Micros local) const noexcept {
  for (size_t number = era_at(saturating_sub(local, kDay)); number < eras_.size(); ++number) {
    const Micros shows = std::max(saturating_sub(local, eras_[number].utc_offset), eras_[number].begin);
    if (shows < eras_[number].end) return shows;
  }
  return kEndOfTime;
}

std::string format_rfc3339(Micros time, const TimeZone& zone) {
  const Micros offset = zone.utc_offset(time);
  if (offset % kMinute != 0) return format_rfc3339(time);
  std::string text = format_rfc3339(saturating_add(time, offset));
  if (offset == 0 || text.back() != 'Z') return text;
  text.pop_back();
  const Micros minutes = (offset < 0 ? -offset : offset) / kMinute;
  return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace tidemark::core
