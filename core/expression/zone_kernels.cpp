// SPDX-License-Identifier: Apache-2.0
//
// By cctz, which reads the system's files and knows the rules for years after them.
#include "core/expression/zone_kernels.hpp"

#include <cctz/time_zone.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

struct ZoneChange {
  cctz::time_zone from;
  cctz::time_zone to;
};

// "+05:30", to 14 hours either way.
std::optional<cctz::seconds> parse_offset(std::string_view name) {
  const bool west = name.starts_with('-');
  if (name.size() != 6 || (!west && name[0] != '+') || name[3] != ':') return std::nullopt;
  int64_t digits[4];
  for (size_t i = 0; i < 4; ++i) {
    const char c = name[i < 2 ? i + 1 : i + 2];
    if (c < '0' || c > '9') return std::nullopt;
    digits[i] = c - '0';
  }
  const int64_t minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3];
  if (digits[2] > 5 || minutes > int64_t{14} * 60) return std::nullopt;
  return cctz::seconds(minutes * 60 * (west ? -1 : 1));
}

// Names that the zone files' folder answers to, but that mean the machine's own zone, a file elsewhere or clocks with
// leap seconds.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name[0] == '/' || name == "localtime" || name == "posixrules") return false;
  for (const std::string_view refused : {"Fixed/", "posix/", "right/"}) {
    if (name.starts_with(refused)) return false;
  }
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '+' || c == '/';
  });
}

std::optional<cctz::time_zone> find_zone(const std::string& name) {
  if (const auto offset = parse_offset(name)) return cctz::fixed_time_zone(*offset);
  cctz::time_zone zone;
  if (!is_zone_name(name) || !cctz::load_time_zone(name, &zone)) return std::nullopt;
  return zone;
}

using SecondPoint = cctz::time_point<cctz::seconds>;

SecondPoint whole_seconds(const DayAndTime& parts) {
  return SecondPoint(cctz::seconds(parts.days * 86'400 + parts.of_day / kMicrosPerSecond));
}

Micros to_utc(const cctz::time_zone& zone, Micros wall) {
  const DayAndTime parts = split_day(wall);
  const SecondPoint shown = whole_seconds(parts);
  const auto found = zone.lookup(cctz::civil_second(1970) + shown.time_since_epoch().count());
  const bool skipped = found.kind == cctz::time_zone::civil_lookup::SKIPPED;
  const int64_t offset = (shown - (skipped ? found.trans : found.pre)).count();
  const Micros fraction = skipped ? parts.of_day % kMicrosPerSecond : 0;
  return saturating_sub(wall, offset * kMicrosPerSecond + fraction);
}

Micros from_utc(const cctz::time_zone& zone, Micros utc) {
  return saturating_add(utc, Micros{zone.lookup(whole_seconds(split_day(utc))).offset} * kMicrosPerSecond);
}

}  // namespace

bool is_zone(const std::string& name) {
  return find_zone(name).has_value();
}

std::shared_ptr<const void> make_zone_change(const std::string& from, const std::string& to) {
  return std::make_shared<const ZoneChange>(
      ZoneChange{find_zone(from).value_or(cctz::utc_time_zone()), find_zone(to).value_or(cctz::utc_time_zone())});
}

void convert_zone_kernel(const Frame& frame, const Step& step) {
  const auto& change = *static_cast<const ZoneChange*>(step.parameter.object.get());
  map_valid_rows<int64_t(int64_t)>(frame, step, [&change](int64_t a, int64_t& out) {
    out = from_utc(change.to, to_utc(change.from, a));
    return failed_if(out == kNoTime || out == kEndOfTime);
  });
}

}  // namespace tidemark::core
