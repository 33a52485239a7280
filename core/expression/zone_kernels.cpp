// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/expression/zone_kernels.hpp"

#include <string>

#include "core/expression/row_loops.hpp"

namespace tidemark::core {
namespace {

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
  auto zone = TimeZone::load(std::string(name));
  if (!zone) return std::nullopt;
  return WallClock{std::move(*zone), 0};
}

Micros WallClock::to_utc(Micros wall) const {
  return zone == nullptr ? saturating_sub(wall, offset_us) : zone->from_local(wall);
}

Micros WallClock::from_utc(Micros utc) const {
  return saturating_add(utc, zone == nullptr ? offset_us : zone->utc_offset(utc));
}

void convert_zone_kernel(const Frame& frame, const Step& step) {
  const auto& change = *static_cast<const ZoneChange*>(step.parameter.object.get());
  map_valid_rows<int64_t(int64_t)>(frame, step, [&change](int64_t a, int64_t& out) {
    out = change.to.from_utc(change.from.to_utc(a));
    return failed_if(out == kNoTime || out == kEndOfTime);
  });
}

}  // namespace tidemark::core
