// SPDX-License-Identifier: Apache-2.0
//
// See the header. A paused shard keeps everything behind its next rows; what stands in front of them is heard.
#include "core/jobtest/scripted_source.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/overloaded.hpp"

namespace tidemark::core {

class ScriptedReader final : public Reader {
 public:
  ScriptedReader(ScriptedSource& source, std::span<const uint32_t> columns)
      : source_(source), columns_(columns.begin(), columns.end()) {}

  Status add_splits(std::span<const SplitAssignment> splits) override {
    for (const SplitAssignment& added : splits) {
      const auto shard = std::find_if(source_.shards_.begin(), source_.shards_.end(),
                                      [&](const auto& one) { return one.name == added.id; });
      if (shard == source_.shards_.end()) return {Code::internal, "the test has no shard " + added.id};
      splits_.push_back({added.split, &*shard, false});
    }
    return {};
  }
  Status notify_no_more_splits() override {
    no_more_splits_ = true;
    return {};
  }
  Status release_split(SplitId split) override {
    std::erase_if(splits_, [split](const Split& one) { return one.id == split; });
    return {};
  }
  Result<PollStatus> poll_next(ReaderOutput& output) override;
  Status pause_or_resume_splits(std::span<const SplitId> pause, std::span<const SplitId> resume) override {
    for (Split& split : splits_) {
      if (std::find(pause.begin(), pause.end(), split.id) != pause.end()) split.paused = true;
      if (std::find(resume.begin(), resume.end(), split.id) != resume.end()) split.paused = false;
    }
    return {};
  }
  // A test is never resumed.
  Result<std::string> snapshot_split(SplitId) override { return std::string("0"); }
  Status notify_checkpoint_complete(uint64_t) override { return {}; }
  void wake_up() noexcept override {}

 private:
  struct Split {
    SplitId id = 0;
    ScriptedSource::Shard* shard = nullptr;
    bool paused = false;
  };

  static bool has_rows_next(const Split& split) {
    return !split.shard->events.empty() && std::holds_alternative<std::vector<ScriptRow>>(split.shard->events.front());
  }
  void carry_out(const Split& split, const ScriptedSource::Event& event, ReaderOutput& output) const;
  /// Hands on the next batch; false when there was no credit for it.
  Result<bool> send_rows(const Split& split, ReaderOutput& output);
  bool fill(const Split& split, const std::vector<ScriptRow>& rows, Batch& batch) const;
  bool put_row(const ScriptRow& row, Batch& batch) const;

  ScriptedSource& source_;
  std::vector<uint32_t> columns_;
  std::vector<Split> splits_;
  bool no_more_splits_ = false;
};

void ScriptedReader::carry_out(const Split& split, const ScriptedSource::Event& event, ReaderOutput& output) const {
  std::visit(Overloaded{[](const std::vector<ScriptRow>&) {},
                        [&](const ScriptedSource::Watermark& one) {
                          output.progress(split.id, saturating_add(one.time_us, 1));
                        },
                        [&](const ScriptedSource::Idle& one) { output.set_idle(split.id, one.idle); },
                        [&](const ScriptedSource::End&) {
                          split.shard->ended = true;
                          output.finished(split.id);
                        }},
             event);
}

bool ScriptedReader::put_row(const ScriptRow& row, Batch& batch) const {
  const uint32_t at = batch.rows++;
  batch.event_time_us[at] = row.source_time_us == kNoTime ? source_.clock_.wall_us() : row.source_time_us;
  batch.op[at] = static_cast<uint8_t>(row.op);
  batch.origin[at] = kNoOrigin;
  if (!row.database.empty() || !row.table.empty()) {
    const std::optional<Slice> database = batch.put_on_heap(row.database);
    const std::optional<Slice> table = batch.put_on_heap(row.table);
    if (!database || !table) return false;
    Origin origin;
    origin.database = *database;
    origin.table = *table;
    origin.commit_time_us = batch.event_time_us[at];
    batch.origin[at] = batch.origin_count;
    batch.origins[batch.origin_count++] = origin;
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] < row.cells.size() && !put_cell(batch, i, at, row.cells[columns_[i]])) return false;
  }
  return true;
}

// The two rows of an update stay together.
bool ScriptedReader::fill(const Split& split, const std::vector<ScriptRow>& rows, Batch& batch) const {
  ScriptedSource::Shard& shard = *split.shard;
  while (shard.rows_taken < rows.size()) {
    const ScriptRow& row = rows[shard.rows_taken];
    if (batch.rows + (row.op == Op::update_before ? 2 : 1) > batch.row_capacity()) return true;
    batch.sequence[batch.rows] = shard.sequence++;
    if (!put_row(row, batch)) return false;
    ++shard.rows_taken;
  }
  return true;
}

Result<bool> ScriptedReader::send_rows(const Split& split, ReaderOutput& output) {
  ScriptedSource::Shard& shard = *split.shard;
  const auto& rows = std::get<std::vector<ScriptRow>>(shard.events.front());
  if (!rows.empty()) {
    auto batch = output.acquire(split.id);
    if (batch == nullptr) return false;
    if (!fill(split, rows, *batch)) {
      return Status(Code::data, "shard " + shard.name + ": the texts of a step's rows are too long");
    }
    output.submit(std::move(batch));
  }
  if (shard.rows_taken == rows.size()) {
    shard.events.pop_front();
    shard.rows_taken = 0;
  }
  return true;
}

Result<PollStatus> ScriptedReader::poll_next(ReaderOutput& output) {
  bool more = false;
  for (const Split& split : splits_) {
    auto& events = split.shard->events;
    while (!events.empty() && !has_rows_next(split)) {
      carry_out(split, events.front(), output);
      events.pop_front();
    }
    if (events.empty() || split.paused) continue;
    auto sent = send_rows(split, output);
    if (!sent) return sent.status();
    more |= !events.empty();
  }
  const bool ended = std::all_of(splits_.begin(), splits_.end(), [](const Split& one) { return one.shard->ended; });
  if (no_more_splits_ && ended) return PollStatus::end;
  return more ? PollStatus::more : PollStatus::nothing;
}

ScriptedSource::ScriptedSource(const Schema& schema, std::vector<std::string> shards, const Clock& clock)
    : schema_(schema), clock_(clock) {
  for (std::string& name : shards) {
    Shard& shard = shards_.emplace_back();
    shard.name = std::move(name);
  }
}

Result<Discovery> ScriptedSource::discover() {
  Discovery out;
  for (const Shard& shard : shards_) out.splits.push_back({shard.name, ""});
  out.complete = true;
  return out;
}

Result<std::unique_ptr<Reader>> ScriptedSource::open_reader(const Projection& projection, ReaderHost) {
  return std::unique_ptr<Reader>(std::make_unique<ScriptedReader>(*this, projection.columns));
}

}  // namespace tidemark::core
