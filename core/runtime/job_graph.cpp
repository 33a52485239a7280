// SPDX-License-Identifier: Apache-2.0
//
// Assembly and restoration. Placement: splits go round-robin over the cores; key groups go to the cores that read
// nothing where there are such (a single large split then decodes on one core and aggregates on the others), else
// evenly to all. Placement never shows in results.
#include "core/runtime/job_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/hash.hpp"
#include "core/base/log.hpp"
#include "core/plan/job_record.hpp"
#include "core/state/keys.hpp"
#include "core/state/pane_writer.hpp"

namespace tidemark::core {
JobGraph::JobGraph(const JobPlan& plan, Inputs inputs) : plan_(plan), inputs_(std::move(inputs)) {}
JobGraph::~JobGraph() = default;

Result<std::unique_ptr<JobGraph>> JobGraph::create(const JobPlan& plan, Inputs inputs) {
  auto graph = std::make_unique<JobGraph>(plan, std::move(inputs));
  if (Status dropped = drop_pages_ahead(*graph->inputs_.store); !dropped) return dropped;
  if (Status checked = graph->check_job_record(); !checked) return checked;
  if (graph->was_finished()) {
    graph->place();
    // Opening the sinks brings them to their committed length and lets go of their marks of an unfinished start. What a
    // server has not got yet, it must get; a file that was moved away is its owner's business.
    Status built = graph->build_components();
    if (built) built = graph->committer_->finish_sinks();
    if (!built) {
      const bool has_servers = std::any_of(plan.sinks.begin(), plan.sinks.end(),
                                           [](const SinkPlan& sink) { return sink.kind == SinkKind::mysql; });
      if (has_servers) return built;
      log_warn(built.message());
    }
    return graph;
  }
  if (Status found = graph->discover_splits(); !found) return found;
  graph->place();
  if (Status built = graph->build_components(); !built) return built;
  if (Status restored = graph->restore(); !restored) return restored;
  if (Status opened = graph->open_readers(); !opened) return opened;
  return graph;
}

// Before the first epoch nothing was computed, so the job may still change; after it, only what state does not
// depend on.
Status JobGraph::check_job_record() {
  EpochWrites writes;
  const JobRecord now = job_record(plan_);
  auto epoch = inputs_.store->get(Family::meta, kMetaEpoch);
  if (!epoch) return epoch.status();
  if (*epoch) {
    auto record = decode_epoch_record(**epoch);
    if (!record) return record.status();
    restored_ = *record;
  }
  auto stored = inputs_.store->get(Family::meta, kMetaJob);
  if (!stored) return stored.status();
  if (*stored) {
    auto before = decode_job_record(**stored);
    if (!before) return before.status();
    if (Status same = check_same_job(*before, now, plan_.state_path); !same) return same;
    if (restored_.epoch > 0) {
      if (Status same = check_same_plan(*before, now, plan_.state_path); !same) return same;
    }
    if (*before == now) return {};
    for (const auto& [component, text] : before->fingerprints) {  // a sink that comes back later begins anew
      if (!component.starts_with(kSinkComponent)) continue;
      const bool kept = std::any_of(now.fingerprints.begin(), now.fingerprints.end(),
                                    [&, id = &component](const auto& one) { return one.first == *id; });
      if (!kept) writes.remove(Family::sinks, sink_key(component.substr(kSinkComponent.size())));
    }
  }
  writes.put(Family::meta, std::string(kMetaJob), encode(now));
  return inputs_.store->commit(writes);
}

Status JobGraph::discover_splits() {
  for (uint32_t source = 0; source < inputs_.sources.size(); ++source) {
    auto found = inputs_.sources[source]->discover();
    if (!found) return found.status().with_context("source " + plan_.sources[source].id);
    complete_.push_back(found->complete);
    for (FoundSplit& split : found->splits) {
      log_debug(fmt::format("source {}: split {}{}", plan_.sources[source].id, split.id,
                            split.note.empty() ? "" : " (" + split.note + ")"));
      const auto core = static_cast<uint32_t>(splits_.size() % plan_.cores);  // round-robin
      splits_.add({std::move(split.id), std::move(split.note), source, core});
    }
  }
  if (splits_.size() == 0) {
    log_warn(has_more_splits() ? "no split was found yet" : "no split was found: there is nothing to read");
  }
  return {};
}

void JobGraph::place() {
  const auto cores = plan_.cores;
  const auto reading = static_cast<uint32_t>(std::min<size_t>(splits_.size(), cores));
  const uint32_t first = reading < cores && reading > 0 ? reading : 0;  // the cores that own key groups
  const uint32_t owning = cores - first;
  const KeyGroupOwners even = even_owners(owning);
  ranges_.assign(cores, {});
  for (uint32_t group = 0; group < kKeyGroups; ++group) {
    owners_[group] = static_cast<uint16_t>(even[group] + first);
    KeyGroupRange& range = ranges_[owners_[group]];
    if (range.is_empty()) range.first = group;
    range.last = group;
  }
}

size_t JobGraph::owning_cores() const {
  const auto owning =
      std::count_if(ranges_.begin(), ranges_.end(), [](const auto& range) { return !range.is_empty(); });
  return static_cast<size_t>(std::max<ptrdiff_t>(owning, 1));
}

void JobGraph::wake_core(uint32_t core) const {
  if (inputs_.wake_core) inputs_.wake_core(core);
}

void JobGraph::wake_cores() const {
  for (uint32_t core = 0; core < plan_.cores; ++core) wake_core(core);
}

// A share of the job's memory, as rows of a usual size, but a batch at least.
size_t JobGraph::lane_rows() const {
  constexpr size_t kBytesOfRow = 96;
  const size_t lanes = size_t{plan_.cores} * plan_.cores * (plan_.depth() > 0 ? 2 : 1);
  return std::min(inputs_.limits.lane_rows, std::max<size_t>(plan_.memory.lanes / kBytesOfRow / lanes, kBatchRows));
}

size_t JobGraph::result_rows() const {
  constexpr size_t kBytesOfRow = 128;
  const size_t places = size_t{2} * plan_.cores;  // of each worker: its lane, and what waits for other workers
  return std::min(inputs_.limits.result_lane_rows,
                  std::max<size_t>(plan_.memory.results / kBytesOfRow / places, kBatchRows));
}

void JobGraph::build_lanes() {
  const uint32_t cores = plan_.cores;
  const auto wake_committer = [this] {
    if (inputs_.wake_committer) inputs_.wake_committer();
  };
  for (uint32_t ingest = 0; ingest < cores; ++ingest) {
    for (uint32_t worker = 0; worker < cores; ++worker) {
      auto lane = std::make_unique<Lane<LaneEntry>>(lane_rows());
      lane->set_wakers([this, worker] { wake_core(worker); }, [this, ingest] { wake_core(ingest); });
      lanes_.push_back(std::move(lane));
    }
    ingest_lanes_.push_back(std::make_unique<Lane<CommitEntry>>(result_rows()));
    ingest_lanes_.back()->set_wakers(wake_committer, [this, ingest] { wake_core(ingest); });
    worker_lanes_.push_back(std::make_unique<Lane<CommitEntry>>(result_rows()));
    worker_lanes_.back()->set_wakers(wake_committer, [this, ingest] { wake_core(ingest); });
  }
  if (plan_.depth() == 0) return;
  for (uint32_t from = 0; from < cores; ++from) {
    for (uint32_t to = 0; to < cores; ++to) {
      auto lane = std::make_unique<Lane<LaneEntry>>(lane_rows());
      lane->set_wakers([this, to] { wake_core(to); }, [this, from] { wake_core(from); });
      stage_lanes_.push_back(std::move(lane));
    }
  }
}

Status JobGraph::build_components() {
  const uint32_t cores = plan_.cores;
  board_ = std::make_unique<StatusBoard>(cores);
  coordinator_ = std::make_unique<EpochCoordinator>(restored_.epoch);
  coordinator_->set_on_change([this] {
    wake_cores();
    if (inputs_.wake_committer) inputs_.wake_committer();
    if (inputs_.wake_enumerator) inputs_.wake_enumerator();
  });
  alignment_ = std::make_unique<AlignmentBoard>([this](uint32_t core) { wake_core(core); });
  build_lanes();
  shared_watermarks_ = std::make_unique<SharedWatermarks>(plan_.aggregates.size(), [this] { wake_cores(); });
  CommitterComponent::Wiring end{.coordinator = coordinator_.get(),
                                 .counters = inputs_.counters,
                                 .clock = inputs_.clock,
                                 .store = inputs_.store,
                                 .board = board_.get(),
                                 .keeper = inputs_.keeper,
                                 .rows_ahead_max = result_rows()};
  for (uint32_t core = 0; core < cores; ++core) {
    end.ingest.push_back(ingest_lanes_[core].get());
    end.workers.push_back(worker_lanes_[core].get());
    WorkerComponent::Wiring worker{.index = core,
                                   .key_groups = ranges_[core],
                                   .owners = owners_,
                                   .output = worker_lanes_[core].get(),
                                   .coordinator = coordinator_.get(),
                                   .counters = inputs_.counters,
                                   .clock = inputs_.clock,
                                   .splits = &splits_,
                                   .shared = shared_watermarks_.get(),
                                   .board = board_.get(),
                                   .more_splits = has_more_splits(),
                                   .store = inputs_.store,
                                   .memory_bytes = plan_.memory.panes / owning_cores(),
                                   .late_writer = core};
    for (uint32_t other = 0; other < cores; ++other) {
      worker.inputs.push_back(lanes_[other * cores + core].get());
      if (stage_lanes_.empty()) continue;
      worker.from_workers.push_back(stage_lanes_[other * cores + core].get());
      worker.to_workers.push_back(stage_lanes_[core * cores + other].get());
    }
    auto built = WorkerComponent::create(plan_, std::move(worker));
    if (!built) return built.status();
    workers_.push_back(std::move(*built));
  }
  std::vector<CommitterComponent::OpenSink> sinks;
  for (size_t i = 0; i < plan_.sinks.size(); ++i) {
    sinks.push_back({plan_.sinks[i].id, static_cast<uint16_t>(plan_.sinks[i].aggregate), std::move(inputs_.sinks[i])});
  }
  committer_ = std::make_unique<CommitterComponent>(plan_, std::move(end), std::move(sinks));
  std::vector<std::shared_ptr<const BatchLayout>> layouts;
  for (size_t i = 0; i < plan_.aggregates.size(); ++i) layouts.push_back(workers_.front()->output_layout(i));
  return committer_->open_sinks(layouts);
}

Status JobGraph::restore() {
  saved_splits_.resize(splits_.size());
  if (restored_.epoch == 0) return {};
  auto left_out = settle_known_splits(*inputs_.store, plan_, splits_, inputs_.leave_out_missing);
  if (!left_out) return left_out.status();
  left_out_ = std::move(*left_out);
  std::vector<SplitChange> changes;
  for (SplitId id = 0; id < splits_.size(); ++id) {
    const std::string& source = plan_.sources[splits_[id].source].id;
    auto stored = inputs_.store->get(Family::sources, source_key(source, splits_[id].name));
    if (!stored) return stored.status();
    if (!*stored) continue;
    auto record = decode_split_record(**stored);
    if (!record) return record.status().with_context("source " + source + ", split " + splits_[id].name);
    const bool idle = record->progress.idle || record->progress.idle_by_source;
    changes.push_back({id, record->progress.watermark, idle ? SplitState::idle : SplitState::active});
    saved_splits_[id] = std::move(*record);
  }
  std::vector<OperatorRecord> operators;
  for (const AggregatePlan& aggregate : plan_.aggregates) {
    auto stored = inputs_.store->get(Family::meta, operator_key(aggregate.spec.operator_id));
    if (!stored) return stored.status();
    if (!*stored) return {Code::damage, "the record of aggregate " + aggregate.spec.id + " is missing from the state"};
    auto record = decode_operator_record(**stored);
    if (!record) return record.status();
    operators.push_back(std::move(*record));
  }
  Micros watermark = operators.empty() ? kNoTime : kEndOfTime;
  for (const OperatorRecord& saved : operators) watermark = std::min(watermark, saved.watermark);
  inputs_.counters->watermark.store(watermark);
  for (const OperatorRecord& saved : operators) saved_inputs_.push_back(saved.input);
  for (auto& worker : workers_) {
    if (Status restored = worker->restore(operators, changes); !restored) return restored;
  }
  return {};
}

Result<OpenedReader> JobGraph::open_reader(uint32_t source, uint32_t core) {
  OpenedReader out;
  out.pool = BatchPool::create(plan_.sources[source].layout, pool_bytes_, [this, core] { wake_core(core); });
  const uint32_t number = core * static_cast<uint32_t>(plan_.sources.size()) + source;
  ReaderHost host{.notify = [this, core] { wake_core(core); },
                  .metric =
                      [this, number](std::string_view name, double value) {
                        if (inputs_.metric) inputs_.metric(number, name, value);
                      },
                  .pool = out.pool};
  const SourcePlan& plan = plan_.sources[source];
  auto reader = inputs_.sources[source]->open_reader(
      {plan.projection, plan.source_time, plan.keeps.truncates, plan.keeps.partial_images}, std::move(host));
  if (!reader) return reader.status();
  out.reader = std::move(*reader);
  out.can_pause = inputs_.sources[source]->can_pause_splits();
  return out;
}

Status JobGraph::open_readers() {
  std::vector<std::vector<bool>> reads(plan_.cores, std::vector<bool>(plan_.sources.size(), false));
  size_t readers = 0;
  for (uint32_t core = 0; core < plan_.cores; ++core) {
    for (uint32_t source = 0; source < plan_.sources.size(); ++source) {
      reads[core][source] =
          has_split([&](const SplitInfo& split) { return split.core == core && split.source == source; });
      readers += reads[core][source] || !complete_[source] ? 1 : 0;
    }
  }
  pool_bytes_ = std::max<size_t>(inputs_.limits.pool_bytes_min, plan_.memory.batches / std::max<size_t>(readers, 1));
  if (has_more_splits()) build_enumerator(reads);
  for (uint32_t core = 0; core < plan_.cores; ++core) {
    IngestComponent::Wiring wiring{
        .index = core,
        .owners = owners_,
        .output = ingest_lanes_[core].get(),
        .coordinator = coordinator_.get(),
        .counters = inputs_.counters,
        .clock = inputs_.clock,
        .splits = &splits_,
        .board = board_.get(),
        .news = news_lanes_.empty() ? nullptr : news_lanes_[core].get(),
        .alignment = alignment_.get(),
        .store = inputs_.store,
        .discovering = static_cast<uint32_t>(std::count(complete_.begin(), complete_.end(), false)),
        .late_writer = plan_.cores + core};
    for (uint32_t worker = 0; worker < plan_.cores; ++worker) {
      wiring.workers.push_back(lanes_[core * plan_.cores + worker].get());
    }
    auto ingest = std::make_unique<IngestComponent>(plan_, std::move(wiring));
    if (core == 0 && !saved_inputs_.empty()) ingest->restore_inputs(saved_inputs_);  // of all cores, kept by the first
    for (uint32_t source = 0; source < plan_.sources.size(); ++source) {
      if (!reads[core][source]) continue;
      auto opened = open_reader(source, core);
      if (!opened) return opened.status().with_context("source " + plan_.sources[source].id);
      Status added = ingest->add_reader(source, std::move(*opened), saved_splits_, complete_[source]);
      if (!added) return added.with_context("source " + plan_.sources[source].id);
    }
    ingests_.push_back(std::move(ingest));
  }
  explain_alignment();
  return {};
}

void JobGraph::build_enumerator(std::vector<std::vector<bool>> readers) {
  EnumeratorComponent::Wiring wiring{
      .sources = inputs_.sources,
      .complete = complete_,
      .splits = &splits_,
      .left_out = left_out_,
      .readers = std::move(readers),
      .open_reader = [this](uint32_t source, uint32_t core) { return open_reader(source, core); },
      .coordinator = coordinator_.get(),
      .clock = inputs_.clock};
  for (uint32_t core = 0; core < plan_.cores; ++core) {
    news_lanes_.push_back(std::make_unique<Lane<SplitNews>>(SIZE_MAX));  // a few entries in a job's life
    news_lanes_.back()->set_wakers([this, core] { wake_core(core); }, {});
    wiring.cores.push_back(news_lanes_.back().get());
  }
  enumerator_ = std::make_unique<EnumeratorComponent>(plan_, std::move(wiring));
}

bool JobGraph::has_more_splits() const {
  return std::find(complete_.begin(), complete_.end(), false) != complete_.end();
}

bool JobGraph::has_split(const std::function<bool(const SplitInfo&)>& is_wanted) const {
  for (SplitId split = 0; split < splits_.size(); ++split) {
    if (is_wanted(splits_[split])) return true;
  }
  return false;
}

JobStatus JobGraph::status(Micros patience_us) {
  const auto wake = [this] {
    wake_cores();
    if (inputs_.wake_committer) inputs_.wake_committer();
  };
  JobStatus out = assemble_status(plan_, board_->take(wake, patience_us), inputs_.clock->wall_us());
  out.watermark = inputs_.counters->watermark.load();
  if (out.epochs.last <= restored_.epoch && restored_.epoch > 0) {  // none of this process yet
    out.epochs.last = restored_.epoch;
    out.epochs.committed_wall_us = restored_.wall_us;
  }
  return out;
}

// Once per start: what a job with alignment groups will not do as its author may think.
void JobGraph::explain_alignment() const {
  for (uint32_t source = 0; source < plan_.sources.size(); ++source) {
    const auto& alignment = plan_.sources[source].watermark.alignment;
    if (!alignment) continue;
    const size_t members = alignment_->size(alignment_->group(alignment->group));
    if (members == 1 && !has_more_splits()) {
      log_warn(fmt::format("source {}: alignment group {} has one shard, so that it does nothing",
                           plan_.sources[source].id, alignment->group));
    } else if (members > 1 && !inputs_.sources[source]->can_pause_splits()) {
      log_warn(
          fmt::format("source {}: its plugin {} cannot pause single shards; alignment group {} pauses all that a "
                      "core reads of it together, when the slowest of them is too far ahead",
                      plan_.sources[source].id, plan_.sources[source].plugin, alignment->group));
    }
  }
}

void JobGraph::wake_readers() noexcept {
  for (auto& ingest : ingests_) ingest->wake_readers();
}

std::vector<Component*> JobGraph::components_of(uint32_t core) {
  return {ingests_[core].get(), workers_[core].get()};
}

}  // namespace tidemark::core
