// SPDX-License-Identifier: Apache-2.0
//
// How the JSON of a status and of an explanation writes times and lengths: RFC 3339, and seconds. Pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/time.hpp"

namespace tidemark::core {

using Json = nlohmann::ordered_json;

/// null for kNoTime.
inline Json json_time(Micros value) {
  return value == kNoTime ? Json(nullptr) : Json(format_rfc3339(value));
}

inline Json json_seconds(Micros length) {
  return static_cast<double>(length) / static_cast<double>(kMicrosPerSecond);
}
inline Json json_seconds(std::optional<Micros> length) {
  return length ? json_seconds(*length) : Json(nullptr);
}

}  // namespace tidemark::core
