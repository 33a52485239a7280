// SPDX-License-Identifier: Apache-2.0
//
// An explanation as text and as JSON.
#include <fmt/format.h>

#include "core/observe/explanation.hpp"
#include "core/observe/json_values.hpp"

namespace tidemark::core {
namespace {

Json remedy_json(const Remedy& remedy) {
  return {{"setting", remedy.setting},
          {"value", remedy.value.empty() ? Json(nullptr) : Json(remedy.value)},
          {"text", remedy.text}};
}

// The split, or the aggregate, that sets the watermark; null where none does.
Json holder_json(const JobStatus& status, const AggregateView& aggregate, const SplitView* split) {
  const Json since = format_rfc3339(saturating_sub(status.wall_us, aggregate.holder_us));
  if (!aggregate.held_by.empty()) {
    return {{"aggregate", aggregate.held_by}, {"since", since}, {"holding_seconds", json_seconds(aggregate.holder_us)}};
  }
  if (split == nullptr) return nullptr;
  const SplitView& holder = *split;
  return {{"number", holder.status.split},
          {"source", holder.source},
          {"shard", holder.name},
          {"state", state_word(holder.status.state)},
          {"reason", holder.status.reason},
          {"strategy", holder.terms.strategy},
          {"since", since},
          {"holding_seconds", json_seconds(aggregate.holder_us)}};
}

std::string remedy_text(const Remedy& remedy) {
  if (remedy.value.empty()) return fmt::format("{} {}", remedy.setting, remedy.text);
  const bool quoted = remedy.value.front() == '"' || remedy.value.front() == '{';
  return fmt::format("{} = {} {}", remedy.setting, quoted ? remedy.value : "\"" + remedy.value + "\"", remedy.text);
}

}  // namespace

const char* verdict_word(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::held:
      return "held";
    case Verdict::not_begun:
      return "not_begun";
    case Verdict::all_idle:
      return "all_idle";
    case Verdict::closed:
      return "closed";
    case Verdict::ended:
      return "ended";
    case Verdict::no_splits:
      return "no_splits";
  }
  return "?";
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* next : {"MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::string about(Micros length) {
  const Micros magnitude = length < 0 ? saturating_sub(0, length) : length;
  Micros step = kMicrosPerMilli;
  if (magnitude >= 2 * kMicrosPerSecond) step = kMicrosPerSecond;
  if (magnitude >= Micros{24} * 3600 * kMicrosPerSecond) step = 60 * kMicrosPerSecond;
  return format_duration(length == kEndOfTime ? length : floor_to(length, step));
}

std::string explanation_text(const JobStatus& status, const Explanation& explanation) {
  std::string out;
  const bool past = status.is_past() && !explanation.aggregates.empty();
  if (past) out = fmt::format("as of the last epoch, {}:\n", format_rfc3339(status.wall_us));
  for (size_t i = 0; i < explanation.aggregates.size(); ++i) {
    const AggregateExplanation& one = explanation.aggregates[i];
    const Micros watermark = status.aggregates[i].watermark;
    out += fmt::format("aggregate {}: watermark {}", one.aggregate, format_rfc3339(watermark));
    if (const auto lag = watermark_lag(watermark, status.wall_us)) {
      out += *lag >= 0 ? fmt::format(", {} behind the clock{}", about(*lag), past ? " of then" : "")
                       : fmt::format(", {} ahead of the clock{}", about(-*lag), past ? " of then" : "");
    }
    out += fmt::format("\n  {}\n", one.headline);
    for (const std::string& sentence : one.why) out += fmt::format("  {}\n", sentence);
    if (!one.cost.empty()) out += fmt::format("  cost: {}\n", one.cost);
    for (const Remedy& remedy : one.remedies) out += fmt::format("  setting: {}\n", remedy_text(remedy));
  }
  for (const SplitNote& note : explanation.notes) {
    out += fmt::format("note: {}\n", note.text);
    if (note.remedy) out += fmt::format("  setting: {}\n", remedy_text(*note.remedy));
  }
  if (out.empty()) out = "the job has no aggregate: nothing waits for a watermark\n";
  return out;
}

std::string explanation_json(const JobStatus& status, const Explanation& explanation) {
  Json out = {{"job", status.job},
              {"running", status.running},
              {"as_of_epoch", status.as_of_epoch},
              {"time", json_time(status.wall_us)},
              {"aggregates", Json::array()},
              {"notes", Json::array()}};
  for (size_t i = 0; i < explanation.aggregates.size(); ++i) {
    const AggregateExplanation& one = explanation.aggregates[i];
    const AggregateView& aggregate = status.aggregates[i];
    const SplitView* holder = one.holder ? status.find_split(*one.holder) : nullptr;
    Json remedies = Json::array();
    for (const Remedy& remedy : one.remedies) remedies.push_back(remedy_json(remedy));
    out["aggregates"].push_back({{"aggregate", one.aggregate},
                                 {"verdict", verdict_word(one.verdict)},
                                 {"headline", one.headline},
                                 {"why", one.why},
                                 {"watermark", json_time(aggregate.watermark)},
                                 {"holder", holder_json(status, aggregate, holder)},
                                 {"cost",
                                  {{"windows_open", aggregate.open_windows},
                                   {"state_bytes", aggregate.state_bytes},
                                   {"ahead_seconds", json_seconds(one.ahead_us)}}},
                                 {"remedies", std::move(remedies)}});
  }
  for (const SplitNote& note : explanation.notes) {
    const SplitView* split = status.find_split(note.split);
    out["notes"].push_back({{"kind", note.kind},
                            {"source", split != nullptr ? split->source : ""},
                            {"shard", split != nullptr ? split->name : ""},
                            {"text", note.text},
                            {"remedy", note.remedy ? remedy_json(*note.remedy) : Json(nullptr)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidemark::core
