// SPDX-License-Identifier: Apache-2.0
//
// The job file's words in the plan's.
#include "core/plan/aggregate_plan.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::core {
namespace {

WindowKind window_kind_of(config::WindowType type) {
  switch (type) {
    case config::WindowType::tumbling:
      return WindowKind::tumbling;
    case config::WindowType::sliding:
      return WindowKind::sliding;
    case config::WindowType::cumulative:
      return WindowKind::cumulative;
    case config::WindowType::session:
      return WindowKind::session;
    case config::WindowType::global:
      return WindowKind::global;
  }
  return WindowKind::tumbling;
}

WindowSpec plan_window(const config::WindowSpec& window) {
  WindowSpec out;
  out.kind = window_kind_of(window.type.value);
  out.size_us = window.size_us.value;
  out.slide_us = window.slide_us.value;
  out.offset_us = window.offset_us.value;
  out.gap_us = window.gap_us.value;
  out.max_size_us = window.max_size_us.value;
  out.zone = window.time_zone.value;
  out.processing_time = window.time.value == config::WindowTime::processing;
  return out;
}

Firing plan_firing(const config::FiringSpec& firing) {
  Firing out;
  switch (firing.rule) {
    case config::FiringRule::never:
      out.rule = FiringRule::never;
      break;
    case config::FiringRule::on_update:
      out.rule = FiringRule::on_update;
      break;
    case config::FiringRule::every:
      out.rule = FiringRule::every;
      break;
    case config::FiringRule::count:
      out.rule = FiringRule::count;
      break;
  }
  out.interval_us = firing.interval_us;
  out.event_time = firing.event_time;
  out.count = static_cast<uint32_t>(firing.count);
  return out;
}

// Aggregates may be read through transforms.
bool is_read(const config::JobSpec& job, const config::AggregateSpec& aggregate) {
  return std::any_of(job.aggregates.begin(), job.aggregates.end(), [&](const config::AggregateSpec& reader) {
    const auto read = job.aggregates_behind(reader.inputs);
    return std::find(read.begin(), read.end(), &aggregate) != read.end();
  });
}

}  // namespace

NoBase no_base_of(config::NoBase rule) {
  switch (rule) {
    case config::NoBase::set_aside:
      return NoBase::set_aside;
    case config::NoBase::delta:
      return NoBase::delta;
    case config::NoBase::fail:
      return NoBase::fail;
  }
  return NoBase::set_aside;
}

LateRule late_rule_of(config::LatePolicy policy) {
  switch (policy) {
    case config::LatePolicy::store:
      return LateRule::store;
    case config::LatePolicy::drop:
      return LateRule::drop;
    case config::LatePolicy::fail:
      return LateRule::fail;
  }
  return LateRule::store;
}

AggregateSpec plan_aggregate_spec(const config::JobSpec& job, size_t number) {
  const config::AggregateSpec& spec = job.aggregates[number];
  AggregateSpec out;
  out.id = spec.id.value;
  out.operator_id = static_cast<uint16_t>(number);
  for (const config::SourceSpec* source : job.sources_behind(spec.inputs)) {
    out.changelog = source->mode.value == config::InputMode::changelog;  // of all of them
    out.no_base = no_base_of(source->no_base.value);
  }
  for (const config::AggregateSpec* read : job.aggregates_behind(spec.inputs)) {
    out.changelog = out.changelog || read->replaces_results();
  }
  out.window = plan_window(spec.window);
  out.emit = {plan_firing(spec.emit.early), plan_firing(spec.emit.late), spec.emit.purge};
  out.allowed_lateness_us = spec.allowed_lateness_us.value;
  out.is_read = is_read(job, spec);
  return out;
}

}  // namespace tidemark::core
