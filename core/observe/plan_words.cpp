// SPDX-License-Identifier: Apache-2.0
//
// One function per setting; sentences without a full stop, as lists have them.
#include "core/observe/plan_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/time.hpp"

namespace tidemark::core {
namespace {

std::string strategy_words(const config::WatermarkSpec& watermark) {
  switch (watermark.strategy.value) {
    case config::WatermarkStrategy::bounded_out_of_orderness:
      return fmt::format(
          "rows of a shard may be up to {0} out of order: its watermark stays {0} behind the latest event time that it "
          "has shown; what is older than the watermark may be late",
          format_duration(watermark.max_out_of_orderness_us.value));
    case config::WatermarkStrategy::ascending:
      return "event times of a shard are expected to rise: its watermark follows the latest one that it has shown";
    case config::WatermarkStrategy::none:
      return "no watermarks: windows close at the end of the input only";
    case config::WatermarkStrategy::source:
      return "the source says its watermarks itself";
    case config::WatermarkStrategy::punctuated:
      return fmt::format("rows that fulfil `{}` are markers: the watermark moves to the event time of a marker",
                         watermark.marker.value);
    case config::WatermarkStrategy::plugin:
      return fmt::format("the plugin {} makes the watermarks", watermark.generator.value);
  }
  return {};
}

std::string idle_words(const config::WatermarkSpec& watermark) {
  if (watermark.idle_timeout_us.value == 0) {
    return "a shard without rows is never taken for idle: the others wait for it (idle_timeout is \"never\")";
  }
  return fmt::format("a shard without rows for {} is idle: the others do not wait for it",
                     format_duration(watermark.idle_timeout_us.value));
}

std::string resume_words(config::OnResume rule) {
  return rule == config::OnResume::hold
             ? "a shard that is no longer idle counts at once: the watermark stands until it has caught up"
             : "a shard that is no longer idle counts when it has caught up: until then the others go on, and its rows "
               "may be late";
}

std::string all_idle_words(const config::WatermarkSpec& watermark) {
  switch (watermark.all_idle.value) {
    case config::AllIdle::hold:
      return "while all shards are idle the watermark stands";
    case config::AllIdle::flush:
      return "when all shards are idle the watermark goes to the furthest of theirs";
    case config::AllIdle::end_of_time:
      return "when all shards are idle every window closes, and rows that come later are late";
    case config::AllIdle::advance_after:
      return fmt::format("when all shards have been idle for {} the watermark follows the clock, {} behind it",
                         format_duration(watermark.advance_after_us), format_duration(watermark.lag_us));
  }
  return {};
}

std::string future_words(const config::WatermarkSpec& watermark) {
  const std::string length = format_duration(watermark.max_future_us.value);
  switch (watermark.on_future.value) {
    case config::OnFuture::clamp:
      return fmt::format("rows more than {} ahead of the clock count, but do not move the watermark", length);
    case config::OnFuture::set_aside:
      return fmt::format("rows more than {} ahead of the clock are set aside and counted", length);
    case config::OnFuture::fail:
      return fmt::format("a row more than {} ahead of the clock fails the job", length);
  }
  return {};
}

std::string alignment_words(const config::AlignmentSpec& alignment) {
  return fmt::format(
      "aligned in group {}: a shard more than {} ahead of the group's slowest waits for it, looked at every {}; one "
      "that "
      "is disconnected for more than {} is not waited for",
      alignment.group.value, format_duration(alignment.max_drift_us.value),
      format_duration(alignment.update_interval_us.value), format_duration(alignment.timeout_us.value));
}

std::string zone_words(const config::WindowSpec& window) {
  if (window.type.value == config::WindowType::session || window.type.value == config::WindowType::global) return {};
  const std::string& zone = window.time_zone.value;
  std::string out = zone == "UTC" ? " in UTC" : fmt::format(" by the clocks of {} and their changes", zone);
  if (window.offset_us.value != 0) {
    out += fmt::format(", starts moved by {}", format_duration(window.offset_us.value));
  }
  return out;
}

std::string shape_words(const config::WindowSpec& window) {
  const std::string zone = zone_words(window);
  const std::string size = format_duration(window.size_us.value);
  switch (window.type.value) {
    case config::WindowType::tumbling:
      return fmt::format("tumbling windows of {}{}: each row is in one", size, zone);
    case config::WindowType::sliding:
      return fmt::format("sliding windows of {}, one every {}{}: a row is in all that hold its time", size,
                         format_duration(window.slide_us.value), zone);
    case config::WindowType::cumulative:
      return fmt::format(
          "cumulative windows that grow by {} up to {} and then begin anew{}: a row is in those that end after it",
          format_duration(window.slide_us.value), size, zone);
    case config::WindowType::session: {
      std::string out = fmt::format("session windows per key: from its first row to {} past the last one before a gap",
                                    format_duration(window.gap_us.value));
      if (window.max_size_us.value > 0) {
        out += fmt::format(", at most {} between first and last row", format_duration(window.max_size_us.value));
      }
      return out;
    }
    case config::WindowType::global:
      return "one window for all time: it ends with the input";
  }
  return {};
}

// "every 10s of event time"
std::string rule_words(const config::FiringSpec& firing) {
  switch (firing.rule) {
    case config::FiringRule::never:
      return "never";
    case config::FiringRule::on_update:
      return "with every batch of rows that changes the group";
    case config::FiringRule::every:
      return fmt::format("every {} {}, for groups that changed", format_duration(firing.interval_us),
                         firing.event_time ? "of event time" : "by the clock");
    case config::FiringRule::count:
      return fmt::format("after every {} rows of the group", firing.count);
  }
  return {};
}

std::string wait_of(const config::SourceSpec& source) {
  switch (source.watermark.strategy.value) {
    case config::WatermarkStrategy::bounded_out_of_orderness:
      return fmt::format("every shard of {} that is not idle has shown a row more than {} past that, or has ended",
                         source.id.value, format_duration(source.watermark.max_out_of_orderness_us.value));
    case config::WatermarkStrategy::ascending:
      return fmt::format("every shard of {} that is not idle has shown a row past that, or has ended", source.id.value);
    case config::WatermarkStrategy::none:
      return fmt::format("the input of {} has ended", source.id.value);
    case config::WatermarkStrategy::source:
      return fmt::format("the source {} says so or has ended", source.id.value);
    case config::WatermarkStrategy::punctuated:
      return fmt::format("every shard of {} that is not idle has shown a marker past that, or has ended",
                         source.id.value);
    case config::WatermarkStrategy::plugin:
      return fmt::format("the watermarks that a plugin makes for {} are past that, or its input has ended",
                         source.id.value);
  }
  return {};
}

std::string on_time_words(const config::JobSpec& job, const config::AggregateSpec& aggregate) {
  if (aggregate.window.type.value == config::WindowType::global) return "on time: when the input has ended";
  if (aggregate.window.time.value == config::WindowTime::processing) {
    return "on time: when the clock passes the window's end";
  }
  std::string out = "on time: when event time has passed the window's end, that is when ";
  const char* joint = "";
  for (const config::SourceSpec* source : job.sources_behind(aggregate.inputs)) {
    out += joint + wait_of(*source);
    joint = ", and ";
  }
  for (const config::AggregateSpec* read : job.aggregates_behind(aggregate.inputs)) {
    out += fmt::format("{}{} has given all its results up to there", joint, read->id.value);
    joint = ", and ";
  }
  return out;
}

}  // namespace

std::string mode_words(const config::SourceSpec& source) {
  return source.mode.value == config::InputMode::changelog
             ? "updates and deletes count: minus the old row, plus the new one"
             : "inserts only: updates and deletes are passed over and counted";
}

std::vector<std::string> kept_words(const config::SourceSpec& source, const std::vector<std::string>& key) {
  std::vector<std::string> out;
  const bool truncates = source.on_truncate.value == config::OnTruncate::apply;
  const bool completes = source.on_partial_image.value == config::OnPartialImage::complete;
  if (!truncates && !completes) return out;
  out.push_back(key.empty() ? "the decoded columns of each current row are kept in the state"
                            : fmt::format("the decoded columns of each current row are kept in the state, by {}",
                                          fmt::join(key, ", ")));
  if (truncates) out.emplace_back("a TRUNCATE or DROP takes the rows of its table out, as if each had been deleted");
  if (completes) out.emplace_back("row images that lack columns are completed from the kept row");
  return out;
}

std::string event_time_words(const config::SourceSpec& source) {
  const std::string& field = source.watermark.field.value;
  if (field == "$commit_time") return "the source's own (for binlogs: when the transaction was committed)";
  if (field == "$header_time") return "the header time of each row's own event";
  std::string out = config::is_expression(field) ? "computed: " + field : "column " + field;
  std::string zones = source.time_zone.value;
  for (const config::ShardSpec& shard : source.shards) {
    if (shard.time_zone.given) zones += fmt::format(", of shards {} as {}", shard.name.value, shard.time_zone.value);
  }
  return out + fmt::format(" (values without a zone are read as {})", zones);
}

std::vector<std::string> watermark_words(const config::WatermarkSpec& watermark) {
  std::vector<std::string> out = {strategy_words(watermark)};
  if (watermark.strategy.value == config::WatermarkStrategy::none) return out;
  out.push_back(idle_words(watermark));
  if (watermark.idle_timeout_us.value != 0) {
    out.push_back(resume_words(watermark.on_resume.value));
    out.push_back(all_idle_words(watermark));
  }
  if (watermark.max_future_us.given) out.push_back(future_words(watermark));
  if (watermark.alignment.given) out.push_back(alignment_words(watermark.alignment));
  return out;
}

std::string window_words(const config::WindowSpec& window) {
  std::string out = shape_words(window);
  if (window.time.value == config::WindowTime::processing) out += ", by the clock at arrival instead of event time";
  return out;
}

std::vector<std::string> result_words(const config::JobSpec& job, const config::AggregateSpec& aggregate) {
  std::vector<std::string> out;
  const config::EmitSpec& emit = aggregate.emit;
  if (emit.early.rule != config::FiringRule::never) out.push_back("early: " + rule_words(emit.early));
  out.push_back(on_time_words(job, aggregate));
  if (aggregate.allowed_lateness_us.value > 0) out.push_back("late: " + rule_words(emit.late));
  if (emit.purge) out.push_back("each result covers the rows since the one before (purge): their sums are the whole");
  return out;
}

std::vector<std::string> late_words(const config::JobSpec& job, const config::AggregateSpec& aggregate) {
  std::vector<std::string> out;
  if (aggregate.window.time.value == config::WindowTime::processing) {
    out.emplace_back("none: windows go by the clock at arrival");
  } else if (aggregate.window.type.value == config::WindowType::global) {
    out.emplace_back("none: the window is open until the input ends");
  } else {
    const Micros lateness = aggregate.allowed_lateness_us.value;
    out.push_back(lateness == 0
                      ? "a window takes no more rows once its result has come (allowed_lateness is 0)"
                      : fmt::format("a window takes rows until event time is {} past its end (allowed_lateness)",
                                    format_duration(lateness)));
    switch (aggregate.late.value) {
      case config::LatePolicy::store:
        out.push_back("rows that come later are kept in the late store: `tidemark late` shows them");
        break;
      case config::LatePolicy::drop:
        out.push_back("rows that come later are dropped and counted");
        break;
      case config::LatePolicy::fail:
        out.push_back("a row that comes later fails the job");
        break;
    }
  }
  for (const config::AggregateSpec* read : job.aggregates_behind(aggregate.inputs)) {
    if (!read->replaces_results()) continue;
    out.push_back(fmt::format("a result of {} that replaces an earlier one takes that back", read->id.value));
  }
  const auto sources = job.sources_behind(aggregate.inputs);
  if (sources.empty() || sources.front()->mode.value != config::InputMode::changelog) return out;
  switch (sources.front()->no_base.value) {
    case config::NoBase::set_aside:
      out.push_back(sources.front()->keeps_rows()
                        ? "rows that take away what was never added are set aside"
                        : "rows that take away from a group that has nothing to take are set aside; that a row was "
                          "never added to a "
                          "group that has others is not noticed, unless the source keeps its rows (on_partial_image = "
                          "\"complete\", on_truncate = \"apply\"); groups that are left in doubt give no result");
      break;
    case config::NoBase::delta:
      out.push_back("rows that take away what was never added are applied: results may be negative");
      break;
    case config::NoBase::fail:
      out.push_back("a row that takes away what was never added fails the job");
      break;
  }
  return out;
}

}  // namespace tidemark::core
