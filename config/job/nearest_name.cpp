// SPDX-License-Identifier: Apache-2.0
//
// Nearest names. The list of other tools' words is kept here in one table.
#include "config/job/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tidemark::config {
namespace {

struct Synonym {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array<Synonym, 62> kSynonyms = {{
    {"grace", "allowed_lateness"},
    {"grace_period", "allowed_lateness"},
    {"lateness", "allowed_lateness"},
    {"late_tolerance", "allowed_lateness"},
    {"watermark_delay", "max_out_of_orderness"},
    {"out_of_orderness", "max_out_of_orderness"},
    {"bound", "max_out_of_orderness"},
    {"max_delay", "max_out_of_orderness"},
    {"delay", "max_out_of_orderness"},
    {"idleness", "idle_timeout"},
    {"with_idleness", "idle_timeout"},
    {"idle", "idle_timeout"},
    {"idle_time", "idle_timeout"},
    {"auto_watermark_interval", "emit_interval"},
    {"watermark_interval", "emit_interval"},
    {"timestamp_field", "field"},
    {"time_field", "field"},
    {"time_column", "field"},
    {"event_time", "field"},
    {"timestamp", "field"},
    {"rowtime", "field"},
    {"column", "field"},
    {"group_by", "key_by"},
    {"partition_by", "key_by"},
    {"keys", "key_by"},
    {"key", "key_by"},
    {"connector", "type"},
    {"plugin", "type"},
    {"kind", "type"},
    {"input", "inputs"},
    {"from", "inputs"},
    {"source", "inputs"},
    {"upstream", "inputs"},
    {"select", "columns"},
    {"aggregations", "columns"},
    {"measures", "columns"},
    {"fields", "columns"},
    {"width", "size"},
    {"length", "size"},
    {"window_size", "size"},
    {"duration", "size"},
    {"advance", "slide"},
    {"hop", "slide"},
    {"workers", "parallelism"},
    {"threads", "parallelism"},
    {"concurrency", "parallelism"},
    {"timezone", "time_zone"},
    {"tz", "time_zone"},
    {"checkpoint_interval", "interval"},
    {"dir", "path"},
    {"directory", "path"},
    {"filename", "path"},
    {"file", "path"},
    {"memory_limit", "memory"},
    {"on_late", "late"},
    {"encoding", "format"},
    {"log_level", "level"},
    {"trigger", "emit"},
    {"monotonous", "ascending"},
    {"monotonic", "ascending"},
    {"insert_only", "append"},
    {"upsert", "changelog"},
}};

}  // namespace

std::vector<std::string_view> same_idea(std::string_view name) {
  std::vector<std::string_view> out;
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.theirs == name) out.push_back(synonym.ours);
  }
  return out;
}

std::optional<std::string> same_name(std::string_view given, std::span<const std::string> candidates) {
  const std::string snake = snake_case(given);
  for (const std::string& candidate : candidates) {
    if (candidate != given && snake_case(candidate) == snake) return candidate;
  }
  for (const std::string_view ours : same_idea(snake)) {
    const auto found = std::find(candidates.begin(), candidates.end(), ours);
    if (found != candidates.end()) return *found;
  }
  return std::nullopt;
}

std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> candidates) {
  if (given.empty() || given.size() > core::kComparedMax) return std::nullopt;
  if (std::optional<std::string> same = same_name(given, candidates)) return same;
  return core::similar_name(given, candidates);
}

std::string suggest_name(std::string_view given, std::span<const std::string> known) {
  if (const auto near = nearest_name(given, known)) return fmt::format("did you mean `{}`?", *near);
  if (known.empty()) return {};
  return fmt::format("there {}: {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", "));
}

}  // namespace tidemark::config
