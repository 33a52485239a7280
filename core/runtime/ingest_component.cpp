// SPDX-License-Identifier: Apache-2.0
//
// The ingest step: barrier first, then one poll of each reader, then the splits' clocks. Per batch: event times,
// the split's change to active (so that it holds the watermark before its rows are judged), rows, then its new
// watermark; the lanes keep that order.
#include "core/runtime/ingest_component.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/runtime/split_views.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kAllOps = 0xff;
constexpr size_t kKeptBytesMin = size_t{4} << 20U;
constexpr Micros kPollAgain = 20 * kMicrosPerMilli;  // after a poll that found nothing

// Each split has a generator of its own.
Result<std::unique_ptr<WatermarkGenerator>> make_generator(const WatermarkPlan& plan, const std::string& split) {
  return plan.generator ? plan.generator(split) : make_watermark_generator(plan.strategy);
}

}  // namespace

// What a poll writes to. An error inside a callback is kept and ends the poll's step.
class IngestComponent::Output final : public ReaderOutput {
 public:
  Output(IngestComponent& owner, SourceReader& reader, Micros now) : owner_(owner), reader_(reader), now_(now) {}

  std::unique_ptr<Batch> acquire(SplitId split) override {
    if (const SplitSlot* state = reader_.find(split); state != nullptr && state->paused) {
      denied_ = true;
      return nullptr;
    }
    if (const SplitSlot* state = reader_.find(split); state != nullptr && state->truncation) return nullptr;
    auto batch = status_ && owner_.lanes_have_room() ? reader_.pool->acquire() : nullptr;
    if (batch) {
      batch->split = split;
    } else {
      refused_ = true;
    }
    return batch;
  }
  void submit(std::unique_ptr<Batch> batch) override {
    if (status_) status_ = owner_.take_batch(reader_, std::move(batch));
    submitted_ = true;
  }
  // What lies too far in the future is not believed, as with rows (max_future); proven progress is.
  void watermark(SplitId split, Micros time) override {
    const FutureGuard& guard = owner_.plan_.sources[reader_.source].watermark.future;
    if (guard.is_on() && time != kEndOfTime && time > guard.limit(owner_.wiring_.clock->wall_us())) return;
    with(split, [&](SplitSlot& state) { return state.progress.on_source_watermark(time, now_); });
  }
  void progress(SplitId split, Micros time) override {
    with(split, [&](SplitSlot& state) { return state.progress.on_progress(time, now_); });
  }
  void set_idle(SplitId split, bool idle) override {
    with(split, [&](SplitSlot& state) { return state.progress.set_idle(idle, now_); });
  }
  void set_disconnected(SplitId split, std::string_view reason) override {
    with(split, [&](SplitSlot& state) { return state.progress.set_disconnected(std::string(reason), now_); });
  }
  void set_connected(SplitId split) override {
    with(split, [&](SplitSlot& state) { return state.progress.set_connected(now_); });
  }
  void failed(SplitId split, std::string_view reason) override {
    failed_ = split;
    set_disconnected(split, reason);
  }
  void finished(SplitId split) override {
    with(split, [&](SplitSlot& state) { return state.progress.finish(now_); });
  }

  const Status& status() const { return status_; }
  bool submitted() const { return submitted_; }
  bool refused() const { return refused_; }
  /// A batch was asked for by a paused split.
  bool denied() const { return denied_; }
  std::optional<SplitId> failed_split() const { return failed_; }

 private:
  template <typename Act>
  void with(SplitId split, Act act) {
    SplitSlot* state = reader_.find(split);
    if (state == nullptr) return;
    owner_.publish(reader_, *state, act(*state));
  }

  IngestComponent& owner_;
  SourceReader& reader_;
  Micros now_;
  Status status_;
  bool submitted_ = false;
  bool refused_ = false;
  bool denied_ = false;
  std::optional<SplitId> failed_;
};

IngestComponent::IngestComponent(const JobPlan& plan, Wiring wiring)
    : plan_(plan),
      wiring_(std::move(wiring)),
      name_("ingest " + std::to_string(wiring_.index)),
      screen_(plan, *wiring_.clock, wiring_.late_writer),
      inputs_(plan.aggregates.size()),
      last_barrier_(wiring_.coordinator->committed()),
      last_notified_(last_barrier_),
      tick_interval_us_(kMicrosPerSecond),
      keeps_rows_(
          std::any_of(plan.sources.begin(), plan.sources.end(), [](const auto& one) { return one.keeps.any(); })),
      kept_bytes_max_(std::max<size_t>(kKeptBytesMin, plan.memory.kept_rows / std::max(plan.cores, 1U))) {}

IngestComponent::~IngestComponent() = default;

Result<SourceReader*> IngestComponent::make_reader(uint32_t source, OpenedReader opened) {
  const SourcePlan& plan = plan_.sources[source];
  auto out = std::make_unique<SourceReader>();
  out->source = source;
  out->reader = std::move(opened.reader);
  out->pool = std::move(opened.pool);
  out->can_pause = opened.can_pause;
  if (const auto& alignment = plan.watermark.alignment) {
    out->alignment = std::make_unique<ReaderAlignment>(*wiring_.alignment, alignment->group, alignment->terms,
                                                       wiring_.index, source);
    tick_interval_us_ = std::min(tick_interval_us_, alignment->terms.update_interval_us);
  }
  if (Status prepared = out->prepare(plan); !prepared) return prepared.with_context("source " + plan.id);
  auto router = RowRouter::create(plan_, plan, out->pool->layout_ptr(), wiring_.owners,
                                  static_cast<uint32_t>(wiring_.workers.size()));
  if (!router) return router.status();
  out->router.emplace(std::move(*router));
  const std::lock_guard lock(readers_mutex_);
  readers_.push_back(std::move(out));
  return readers_.back().get();
}

Status IngestComponent::add_splits(SourceReader& reader, std::span<const SplitId> splits,
                                   const std::vector<std::optional<SplitRecord>>& restored) {
  const WatermarkPlan& watermark = plan_.sources[reader.source].watermark;
  const Micros now = wiring_.clock->monotonic_us();
  std::vector<SplitAssignment> assignments;
  for (const SplitId id : splits) {
    auto generator = make_generator(watermark, (*wiring_.splits)[id].name);
    if (!generator) return generator.status();
    auto slot = std::make_unique<SplitSlot>(id, watermark, *std::move(generator), now);
    if (const SourcePlan& plan = plan_.sources[reader.source]; plan.keeps.any()) {
      slot->kept = std::make_unique<KeptRows>(*wiring_.store,
                                              KeptRows::Place{plan.id, (*wiring_.splits)[id].name,
                                                              plan.no_base == NoBase::delta, plan.has_time_of_change()},
                                              reader.pool->layout_ptr(), plan.keeps.key);
    }
    auto zone = plan_.sources[reader.source].zones.of((*wiring_.splits)[id].name);
    if (!zone) return zone.status();
    slot->zone = std::move(*zone);
    std::string position;
    if (id < restored.size() && restored[id]) {
      const SplitRecord& saved = *restored[id];
      position = saved.position;
      SplitProgressState progress = saved.progress;
      progress.finished = false;  // the reader says so again, or finds that there is more by now
      slot->progress.restore(progress, now);
      if (Status failure = slot->progress.failure(); !failure) return failure;
      slot->rows_read = saved.rows_read;
      slot->rows_set_aside = saved.rows_set_aside;
      slot->rows_filtered = saved.rows_filtered;
      slot->rows_truncated = saved.rows_truncated;
      slot->truncation = saved.truncation;
      reader.truncations += saved.truncation ? 1 : 0;
    }
    tick_interval_us_ = std::min({tick_interval_us_, watermark.emit_interval_us, slot->progress.probe_interval_us()});
    if (reader.alignment) reader.alignment->add(slot->progress, now);
    assignments.push_back({id, (*wiring_.splits)[id].name, std::move(position)});
    reader.add(std::move(slot));
  }
  return reader.reader->add_splits(assignments);
}

Status IngestComponent::add_reader(uint32_t source, OpenedReader opened,
                                   const std::vector<std::optional<SplitRecord>>& restored, bool complete) {
  auto reader = make_reader(source, std::move(opened));
  if (!reader) return reader.status();
  std::vector<SplitId> splits;
  for (SplitId id = 0; id < wiring_.splits->size(); ++id) {
    const SplitInfo& info = (*wiring_.splits)[id];
    if (info.source == source && info.core == wiring_.index) splits.push_back(id);
  }
  if (Status added = add_splits(**reader, splits, restored); !added) return added;
  return complete ? tell_no_more_splits(**reader) : Status();
}

Status IngestComponent::tell_no_more_splits(SourceReader& reader) {
  reader.no_more_splits = true;
  return reader.reader->notify_no_more_splits();
}

// A split that was found while running stands at the beginning; the workers hear of it before its first row.
Status IngestComponent::take_news() {
  while (auto news = wiring_.news == nullptr ? std::nullopt : wiring_.news->pop()) {
    const uint32_t source = std::visit([](const auto& one) { return one.source; }, *news);
    const std::string context = "source " + plan_.sources[source].id;
    if (auto* added = std::get_if<NewSplit>(&*news); added != nullptr && added->opened.reader != nullptr) {
      auto made = make_reader(source, std::move(added->opened));
      if (!made) return made.status().with_context(context);
    }
    const auto found =
        std::find_if(readers_.begin(), readers_.end(), [&](const auto& one) { return one->source == source; });
    if (const auto* added = std::get_if<NewSplit>(&*news)) {
      const SplitId id = added->split;
      if (Status taken = add_splits(**found, {&id, 1}, {}); !taken) return taken.with_context(context);
      const SplitSlot& slot = *(*found)->find(id);
      publish(**found, slot, slot.progress.current());
    } else {
      --wiring_.discovering;
      if (found == readers_.end()) continue;
      if (Status told = tell_no_more_splits(**found); !told) return told.with_context(context);
    }
  }
  return {};
}

bool IngestComponent::has_ended() const {
  return wiring_.discovering == 0 && std::all_of(readers_.begin(), readers_.end(), [](const auto& reader) {
           return reader->ended && reader->truncations == 0;
         });
}

bool IngestComponent::lanes_have_room() const {
  return std::all_of(wiring_.workers.begin(), wiring_.workers.end(), [](const auto* lane) { return lane->has_room(); });
}

Result<Progress> IngestComponent::step() {
  if (wiring_.coordinator->ended()) return Progress::done;
  answer_status();
  if (Status notified = notify_committed(); !notified) return notified;
  if (Status taken = take_news(); !taken) return taken;
  if (const uint64_t epoch = wiring_.coordinator->requested(); epoch > last_barrier_) {
    if (Status sealed = seal(epoch); !sealed) return sealed.with_context(name_);
    return Progress::busy;
  }
  if (Status told = pause_and_resume(); !told) return told;
  const bool room = lanes_have_room();
  if (Status ticked = tick(!room); !ticked) return ticked;
  if (ended_ || !room || wiring_.coordinator->stop_requested()) {
    poll_again_us_ = kEndOfTime;  // room comes with a wake-up; a time in the past would keep the core spinning
    return Progress::idle;
  }
  return poll_readers();
}

Micros IngestComponent::next_wake_us() const {
  return ended_ ? kEndOfTime : std::min(next_tick_us_, poll_again_us_);
}

Result<Progress> IngestComponent::poll_readers() {
  bool busy = false;
  poll_again_us_ = saturating_add(wiring_.clock->monotonic_us(), kPollAgain);
  ++first_reader_;  // in turn, so that a reader that fills the lanes leaves room for the others
  for (size_t i = 0; i < readers_.size(); ++i) {
    const auto& reader = readers_[(first_reader_ + i) % readers_.size()];
    const bool truncates = reader->truncations > 0;
    if (!truncates && (reader->ended || reader->is_held(wiring_.clock->monotonic_us()))) continue;
    if (kept_bytes() > 2 * kept_bytes_max_) continue;  // an epoch that was asked for wakes this core
    auto polled = truncates ? go_on_truncating(*reader) : poll(*reader);
    if (!polled) return polled.status();
    busy |= *polled;
  }
  if (has_ended()) {
    ended_ = true;
    for (Lane<LaneEntry>* lane : wiring_.workers) lane->push(EndOfInput{}, kControlWeight);
    return Progress::busy;
  }
  return busy ? Progress::busy : Progress::idle;
}

// True when it should be polled again at once.
Result<bool> IngestComponent::poll(SourceReader& reader) {
  Output output(*this, reader, wiring_.clock->monotonic_us());
  auto polled = reader.reader->poll_next(output);
  if (!output.status()) return output.status();
  if (!polled) {
    if (Status taken = take_failure(reader, polled.status(), output.failed_split()); !taken) return taken;
    return output.submitted();
  }
  if (*polled == PollStatus::end && !reader.no_more_splits) {
    return Status(Code::plugin, "source " + plan_.sources[reader.source].id +
                                    ": its reader ended before it was told that no more splits come");
  }
  reader.note_poll(*polled, output.refused());
  note_success(reader);
  // A source that goes on asking for a paused split would keep the core spinning; the others get a round of turns.
  reader.denied_polls = output.denied() && !output.submitted() ? reader.denied_polls + 1 : 0;
  const bool denied = reader.denied_polls > reader.splits.size();
  return output.submitted() || reader.ended || (reader.has_more && reader.pool->has_credit() && !denied);
}

Status IngestComponent::take_batch(SourceReader& reader, std::unique_ptr<Batch> batch) {
  if (batch->rows == 0) {
    reader.pool->recycle(std::move(batch));
    return {};
  }
  SplitSlot* split = reader.find(batch->split);
  if (split == nullptr || split->finished()) {
    return {Code::plugin, "source " + plan_.sources[reader.source].id + ": rows for split " +
                              std::to_string(batch->split) + ", which it does not read"};
  }
  if (split->kept == nullptr) return count_batch(reader, *split, std::move(batch));
  if (batch->op_at(batch->rows - 1) == Op::truncate) begin_truncation(reader, *split, *batch);
  if (Status taken = split->kept->take(*batch); !taken) return taken;
  if (kept_bytes() > kept_bytes_max_) wiring_.coordinator->ask_early();
  if (batch->rows > 0) return count_batch(reader, *split, std::move(batch));
  reader.pool->recycle(std::move(batch));
  return {};
}

Status IngestComponent::count_batch(SourceReader& reader, SplitSlot& split, std::unique_ptr<Batch> batch) {
  if (Status looked = screen_.look(reader.source, reader.times, split.zone.get(), *batch); !looked) {
    return looked.with_context("split " + (*wiring_.splits)[split.id].name);
  }
  reader.note_batch(split);
  reader.router->compute(*batch, (*wiring_.splits)[split.id].name);
  const Micros now = wiring_.clock->monotonic_us();
  publish(reader, split, split.progress.before_batch(now));

  const BatchRef rows = reader.pool->share(std::move(batch));
  split.rows_read += rows->rows;
  wiring_.counters->rows_read.fetch_add(rows->rows, std::memory_order_relaxed);
  split.rows_ahead += screen_.ahead_count();
  if (screen_.ahead_count() > 0) {
    wiring_.counters->rows_ahead.fetch_add(screen_.ahead_count(), std::memory_order_relaxed);
  }
  if (const std::span<const uint32_t> aside = screen_.set_aside(); !aside.empty()) {
    split.rows_set_aside += aside.size();
    wiring_.counters->rows_set_aside.fetch_add(aside.size(), std::memory_order_relaxed);
    screen_.store(reader.source, (*wiring_.splits)[split.id].name, *rows);
    if (screen_.is_full()) wiring_.coordinator->ask_early();
  }
  if (Status sent = send_rows(reader, rows, screen_.set_aside(), split); !sent) return sent;
  publish(reader, split, split.progress.on_batch({screen_.times(*rows), reader.markers.markers(*rows)}, now));
  return generator_failure(split);
}

Status IngestComponent::send_rows(SourceReader& reader, const BatchRef& batch, std::span<const uint32_t> skip,
                                  SplitSlot& split) {
  const auto store = [&](uint16_t operator_id, std::span<const uint32_t> rows) {
    screen_.store_not_computable(reader.source, (*wiring_.splits)[split.id].name, plan_.aggregates[operator_id].spec.id,
                                 *batch, rows);
  };
  const bool changelog = plan_.sources[reader.source].changelog;
  const auto filtered =
      reader.router->send(batch,
                          {.aside = skip,
                           .ignored_ops = changelog ? 0 : kAllOps & ~(1U << static_cast<int>(Op::insert)),
                           .wall_us = wiring_.clock->wall_us(),
                           .workers = wiring_.workers},
                          store, inputs_);
  if (!filtered) return filtered.status();
  split.rows_filtered += *filtered;
  wiring_.counters->rows_filtered.fetch_add(*filtered, std::memory_order_relaxed);
  return {};
}

// After every call that may have changed the split.
void IngestComponent::publish(SourceReader& reader, const SplitSlot& split, const std::optional<SplitChange>& change) {
  if (change) {
    for (Lane<LaneEntry>* lane : wiring_.workers) lane->push(*change, kControlWeight);
  }
  if (reader.alignment) reader.alignment->report(split.progress, wiring_.clock->monotonic_us());
}

// A watermark generator whose code failed: the job must not go on without watermarks.
Status IngestComponent::generator_failure(const SplitSlot& split) const {
  const Status failure = split.progress.failure();
  return failure ? failure : failure.with_context("source " + plan_.sources[(*wiring_.splits)[split.id].source].id);
}

Status IngestComponent::tick(bool blocked) {
  const Micros now = wiring_.clock->monotonic_us();
  if (now < next_tick_us_) return {};
  next_tick_us_ = saturating_add(now, tick_interval_us_);
  struct TurnsIdle {
    SourceReader* reader;
    SplitSlot* split;
    SplitChange change;
  };
  std::vector<TurnsIdle> idle;
  for (auto& reader : readers_) {
    for (auto& split : reader->splits) {
      if (split->finished()) continue;
      const auto change = split->progress.tick(now, reader->reading(*split, blocked, now));
      if (Status failure = generator_failure(*split); !failure) return failure;
      if (change && change->state == SplitState::idle) {
        idle.push_back({reader.get(), split.get(), *change});
      } else {
        publish(*reader, *split, change);
      }
    }
  }
  // Those that turn idle at once leave together: the slowest last, so that none of them lifts the watermark to another.
  std::stable_sort(idle.begin(), idle.end(),
                   [](const auto& a, const auto& b) { return a.change.watermark > b.change.watermark; });
  for (const TurnsIdle& one : idle) publish(*one.reader, *one.split, one.change);
  return {};
}

void IngestComponent::tick_split(SourceReader& reader, SplitSlot& split, bool blocked, Micros now) {
  publish(reader, split, split.progress.tick(now, reader.reading(split, blocked, now)));
}

Status IngestComponent::seal(uint64_t epoch) {
  IngestSealed sealed;
  sealed.epoch = epoch;
  const Micros now = wiring_.clock->monotonic_us();
  for (auto& reader : readers_) {
    const std::string& source = plan_.sources[reader->source].id;
    for (auto& split : reader->splits) {
      SplitRecord record;
      record.source = source;
      record.split = (*wiring_.splits)[split->id].name;
      auto position = reader->reader->snapshot_split(split->id);
      if (!position) return position.status().with_context("source " + source + ", split " + record.split);
      record.position = std::move(*position);
      record.progress = split->progress.snapshot(now);
      if (Status failure = generator_failure(*split); !failure) return failure;
      record.rows_read = split->rows_read;
      record.rows_set_aside = split->rows_set_aside;
      record.rows_filtered = split->rows_filtered;
      record.rows_truncated = split->rows_truncated;
      record.truncation = split->truncation;
      if (split->kept != nullptr) split->kept->seal(epoch, sealed.writes);
      sealed.rows_read += record.rows_read;
      sealed.rows_set_aside += record.rows_set_aside;
      sealed.rows_filtered += record.rows_filtered;
      sealed.writes.put(Family::sources, source_key(source, record.split), encode(record));
    }
  }
  sealed.inputs = inputs_;
  for (LateRecord& page : screen_.seal(epoch)) {
    sealed.writes.put(Family::late, std::move(page.key), std::move(page.value));
  }
  for (Lane<LaneEntry>* lane : wiring_.workers) lane->push(Barrier{epoch}, kControlWeight);
  wiring_.output->push(std::move(sealed), kControlWeight);
  last_barrier_ = epoch;
  return {};
}

void IngestComponent::answer_status() {
  const uint64_t request = wiring_.board->requested();
  if (request == last_answered_) return;
  last_answered_ = request;
  const SplitSurroundings around{plan_, *wiring_.splits, wiring_.alignment, wiring_.index};
  wiring_.board->publish_ingest(wiring_.index, request,
                                {split_views(around, readers_, wiring_.clock->monotonic_us()), inputs_});
}

void IngestComponent::wake_readers() noexcept {
  const std::lock_guard lock(readers_mutex_);
  for (auto& reader : readers_) reader->reader->wake_up();
}

Status IngestComponent::notify_committed() {
  const uint64_t committed = wiring_.coordinator->committed();
  if (committed <= last_notified_) return {};
  last_notified_ = committed;
  for (auto& reader : readers_) {
    if (Status told = reader->reader->notify_checkpoint_complete(committed); !told) return told;
    for (const auto& split : reader->splits) {
      if (split->kept != nullptr) split->kept->committed(committed);
    }
  }
  return {};
}

}  // namespace tidemark::core
