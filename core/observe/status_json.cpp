// SPDX-License-Identifier: Apache-2.0
//
// Both directions stand side by side, so that a field that is added to one is missed in the other at once.
#include "core/observe/status_json.hpp"

#include <cmath>

#include "core/observe/json_values.hpp"

namespace tidemark::core {
namespace {

constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

Json count(uint64_t value) {
  return value <= kExactInDouble ? Json(value) : Json(std::to_string(value));
}
Json seconds_or_none(Micros length) {
  return length > 0 ? json_seconds(length) : Json(nullptr);
}

// The member of that name; null when it is absent.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  const auto at = object.find(name);
  return at == object.end() ? kNone : *at;
}
std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}
bool flag_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}
uint64_t count_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (value.is_string()) return std::strtoull(value.get_ref<const std::string&>().c_str(), nullptr, 10);
  return value.is_number_unsigned() ? value.get<uint64_t>() : 0;
}
Micros time_of(const Json& object, const char* name) {
  const std::string text = text_of(object, name);
  return text == "end" ? kEndOfTime : parse_rfc3339(text).value_or(kNoTime);
}
std::optional<Micros> seconds_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number()) return std::nullopt;
  const double micros = value.get<double>() * static_cast<double>(kMicrosPerSecond);
  if (!(std::abs(micros) < 9e18)) return std::nullopt;
  return static_cast<Micros>(std::llround(micros));
}
Micros length_of(const Json& object, const char* name) {
  return seconds_of(object, name).value_or(0);
}

// The moment that lies `age_us` back.
Json moment(const JobStatus& status, Micros age_us) {
  return json_time(status.wall_us == kNoTime ? kNoTime : saturating_sub(status.wall_us, age_us));
}

Json arrivals_json(const ArrivalSummary& arrivals) {
  return {{"gaps", count(arrivals.gaps)},
          {"p99_gap_seconds", arrivals.gaps > 0 ? json_seconds(arrivals.p99_gap_us) : Json(nullptr)},
          {"bursts", count(arrivals.bursts)},
          {"batch_period_seconds", seconds_or_none(arrivals.batch_period_us)},
          {"suggested_idle_timeout_seconds", seconds_or_none(arrivals.suggested_idle_timeout_us)}};
}
ArrivalSummary arrivals_of(const Json& json) {
  ArrivalSummary out;
  out.gaps = count_of(json, "gaps");
  out.p99_gap_us = length_of(json, "p99_gap_seconds");
  out.bursts = count_of(json, "bursts");
  out.batch_period_us = length_of(json, "batch_period_seconds");
  out.suggested_idle_timeout_us = length_of(json, "suggested_idle_timeout_seconds");
  return out;
}

Json times_json(const StateTimesState& times) {
  Json out = Json::object();
  for (size_t i = 0; i < kSplitStates; ++i) {
    const auto state = static_cast<SplitState>(i);
    out[state_word(state)] = json_seconds(times.in_us(state));
  }
  return out;
}
StateTimesState times_of(const Json& split, SplitState state) {
  StateTimesState out;
  out.state = state;
  out.stay_us = length_of(split, "in_state_seconds");
  const Json& in_states = member(split, "state_seconds");
  for (size_t i = 0; i < kSplitStates; ++i) {
    const auto each = static_cast<SplitState>(i);
    const Micros all = length_of(in_states, state_word(each));
    out.ended_us[i] = each == state ? all - out.stay_us : all;
  }
  out.idle_count = count_of(split, "idle_count");
  out.return_count = count_of(split, "return_count");
  return out;
}

Json terms_json(const WatermarkTerms& terms) {
  return {{"strategy", terms.strategy.empty() ? Json(nullptr) : Json(terms.strategy)},
          {"emit_interval_seconds", json_seconds(terms.emit_interval_us)},
          {"max_future_seconds",
           terms.max_future_us == kEndOfTime ? Json(nullptr) : Json(json_seconds(terms.max_future_us))},
          {"on_resume", terms.catch_up ? "catch_up" : "hold"},
          {"advance_after_seconds", seconds_or_none(terms.advance_after_us)},
          {"advance_lag_seconds", json_seconds(terms.advance_lag_us)}};
}
WatermarkTerms terms_of(const Json& json) {
  WatermarkTerms out;
  out.strategy = text_of(json, "strategy");
  out.emit_interval_us = length_of(json, "emit_interval_seconds");
  out.max_future_us = seconds_of(json, "max_future_seconds").value_or(kEndOfTime);
  out.catch_up = text_of(json, "on_resume") == "catch_up";
  out.advance_after_us = length_of(json, "advance_after_seconds");
  out.advance_lag_us = length_of(json, "advance_lag_seconds");
  return out;
}

Json split_json(const JobStatus& job, const SplitView& split) {
  const SplitStatus& status = split.status;
  const Micros ahead = status.max_event_time == kNoTime || job.wall_us == kNoTime
                           ? 0
                           : saturating_sub(status.max_event_time, job.wall_us);
  return {{"number", status.split},
          {"source", split.source},
          {"shard", split.name},
          {"core", split.core},
          {"state", state_word(status.state)},
          {"reason", status.reason},
          {"since", moment(job, status.times.stay_us)},
          {"in_state_seconds", json_seconds(status.times.stay_us)},
          {"state_seconds", times_json(status.times)},
          {"total_seconds", json_seconds(status.times.life_us())},
          {"idle_count", count(status.times.idle_count)},
          {"return_count", count(status.times.return_count)},
          {"flapping", status.flapping},
          {"watermark", json_time(status.watermark)},
          {"watermark_lag_seconds", json_seconds(watermark_lag(status.watermark, job.wall_us))},
          {"holding", job.is_holding(status.split)},
          {"max_event_time", json_time(status.max_event_time)},
          {"ahead_of_clock_seconds", json_seconds(std::max<Micros>(ahead, 0))},
          {"known_progress", json_time(status.known_progress)},
          {"silent_seconds", json_seconds(status.last_activity_age_us)},
          {"idle_timeout_seconds", seconds_or_none(status.idle_timeout_us)},
          {"idle_by_source", status.idle_by_source},
          {"arrivals", arrivals_json(status.arrivals)},
          {"alignment_group", split.alignment_group.empty() ? Json(nullptr) : Json(split.alignment_group)},
          {"alignment_drift_seconds", json_seconds(split.drift_us)},
          {"rows_read", count(split.rows_read)},
          {"rows_set_aside", count(split.rows_set_aside)},
          {"rows_filtered", count(split.rows_filtered)},
          {"rows_truncated", count(split.rows_truncated)},
          {"rows_ahead_of_clock", count(split.rows_ahead)},
          {"settings", terms_json(split.terms)}};
}

SplitView split_of(const Json& json) {
  SplitView out;
  SplitStatus& status = out.status;
  status.split = static_cast<uint32_t>(count_of(json, "number"));
  out.source = text_of(json, "source");
  out.name = text_of(json, "shard");
  out.core = static_cast<uint32_t>(count_of(json, "core"));
  status.state = parse_state_word(text_of(json, "state")).value_or(SplitState::active);
  status.reason = text_of(json, "reason");
  status.times = times_of(json, status.state);
  status.flapping = flag_of(json, "flapping");
  status.watermark = time_of(json, "watermark");
  status.max_event_time = time_of(json, "max_event_time");
  status.known_progress = time_of(json, "known_progress");
  status.last_activity_age_us = length_of(json, "silent_seconds");
  status.idle_timeout_us = length_of(json, "idle_timeout_seconds");
  status.idle_by_source = flag_of(json, "idle_by_source");
  status.arrivals = arrivals_of(member(json, "arrivals"));
  out.alignment_group = text_of(json, "alignment_group");
  out.drift_us = seconds_of(json, "alignment_drift_seconds");
  out.rows_read = count_of(json, "rows_read");
  out.rows_set_aside = count_of(json, "rows_set_aside");
  out.rows_filtered = count_of(json, "rows_filtered");
  out.rows_truncated = count_of(json, "rows_truncated");
  out.rows_ahead = count_of(json, "rows_ahead_of_clock");
  out.terms = terms_of(member(json, "settings"));
  return out;
}

Json aggregate_json(const JobStatus& job, const AggregateView& aggregate) {
  Json holder = nullptr;
  if (const SplitView* split = aggregate.holder ? job.find_split(*aggregate.holder) : nullptr) {
    holder = {{"number", split->status.split},
              {"source", split->source},
              {"shard", split->name},
              {"since", moment(job, aggregate.holder_us)},
              {"holding_seconds", json_seconds(aggregate.holder_us)}};
  }
  if (!aggregate.held_by.empty()) {
    holder = {{"aggregate", aggregate.held_by},
              {"since", moment(job, aggregate.holder_us)},
              {"holding_seconds", json_seconds(aggregate.holder_us)}};
  }
  return {{"id", aggregate.id},
          {"sources", aggregate.sources},
          {"upstream", aggregate.upstream},
          {"watermark", json_time(aggregate.watermark)},
          {"watermark_lag_seconds", json_seconds(watermark_lag(aggregate.watermark, job.wall_us))},
          {"holder", std::move(holder)},
          {"all_splits_idle", aggregate.all_idle},
          {"all_idle", policy_word(aggregate.all_idle_policy)},
          {"splits_catching_up", aggregate.catching_up},
          {"windows_open", count(aggregate.open_windows)},
          {"next_window_end", json_time(aggregate.next_window_end)},
          {"state_bytes", count(aggregate.state_bytes)},
          {"rows_in", count(aggregate.rows_in)},
          {"rows_aggregated", count(aggregate.rows_aggregated)},
          {"rows_filtered", count(aggregate.rows_filtered)},
          {"rows_set_aside", count(aggregate.rows_set_aside)},
          {"rows_in_flight", count(aggregate.rows_in_flight)},
          {"rows_late", count(aggregate.rows_late)},
          {"drops_late", aggregate.drops_late},
          {"results", count(aggregate.results)}};
}

std::vector<std::string> texts_of(const Json& json, const char* name) {
  std::vector<std::string> out;
  for (const Json& text : member(json, name)) {
    if (text.is_string()) out.push_back(text.get<std::string>());
  }
  return out;
}

AggregateView aggregate_of(const Json& json) {
  AggregateView out;
  out.id = text_of(json, "id");
  out.sources = texts_of(json, "sources");
  out.upstream = texts_of(json, "upstream");
  out.watermark = time_of(json, "watermark");
  if (const Json& holder = member(json, "holder"); holder.is_object()) {
    out.held_by = text_of(holder, "aggregate");
    if (out.held_by.empty()) out.holder = static_cast<uint32_t>(count_of(holder, "number"));
    out.holder_us = length_of(holder, "holding_seconds");
  }
  out.all_idle = flag_of(json, "all_splits_idle");
  const std::string policy = text_of(json, "all_idle");
  for (const AllIdlePolicy each :
       {AllIdlePolicy::hold, AllIdlePolicy::flush, AllIdlePolicy::end_of_time, AllIdlePolicy::advance}) {
    if (policy == policy_word(each)) out.all_idle_policy = each;
  }
  out.catching_up = static_cast<uint32_t>(count_of(json, "splits_catching_up"));
  out.open_windows = count_of(json, "windows_open");
  out.next_window_end = time_of(json, "next_window_end");
  out.state_bytes = count_of(json, "state_bytes");
  out.rows_in = count_of(json, "rows_in");
  out.rows_aggregated = count_of(json, "rows_aggregated");
  out.rows_filtered = count_of(json, "rows_filtered");
  out.rows_set_aside = count_of(json, "rows_set_aside");
  out.rows_in_flight = count_of(json, "rows_in_flight");
  out.rows_late = count_of(json, "rows_late");
  out.drops_late = json.value("drops_late", false);
  out.results = count_of(json, "results");
  return out;
}

Json epochs_json(const JobStatus& job) {
  const EpochView& epochs = job.epochs;
  const bool any = epochs.committed_wall_us != kNoTime && job.wall_us != kNoTime;
  return {{"last", count(epochs.last)},
          {"committed", json_time(epochs.committed_wall_us)},
          {"age_seconds", any ? json_seconds(saturating_sub(job.wall_us, epochs.committed_wall_us)) : Json(nullptr)},
          {"duration_seconds", seconds_or_none(epochs.duration_us)},
          {"hold_seconds", seconds_or_none(epochs.held_us)},
          {"committed_by_process", count(epochs.committed)},
          {"checkpoint_failures", count(epochs.checkpoint_failures)}};
}

JobStatus status_of(const Json& json) {
  JobStatus out;
  out.job = text_of(json, "job");
  out.version = text_of(json, "version");
  out.running = flag_of(json, "running");
  out.as_of_epoch = flag_of(json, "as_of_epoch");
  out.finished = flag_of(json, "finished");
  out.pid = static_cast<int64_t>(count_of(json, "pid"));
  out.wall_us = time_of(json, "time");
  out.started_wall_us = time_of(json, "started");
  out.uptime_us = length_of(json, "uptime_seconds");
  out.watermark = time_of(json, "watermark");
  out.rows_read = count_of(json, "rows_read");
  for (const Json& split : member(json, "splits")) out.splits.push_back(split_of(split));
  for (const Json& aggregate : member(json, "aggregates")) out.aggregates.push_back(aggregate_of(aggregate));
  for (const Json& sink : member(json, "sinks")) {
    out.sinks.push_back({text_of(sink, "id"), text_of(sink, "aggregate"), count_of(sink, "results"),
                         count_of(sink, "refused"), text_of(sink, "failure")});
  }
  const Json& epochs = member(json, "epochs");
  out.epochs.last = count_of(epochs, "last");
  out.epochs.committed_wall_us = time_of(epochs, "committed");
  out.epochs.duration_us = length_of(epochs, "duration_seconds");
  out.epochs.held_us = length_of(epochs, "hold_seconds");
  out.epochs.committed = count_of(epochs, "committed_by_process");
  out.epochs.checkpoint_failures = count_of(epochs, "checkpoint_failures");
  return out;
}

}  // namespace

const char* policy_word(AllIdlePolicy policy) noexcept {
  switch (policy) {
    case AllIdlePolicy::hold:
      return "hold";
    case AllIdlePolicy::flush:
      return "flush";
    case AllIdlePolicy::end_of_time:
      return "end_of_time";
    case AllIdlePolicy::advance:
      return "advance_after";
  }
  return "?";
}

std::string status_to_json(const JobStatus& status) {
  Json out = {{"job", status.job},
              {"version", status.version},
              {"running", status.running},
              {"as_of_epoch", status.as_of_epoch},
              {"finished", status.finished},
              {"pid", status.running ? Json(status.pid) : Json(nullptr)},
              {"time", json_time(status.wall_us)},
              {"started", json_time(status.started_wall_us)},
              {"uptime_seconds", json_seconds(status.uptime_us)},
              {"watermark", json_time(status.watermark)},
              {"watermark_lag_seconds", json_seconds(watermark_lag(status.watermark, status.wall_us))},
              {"rows_read", count(status.rows_read)},
              {"epochs", epochs_json(status)},
              {"aggregates", Json::array()},
              {"splits", Json::array()},
              {"sinks", Json::array()}};
  for (const AggregateView& aggregate : status.aggregates)
    out["aggregates"].push_back(aggregate_json(status, aggregate));
  for (const SplitView& split : status.splits) out["splits"].push_back(split_json(status, split));
  for (const SinkView& sink : status.sinks) {
    out["sinks"].push_back({{"id", sink.id},
                            {"aggregate", sink.aggregate},
                            {"results", count(sink.results)},
                            {"refused", count(sink.refused)},
                            {"failure", sink.failure}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<JobStatus> status_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !member(json, "splits").is_array()) {
    return Status(Code::data, "the answer is not a job's status; is this the port of another program?");
  }
  return status_of(json);
}

}  // namespace tidemark::core
