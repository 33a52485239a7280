// SPDX-License-Identifier: Apache-2.0
//
// One line per component; "(default)" behind what the file did not give.
#include "config/job/effective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/job/units.hpp"

namespace tidemark::config {
namespace {

const char* mark(bool given) {
  return given ? "" : " (default)";
}

std::string length(const Spanned<core::Micros>& value) {
  return core::format_duration(value.value) + mark(value.given);
}

template <typename E>
std::string word(const Spanned<E>& value) {
  return fmt::format("{}{}", to_text(value.value), mark(value.given));
}

std::string names(const std::vector<Spanned<std::string>>& list) {
  std::vector<std::string> out;
  for (const Spanned<std::string>& one : list) out.push_back(one.value);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string describe_more(const WatermarkSpec& watermark) {
  std::string out;
  if (watermark.max_future_us.given) {
    out += fmt::format(", max_future {} on_future {}", core::format_duration(watermark.max_future_us.value),
                       word(watermark.on_future));
  }
  if (const AlignmentSpec& alignment = watermark.alignment; alignment.given) {
    out +=
        fmt::format(", alignment {} max_drift {} update_interval {} timeout {}", alignment.group.value,
                    length(alignment.max_drift_us), length(alignment.update_interval_us), length(alignment.timeout_us));
  }
  return out;
}

std::string describe(const SourceSpec& source) {
  const WatermarkSpec& watermark = source.watermark;
  std::string out =
      fmt::format("source {}: {}, mode {}, event time {}{}, strategy {}", source.id.value, source.type.value,
                  word(source.mode), watermark.field.value, mark(watermark.field.given), word(watermark.strategy));
  if (watermark.strategy.value == WatermarkStrategy::plugin) out += ":" + watermark.generator.value;
  if (watermark.strategy.value == WatermarkStrategy::bounded_out_of_orderness) {
    out += ", max_out_of_orderness " + length(watermark.max_out_of_orderness_us);
  }
  if (source.on_bad_event.given) out += fmt::format(", on_bad_event {}", word(source.on_bad_event));
  const std::string idle = watermark.idle_timeout_us.value == 0 ? "never" : length(watermark.idle_timeout_us);
  out += fmt::format(", idle_timeout {}, emit_interval {}, all_idle {}", idle, length(watermark.emit_interval_us),
                     word(watermark.all_idle));
  if (watermark.all_idle.value == AllIdle::advance_after) {
    out += fmt::format(" {} lag {}", core::format_duration(watermark.advance_after_us),
                       core::format_duration(watermark.lag_us));
  }
  return out + fmt::format(", on_resume {}{}\n", word(watermark.on_resume), describe_more(watermark));
}

// When the first result of an aggregate comes: the longest wait of its sources behind a window's end.
std::string first_result(const JobSpec& job, const AggregateSpec& aggregate) {
  core::Micros wait = 0;
  for (const Spanned<std::string>& input : aggregate.inputs) {
    const SourceSpec* source = job.find_source(input.value);
    if (source == nullptr) continue;
    if (source->watermark.strategy.value == WatermarkStrategy::none) return "results come at the end of the input only";
    if (source->watermark.strategy.value == WatermarkStrategy::source) return "a result comes when the source says so";
    if (source->watermark.strategy.value == WatermarkStrategy::punctuated)
      return "a result comes when a marker says so";
    if (source->watermark.strategy.value == WatermarkStrategy::plugin) return "a result comes when the plugin says so";
    wait = std::max(wait, source->watermark.max_out_of_orderness_us.value);
  }
  if (wait == 0) return "a result comes when event time passes its window's end";
  return fmt::format("a result comes when event time is {} past its window's end", core::format_duration(wait));
}

std::string describe(const JobSpec& job, const AggregateSpec& aggregate) {
  return fmt::format("aggregate {}: {}, window {} {}, key_by {}, emit {}, allowed_lateness {}, late {}; {}\n",
                     aggregate.id.value, names(aggregate.inputs), to_text(aggregate.window.type.value),
                     core::format_duration(aggregate.window.size_us.value),
                     aggregate.key_by.empty() ? "nothing (one group)" : names(aggregate.key_by), word(aggregate.emit),
                     length(aggregate.allowed_lateness_us), word(aggregate.late), first_result(job, aggregate));
}

std::string describe(const SinkSpec& sink) {
  std::string out = fmt::format("sink {}: {} of {}", sink.id.value, to_text(sink.type.value), names(sink.inputs));
  if (sink.type.value == SinkType::file) out += fmt::format(", path {}, format {}", sink.path.value, word(sink.format));
  return out + "\n";
}

}  // namespace

std::string describe_effective(const JobSpec& job) {
  std::string out = fmt::format("job {}: parallelism {}{}, time_zone {}{}\n", job.name.value, job.parallelism.value,
                                mark(job.parallelism.given), job.time_zone.value, mark(job.time_zone.given));
  for (const SourceSpec& source : job.sources) out += describe(source);
  for (const AggregateSpec& aggregate : job.aggregates) out += describe(job, aggregate);
  for (const SinkSpec& sink : job.sinks) out += describe(sink);
  out += fmt::format("state: path {}{}, memory {}{}\n", job.state.path.value, mark(job.state.path.given),
                     format_size(job.state.memory_bytes.value), mark(job.state.memory_bytes.given));
  out += fmt::format("checkpoint: interval {}\n", length(job.checkpoint.interval_us));
  out += fmt::format("http: listen {}{}\n", job.http.listen.value, mark(job.http.listen.given));
  return out + fmt::format("log: level {}\n", word(job.log.level));
}

}  // namespace tidemark::config
