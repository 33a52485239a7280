// SPDX-License-Identifier: Apache-2.0
//
// SourceReader: the reader of one source on one core with all that belongs to it: its credit, its splits with their
// progress, and what turns its rows into groups. Says which splits have unread data, as far as polls tell. Owned and
// used by its ingest component alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/batch/batch_pool.hpp"
#include "core/event_time/split_progress.hpp"
#include "core/ingest/marker_evaluator.hpp"
#include "core/ingest/reader.hpp"
#include "core/ingest/time_assigner.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/reader_alignment.hpp"
#include "core/runtime/retry_backoff.hpp"
#include "core/runtime/row_router.hpp"
#include "core/state/kept_rows.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

/// One split of a reader. Counts are since the job's beginning.
struct SplitSlot {
  SplitSlot(SplitId number, const WatermarkPlan& watermark, std::unique_ptr<WatermarkGenerator> generator, Micros now)
      : id(number),
        progress(number, {watermark.strategy, watermark.idle_timeout_us, watermark.emit_interval_us},
                 std::move(generator), now) {}

  bool finished() const noexcept { return progress.current().state == SplitState::finished; }

  SplitId id;
  SplitProgress progress;
  std::shared_ptr<const TimeZone> zone{};  ///< of its times without one; null = UTC
  uint64_t rows_read = 0;
  uint64_t rows_set_aside = 0;
  uint64_t rows_filtered = 0;
  uint64_t rows_truncated = 0;
  std::unique_ptr<KeptRows> kept{};        ///< null: its source keeps no rows
  std::optional<Truncation> truncation{};  ///< under way
  uint64_t rows_ahead = 0;                 ///< of this process: further in the future than max_future
  bool waits_for_group = false;            ///< alignment: it is ahead
  bool paused = false;                     ///< what the reader was told last, where it can pause
  RetryBackoff retry{};                    ///< of errors of this split alone
  bool lost_with_reader = false;           ///< disconnected, since its reader fails
  uint64_t batch_poll = 1;                 ///< number of the poll that gave its last batch
  uint64_t batch_turn = 0;                 ///< the same, counting only polls that were not refused
  uint64_t due_poll = 0;                   ///< number of the poll before which its idle timeout passed; 0: it has not
  uint64_t due_turn = 0;
};

struct SourceReader {
  uint32_t source = 0;
  std::unique_ptr<Reader> reader;
  std::shared_ptr<BatchPool> pool;
  TimeAssigner times;
  MarkerEvaluator markers;
  std::optional<RowRouter> router;  ///< always there
  std::vector<std::unique_ptr<SplitSlot>> splits;
  bool no_more_splits = false;  ///< it was told so
  bool ended = false;
  bool has_more = true;                        ///< the last poll said that there is more, of some split
  bool refused = false;                        ///< the last poll wanted a batch and got none
  bool can_pause = false;                      ///< single splits
  bool waits_for_group = false;                ///< all of it, where single splits cannot be paused
  std::unique_ptr<ReaderAlignment> alignment;  ///< null: in no group
  RetryBackoff retry{};                        ///< of errors of all of it
  size_t truncations = 0;                      ///< splits that have one under way
  size_t splits_failing = 0;                   ///< whose own retry is failing
  size_t denied_polls = 0;                     ///< in a row that only asked for batches of paused splits

  /// A reader may serve its splits in turn, so a split has nothing unread once it was quiet for a whole round, or
  /// since a poll found nothing at all.
  bool has_unread(const SplitSlot& split) const noexcept {
    if (split.truncation) return true;
    return has_more && split.batch_poll > caught_up_poll_ && turns_ - split.batch_turn <= splits.size();
  }
  /// What the split's clock is told at `now`.
  SplitReading reading(SplitSlot& split, bool lanes_full, Micros now) const {
    SplitReading out{.has_unread = has_unread(split),
                     .paused = waits_for_group || split.waits_for_group,
                     .blocked = lanes_full || refused || !pool->has_credit()};
    if (out.held() || !split.progress.idle_is_due(now)) {
      split.due_poll = 0;
      return out;
    }
    if (split.due_poll == 0) {
      split.due_poll = polls_;
      split.due_turn = turns_;
    }
    out.turn_pending = has_more && split.due_poll > caught_up_poll_ && turns_ - split.due_turn <= splits.size();
    return out;
  }
  void note_batch(SplitSlot& split) const noexcept {
    split.batch_poll = polls_;
    split.batch_turn = turns_;
  }
  /// It was not read for a while: there may be something unread until a round of polls is over.
  void expect_more(SplitSlot& split) noexcept {
    note_batch(split);
    has_more = true;
  }
  /// Since the split's last batch, or expect_more(), a whole round of polls went by.
  bool had_its_turn(const SplitSlot& split) const noexcept { return turns_ - split.batch_turn > splits.size(); }

  /// Lets the group and the retries decide who is read, and tells the reader.
  Status pause_and_resume(Micros now);
  /// The splits that the last pause_and_resume() paused and resumed.
  std::span<const SplitId> last_paused() const noexcept { return to_pause_; }
  std::span<const SplitId> last_resumed() const noexcept { return to_resume_; }
  /// Not polled at all now.
  bool is_held(Micros now) const noexcept { return waits_for_group || retry.waits(now); }
  /// After each poll. `was_refused`: its splits' turns may not have come.
  void note_poll(PollStatus status, bool was_refused) noexcept {
    has_more = status == PollStatus::more;
    ended = status == PollStatus::end;
    refused = was_refused;
    if (!has_more) caught_up_poll_ = polls_;
    if (!refused) ++turns_;
    ++polls_;
  }

  /// Compiles what gives its rows event times and markers. `plan` outlives it.
  Status prepare(const SourcePlan& plan);

  void add(std::unique_ptr<SplitSlot> split) {
    if (split->id >= by_id_.size()) by_id_.resize(size_t{split->id} + 1);
    by_id_[split->id] = split.get();
    note_batch(*split);
    splits.push_back(std::move(split));
  }
  /// Null when it is not this reader's.
  SplitSlot* find(SplitId split) const noexcept { return split < by_id_.size() ? by_id_[split] : nullptr; }

 private:
  void settle_pause(SplitSlot& split, Micros now);
  void note_resumed(SplitSlot& split) noexcept;

  std::vector<SplitSlot*> by_id_;
  std::vector<SplitId> to_pause_;  // scratch
  std::vector<SplitId> to_resume_;
  uint64_t polls_ = 1;
  uint64_t turns_ = 0;
  uint64_t caught_up_poll_ = 0;
};

}  // namespace tidemark::core
