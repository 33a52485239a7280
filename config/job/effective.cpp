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
  if (source.on_truncate.given) out += fmt::format(", on_truncate {}", word(source.on_truncate));
  if (source.on_partial_image.given) out += fmt::format(", on_partial_image {}", word(source.on_partial_image));
  const std::string idle = watermark.idle_timeout_us.value == 0 ? "never" : length(watermark.idle_timeout_us);
  out += fmt::format(", idle_timeout {}, emit_interval {}, all_idle {}", idle, length(watermark.emit_interval_us),
                     word(watermark.all_idle));
  if (watermark.all_idle.value == AllIdle::advance_after) {
    out += fmt::format(" {} lag {}", core::format_duration(watermark.advance_after_us),
                       core::format_duration(watermark.lag_us));
  }
  return out + fmt::format(", on_resume {}{}\n", word(watermark.on_resume), describe_more(watermark));
}

std::string describe_window(const WindowSpec& window) {
  std::string out = fmt::format("window {}", to_text(window.type.value));
  const auto add = [&out](const char* name, const Spanned<core::Micros>& value) {
    if (value.given) out += fmt::format(" {}{}", name, core::format_duration(value.value));
  };
  add("", window.size_us);
  add(window.type.value == WindowType::cumulative ? "step " : "slide ", window.slide_us);
  add("gap ", window.gap_us);
  add("max_size ", window.max_size_us);
  add("offset ", window.offset_us);
  if (window.time.value == WindowTime::processing) out += " of processing time";
  return window.time_zone.value == "UTC" ? out : out + " in " + window.time_zone.value;
}

std::string describe_firing(const FiringSpec& firing) {
  switch (firing.rule) {
    case FiringRule::never:
      return "never";
    case FiringRule::on_update:
      return "on_update";
    case FiringRule::every:
      return "every " + core::format_duration(firing.interval_us) + (firing.event_time ? " of event time" : "");
    case FiringRule::count:
      return fmt::format("every {} rows", firing.count);
  }
  return "?";
}

std::string describe_emit(const EmitSpec& emit) {
  std::string out = "on_close";
  if (emit.early.rule != FiringRule::never) out += ", early " + describe_firing(emit.early);
  if (emit.late.rule != FiringRule::on_update) out += ", late " + describe_firing(emit.late);
  if (emit.purge) out += ", purge";
  return out + mark(emit.given);
}

// When the first result of an aggregate comes: the longest wait of its sources behind a window's end.
std::string first_result(const JobSpec& job, const AggregateSpec& aggregate) {
  core::Micros wait = 0;
  if (aggregate.window.time.value == WindowTime::processing)
    return "a result comes when the clock passes its window's end";
  for (const SourceSpec* source : job.sources_behind(aggregate.inputs)) {
    if (source->watermark.strategy.value == WatermarkStrategy::none) return "results come at the end of the input only";
    if (source->watermark.strategy.value == WatermarkStrategy::source) return "a result comes when the source says so";
    if (source->watermark.strategy.value == WatermarkStrategy::punctuated)
      return "a result comes when a marker says so";
    if (source->watermark.strategy.value == WatermarkStrategy::plugin) return "a result comes when the plugin says so";
    wait = std::max(wait, source->watermark.max_out_of_orderness_us.value);
  }
  if (const auto read = job.aggregates_behind(aggregate.inputs); !read.empty()) {
    return fmt::format("a result comes when {} {} given all results up to its window's end", names(aggregate.inputs),
                       aggregate.inputs.size() == 1 ? "has" : "have");
  }
  if (wait == 0) return "a result comes when event time passes its window's end";
  return fmt::format("a result comes when event time is {} past its window's end", core::format_duration(wait));
}

std::string describe(const TransformSpec& transform) {
  std::string out = fmt::format("transform {}: {}", transform.id.value, names(transform.inputs));
  if (transform.where.given) out += ", where " + transform.where.value;
  for (const auto& one : transform.set) out += fmt::format(", {} = {}", one.name.value, one.expression.value);
  if (!transform.drop.empty()) out += ", without " + names(transform.drop);
  return out + "\n";
}

std::string describe(const JobSpec& job, const AggregateSpec& aggregate) {
  std::string out = fmt::format("aggregate {}: {}", aggregate.id.value, names(aggregate.inputs));
  if (aggregate.where.given) out += ", where " + aggregate.where.value;
  out += fmt::format(", {}, key_by ", describe_window(aggregate.window));
  for (const KeySpec& key : aggregate.key_by) {
    out += fmt::format("{}{}", &key == &aggregate.key_by.front() ? "" : ", ", key.name.value);
  }
  if (aggregate.key_by.empty()) out += "nothing (one group)";
  out += fmt::format(", emit {}, allowed_lateness {}, late {}", describe_emit(aggregate.emit),
                     length(aggregate.allowed_lateness_us), word(aggregate.late));
  if (aggregate.having.given) out += ", having " + aggregate.having.value;
  return out + fmt::format("; {}\n", first_result(job, aggregate));
}

std::string describe(const SinkSpec& sink) {
  std::string out = fmt::format("sink {}: {} of {}", sink.id.value, to_text(sink.type.value), names(sink.inputs));
  if (sink.type.value == SinkType::file) out += fmt::format(", path {}, format {}", sink.path.value, word(sink.format));
  if (sink.roll_bytes.given) out += ", roll at " + format_size(sink.roll_bytes.value);
  if (sink.roll_every_us.given) out += ", roll every " + core::format_duration(sink.roll_every_us.value);
  if (sink.type.value == SinkType::stdout_text) out += " (at least once: a crash repeats what no epoch has)";
  if (sink.type.value != SinkType::mysql) return out + "\n";
  const MysqlSpec& mysql = sink.mysql;
  const std::string attempts =
      mysql.max_attempts.value == 0 ? "for ever" : fmt::format("{} times", mysql.max_attempts.value);
  out += fmt::format(", table {} in {}@{}:{}/{}, key {}, batch {} rows{} {}{}", mysql.table.value, mysql.dsn.value.user,
                     mysql.dsn.value.host, mysql.dsn.value.port, mysql.dsn.value.database, names(mysql.key),
                     mysql.batch_rows.value, mark(mysql.batch_rows.given), format_size(mysql.batch_bytes.value),
                     mark(mysql.batch_bytes.given));
  return out + fmt::format(", retry {}{} after {} to {}, on_reject {}\n", attempts, mark(mysql.max_attempts.given),
                           length(mysql.retry_initial_us), length(mysql.retry_max_us), word(mysql.on_reject));
}

}  // namespace

std::string describe_effective(const JobSpec& job) {
  std::string out = fmt::format("job {}: parallelism {}{}, time_zone {}{}\n", job.name.value, job.parallelism.value,
                                mark(job.parallelism.given), job.time_zone.value, mark(job.time_zone.given));
  for (const SourceSpec& source : job.sources) out += describe(source);
  for (const TransformSpec& transform : job.transforms) out += describe(transform);
  for (const AggregateSpec& aggregate : job.aggregates) out += describe(job, aggregate);
  for (const SinkSpec& sink : job.sinks) out += describe(sink);
  out += fmt::format("state: path {}{}, memory {}{}\n", job.state.path.value, mark(job.state.path.given),
                     format_size(job.state.memory_bytes.value), mark(job.state.memory_bytes.given));
  const CheckpointSpec& checkpoint = job.checkpoint;
  out += fmt::format("checkpoint: interval {}, timeout {}, retain {}{}", length(checkpoint.interval_us),
                     length(checkpoint.timeout_us), checkpoint.retain.value, mark(checkpoint.retain.given));
  if (checkpoint.retain.value > 0) {
    out += fmt::format(" at least {} apart in {}{}", length(checkpoint.retain_interval_us), checkpoint.path.value,
                       mark(checkpoint.path.given));
  }
  out += fmt::format(", on_damage {}\n", word(checkpoint.on_damage));
  out += fmt::format("http: listen {}{}\n", job.http.listen.value, mark(job.http.listen.given));
  return out + fmt::format("log: level {}\n", word(job.log.level));
}

}  // namespace tidemark::config
