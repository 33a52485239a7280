// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/status_board.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tidemark::core {

StatusBoard::StatusBoard(uint32_t cores) : answered_(size_t{2} * cores + 1, 0) {
  figures_.ingest.resize(cores);
  figures_.workers.resize(cores);
}

template <typename Place, typename Value>
void StatusBoard::publish(size_t part, uint64_t request, Place place, Value value) {
  {
    const std::lock_guard lock(mutex_);
    std::swap(place(figures_), value);
    answered_[part] = request;
  }
  answered_all_.notify_all();
}

void StatusBoard::publish_ingest(uint32_t core, uint64_t request, IngestFigures figures) {
  publish(
      core, request, [core](Figures & all) -> auto& { return all.ingest[core]; }, std::move(figures));
}

void StatusBoard::publish_worker(uint32_t core, uint64_t request, std::vector<WorkerFigures> aggregates) {
  publish(
      figures_.ingest.size() + core, request, [core](Figures & all) -> auto& { return all.workers[core]; },
      std::move(aggregates));
}

void StatusBoard::publish_committer(uint64_t request, CommitterFigures figures) {
  publish(
      answered_.size() - 1, request, [](Figures & all) -> auto& { return all.committer; }, std::move(figures));
}

StatusBoard::Figures StatusBoard::take(const std::function<void()>& wake, Micros patience_us) {
  std::unique_lock lock(mutex_);
  const uint64_t request = requested_.fetch_add(1, std::memory_order_relaxed) + 1;
  lock.unlock();
  wake();
  lock.lock();
  answered_all_.wait_for(lock, std::chrono::microseconds(patience_us), [&] {
    return std::all_of(answered_.begin(), answered_.end(), [request](uint64_t answer) { return answer >= request; });
  });
  return figures_;
}

namespace {

// Workers share the groups of a window, so it is open where any of them has not fired it.
void add_windows(AggregateView& view, const std::vector<std::vector<WorkerFigures>>& workers, size_t number) {
  std::vector<Micros> open;
  for (const auto& worker : workers) {
    if (number >= worker.size()) continue;
    open.insert(open.end(), worker[number].open_windows.begin(), worker[number].open_windows.end());
  }
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
  view.open_windows = open.size();
  if (!open.empty()) view.next_window_end = open.front();
}

void add_input(AggregateView& view, const InputCounters& input) {
  view.rows_in += input.rows_in;
  view.rows_filtered += input.rows_filtered;
  view.rows_set_aside += input.rows_set_aside;
}

AggregateView aggregate_view(const JobPlan& plan, const StatusBoard::Figures& figures, size_t number) {
  const AggregatePlan& aggregate = plan.aggregates[number];
  AggregateView view;
  view.id = aggregate.spec.id;
  for (const uint32_t source : aggregate.sources) view.sources.push_back(plan.sources[source].id);
  view.drops_late = aggregate.late == LateRule::drop;
  for (const uint32_t read : aggregate.upstream) view.upstream.push_back(plan.aggregates[read].spec.id);
  if (!aggregate.sources.empty()) {
    view.all_idle_policy = plan.sources[aggregate.sources.front()].watermark.merging.all_idle;
  }
  bool first = true;
  for (const auto& worker : figures.workers) {
    if (number >= worker.size()) continue;  // it has not spoken yet
    const WorkerFigures& part = worker[number];
    if (first) {  // the valves of all workers hear the same
      view.watermark = part.watermark;
      view.all_idle = part.all_idle;
      view.holder = part.holder;
      if (part.held_by) view.held_by = plan.aggregates[*part.held_by].spec.id;
      view.holder_us = part.holder_us;
      view.catching_up = part.catching_up;
      view.late_by = part.late_by;
    } else {
      view.late_by.merge(part.late_by);
    }
    first = false;
    view.state_bytes += part.state_bytes;
    view.rows_aggregated += part.rows_aggregated;
    view.rows_late += part.rows_late;
    view.rows_set_aside += part.rows_set_aside;
    view.results += part.results;
    add_input(view, part.fed);
  }
  for (const IngestFigures& core : figures.ingest) {
    if (number < core.inputs.size()) add_input(view, core.inputs[number]);
  }
  // Parts answer one after the other: what a worker had by its turn may not have been counted in by then.
  const uint64_t judged = view.rows_aggregated + view.rows_late + view.rows_filtered + view.rows_set_aside;
  view.rows_in = std::max(view.rows_in, judged);
  view.rows_in_flight = view.rows_in - judged;
  add_windows(view, figures.workers, number);
  return view;
}

// A full queue backs up from the slowest part, so its cause is the last one that is full.
bool sinks_are_behind(const StatusBoard::Figures& figures) {
  for (const auto& worker : figures.workers) {
    if (!worker.empty() && worker.front().waits_for_sinks) return true;
  }
  return false;
}

}  // namespace

JobStatus assemble_status(const JobPlan& plan, StatusBoard::Figures figures, Micros wall_us) {
  JobStatus out;
  out.job = plan.name;
  out.running = true;
  out.wall_us = wall_us;
  const bool sinks_behind = sinks_are_behind(figures);
  for (auto& core : figures.ingest) {
    for (SplitView& split : core.splits) {
      out.rows_read += split.rows_read;
      if (sinks_behind && split.status.state == SplitState::blocked) {
        split.status.reason += ", since the sinks are behind";
      }
      out.splits.push_back(std::move(split));
    }
  }
  std::sort(out.splits.begin(), out.splits.end(),
            [](const SplitView& a, const SplitView& b) { return a.status.split < b.status.split; });
  for (size_t number = 0; number < plan.aggregates.size(); ++number) {
    out.aggregates.push_back(aggregate_view(plan, figures, number));
  }
  for (size_t i = 0; i < plan.sinks.size(); ++i) {
    const SinkFigures sink = i < figures.committer.sinks.size() ? figures.committer.sinks[i] : SinkFigures{};
    out.sinks.push_back(
        {plan.sinks[i].id, plan.aggregates[plan.sinks[i].aggregate].spec.id, sink.results, sink.refused, sink.failure});
  }
  out.epochs = figures.committer.epochs;
  return out;
}

}  // namespace tidemark::core
