// SPDX-License-Identifier: Apache-2.0
//
// What follows from a status. The words for it: explanation_text.cpp.
#include "core/observe/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/counted.hpp"
#include "core/observe/status_json.hpp"

namespace tidemark::core {
namespace {

constexpr Micros kClockSlack = 60 * kMicrosPerSecond;      // a clock that is this far ahead is called wrong
constexpr Micros kShortestTimeout = 5 * kMicrosPerSecond;  // that is ever recommended
constexpr size_t kCatchingUpNamed = 3;
constexpr Micros kSilent = 2 * kMicrosPerSecond;  // before it, waiting for rows is nothing to speak of

std::string place(const SplitView& split) {
  return fmt::format("split {} of source {}", split.name, split.source);
}

std::string watermark_setting(const SplitView& split, const char* key) {
  return fmt::format("sources.{}.watermark.{}", split.source, key);
}

std::vector<const SplitView*> members(const JobStatus& job, const AggregateView& aggregate) {
  std::vector<const SplitView*> out;
  for (const SplitView& split : job.splits) {
    if (aggregate.reads(split.source)) out.push_back(&split);
  }
  return out;
}

// The aggregate's own settings are those of its first source.
WatermarkTerms first_terms(const std::vector<const SplitView*>& splits, const AggregateView& aggregate) {
  for (const SplitView* split : splits) {
    if (split->source == aggregate.sources.front()) return split->terms;
  }
  return {};
}

std::string all_idle_setting(const AggregateView& aggregate) {
  return fmt::format("sources.{}.watermark.all_idle", aggregate.sources.front());
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

std::string moment(const JobStatus& job, Micros age_us) {
  return format_rfc3339(floor_to(saturating_sub(job.wall_us, age_us), kMicrosPerSecond));
}

std::string since(const JobStatus& job, Micros age_us) {
  return "since " + (job.is_past() ? moment(job, age_us) : about(age_us));
}

// The idle timeout that a split's gaps ask for; 0 where they are too few, or so short that the rows can only have lain
// ready when they were read: a timeout from those would make the split idle at its first pause.
Micros fitting_timeout(const SplitView& split) {
  const Micros length = split.status.arrivals.suggested_idle_timeout_us;
  return length < std::max(kShortestTimeout, 10 * split.terms.emit_interval_us) ? 0 : length;
}

// From the split's own gaps; where it has sent too little, the longest that its neighbours' gaps ask for.
Remedy idle_timeout_remedy(const JobStatus& job, const SplitView& holder, Micros& length) {
  Remedy out;
  out.setting = watermark_setting(holder, "idle_timeout");
  const ArrivalSummary& own = holder.status.arrivals;
  const bool backlog = own.suggested_idle_timeout_us > 0 && fitting_timeout(holder) == 0;
  length = fitting_timeout(holder);
  std::string from = fmt::format("measured on it: {}", gaps_text(own));
  if (length == 0 && !backlog) {
    from = "measured on the source's other splits, since this one has sent too little";
    for (const SplitView& split : job.splits) {
      if (split.source == holder.source) length = std::max(length, fitting_timeout(split));
    }
  }
  if (length == 0) {
    out.text = fmt::format(
        "would take it out of the minimum after that long without rows; choose more than three times its usual gap "
        "({})",
        backlog ? "its rows came from a backlog, so the gaps between them say nothing yet"
                : "too few rows have come to measure it");
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
  const std::string none_came = job.is_past() ? fmt::format("As of the last epoch, {}, no rows had come from it for {}",
                                                            moment(job, 0), about(silent))
                                              : fmt::format("No rows have come from it for {}", about(silent));
  if (status.idle_timeout_us == 0) {
    out.why.push_back(none_came + ", and it has no idle_timeout: the job waits for it without end.");
  } else {
    out.why.push_back(fmt::format("{}; its idle_timeout is {}, after that it no longer counts.", none_came,
                                  format_duration(status.idle_timeout_us)));
  }
  Micros length = 0;
  Remedy remedy = idle_timeout_remedy(job, holder, length);
  const bool useful = status.idle_timeout_us == 0 || (length > 0 && length < status.idle_timeout_us);
  if (useful) out.remedies.push_back(std::move(remedy));
}

// Why a split that counts has never had a watermark.
std::string no_watermark_reason(const SplitView& split) {
  const std::string& strategy = split.terms.strategy;
  if (strategy == "none") {
    return "Its strategy is \"none\", which never gives a watermark: windows close when the input ends.";
  }
  if (strategy == "source") {
    return fmt::format("Its strategy is \"source\", and its plugin has not said a watermark yet ({} read).",
                       counted(split.rows_read, "row", "rows"));
  }
  if (split.rows_read > 0 && split.rows_set_aside >= split.rows_read && split.rows_ahead == 0) {
    return fmt::format("{} from it, and all were set aside: none has an event time. `tidemark late ls` shows them.",
                       counted(split.rows_read, "row has come", "rows have come"));
  }
  if (strategy == "punctuated") {
    return fmt::format("Its strategy is \"punctuated\", and no row has matched the marker in {}.",
                       counted(split.rows_read, "row", "rows"));
  }
  return split.rows_read == 0 ? "It has not given a watermark yet: no row has come from it."
                              : "It has not given a watermark yet.";
}

std::string ahead_text(const SplitView& split) {
  const Micros limit = split.terms.max_future_us;
  return fmt::format("{} of its rows {} further ahead of the clock than max_future{} and {} not move its watermark.",
                     split.rows_ahead, split.rows_ahead == 1 ? "is" : "are",
                     limit == kEndOfTime ? "" : " (" + format_duration(limit) + ")",
                     split.rows_ahead == 1 ? "does" : "do");
}

// True when its state alone says why.
bool explain_state(const SplitView& holder, AggregateExplanation& out) {
  const SplitStatus& status = holder.status;
  switch (status.state) {
    case SplitState::paused:
      out.why.push_back(fmt::format("It is paused by alignment: {}.", status.reason));
      out.remedies.push_back({watermark_setting(holder, "alignment.max_drift"), "",
                              "larger, the group lets its members run further apart"});
      return true;
    case SplitState::blocked:
      out.why.push_back(
          fmt::format("It is not read: {}. No watermark setting changes that; look at the sinks, or give "
                      "the job more memory or cores.",
                      status.reason));
      return true;
    case SplitState::disconnected:
      out.why.push_back(
          fmt::format("Its source has lost it: {}. It counts, since its rows are still to come.", status.reason));
      return true;
    default:
      return false;
  }
}

void explain_holder(const JobStatus& job, const SplitView& holder, bool behind, AggregateExplanation& out) {
  const SplitStatus& status = holder.status;
  const bool begun = status.watermark != kNoTime;
  if (explain_state(holder, out)) return;
  if (holder.rows_ahead > 0) out.why.push_back(ahead_text(holder));
  if (!begun) out.why.push_back(no_watermark_reason(holder));
  if (!begun && holder.terms.strategy == "none") {
    out.remedies.push_back({watermark_setting(holder, "strategy"), "bounded_out_of_orderness",
                            "would make a watermark of the rows' event times"});
    return;
  }
  if (status.reason == kHasDataToRead) {
    out.why.push_back(begun ? "It has data to read: it is behind the others and is catching up."
                            : "It has more data to read.");
    if (begun && holder.alignment_group.empty()) {
      out.remedies.push_back({watermark_setting(holder, "alignment"), "",
                              "keeps the others from running far ahead of it, so that fewer windows stay open"});
    }
    return;
  }
  if (status.known_progress != kNoTime && status.known_progress > status.watermark) {
    out.why.push_back(fmt::format("Its source knows that nothing before {} is still to come, no more.",
                                  format_rfc3339(status.known_progress)));
  }
  if (status.last_activity_age_us >= kSilent) {
    explain_silence(job, holder, out);
  } else if (begun && !behind && holder.rows_ahead == 0) {
    out.why.push_back(job.is_past()
                          ? fmt::format("As of the last epoch, {}, its event time was the lowest.", moment(job, 0))
                          : "It has just sent rows: it is the one whose event time is the lowest, and sets the pace.");
  }
}

std::string late_so_far(const AggregateView& aggregate) {
  if (aggregate.rows_late == 0) return "";
  return fmt::format(" (the aggregate has had {} since the job began)",
                     counted(aggregate.rows_late, "late row", "late rows"));
}

// A split that woke up, was found late or has much to read: the watermark does not go back for it.
void explain_behind(const JobStatus& job, const AggregateView& aggregate, const SplitView& holder,
                    AggregateExplanation& out) {
  const std::string at = format_rfc3339(aggregate.watermark);
  const Micros own = holder.status.watermark;
  out.headline = fmt::format("the watermark stands at {} until {}, {}, has passed it, {}", at, place(holder),
                             own == kNoTime ? "which has given none yet" : "at " + format_rfc3339(own),
                             since(job, aggregate.holder_us));
  out.why.push_back(fmt::format("Its rows below {} are late until then{}.", at, late_so_far(aggregate)));
}

// on_resume = "catch_up": who is behind and not waited for.
void explain_catching_up(const std::vector<const SplitView*>& splits, const AggregateView& aggregate,
                         AggregateExplanation& out) {
  size_t named = 0;
  for (const SplitView* split : splits) {
    const SplitStatus& status = split->status;
    if (!takes_part(status.state) || status.watermark >= aggregate.watermark || aggregate.holder == status.split)
      continue;
    if (++named > kCatchingUpNamed) continue;
    out.why.push_back(fmt::format(
        "{}, at {}, is not waited for (on_resume = \"catch_up\"): its rows below {} are late until it has caught up{}.",
        place(*split), format_rfc3339(status.watermark), format_rfc3339(aggregate.watermark), late_so_far(aggregate)));
  }
  if (named > kCatchingUpNamed) {
    out.why.push_back(fmt::format("So it is with {} more.", counted(named - kCatchingUpNamed, "split", "splits")));
  }
}

// For how long no split has taken part: since the last one ceased to.
Micros all_idle_age(const std::vector<const SplitView*>& splits) {
  Micros quiet = kEndOfTime;
  Micros any = kEndOfTime;
  for (const SplitView* split : splits) {
    const SplitStatus& status = split->status;
    any = std::min(any, status.times.stay_us);
    if (!takes_part(status.state)) quiet = std::min(quiet, status.times.stay_us);
  }
  return quiet != kEndOfTime ? quiet : any;
}

std::string policy_text(const JobStatus& job, const AggregateView& aggregate, const WatermarkTerms& terms,
                        Micros idle_us) {
  const std::string key = fmt::format("all_idle = \"{}\": the watermark ", policy_word(aggregate.all_idle_policy));
  switch (aggregate.all_idle_policy) {
    case AllIdlePolicy::hold:
      return key + "stands until rows come.";
    case AllIdlePolicy::flush:
      return key + "goes to the largest that any split has given, and stands there until rows come.";
    case AllIdlePolicy::end_of_time:
      return key + "goes to the end of time, which closes every window.";
    case AllIdlePolicy::advance:
      break;
  }
  if (terms.advance_after_us == 0) return key + "follows the clock.";
  const bool begun = idle_us >= terms.advance_after_us;
  return fmt::format("{}{} the clock, {} behind, {} {}.", key, begun ? "follows" : "will follow",
                     format_duration(terms.advance_lag_us), begun ? "since" : "from",
                     moment(job, saturating_sub(idle_us, terms.advance_after_us)));
}

void explain_all_idle(const JobStatus& job, const AggregateView& aggregate, const std::vector<const SplitView*>& splits,
                      AggregateExplanation& out) {
  Micros newest = kNoTime;
  for (const SplitView* split : splits) newest = std::max(newest, split->status.watermark);
  const Micros idle_us = all_idle_age(splits);
  out.headline = fmt::format("all splits idle: none of {} holds it back, {}", splits.size(), since(job, idle_us));
  out.why.push_back(policy_text(job, aggregate, first_terms(splits, aggregate), idle_us));
  if (aggregate.all_idle_policy != AllIdlePolicy::hold || aggregate.open_windows == 0) return;
  out.why.push_back(fmt::format("It keeps {} open until then.", counted(aggregate.open_windows, "window", "windows")));
  const std::string setting = all_idle_setting(aggregate);
  if (newest > aggregate.watermark) {
    out.remedies.push_back(
        {setting, "\"flush\"",
         fmt::format("would move the watermark to {}, the largest that any split has given", format_rfc3339(newest))});
  }
  out.remedies.push_back({setting, "\"end_of_time\"", "would close every window; rows that come later are late"});
  out.remedies.push_back({setting, "{ advance_after = \"5m\", lag = \"1m\" }",
                          "would let the watermark follow the clock after 5m, 1m behind it"});
}

// At the end of time though rows may still come.
void explain_closed(const AggregateView& aggregate, AggregateExplanation& out) {
  if (aggregate.all_idle_policy == AllIdlePolicy::end_of_time) {
    out.headline = "all_idle = \"end_of_time\" has closed everything: once, all splits were idle";
    out.remedies.push_back({all_idle_setting(aggregate), "\"hold\"", "would have kept windows open until rows come"});
  } else {
    out.headline = "the watermark has reached the end of time: everything is closed";
  }
  out.why.push_back(fmt::format("The input goes on, and every further row is late{}.", late_so_far(aggregate)));
}

std::string cost_of(const AggregateView& aggregate, Micros ahead) {
  std::string out = fmt::format("{} open", counted(aggregate.open_windows, "window", "windows"));
  if (aggregate.next_window_end != kNoTime) {
    out += fmt::format(" (the next ends at {})", format_rfc3339(aggregate.next_window_end));
  }
  out += fmt::format(", {} of state", bytes_text(aggregate.state_bytes));
  if (ahead > 0) out += fmt::format("; the others are up to {} ahead", about(ahead));
  return out;
}

Micros ahead_of(const SplitView& holder, const std::vector<const SplitView*>& splits) {
  Micros out = 0;
  for (const SplitView* split : splits) {
    if (!takes_part(split->status.state) || split == &holder) continue;
    if (split->status.watermark == kNoTime || holder.status.watermark == kNoTime) continue;
    out = std::max(out, saturating_sub(split->status.watermark, holder.status.watermark));
  }
  return out;
}

void explain_held(const JobStatus& job, const AggregateView& aggregate, const SplitView& holder,
                  AggregateExplanation& out) {
  const Micros own = holder.status.watermark;
  const bool begun = aggregate.watermark != kNoTime || own != kNoTime;
  const bool behind = own < aggregate.watermark;
  out.verdict = begun ? Verdict::held : Verdict::not_begun;
  if (behind) {
    explain_behind(job, aggregate, holder, out);
  } else if (begun) {
    out.headline = fmt::format("{} sets the watermark, {}", place(holder), since(job, aggregate.holder_us));
  } else {
    out.headline =
        fmt::format("no watermark yet: {} has not given one, {}", place(holder), since(job, aggregate.holder_us));
  }
  explain_holder(job, holder, behind, out);
  if (aggregate.watermark == kNoTime && own != kNoTime) {
    out.why.push_back("No window can close before its first watermark reaches the aggregate.");
  }
}

// What holds back an aggregate that it reads stands with that one.
AggregateExplanation explain_upstream(const JobStatus& job, const AggregateView& aggregate) {
  AggregateExplanation out;
  out.aggregate = aggregate.id;
  if (job.finished || aggregate.watermark == kEndOfTime) {
    out.verdict = Verdict::ended;
    out.headline = "all results that it reads have come";
    out.cost = cost_of(aggregate, 0);
    return out;
  }
  if (aggregate.held_by.empty()) {
    out.verdict = Verdict::all_idle;
    out.headline = fmt::format("no input: nothing comes to the aggregates that it reads ({})",
                               fmt::join(aggregate.upstream, ", "));
    out.cost = cost_of(aggregate, 0);
    return out;
  }
  out.verdict = aggregate.watermark == kNoTime ? Verdict::not_begun : Verdict::held;
  out.headline = fmt::format("the results of aggregate {} set the watermark, {}", aggregate.held_by,
                             since(job, aggregate.holder_us));
  out.why.push_back(fmt::format("It has come as far as the windows of {} have closed: see there for what holds that.",
                                aggregate.held_by));
  out.cost = cost_of(aggregate, 0);
  return out;
}

AggregateExplanation explain_one(const JobStatus& job, const AggregateView& aggregate) {
  if (!aggregate.upstream.empty()) return explain_upstream(job, aggregate);
  AggregateExplanation out;
  out.aggregate = aggregate.id;
  out.holder = aggregate.holder;
  const auto splits = members(job, aggregate);
  const SplitView* holder = aggregate.holder ? job.find_split(*aggregate.holder) : nullptr;
  if (splits.empty()) {
    out.verdict = Verdict::no_splits;
    out.headline = "no split has been found: there is nothing to read";
    return out;
  }
  if (job.finished || count_in(splits, SplitState::finished) == splits.size()) {
    out.verdict = Verdict::ended;
    out.headline = "the input has ended";
  } else if (aggregate.watermark == kEndOfTime) {
    out.verdict = Verdict::closed;
    explain_closed(aggregate, out);
  } else if (holder != nullptr) {
    out.ahead_us = ahead_of(*holder, splits);
    explain_held(job, aggregate, *holder, out);
  } else if (aggregate.all_idle) {
    out.verdict = Verdict::all_idle;
    explain_all_idle(job, aggregate, splits, out);
  } else {
    out.headline = fmt::format("no split holds it back: {} catching up, and the watermark does not wait for them",
                               aggregate.catching_up);
  }
  if (aggregate.catching_up > 0 && out.verdict != Verdict::closed) explain_catching_up(splits, aggregate, out);
  out.cost = cost_of(aggregate, out.ahead_us);
  return out;
}

void note_flapping(const SplitView& split, std::vector<SplitNote>& out) {
  const SplitStatus& status = split.status;
  if (!status.flapping) return;
  SplitNote note;
  note.split = status.split;
  note.kind = "flapping";
  note.text = fmt::format(
      "{} flaps: it went idle {} times and came back {} times; its idle_timeout of {} is shorter "
      "than its usual silence ({})",
      place(split), status.times.idle_count, status.times.return_count, format_duration(status.idle_timeout_us),
      gaps_text(status.arrivals));
  if (const Micros length = fitting_timeout(split); length > status.idle_timeout_us) {
    note.remedy = Remedy{watermark_setting(split, "idle_timeout"), format_duration(length),
                         "would keep it active over its usual gaps"};
  }
  out.push_back(std::move(note));
}

// What max_future already keeps from the watermark does no harm; what it lets through may.
void note_clock(const JobStatus& job, const SplitView& split, std::vector<SplitNote>& out) {
  const SplitStatus& status = split.status;
  const Micros ahead = status.max_event_time == kNoTime ? 0 : saturating_sub(status.max_event_time, job.wall_us);
  const Micros limit = split.terms.max_future_us;
  if (ahead <= kClockSlack && split.rows_ahead == 0) return;
  SplitNote note;
  note.split = status.split;
  note.kind = "clock_ahead";
  if (split.rows_ahead > 0) {
    note.text = fmt::format(
        "{} sent {} further ahead of the wall clock than max_future allows: its clock is wrong; they do not move the "
        "watermark",
        place(split), counted(split.rows_ahead, "row", "rows"));
  } else {
    note.text = fmt::format("{} has a row {} ahead of the wall clock ({}): a clock is wrong, ", place(split),
                            about(ahead), format_rfc3339(status.max_event_time));
    note.text += ahead > limit ? "and max_future keeps the row from moving the watermark"
                               : "and rows of the right time come too late once the watermark follows it";
    if (limit != kEndOfTime && ahead <= limit) {
      note.text += fmt::format("; its max_future of {} lets it through", format_duration(limit));
    }
  }
  if (limit == kEndOfTime && split.rows_ahead == 0) {
    note.remedy = Remedy{watermark_setting(split, "max_future"), "1m",
                         "would keep such rows from moving the watermark (on_future says what becomes of them)"};
  }
  out.push_back(std::move(note));
}

}  // namespace

Explanation explain(const JobStatus& status) {
  Explanation out;
  for (const AggregateView& aggregate : status.aggregates) out.aggregates.push_back(explain_one(status, aggregate));
  for (const SplitView& split : status.splits) {
    note_flapping(split, out.notes);
    note_clock(status, split, out.notes);
  }
  return out;
}

}  // namespace tidemark::core
