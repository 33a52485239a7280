// SPDX-License-Identifier: Apache-2.0
//
// See the header. Names and labels are an interface: dashboards and alerts rest on them.
#include "core/observe/prometheus_metrics.hpp"

#include <prometheus/text_serializer.h>

#include <deque>
#include <limits>
#include <sstream>
#include <utility>

namespace tidemark::core {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double seconds(Micros length) {
  return static_cast<double>(length) / static_cast<double>(kMicrosPerSecond);
}

// One family: its samples, all with the label of the job.
class Family {
 public:
  Family(const JobStatus& job, MetricType type, const char* name, const char* help) : job_(job.job) {
    family_.type = type;
    family_.name = name;
    family_.help = help;
  }

  void add(Labels labels, double value) {
    ClientMetric& metric = with_labels(std::move(labels));
    if (family_.type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
  }
  void add(Labels labels, uint64_t value) { add(std::move(labels), static_cast<double>(value)); }
  void add_time(Labels labels, Micros time) {
    if (time != kNoTime && time != kEndOfTime) add(std::move(labels), seconds(time));
  }
  void add_histogram(Labels labels, const LengthHistogram& lengths) {
    if (lengths.counts().empty()) return;
    ClientMetric::Histogram& out = with_labels(std::move(labels)).histogram;
    for (size_t i = 0; i < lengths.counts().size(); ++i) {
      out.sample_count += lengths.counts()[i];
      const bool last = i == lengths.bounds().size();
      out.bucket.push_back(
          {out.sample_count, last ? std::numeric_limits<double>::infinity() : seconds(lengths.bounds()[i])});
    }
    out.sample_sum = seconds(lengths.sum_us());
  }

  void move_to(std::vector<MetricFamily>& out) {
    if (!family_.metric.empty()) out.push_back(std::move(family_));
  }

 private:
  ClientMetric& with_labels(Labels labels) {
    labels.insert(labels.begin(), {"job", job_});
    family_.metric.emplace_back();
    family_.metric.back().label = std::move(labels);
    return family_.metric.back();
  }

  MetricFamily family_;
  std::string job_;
};

// Families of one kind of figures: what was made here is given out, so that none can be forgotten.
class Families {
 public:
  Families(const JobStatus& job, std::vector<MetricFamily>& out) : job_(job), out_(out) {}
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;
  ~Families() {
    for (Family& family : made_) family.move_to(out_);
  }

  Family& add(MetricType type, const char* name, const char* help) {
    return made_.emplace_back(job_, type, name, help);
  }

 private:
  const JobStatus& job_;
  std::vector<MetricFamily>& out_;
  std::deque<Family> made_;
};

Labels of_shard(const SplitView& split) {
  return {{"kind", "source"}, {"component", split.source}, {"shard", split.name}};
}
Labels of_shard(const SplitView& split, const char* name, std::string value) {
  Labels out = of_shard(split);
  out.push_back({name, std::move(value)});
  return out;
}
Labels of_component(const char* kind, const std::string& id) {
  return {{"kind", kind}, {"component", id}};
}
Labels of_aggregate(const AggregateView& aggregate) {
  return {{"aggregate", aggregate.id}};
}

void add_shard_states(const JobStatus& job, std::vector<MetricFamily>& out) {
  Families families(job, out);
  Family& times =
      families.add(MetricType::Counter, "tidemark_shard_state_seconds_total",
                   "Time that the shard has been in each state; the states add up to the job's running time since the "
                   "shard began.");
  Family& state =
      families.add(MetricType::Gauge, "tidemark_shard_state", "1 for the state that the shard is in, 0 for others.");
  Family& idle = families.add(MetricType::Counter, "tidemark_shard_idle_total", "How often the shard went idle.");
  Family& flapping = families.add(MetricType::Gauge, "tidemark_shard_flapping",
                                  "1 when the shard came back from idle three times within twenty idle timeouts.");
  Family& connected =
      families.add(MetricType::Gauge, "tidemark_source_connected", "0 while the source has lost the shard.");
  for (const SplitView& split : job.splits) {
    const SplitStatus& status = split.status;
    for (size_t i = 0; i < kSplitStates; ++i) {
      const auto each = static_cast<SplitState>(i);
      times.add(of_shard(split, "state", state_word(each)), seconds(status.times.in_us(each)));
      state.add(of_shard(split, "state", state_word(each)), each == status.state ? 1.0 : 0.0);
    }
    idle.add(of_shard(split), status.times.idle_count);
    flapping.add(of_shard(split), status.flapping ? 1.0 : 0.0);
    connected.add(of_shard(split), status.state == SplitState::disconnected ? 0.0 : 1.0);
  }
}

void add_watermarks(const JobStatus& job, std::vector<MetricFamily>& out) {
  Families families(job, out);
  Family& watermark = families.add(MetricType::Gauge, "tidemark_watermark_timestamp_seconds",
                                   "Event time up to which a shard (with label shard) or an aggregate is complete.");
  Family& lag = families.add(
      MetricType::Gauge, "tidemark_watermark_lag_seconds",
      "How far the watermark is behind the wall clock; kind=\"job\": the job's watermark, which is the lowest of its "
      "aggregates' watermarks, so this is the largest of their lags.");
  Family& holding = families.add(MetricType::Gauge, "tidemark_watermark_holding",
                                 "1 on the shard that sets the minimum of an aggregate.");
  Family& source_lag = families.add(MetricType::Gauge, "tidemark_source_lag_seconds",
                                    "How far the newest event time read from the shard is behind the wall clock.");
  Family& drift = families.add(MetricType::Gauge, "tidemark_alignment_drift_seconds",
                               "How far the shard's watermark is ahead of the slowest member of its alignment group.");
  const auto add_lag = [&](Labels labels, Micros time) {
    if (const auto length = watermark_lag(time, job.wall_us)) lag.add(std::move(labels), seconds(*length));
  };
  for (const SplitView& split : job.splits) {
    watermark.add_time(of_shard(split), split.status.watermark);
    holding.add(of_shard(split), job.is_holding(split.status.split) ? 1.0 : 0.0);
    if (const auto length = watermark_lag(split.status.max_event_time, job.wall_us)) {
      source_lag.add(of_shard(split), seconds(*length));
    }
    if (split.drift_us) {
      Labels labels = of_shard(split, "group", split.alignment_group);
      drift.add(std::move(labels), seconds(*split.drift_us));
    }
  }
  for (const AggregateView& aggregate : job.aggregates) {
    watermark.add_time(of_component("aggregate", aggregate.id), aggregate.watermark);
    add_lag(of_component("aggregate", aggregate.id), aggregate.watermark);
  }
  add_lag(of_component("job", job.job), job.watermark);
}

void add_rows(const JobStatus& job, std::vector<MetricFamily>& out) {
  Families families(job, out);
  Family& received = families.add(MetricType::Counter, "tidemark_component_received_events_total",
                                  "Rows that came into a component since the job began.");
  Family& sent =
      families.add(MetricType::Counter, "tidemark_component_sent_events_total",
                   "Results that an aggregate gave since the job began; that a sink wrote since the process began.");
  Family& discarded =
      families.add(MetricType::Counter, "tidemark_component_discarded_events_total",
                   "Rows that were not handed on: set aside in the late store, or not inserts (mode = \"append\").");
  Family& judged = families.add(
      MetricType::Counter, "tidemark_aggregate_rows_total",
      "What became of the rows that an aggregate received since the job began; with those in flight they add "
      "up to what it received.");
  Family& in_flight = families.add(MetricType::Gauge, "tidemark_aggregate_rows_in_flight",
                                   "Rows that an aggregate received and has not judged yet.");
  Family& ahead =
      families.add(MetricType::Counter, "tidemark_rows_ahead_of_clock_total",
                   "Rows that were further ahead of the wall clock than max_future allows, since the process began.");
  Family& truncated =
      families.add(MetricType::Counter, "tidemark_rows_truncated_total",
                   "Rows that a TRUNCATE took out of the results since the job began (on_truncate = \"apply\").");
  Family& refused =
      families.add(MetricType::Counter, "tidemark_sink_refused_results_total",
                   "Results that a sink's target refused and that were set aside, since the process began.");
  Family& failing = families.add(MetricType::Gauge, "tidemark_sink_failing",
                                 "1 while a sink fails and is tried again: no epoch completes.");
  for (const SplitView& split : job.splits) {
    truncated.add(of_shard(split), split.rows_truncated);
    ahead.add(of_shard(split), split.rows_ahead);
    received.add(of_shard(split), split.rows_read);
    discarded.add(of_shard(split, "reason", "set_aside"), split.rows_set_aside);
    discarded.add(of_shard(split, "reason", "not_insert"), split.rows_filtered);
  }
  for (const AggregateView& aggregate : job.aggregates) {
    received.add(of_component("aggregate", aggregate.id), aggregate.rows_in);
    const std::pair<const char*, uint64_t> fates[] = {{"aggregated", aggregate.rows_aggregated},
                                                      {"late", aggregate.rows_late},
                                                      {"filtered", aggregate.rows_filtered},
                                                      {"set_aside", aggregate.rows_set_aside}};
    for (const auto& [fate, rows] : fates) judged.add({{"aggregate", aggregate.id}, {"outcome", fate}}, rows);
    in_flight.add(of_aggregate(aggregate), aggregate.rows_in_flight);
    sent.add(of_component("aggregate", aggregate.id), aggregate.results);
  }
  for (const SinkView& sink : job.sinks) {
    sent.add(of_component("sink", sink.id), sink.results);
    refused.add(of_component("sink", sink.id), sink.refused);
    failing.add(of_component("sink", sink.id), uint64_t{sink.failure.empty() ? 0U : 1U});
  }
}

void add_windows(const JobStatus& job, std::vector<MetricFamily>& out) {
  Families families(job, out);
  Family& open = families.add(MetricType::Gauge, "tidemark_windows_open", "Windows that hold rows and have not fired.");
  Family& all_idle = families.add(MetricType::Gauge, "tidemark_all_splits_idle",
                                  "1 while every shard that feeds the aggregate is idle, so that all_idle decides.");
  Family& late = families.add(MetricType::Counter, "tidemark_late_events_total",
                              "Rows that came too late for their window since the job began, by what became of them.");
  Family& late_by = families.add(MetricType::Histogram, "tidemark_late_event_delay_seconds",
                                 "How far late rows were behind the watermark, since the process began.");
  Family& bytes =
      families.add(MetricType::Gauge, "tidemark_state_bytes", "Memory of the aggregate's open and kept windows.");
  for (const AggregateView& aggregate : job.aggregates) {
    open.add(of_aggregate(aggregate), aggregate.open_windows);
    all_idle.add(of_aggregate(aggregate), aggregate.all_idle ? 1.0 : 0.0);
    late.add({{"aggregate", aggregate.id}, {"outcome", aggregate.drops_late ? "dropped" : "stored"}},
             aggregate.rows_late);
    late_by.add_histogram(of_aggregate(aggregate), aggregate.late_by);
    bytes.add(of_component("aggregate", aggregate.id), aggregate.state_bytes);
  }
}

void add_process(const JobStatus& job, std::vector<MetricFamily>& out) {
  Families families(job, out);
  Family& duration = families.add(MetricType::Histogram, "tidemark_checkpoint_duration_seconds",
                                  "From the request of an epoch to its being durable, since the process began.");
  Family& hold = families.add(MetricType::Histogram, "tidemark_checkpoint_hold_seconds",
                              "For which an epoch held back the rows of a worker, of its workers the longest.");
  Family& last = families.add(MetricType::Gauge, "tidemark_checkpoint_last_success_timestamp_seconds",
                              "When the last epoch became durable.");
  Family& started = families.add(MetricType::Gauge, "tidemark_start_timestamp_seconds", "When the process began.");
  Family& build = families.add(MetricType::Gauge, "tidemark_build_info", "1; the version is in the label.");
  Family& failures =
      families.add(MetricType::Counter, "tidemark_checkpoint_failures_total",
                   "Checkpoints that were to be retained and could not be made, since the process began.");
  failures.add({}, job.epochs.checkpoint_failures);
  duration.add_histogram({}, job.epochs.durations);
  hold.add_histogram({}, job.epochs.holds);
  last.add_time({}, job.epochs.committed_wall_us);
  started.add_time({}, job.started_wall_us);
  build.add({{"version", job.version}}, 1.0);
}

}  // namespace

std::vector<MetricFamily> metric_families(const JobStatus& status) {
  std::vector<MetricFamily> out;
  add_process(status, out);
  add_rows(status, out);
  add_watermarks(status, out);
  add_shard_states(status, out);
  add_windows(status, out);
  return out;
}

std::string metrics_text(const JobStatus& status) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, metric_families(status));
  return std::move(out).str();
}

}  // namespace tidemark::core
