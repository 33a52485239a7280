// SPDX-License-Identifier: Apache-2.0
//
// Names of IANA time zones, checked against the machine's zone files (Debian: package tzdata). Reads folders;
// no global state.
#pragma once

#include <optional>
#include <string>

namespace tidemark::config {

enum class ZoneName : uint8_t {
  utc,  ///< "UTC", which needs no zone files
  known,
  unknown,
  unchecked,  ///< it has the form of a zone's name, and there are no zone files here
};

ZoneName look_up_zone(const std::string& name);

/// The zone that was probably meant.
std::optional<std::string> nearest_zone(const std::string& name);

}  // namespace tidemark::config
