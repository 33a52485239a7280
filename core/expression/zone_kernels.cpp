// SPDX-License-Identifier: Apache-2.0
//
// By Howard Hinnant's tz library, which the standard took over in C++20 (this compiler's standard library lacks it).
#include "core/expression/zone_kernels.hpp"

#include <date/tz.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "core/expression/row_loops.hpp"
#include "core/expression/temporal_text.hpp"

namespace tidemark::core {
namespace {

struct Seconds {
  std::chrono::seconds whole;
  Micros fraction = 0;
};
Seconds split_seconds(Micros value) {
  const DayAndTime parts = split_day(value);
  return {std::chrono::seconds(parts.days * 86'400 + parts.of_day / kMicrosPerSecond), parts.of_day % kMicrosPerSecond};
}

// "+05:30", to 14 hours either way.
std::optional<Micros> parse_offset(std::string_view name) {
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
  return minutes * 60 * kMicrosPerSecond * (west ? -1 : 1);
}

}  // namespace

std::optional<WallClock> WallClock::find(std::string_view name) {
  if (name == "UTC") return WallClock{};
  if (const auto offset = parse_offset(name)) return WallClock{nullptr, *offset};
  try {
    return WallClock{date::locate_zone(std::string(name)), 0};
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

Micros WallClock::to_utc(Micros wall) const {
  if (zone == nullptr) return saturating_sub(wall, offset_us);
  const Seconds parts = split_seconds(wall);
  const date::local_info info = zone->get_info(date::local_seconds(parts.whole));
  if (info.result == date::local_info::nonexistent) {
    return saturating_add(0, info.second.begin.time_since_epoch().count() * kMicrosPerSecond);
  }
  return saturating_sub(wall, Micros{info.first.offset.count()} * kMicrosPerSecond);
}

Micros WallClock::from_utc(Micros utc) const {
  if (zone == nullptr) return saturating_add(utc, offset_us);
  const date::sys_info info = zone->get_info(date::sys_seconds(split_seconds(utc).whole));
  return saturating_add(utc, Micros{info.offset.count()} * kMicrosPerSecond);
}

void convert_zone_kernel(const Frame& frame, const Step& step) {
  const auto& change = *static_cast<const ZoneChange*>(step.parameter.object.get());
  map_valid_rows<int64_t(int64_t)>(frame, step, [&change](int64_t a, int64_t& out) {
    out = change.to.from_utc(change.from.to_utc(a));
    return failed_if(out == kNoTime || out == kEndOfTime);
  });
}

}  // namespace tidemark::core
