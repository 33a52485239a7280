// SPDX-License-Identifier: Apache-2.0
//
// CONVERT_TZ: wall clock times of one zone as those of another. Zones are IANA names, from the system's zone data,
// or offsets such as "+05:30"; never the machine's own. A time that a zone has twice is the earlier one; one that it
// skips is the end of the gap.
// ZoneChange is immutable and may be shared.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/time_zone.hpp"
#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// A zone, or a fixed offset where there is none.
struct WallClock {
  std::shared_ptr<const TimeZone> zone;  ///< null: the offset
  Micros offset_us = 0;

  /// Empty when there is no such zone. For compilation: may read zone data.
  static std::optional<WallClock> find(std::string_view name);

  Micros to_utc(Micros wall) const;
  Micros from_utc(Micros utc) const;
};

struct ZoneChange {
  WallClock from;
  WallClock to;
};

/// time -> datetime; parameter.object: a ZoneChange.
void convert_zone_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
