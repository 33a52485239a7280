// SPDX-License-Identifier: Apache-2.0
//
// CONVERT_TZ: wall clock times of one zone as those of another. Zones are IANA names, from the system's tz database,
// or offsets such as "+05:30"; never the machine's own. A time that a zone shows twice is the earlier one; one that it
// skips is the end of the gap.
// A zone change is immutable and may be shared.
#pragma once

#include <memory>
#include <string>

#include "core/expression/kernel.hpp"

namespace tidemark::core {

/// May read the tz database.
bool is_zone(const std::string& name);

/// For Parameter::object; both are zones.
std::shared_ptr<const void> make_zone_change(const std::string& from, const std::string& to);

/// time -> datetime; parameter.object: as make_zone_change gave it.
void convert_zone_kernel(const Frame& frame, const Step& step);

}  // namespace tidemark::core
