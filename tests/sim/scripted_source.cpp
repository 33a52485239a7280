// SPDX-License-Identifier: Apache-2.0
//
// See the header. A split's cursor counts steps that were handed on or carried out; an end stands behind the last.
#include "tests/sim/scripted_source.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "core/base/int128.hpp"
#include "tests/sim/sim_random.hpp"

namespace tidemark::test {

using core::Batch;
using core::ColumnType;
using core::Micros;
using core::PollStatus;
using core::Result;
using core::SplitId;
using core::Status;

namespace {

core::Int128 scaled(const std::string& text, int scale) {
  const bool negative = text.starts_with('-');
  core::Int128 value = 0;
  int places = -1;
  for (const char digit : std::string_view(text).substr(negative ? 1 : 0)) {
    if (digit == '.') {
      places = 0;
      continue;
    }
    value = value * 10 + (digit - '0');
    if (places >= 0) ++places;
  }
  for (int i = std::max(places, 0); i < scale; ++i) value *= 10;
  return negative ? -value : value;
}

void put_cell(Batch& batch, size_t column, uint32_t row, const OracleCell& cell) {
  if (!cell) return;
  core::Column& to = batch.mutable_columns()[column];
  to.validity[row >> 3] = static_cast<uint8_t>(to.validity[row >> 3] | (1U << (row & 7)));
  const core::ColumnInfo& info = batch.layout().columns[column];
  const uint32_t width = core::value_width(info.type);
  auto* at = static_cast<std::byte*>(to.values) + size_t{row} * width;
  if (core::is_variable_width(info.type)) {
    if (!batch.grow_heap(cell->size())) throw std::length_error("a scripted text is too long");
    const core::Slice slice{static_cast<uint32_t>(batch.heap_used), static_cast<uint32_t>(cell->size())};
    std::memcpy(batch.heap + batch.heap_used, cell->data(), cell->size());
    batch.heap_used += cell->size();
    std::memcpy(at, &slice, sizeof slice);
    return;
  }
  const core::Int128 value = scaled(*cell, info.scale);
  std::memcpy(at, &value, width);
}

}  // namespace

class ScriptedReader final : public core::Reader {
 public:
  ScriptedReader(ScriptedSource& source, core::ReaderHost host, uint64_t seed)
      : source_(source), host_(std::move(host)), random_(seed) {
    const std::lock_guard lock(source_.mutex_);
    source_.readers_.push_back(this);
  }
  ~ScriptedReader() override {
    const std::lock_guard lock(source_.mutex_);
    std::erase(source_.readers_, this);
  }

  Status add_splits(std::span<const core::SplitAssignment> splits) override;
  Status notify_no_more_splits() override {
    no_more_splits_ = true;
    return {};
  }
  Status release_split(SplitId split) override {
    std::erase_if(splits_, [split](const Split& one) { return one.id == split; });
    return {};
  }
  Result<PollStatus> poll_next(core::ReaderOutput& output) override;
  Status pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) override;
  Result<std::string> snapshot_split(SplitId split) override;
  Status notify_checkpoint_complete(uint64_t epoch) override {
    const std::lock_guard lock(source_.mutex_);
    source_.newest_epoch_ = std::max(source_.newest_epoch_, epoch);
    return {};
  }
  void wake_up() noexcept override {}

  void notify() const { host_.notify(); }
  Micros next_due_after(Micros now) const;
  std::string describe() const;
  std::optional<ReadingFacts> facts(const std::string& split) const;

 private:
  struct Split {
    SplitId id = 0;
    const SplitScript* script = nullptr;
    size_t cursor = 0;
    bool finished = false;
    std::optional<Micros> active_us{};
    bool paused = false;
  };

  static bool at_end(const Split& split) { return split.cursor == split.script->steps.size(); }
  bool can_end(const Split& split) const { return at_end(split) && due(split) <= source_.clock_.now(); }
  bool has_rows(const Split& split) const { return !at_end(split) && due(split) <= source_.clock_.now(); }
  static bool has_unread(const Split& split, Micros at) { return !split.finished && due(split) <= at; }
  bool has_unread(const Split& split) const { return has_unread(split, source_.clock_.now()); }
  /// When its next step can be read, or it ends; kEndOfTime = never.
  static Micros due(const Split& split) {
    const SplitScript& script = *split.script;
    if (split.cursor < script.steps.size()) return script.steps[split.cursor].available_us;
    return script.ends ? script.ends_at_us : core::kEndOfTime;
  }
  bool fails_now(const Split& split) const {
    const Micros now = source_.clock_.now();
    return std::any_of(split.script->outages.begin(), split.script->outages.end(),
                       [now](const Outage& one) { return one.from_us <= now && now < one.until_us; });
  }
  /// Carries out control steps.
  void speak(Split& split, core::ReaderOutput& output);
  /// Carries out control steps, then hands on one batch; false when credit was refused.
  bool serve(Split& split, core::ReaderOutput& output);
  void carry_out(Split& split, const ScriptStep& step, core::ReaderOutput& output);
  void fill(Split& split, Batch& batch);

  ScriptedSource& source_;
  core::ReaderHost host_;
  SimRandom random_;
  std::vector<Split> splits_;
  size_t next_ = 0;  // whose turn it is
  bool no_more_splits_ = false;
  uint64_t rows_ = 0;
  std::optional<Micros> polled_us_{};
};

Status ScriptedReader::add_splits(std::span<const core::SplitAssignment> splits) {
  for (const core::SplitAssignment& added : splits) {
    const auto& scripts = source_.script_.splits;
    const auto script =
        std::find_if(scripts.begin(), scripts.end(), [&added](const SplitScript& one) { return one.id == added.id; });
    if (script == scripts.end()) return {core::Code::plugin, "no script of split " + added.id};
    Split split;
    split.id = added.split;
    split.script = &*script;
    split.cursor = added.position.empty() ? 0 : std::stoull(added.position);
    splits_.push_back(split);
  }
  return {};
}

void ScriptedReader::carry_out(Split& split, const ScriptStep& step, core::ReaderOutput& output) {
  switch (step.kind) {
    case ScriptStep::Kind::watermark:
      return output.watermark(split.id, step.time_us);
    case ScriptStep::Kind::progress:
      return output.progress(split.id, step.time_us);
    case ScriptStep::Kind::idle:
      return output.set_idle(split.id, true);
    case ScriptStep::Kind::active:
      split.active_us = source_.clock_.now();
      return output.set_idle(split.id, false);
    case ScriptStep::Kind::disconnected:
      return output.set_disconnected(split.id, "the script says so");
    case ScriptStep::Kind::connected:
      return output.set_connected(split.id);
    case ScriptStep::Kind::truncate:
    case ScriptStep::Kind::row:
      throw std::logic_error("a row is no control step");
  }
}

void ScriptedReader::fill(Split& split, Batch& batch) {
  const auto wanted = static_cast<uint32_t>(random_.between(1, source_.options_.batch_rows_max));
  while (has_rows(split)) {
    const ScriptStep& step = split.script->steps[split.cursor];
    const bool second_half = step.op == core::Op::update_after;
    const bool truncates = step.kind == ScriptStep::Kind::truncate;
    if ((step.kind != ScriptStep::Kind::row && !truncates) || (batch.rows >= wanted && !second_half)) return;
    if (batch.rows == batch.row_capacity()) throw std::logic_error("scripted batches are small");
    const uint32_t row = batch.rows++;
    batch.event_time_us[row] = step.time_us;
    batch.op[row] = static_cast<uint8_t>(truncates ? core::Op::truncate : step.op);
    batch.sequence[row] = split.cursor;
    batch.origin[row] = core::kNoOrigin;
    const auto put = [&](size_t column, const OracleCell& cell) {
      if ((step.absent >> column & 1) == 0) return put_cell(batch, column, row, cell);
      uint8_t& bits = batch.absent()[column][row >> 3];
      bits = static_cast<uint8_t>(bits | (1U << (row & 7)));
    };
    if (step.time_us != core::kNoTime && !truncates) put(0, std::to_string(step.time_us));
    for (size_t i = 0; i < step.cells.size(); ++i) put(i + 1, step.cells[i]);
    ++split.cursor;
    if (truncates) return;
  }
}

void ScriptedReader::speak(Split& split, core::ReaderOutput& output) {
  const auto is_control = [](const ScriptStep& step) {
    return step.kind != ScriptStep::Kind::row && step.kind != ScriptStep::Kind::truncate;
  };
  while (has_rows(split) && is_control(split.script->steps[split.cursor])) {
    carry_out(split, split.script->steps[split.cursor], output);
    ++split.cursor;
  }
}

bool ScriptedReader::serve(Split& split, core::ReaderOutput& output) {
  speak(split, output);
  if (has_rows(split)) {
    auto batch = output.acquire(split.id);
    if (batch == nullptr) return false;
    fill(split, *batch);
    rows_ += batch->rows;
    split.active_us = source_.clock_.now();
    const bool turn_is_over = batch->op_at(batch->rows - 1) == core::Op::truncate;
    output.submit(std::move(batch));
    if (turn_is_over) return true;
  }
  if (can_end(split)) {
    split.finished = true;
    output.finished(split.id);
  }
  return true;
}

Result<PollStatus> ScriptedReader::poll_next(core::ReaderOutput& output) {
  polled_us_ = source_.clock_.now();
  const size_t count = splits_.size();
  for (size_t i = 0; i < count; ++i) {
    Split& split = splits_[next_ % count];
    if (!split.paused && !split.finished && fails_now(split)) {
      ++next_;
      if (source_.script_.names_failing) output.failed(split.id, "it is out");
      return Status(core::Code::io, "split " + split.script->id + ": it is out").set_retryable();
    }
    if (split.paused) speak(split, output);  // rows wait; what the source knows of it does not
    if (!split.paused && has_unread(split)) {
      if (!serve(split, output)) return PollStatus::more;
      if (source_.options_.fails_after_rows != 0 && rows_ >= source_.options_.fails_after_rows) {
        return Status(core::Code::io, "split " + split.script->id + ": the disk is gone");
      }
      if (source_.options_.one_batch_per_poll) i = count;
    }
    ++next_;
  }
  if (no_more_splits_ && std::all_of(splits_.begin(), splits_.end(), [](const Split& one) { return one.finished; })) {
    return PollStatus::end;
  }
  const bool more =
      std::any_of(splits_.begin(), splits_.end(), [this](const Split& one) { return !one.paused && has_unread(one); });
  return more ? PollStatus::more : PollStatus::nothing;
}

Status ScriptedReader::pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) {
  if (!source_.script_.can_pause) return {core::Code::unsupported, "scripts cannot pause"};
  const auto set = [this](SplitId split, bool paused) {
    const auto found =
        std::find_if(splits_.begin(), splits_.end(), [split](const Split& one) { return one.id == split; });
    if (found == splits_.end()) throw std::logic_error("paused or resumed a split of another reader");
    if (found->paused == paused) throw std::logic_error("paused or resumed twice");
    found->paused = paused;
  };
  for (const SplitId split : pause) set(split, true);
  for (const SplitId split : resume) set(split, false);
  return {};
}

Result<std::string> ScriptedReader::snapshot_split(SplitId split) {
  for (const Split& one : splits_) {
    if (one.id == split) return std::to_string(one.cursor);
  }
  return Status(core::Code::plugin, "asked for the position of a split of another reader");
}

Micros ScriptedReader::next_due_after(Micros now) const {
  Micros next = core::kEndOfTime;
  for (const Split& split : splits_) {
    if (split.finished) continue;
    if (due(split) > now) next = std::min(next, due(split));
  }
  return next;
}

std::string ScriptedReader::describe() const {
  std::string out;
  for (const Split& split : splits_) {
    out += split.script->id +
           (split.finished ? " finished, "
            : split.paused ? " paused at "
                           : " at ") +
           std::to_string(split.cursor) + " of " + std::to_string(split.script->steps.size()) + "; ";
  }
  return out;
}

std::optional<ReadingFacts> ScriptedReader::facts(const std::string& name) const {
  for (const Split& split : splits_) {
    if (split.script->id != name) continue;
    ReadingFacts facts{split.cursor, split.finished, {}, split.active_us};
    if (polled_us_ && has_unread(split, *polled_us_)) facts.unread_since_us = due(split);
    return facts;
  }
  return std::nullopt;
}

ReadingFacts ScriptedSource::facts(const std::string& split) const {
  for (const ScriptedReader* reader : readers_) {
    if (const auto facts = reader->facts(split)) return *facts;
  }
  return {};
}

std::string ScriptedSource::describe() const {
  std::string out;
  for (const ScriptedReader* reader : readers_) out += reader->describe();
  return out;
}

Result<core::Schema> ScriptedSource::schema() {
  core::Schema out;
  out.columns.push_back(column_of("at", ColumnType::timestamp));
  out.columns.insert(out.columns.end(), script_.columns.begin(), script_.columns.end());
  return out;
}

Result<core::Discovery> ScriptedSource::discover() {
  core::Discovery out;
  for (const SplitScript& split : script_.splits) {
    if (split.appears_at_us <= clock_.now()) out.splits.push_back({split.id, ""});
  }
  out.complete = out.splits.size() == script_.splits.size();
  return out;
}

bool ScriptedSource::is_bounded() const noexcept {
  return std::all_of(script_.splits.begin(), script_.splits.end(),
                     [](const SplitScript& split) { return split.appears_at_us == 0; });
}

Result<std::unique_ptr<core::Reader>> ScriptedSource::open_reader(const core::Projection& projection,
                                                                  core::ReaderHost host) {
  for (uint32_t i = 0; i < projection.columns.size(); ++i) {
    if (projection.columns[i] != i) return Status(core::Code::unsupported, "scripts deliver all columns in order");
  }
  return std::unique_ptr<core::Reader>(
      std::make_unique<ScriptedReader>(*this, std::move(host), options_.seed + 7919 * readers_opened_++));
}

Micros ScriptedSource::next_due_us() const {
  Micros due = core::kEndOfTime;
  for (const ScriptedReader* reader : readers_) due = std::min(due, reader->next_due_after(clock_.now()));
  return due;
}

void ScriptedSource::notify_due() {
  const Micros now = clock_.now();
  for (const ScriptedReader* reader : readers_) {
    if (reader->next_due_after(notified_us_) <= now) reader->notify();
  }
  notified_us_ = now;
}

}  // namespace tidemark::test
