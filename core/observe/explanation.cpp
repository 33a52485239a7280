// SPDX-License-Identifier: Apache-2.0
//
// What follows from a status. The words for it: explanation_text.cpp.
#include "core/observe/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/observe/status_json.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kClockSlack = 60 * kMicrosPerSecond;  // a clock that is this far ahead is called wrong
constexpr Micros kSilent = 2 * kMicrosPerSecond;       // before it, waiting for rows is nothing to speak of

std::string place(const SplitView& split) {
  return fmt::format("split {} of source {}", split.name, split.source);
}

std::string watermark_setting(const SplitView& split, const char* key) {
  return fmt::format("sources.{}.watermark.{}", split.source, key);
}

std::vector<const SplitView*> members(const JobStatus& job, const AggregateView& aggregate) {
  std::vector<const SplitView*> out;
  for (const SplitView& split : job.splits) {
    const auto& sources = aggregate.sources;
    if (std::find(sources.begin(), sources.end(), split.source) != sources.end()) out.push_back(&split);
  }
  return out;
}

size_t count_in(const std::vector<const SplitView*>& splits, SplitState state) {
  return static_cast<size_t>(std::count_if(splits.begin(), splits.end(),
                                           [state](const SplitView* split) { return split->status.state == state; }));
}

std::string gaps_text(const ArrivalSummary& arrivals) {
  std::string out = fmt::format("P99 gap {}", about(arrivals.p99_gap_us));
  if (arrivals.bursts > 0) out += fmt::format(", batch period {}", about(arrivals.batch_period_us));
  return out + fmt::format(" over {} gaps", arrivals.gaps);
}

// The idle timeout that fits the split's own gaps; where it has none, the longest that its neighbours' gaps ask for.
Remedy idle_timeout_remedy(const JobStatus& job, const SplitView& holder) {
  Remedy out;
  out.setting = watermark_setting(holder, "idle_timeout");
  const ArrivalSummary& own = holder.status.arrivals;
  Micros length = own.suggested_idle_timeout_us;
  std::string from = fmt::format("measured on it: {}", gaps_text(own));
  if (length == 0) {
    from = "measured on the source's other splits, since this one has sent too little";
    for (const SplitView& split : job.splits) {
      if (split.source == holder.source) length = std::max(length, split.status.arrivals.suggested_idle_timeout_us);
    }
  }
  if (length == 0) {
    out.text =
        "would take it out of the minimum after that long without rows; choose more than three times its usual "
        "gap (too few rows have come to measure it)";
    return out;
  }
  out.value = format_duration(length);
  const Micros silent = holder.status.last_activity_age_us;
  const char* effect = silent > length ? "would have taken it out of the minimum by now"
                                       : "would take it out of the minimum when it has been silent for that long";
  out.text = fmt::format("{} ({})", effect, from);
  return out;
}

void explain_silence(const JobStatus& job, const SplitView& holder, AggregateExplanation& out) {
  const SplitStatus& status = holder.status;
  const Micros silent = status.last_activity_age_us;
  if (silent < kSilent) {
    out.why.push_back("It has just sent rows: it is the one whose event time is the lowest, and sets the pace.");
    return;
  }
  if (status.idle_timeout_us == 0) {
    out.why.push_back(
        fmt::format("No rows have come from it for {}, and it has no idle_timeout: the job waits for it without end.",
                    about(silent)));
  } else {
    out.why.push_back(
        fmt::format("No rows have come from it for {}; its idle_timeout is {}, after that it no longer "
                    "counts.",
                    about(silent), format_duration(status.idle_timeout_us)));
  }
  Remedy remedy = idle_timeout_remedy(job, holder);
  const bool useful = status.idle_timeout_us == 0 || status.arrivals.suggested_idle_timeout_us == 0 ||
                      status.arrivals.suggested_idle_timeout_us < status.idle_timeout_us;
  if (useful) out.remedies.push_back(std::move(remedy));
}

void explain_holder(const JobStatus& job, const SplitView& holder, AggregateExplanation& out) {
  const SplitStatus& status = holder.status;
  switch (status.state) {
    case SplitState::paused:
      out.why.push_back(fmt::format("It is paused by alignment: {}.", status.reason));
      out.remedies.push_back({watermark_setting(holder, "alignment.max_drift"), "",
                              "larger, the group lets its members run further apart"});
      return;
    case SplitState::blocked:
      out.why.push_back(
          fmt::format("It is not read: {}. No watermark setting changes that; look at the sinks, or give "
                      "the job more memory or cores.",
                      status.reason));
      return;
    case SplitState::disconnected:
      out.why.push_back(
          fmt::format("Its source has lost it: {}. It counts, since its rows are still to come.", status.reason));
      return;
    default:
      break;
  }
  if (status.reason == "has data to read") {
    out.why.push_back("It has data to read: it is behind the others and is catching up.");
    out.remedies.push_back({watermark_setting(holder, "alignment"), "",
                            "keeps the others from running far ahead of it, so that fewer windows stay open"});
    return;
  }
  if (status.known_progress != kNoTime && status.known_progress > status.watermark) {
    out.why.push_back(fmt::format("Its source knows that nothing before {} is still to come, no more.",
                                  format_rfc3339(status.known_progress)));
  }
  explain_silence(job, holder, out);
}

void explain_all_idle(const JobStatus& job, const AggregateView& aggregate, AggregateExplanation& out) {
  const auto splits = members(job, aggregate);
  Micros newest = kNoTime;
  Micros since = kEndOfTime;
  for (const SplitView* split : splits) {
    newest = std::max(newest, split->status.watermark);
    if (split->status.state == SplitState::idle) since = std::min(since, split->status.times.stay_us);
  }
  out.headline = fmt::format("all splits idle: none of {} holds it back, since {}", splits.size(), about(since));
  out.why.push_back(fmt::format("all_idle = \"{}\" decides now.", policy_word(aggregate.all_idle_policy)));
  if (aggregate.all_idle_policy != AllIdlePolicy::hold || aggregate.open_windows == 0) return;
  out.why.push_back(
      fmt::format("It keeps {} open until rows come.",
                  aggregate.open_windows == 1 ? "1 window" : fmt::format("{} windows", aggregate.open_windows)));
  const std::string setting = fmt::format("sources.{}.watermark.all_idle", aggregate.sources.front());
  out.remedies.push_back(
      {setting, "\"flush\"",
       fmt::format("would move the watermark to {}, the largest that any split has given", format_rfc3339(newest))});
  out.remedies.push_back({setting, "\"end_of_time\"", "would close every window; rows that come later are late"});
  out.remedies.push_back({setting, "{ advance_after = \"5m\", lag = \"1m\" }",
                          "would let the watermark follow the clock after 5m, 1m behind it"});
}

std::string cost_of(const AggregateView& aggregate, Micros ahead) {
  std::string out =
      fmt::format("{} {} open", aggregate.open_windows, aggregate.open_windows == 1 ? "window" : "windows");
  if (aggregate.next_window_end != kNoTime) {
    out += fmt::format(" (the next ends at {})", format_rfc3339(aggregate.next_window_end));
  }
  out += fmt::format(", {} of state", bytes_text(aggregate.state_bytes));
  if (ahead > 0) out += fmt::format("; the others are up to {} ahead", about(ahead));
  return out;
}

AggregateExplanation explain_one(const JobStatus& job, const AggregateView& aggregate) {
  AggregateExplanation out;
  out.aggregate = aggregate.id;
  out.holder = aggregate.holder;
  const auto splits = members(job, aggregate);
  const SplitView* holder = aggregate.holder ? job.find_split(*aggregate.holder) : nullptr;
  const bool ended = aggregate.watermark == kEndOfTime || job.finished ||
                     (!splits.empty() && count_in(splits, SplitState::finished) == splits.size());
  if (splits.empty()) {
    out.verdict = Verdict::no_splits;
    out.headline = "no split has been found: there is nothing to read";
    return out;
  }
  if (ended) {
    out.verdict = Verdict::ended;
    out.headline = "the input has ended";
  } else if (holder != nullptr) {
    const bool begun = aggregate.watermark != kNoTime || holder->status.watermark != kNoTime;
    out.verdict = begun ? Verdict::held : Verdict::not_begun;
    for (const SplitView* split : splits) {
      const SplitState state = split->status.state;
      if (state == SplitState::idle || state == SplitState::finished || split == holder) continue;
      if (split->status.watermark == kNoTime || holder->status.watermark == kNoTime) continue;
      out.ahead_us = std::max(out.ahead_us, saturating_sub(split->status.watermark, holder->status.watermark));
    }
    const std::string since = about(aggregate.holder_us);
    out.headline = begun ? fmt::format("{} sets the watermark, since {}", place(*holder), since)
                         : fmt::format("no watermark yet: {} has not given one, since {}", place(*holder), since);
    explain_holder(job, *holder, out);
  } else if (aggregate.all_idle) {
    out.verdict = Verdict::all_idle;
    explain_all_idle(job, aggregate, out);
  } else {
    out.headline = fmt::format(
        "no split holds it back: {} catching up, and the watermark does not wait for them "
        "(on_resume = \"catch_up\")",
        aggregate.catching_up);
  }
  if (aggregate.watermark == kNoTime && holder != nullptr && holder->status.watermark != kNoTime) {
    out.why.push_back("No window can close before its first watermark reaches the aggregate.");
  }
  out.cost = cost_of(aggregate, out.ahead_us);
  return out;
}

void note_split(const JobStatus& job, const SplitView& split, std::vector<SplitNote>& out) {
  const SplitStatus& status = split.status;
  if (status.flapping) {
    SplitNote note;
    note.split = status.split;
    note.kind = "flapping";
    note.text = fmt::format(
        "{} flaps: it went idle {} times and came back {} times; its idle_timeout of {} is shorter "
        "than its usual silence ({})",
        place(split), status.times.idle_count, status.times.return_count, format_duration(status.idle_timeout_us),
        gaps_text(status.arrivals));
    if (const Micros length = status.arrivals.suggested_idle_timeout_us; length > status.idle_timeout_us) {
      note.remedy = Remedy{watermark_setting(split, "idle_timeout"), format_duration(length),
                           "would keep it active over its usual gaps"};
    }
    out.push_back(std::move(note));
  }
  const Micros ahead = status.max_event_time == kNoTime ? 0 : saturating_sub(status.max_event_time, job.wall_us);
  if (ahead <= kClockSlack && split.rows_ahead == 0) return;
  SplitNote note;
  note.split = status.split;
  note.kind = "clock_ahead";
  note.text = ahead > kClockSlack
                  ? fmt::format(
                        "{} has a row {} ahead of the wall clock ({}): a clock is wrong, and rows of the right "
                        "time come too late once the watermark follows it",
                        place(split), about(ahead), format_rfc3339(status.max_event_time))
                  : fmt::format(
                        "{} sent {} rows further ahead of the wall clock than max_future allows: its clock is "
                        "wrong; they do not move the watermark",
                        place(split), split.rows_ahead);
  if (ahead > kClockSlack) {
    note.remedy = Remedy{watermark_setting(split, "max_future"), "1m",
                         "would keep such rows from moving the watermark (on_future says what becomes of them)"};
  }
  out.push_back(std::move(note));
}

}  // namespace

Explanation explain(const JobStatus& status) {
  Explanation out;
  for (const AggregateView& aggregate : status.aggregates) out.aggregates.push_back(explain_one(status, aggregate));
  for (const SplitView& split : status.splits) note_split(status, split, out.notes);
  return out;
}

}  // namespace tidemark::core
