// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/observe/stored_status.hpp"

#include <algorithm>
#include <set>

#include "core/plan/plan_builder.hpp"
#include "core/runtime/split_views.hpp"
#include "core/state/keys.hpp"
#include "core/state/records.hpp"
#include "core/window/window_times.hpp"

namespace tidemark::core {
namespace {

SplitView split_view(const config::JobSpec& job, const SplitRecord& record, uint32_t number) {
  const config::SourceSpec* source = job.find_source(record.source);
  const SplitProgressState& progress = record.progress;
  SplitView view;
  view.source = record.source;
  view.name = record.split;
  view.rows_read = record.rows_read;
  view.rows_set_aside = record.rows_set_aside;
  view.rows_filtered = record.rows_filtered;
  view.rows_truncated = record.rows_truncated;
  const WatermarkPlan plan = source != nullptr ? plan_watermark(*source) : WatermarkPlan();
  if (source != nullptr) view.terms = terms_of(plan);
  if (plan.alignment) view.alignment_group = plan.alignment->group;
  SplitStatus& status = view.status;
  status.split = number;
  status.watermark = progress.watermark;
  status.max_event_time = progress.max_event_time;
  status.last_activity_age_us = progress.activity_age_us;
  status.times = progress.times;
  status.state = progress.finished ? SplitState::finished : progress.times.state;
  status.known_progress = progress.progress == kNoTime ? kNoTime : progress.progress + 1;
  status.idle_timeout_us = plan.idle_timeout_us;
  status.idle_by_source = progress.idle_by_source;
  status.flapping = progress.times.flaps(status.idle_timeout_us);
  status.arrivals = summarise(progress.arrivals);
  status.reason = stored_reason(status);
  return view;
}

Status read_splits(const config::JobSpec& job, EpochStore& store, JobStatus& out) {
  Status failed;
  Status scanned = store.scan(Family::sources, "", [&](std::string_view, std::string_view value) {
    auto record = decode_split_record(value);
    if (!record) {
      failed = record.status();
      return false;
    }
    out.splits.push_back(split_view(job, *record, static_cast<uint32_t>(out.splits.size())));
    return true;
  });
  return failed.is_ok() ? scanned : failed;
}

// Pages are of windows that are open, or kept for late rows.
// Without what a running job has written ahead of its next epoch.
Status read_windows(EpochStore& store, const OperatorRecord& record, uint64_t epoch, AggregateView& view) {
  std::set<Micros> open;
  Status scanned =
      store.scan(Family::panes, operator_prefix(record.operator_id), [&](std::string_view key, std::string_view value) {
        const auto page = decode_page_key(key);
        if (page && page->run.epoch > epoch) return true;
        view.state_bytes += value.size();
        if (page && fire_time(page->pane_end) > record.fired) open.insert(page->pane_end);
        return true;
      });
  view.open_windows = open.size();
  if (!open.empty()) view.next_window_end = *open.begin();
  return scanned;
}

// As a valve that was restored from these splits would say.
bool all_idle(const JobStatus& job, const AggregateView& view) {
  bool any = false;
  for (const SplitView& split : job.splits) {
    if (!view.reads(split.source)) continue;
    if (takes_part(split.status.state)) return false;
    any = any || split.status.state == SplitState::idle;
  }
  return any;
}

// As restore_valve() would have it: with on_resume = catch_up, who is behind is not waited for.
uint32_t catching_up(const JobStatus& job, const AggregateView& view) {
  uint32_t out = 0;
  for (const SplitView& split : job.splits) {
    const SplitStatus& status = split.status;
    if (!view.reads(split.source) || !takes_part(status.state)) continue;
    if (split.terms.catch_up && status.watermark < view.watermark && view.holder != status.split) ++out;
  }
  return out;
}

Status read_aggregates(const config::JobSpec& job, EpochStore& store, JobStatus& out) {
  std::vector<OperatorRecord> records;
  Status failed;
  Status scanned = store.scan(Family::meta, kMetaOperators, [&](std::string_view, std::string_view value) {
    auto record = decode_operator_record(value);
    if (record) {
      records.push_back(std::move(*record));
    } else {
      failed = record.status();
    }
    return failed.is_ok();
  });
  if (!scanned || !failed) return failed.is_ok() ? scanned : failed;
  out.watermark = records.empty() ? kNoTime : kEndOfTime;
  for (const OperatorRecord& record : records) {
    AggregateView view;
    view.id = record.aggregate;
    if (const config::AggregateSpec* spec = job.find_aggregate(record.aggregate)) {
      for (const auto* read : job.aggregates_behind(spec->inputs)) view.upstream.push_back(read->id.value);
      for (const auto* source : job.sources_behind(spec->inputs)) {
        view.sources.push_back(source->id.value);
        view.all_idle_policy = plan_watermark(*source).merging.all_idle;  // of all of them
      }
    }
    if (!view.upstream.empty()) view.held_by = record.holder_source;
    view.watermark = record.watermark;
    for (const SplitView& split : out.splits) {
      if (split.source == record.holder_source && split.name == record.holder_split) view.holder = split.status.split;
    }
    view.holder_us = record.holder_us;
    view.all_idle = !view.holder && view.held_by.empty() && all_idle(out, view);
    view.catching_up = catching_up(out, view);
    view.rows_in = record.input.rows_in;
    view.rows_aggregated = record.counters.rows_aggregated;
    view.rows_filtered = record.input.rows_filtered;
    view.rows_set_aside = record.input.rows_set_aside + record.counters.rows_no_base;
    view.rows_late = record.counters.rows_late;
    view.results = record.counters.results;
    if (Status read = read_windows(store, record, out.epochs.last, view); !read) return read;
    out.watermark = std::min(out.watermark, record.watermark);
    out.aggregates.push_back(std::move(view));
  }
  return {};
}

}  // namespace

Result<JobStatus> stored_status(const config::JobSpec& job, EpochStore& store) {
  auto stored = store.get(Family::meta, kMetaEpoch);
  if (!stored) return stored.status();
  if (!*stored) return Status(Code::state, "the job has not completed an epoch yet; its state says nothing");
  auto epoch = decode_epoch_record(**stored);
  if (!epoch) return epoch.status();
  JobStatus out;
  out.job = job.name.value;
  out.as_of_epoch = true;
  out.finished = epoch->finished;
  out.wall_us = epoch->wall_us;
  out.rows_read = epoch->rows_read;
  out.epochs.last = epoch->epoch;
  out.epochs.committed_wall_us = epoch->wall_us;
  if (Status read = read_splits(job, store, out); !read) return read;
  if (Status read = read_aggregates(job, store, out); !read) return read;
  return out;
}

}  // namespace tidemark::core
