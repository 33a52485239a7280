// SPDX-License-Identifier: Apache-2.0
//
// The committer's step. Order inside an epoch: results in front of the barrier reach the sinks, the sinks are
// flushed, then one synced write makes the epoch true; the sinks, and after them the sources, hear of it only then.
#include "core/runtime/committer_component.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/log.hpp"
#include "core/base/overloaded.hpp"
#include "core/runtime/late_contexts.hpp"
#include "core/state/keys.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {
namespace {

constexpr int kEntriesPerStep = 64;
/// Of one sink, that wait for an epoch in memory; beyond it one is asked for early.
constexpr size_t kSinkBytesMax = size_t{64} << 20;
constexpr std::array<Micros, 9> kHoldBounds{1'000,   5'000,   10'000,    25'000,   50'000,
                                            100'000, 250'000, 1'000'000, 5'000'000};
constexpr std::array<Micros, 9> kDurationBounds{10'000,    50'000,    100'000,    250'000,   1'000'000,
                                                2'500'000, 5'000'000, 10'000'000, 30'000'000};

// Results that wait for slower workers; ids hold no spaces, so it is no sink's key.
std::string waiting_key(const std::string& aggregate) {
  return sink_key("waiting results of " + aggregate);
}

void add_counters(WindowCounters& into, const WindowCounters& more) {
  into.rows_aggregated += more.rows_aggregated;
  into.rows_late += more.rows_late;
  into.panes_fired += more.panes_fired;
  into.results += more.results;
  into.groups_without_base += more.groups_without_base;
  into.rows_partly_late += more.rows_partly_late;
  into.windows_missed += more.windows_missed;
  into.rows_no_base += more.rows_no_base;
}

}  // namespace

CommitterComponent::CommitterComponent(const JobPlan& plan, Wiring wiring, std::vector<OpenSink> sinks)
    : plan_(plan),
      wiring_(std::move(wiring)),
      interval_us_(plan.checkpoint_interval_us),
      sinks_(std::move(sinks)),
      workers_(wiring_.workers.size()),
      operators_(wiring_.workers.size()),
      last_epoch_us_(wiring_.clock->monotonic_us()),
      refused_(*wiring_.clock, static_cast<uint32_t>(wiring_.ingest.size() + wiring_.workers.size())) {
  epochs_.durations = LengthHistogram(kDurationBounds);
  epochs_.holds = LengthHistogram(kHoldBounds);
  for (const AggregatePlan& aggregate : plan.aggregates) {
    mergers_.emplace_back(aggregate.spec.operator_id, static_cast<uint32_t>(workers_));
    aggregates_.push_back(aggregate.spec.id);
  }
  for (size_t i = 0; i < wiring_.ingest.size(); ++i) inputs_.push_back({wiring_.ingest[i], false, uint32_t(i)});
  for (size_t i = 0; i < workers_; ++i) inputs_.push_back({wiring_.workers[i], true, uint32_t(i)});
}

Status CommitterComponent::open_sinks(const std::vector<std::shared_ptr<const BatchLayout>>& layouts) {
  for (OpenSink& open : sinks_) {
    auto progress = wiring_.store->get(Family::sinks, sink_key(open.id));
    if (!progress) return progress.status();
    Status opened = open.sink->open(layouts[open.operator_id], *progress ? **progress : std::string());
    if (!opened) return opened.with_context("sink " + open.id);
    open.attempts = SinkAttempts(open.sink->retry());
  }
  for (size_t i = 0; i < mergers_.size(); ++i) {
    auto waiting = wiring_.store->get(Family::sinks, waiting_key(aggregates_[i]));
    if (!waiting) return waiting.status();
    if (!*waiting) continue;
    if (Status restored = mergers_[i].restore(**waiting, layouts[i]); !restored) return restored;
  }
  return {};
}

Result<Progress> CommitterComponent::step() {
  if (wiring_.coordinator->ended()) return Progress::done;
  answer_status();
  Status status;
  int taken = 0;
  bool found = true;
  while (found && taken < kEntriesPerStep) {
    found = false;
    for (Input& input : inputs_) {
      if (input.sealed || is_far_ahead(input) || !take_entry(input, status)) continue;
      if (!status) return status;
      found = true;
      ++taken;
    }
  }
  if (Status written = write_results(); !written) return written;
  tell_of_slow_epoch();
  if (epoch_open_ && sealed_ == inputs_.size()) {
    if (Status advanced = advance_epoch(); !advanced) return advanced;
    if (epoch_open_) return Progress::idle;  // a sink is to be tried again
    return wiring_.coordinator->ended() ? Progress::done : Progress::busy;
  }
  request_epoch_when_due();
  return taken > 0 ? Progress::busy : Progress::idle;
}

Micros CommitterComponent::next_wake_us() const {
  if (!epoch_open_) return saturating_add(last_epoch_us_, interval_us_);
  Micros wake = slow_told_ ? kEndOfTime : saturating_add(requested_us_, plan_.checkpoint_timeout_us);
  for (const OpenSink& open : sinks_) {
    if (!open.failure.empty()) wake = std::min(wake, open.attempts.retry_at_us());
  }
  return wake;
}

// A worker whose results wait for slower ones is not heard until they have caught up, so that no more wait than should
// be in memory. While an epoch collects its parts all are heard: those it has might not say anything more before it.
bool CommitterComponent::is_far_ahead(const Input& input) const {
  if (!input.is_worker || sealed_ > 0) return false;
  size_t rows = 0;
  for (const ResultMerger& merger : mergers_) rows += merger.waiting_rows(input.index);
  if (rows < wiring_.rows_ahead_max) return false;
  return std::none_of(mergers_.begin(), mergers_.end(),
                      [&input](const ResultMerger& merger) { return merger.is_awaited(input.index); });
}

bool CommitterComponent::take_entry(Input& input, Status& status) {
  auto entry = input.lane->pop();
  if (!entry) return false;
  status = process(input, std::move(*entry));
  return true;
}

Status CommitterComponent::process(Input& input, CommitEntry entry) {
  std::visit(Overloaded{[this, &input](FiredRows&& rows) {
                          ResultMerger& merger = mergers_[rows.operator_id];
                          merger.add(input.index, std::move(rows));
                        },
                        [this, &input](ResultsPassed&& passed) {
                          mergers_[passed.operator_id].pass(input.index, passed.watermark);
                        },
                        [this](WorkerEnded&&) { ++ended_workers_; },
                        [this, &input](WorkerSealed&& sealed) {
                          input.sealed = true;
                          ++sealed_;
                          writes_.append(std::move(sealed.writes));
                          operators_[input.index] = std::move(sealed.operators);
                          held_us_ = std::max(held_us_, sealed.held_us);
                        },
                        [this, &input](IngestSealed&& sealed) {
                          input.sealed = true;
                          ++sealed_;
                          writes_.append(std::move(sealed.writes));
                          record_.rows_read += sealed.rows_read;
                          record_.rows_set_aside += sealed.rows_set_aside;
                          record_.rows_filtered += sealed.rows_filtered;
                          inputs_counted_.resize(sealed.inputs.size());
                          for (size_t i = 0; i < sealed.inputs.size(); ++i) inputs_counted_[i].add(sealed.inputs[i]);
                        }},
             std::move(entry));
  return {};
}

Status CommitterComponent::write_results() {
  for (size_t i = 0; i < mergers_.size(); ++i) {
    Status written = mergers_[i].drain([&](const Batch& rows, uint32_t row) {
      for (OpenSink& open : sinks_) {
        if (open.operator_id != i) continue;
        if (Status one = open.sink->write(rows, row); !one) return one.with_context("sink " + open.id);
        ++open.results;
      }
      wiring_.counters->results.fetch_add(1, std::memory_order_relaxed);
      return Status();
    });
    if (!written) return written;
  }
  show_watermark();
  return {};
}

void CommitterComponent::answer_status() {
  const uint64_t request = wiring_.board->requested();
  if (request == last_answered_) return;
  last_answered_ = request;
  CommitterFigures figures;
  figures.epochs = epochs_;
  figures.epochs.last = wiring_.coordinator->committed();
  figures.epochs.committed_wall_us = committed_.wall_us;
  figures.epochs.checkpoint_failures = wiring_.keeper != nullptr ? wiring_.keeper->failures() : 0;
  for (const OpenSink& open : sinks_) figures.sinks.push_back({open.results, open.refused, open.failure});
  wiring_.board->publish_committer(request, std::move(figures));
}

// The job's watermark: how far the results of every aggregate are complete. After a restart workers speak one by
// one, so what was restored stands until they all have.
void CommitterComponent::show_watermark() {
  if (mergers_.empty()) return;
  Micros watermark = kEndOfTime;
  for (const ResultMerger& merger : mergers_) watermark = std::min(watermark, merger.complete());
  if (watermark > wiring_.counters->watermark.load()) wiring_.counters->watermark.store(watermark);
}

void CommitterComponent::request_epoch_when_due() {
  if (epoch_open_) return;
  const bool all_ended = ended_workers_ == workers_;
  const bool stopping = wiring_.coordinator->stop_requested();
  const Micros now = wiring_.clock->monotonic_us();
  const bool due = now >= saturating_add(last_epoch_us_, interval_us_);
  if (!all_ended && !stopping && !due && !has_full_sink() && !wiring_.coordinator->take_early()) return;
  epoch_open_ = true;
  slow_told_ = false;
  requested_us_ = now;
  last_epoch_ = all_ended || stopping;
  wiring_.coordinator->request(wiring_.coordinator->committed() + 1);
}

// It is not given up: another would wait for the same.
void CommitterComponent::tell_of_slow_epoch() {
  if (!epoch_open_ || slow_told_) return;
  if (wiring_.clock->monotonic_us() < saturating_add(requested_us_, plan_.checkpoint_timeout_us)) return;
  slow_told_ = true;
  log_warn(fmt::format("epoch {} is not complete after {}: it waits for {}; positions stay where they are until it is",
                       wiring_.coordinator->requested(), format_duration(plan_.checkpoint_timeout_us),
                       what_epoch_waits_for()));
}

std::string CommitterComponent::what_epoch_waits_for() const {
  std::vector<std::string> names;
  for (const Input& input : inputs_) {
    if (!input.sealed) names.push_back(fmt::format("{} {}", input.is_worker ? "worker" : "ingest core", input.index));
  }
  for (const OpenSink& open : sinks_) {
    if (sealed_ == inputs_.size() && !open.is_done) names.push_back("sink " + open.id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool CommitterComponent::has_full_sink() const {
  return std::any_of(sinks_.begin(), sinks_.end(),
                     [](const OpenSink& open) { return open.sink->bytes_waiting() > kSinkBytesMax; });
}

// One step after the other, as far as the sinks let it; the next call goes on from there.
Status CommitterComponent::advance_epoch() {
  while (true) {
    switch (step_) {
      case Step::flush:
      case Step::confirm: {
        const auto done = take_sink_steps();
        if (!done) return done.status();
        if (!*done) return {};
        step_ = step_ == Step::flush ? Step::store : Step::close;
        break;
      }
      case Step::store:
        if (Status stored = store_epoch(); !stored) return stored;
        step_ = Step::confirm;
        break;
      case Step::close:
        step_ = Step::flush;
        return close_epoch();
    }
  }
}

// True when all sinks are through, false when one is to be tried again.
Result<bool> CommitterComponent::take_sink_steps() {
  bool all = true;
  for (OpenSink& open : sinks_) {
    if (!open.is_done) {
      auto done = take_sink_step(open);
      if (!done) return done.status();
      open.is_done = *done;
    }
    all &= open.is_done;
  }
  if (all) {
    for (OpenSink& open : sinks_) open.is_done = false;
  }
  return all;
}

Result<bool> CommitterComponent::take_sink_step(OpenSink& open) {
  const bool stopping = wiring_.coordinator->stop_requested();
  if (open.attempts.waits(wiring_.clock->monotonic_us()) && !stopping) return false;
  Status status;
  if (step_ == Step::flush) {
    auto progress = open.sink->flush(wiring_.coordinator->requested());
    status = progress.status();
    if (progress) writes_.put(Family::sinks, sink_key(open.id), std::move(*progress));
  } else {
    status = open.sink->committed();
  }
  if (!status) {
    if (Status failed = fail_sink(open, status); !failed) return failed;
    return false;
  }
  if (step_ == Step::flush) store_refused(open);
  open.attempts.succeed();
  if (!open.failure.empty()) log_info(fmt::format("sink {}: works again", open.id));
  open.failure.clear();
  return true;
}

// OK: it is to be tried again. Said once, and not with every attempt.
Status CommitterComponent::fail_sink(OpenSink& open, const Status& status) {
  const std::string name = "sink " + open.id;
  if (!status.retryable()) return status.with_context(name);
  const bool again = open.attempts.fail(wiring_.clock->monotonic_us());
  if (!again || wiring_.coordinator->stop_requested()) {
    const uint32_t tries = open.attempts.failures();
    return {
        status.code(),
        fmt::format("{}: {} ({}); the job resumes from epoch {}", name, status.message(),
                    again ? "the job was stopped while it was being tried again" : fmt::format("tried {} times", tries),
                    step_ == Step::flush ? wiring_.coordinator->committed() : wiring_.coordinator->requested())};
  }
  if (open.failure.empty()) {
    log_warn(fmt::format("{}: {}; epoch {} waits for it, and is tried again in {}, then less and less often", name,
                         status.message(), wiring_.coordinator->requested(), format_duration(open.attempts.wait_us())));
  }
  open.failure = status.message();
  return {};
}

// What the target does not take becomes part of the epoch, with its reason.
void CommitterComponent::store_refused(OpenSink& open) {
  const std::vector<RefusedResult> refused = open.sink->take_refused();
  if (refused.empty()) return;
  LateContext context = context_of_result(plan_, open.operator_id, aggregates_[open.operator_id]);
  for (const RefusedResult& one : refused) {
    const std::string detail = "sink " + open.id + ": " + one.reason;
    context.detail = detail;
    refused_.add_set_aside(*one.rows, std::span(&one.row, 1), LateReason::refused_by_sink, context);
  }
  open.refused += refused.size();
  log_warn(
      fmt::format("sink {}: {} refused and set aside, the first since {}", open.id,
                  refused.size() == 1 ? std::string("a result was") : fmt::format("{} results were", refused.size()),
                  refused.front().reason));
}

void CommitterComponent::record_operators() {
  for (size_t i = 0; i < mergers_.size(); ++i) {
    writes_.put(Family::sinks, waiting_key(aggregates_[i]), mergers_[i].encode());
    OperatorRecord record;
    record.operator_id = static_cast<uint16_t>(i);
    record.aggregate = aggregates_[i];
    record.fired = kEndOfTime;
    const OperatorSeal& first = operators_.front()[i];  // the valves of all workers hear the same
    record.holder_source = first.holder_source;
    record.holder_split = first.holder_split;
    record.holder_us = first.holder_us;
    for (const auto& worker : operators_) {
      record.watermark = std::max(record.watermark, worker[i].watermark);
      record.fired = std::min(record.fired, worker[i].fired);
      if (worker[i].first_group <= worker[i].last_group) {
        record.fired_ranges.push_back({static_cast<uint16_t>(worker[i].first_group),
                                       static_cast<uint16_t>(worker[i].last_group), worker[i].fired});
      }
      record.idle_age_us = std::max(record.idle_age_us, worker[i].idle_age_us);
      add_counters(record.counters, worker[i].counters);
      record.input.add(worker[i].fed);
    }
    if (i < inputs_counted_.size()) record.input.add(inputs_counted_[i]);
    record_.rows_set_aside += record.input.rows_not_computable + record.counters.rows_no_base;
    record_.rows_aggregated += record.counters.rows_aggregated;
    record_.rows_late += record.counters.rows_late;
    record_.results += record.counters.results;
    record_.groups_without_base += record.counters.groups_without_base;
    writes_.put(Family::meta, operator_key(record.operator_id), encode(record));
  }
}

Status CommitterComponent::store_epoch() {
  const uint64_t epoch = wiring_.coordinator->requested();
  record_operators();
  for (LateRecord& page : refused_.seal(epoch)) writes_.put(Family::late, std::move(page.key), std::move(page.value));
  const bool all_ended = last_epoch_ && ended_workers_ == workers_;
  record_.epoch = epoch;
  record_.wall_us = wiring_.clock->wall_us();
  record_.finished = all_ended;
  writes_.put(Family::meta, std::string(kMetaEpoch), encode(record_));
  if (Status committed = wiring_.store->commit(writes_); !committed) return committed.with_context("state");

  writes_ = EpochWrites();
  return {};
}

Status CommitterComponent::close_epoch() {
  const uint64_t epoch = wiring_.coordinator->requested();
  const bool all_ended = record_.finished;
  inputs_counted_.clear();
  committed_ = std::exchange(record_, EpochRecord());
  sealed_ = 0;
  for (Input& input : inputs_) input.sealed = false;
  epoch_open_ = false;
  last_epoch_us_ = wiring_.clock->monotonic_us();
  epochs_.duration_us = last_epoch_us_ - requested_us_;
  epochs_.durations.add(epochs_.duration_us);
  epochs_.held_us = std::exchange(held_us_, 0);
  epochs_.holds.add(epochs_.held_us);
  ++epochs_.committed;
  wiring_.counters->epochs.store(epoch, std::memory_order_relaxed);
  wiring_.coordinator->announce_committed(epoch);
  if (wiring_.keeper != nullptr) wiring_.keeper->on_epoch(*wiring_.store, committed_);
  if (!last_epoch_) return {};
  finished_ = all_ended;
  if (Status done = finish_sinks(); !done) return done;
  wiring_.coordinator->announce_ended();
  return {};
}

Status CommitterComponent::finish_sinks() {
  for (OpenSink& open : sinks_) {
    if (Status done = open.sink->finish(); !done) return done.with_context("sink " + open.id);
  }
  return {};
}

}  // namespace tidemark::core
