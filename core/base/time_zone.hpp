// SPDX-License-Identifier: Apache-2.0
//
// TimeZone: what the clocks of an IANA zone show, as stretches of time with one offset from UTC. The zone is always
// named; the machine's own is never asked for. Clock changes are known up to the year 2437, the last offset stays after
// that; beyond 2^62 microseconds (some 146,000 years) a zone counts as UTC, so that nothing overflows.
// Immutable; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

class TimeZone {
 public:
  /// A time without clock changes.
  struct Era {
    Micros begin = 0;
    Micros end = 0;
    Micros utc_offset = 0;
  };

  /// Reads the system's zone data. Code::config when there is no such zone.
  static Result<std::shared_ptr<const TimeZone>> load(const std::string& name);

  /// Tile the time line, in its order.
  const std::vector<Era>& eras() const noexcept { return eras_; }
  /// Number of the era that holds `time`.
  size_t era_at(Micros time) const noexcept;
  /// What the zone's clocks show less UTC, at `time`.
  Micros utc_offset(Micros time) const noexcept { return eras_[era_at(time)].utc_offset; }
  /// The first instant at which the clocks show `local` or something later: a time that they show twice is the earlier
  /// one, one that they skip is the clock change.
  Micros from_local(Micros local) const noexcept;
  /// True when the zone never differs from UTC.
  bool is_utc() const noexcept;

  explicit TimeZone(std::vector<Era> eras) : eras_(std::move(eras)) {}

 private:
  std::vector<Era> eras_;
};

/// "2026-03-29T00:00:00+05:30": as format_rfc3339(), by the zone's clocks.
std::string format_rfc3339(Micros time, const TimeZone& zone);

}  // namespace tidemark::core
