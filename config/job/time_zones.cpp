// SPDX-License-Identifier: Apache-2.0
//
// Zone names from /usr/share/zoneinfo.
#include "config/job/time_zones.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "config/job/nearest_name.hpp"
#include "core/base/time_zone.hpp"

namespace tidemark::config {
namespace {

constexpr const char* kZoneFolder = "/usr/share/zoneinfo";

// The form of a zone's name; also keeps ".." and absolute paths out of the look-up.
bool has_form_of_zone(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.front() != '/' && name.back() != '/' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
                  c == '-' || c == '+';
         });
}

}  // namespace

ZoneName look_up_zone(const std::string& name) {
  if (name == "UTC") return ZoneName::utc;
  if (!has_form_of_zone(name)) return ZoneName::unknown;
  std::error_code error;
  if (!std::filesystem::is_directory(kZoneFolder, error)) return ZoneName::unchecked;
  return core::TimeZone::load(name) ? ZoneName::known : ZoneName::unknown;
}

std::optional<std::string> nearest_zone(const std::string& name) {
  std::vector<std::string> zones = {"UTC"};
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(kZoneFolder, error);
  const std::filesystem::recursive_directory_iterator end;
  for (; !error && at != end; at.increment(error)) {
    std::string zone = at->path().lexically_relative(kZoneFolder).string();
    if (zone.starts_with("posix") || zone.starts_with("right")) {
      at.disable_recursion_pending();
      continue;
    }
    if (zone.front() >= 'A' && zone.front() <= 'Z' && !at->is_directory(error)) zones.push_back(std::move(zone));
  }
  std::sort(zones.begin(), zones.end());
  return nearest_name(name, zones);
}

}  // namespace tidemark::config
