// SPDX-License-Identifier: Apache-2.0
//
// Zones of shards, by glob. A split of a file source is a path, of which the last part alone may be named.
#include <fnmatch.h>

#include "core/plan/job_plan.hpp"

namespace tidemark::core {
namespace {

bool is_match(const std::string& pattern, const std::string& split) {
  if (fnmatch(pattern.c_str(), split.c_str(), 0) == 0) return true;
  const size_t slash = split.rfind('/');
  return slash != std::string::npos && fnmatch(pattern.c_str(), split.c_str() + slash + 1, 0) == 0;
}

}  // namespace

Result<std::shared_ptr<const TimeZone>> ZonesOfShards::of(const std::string& split) const {
  const std::string* name = &zone;
  for (const Override& one : overrides) {
    if (!is_match(one.shards, split)) continue;
    name = &one.zone;
    break;
  }
  if (*name == "UTC") return std::shared_ptr<const TimeZone>();
  return TimeZone::load(*name);
}

}  // namespace tidemark::core
