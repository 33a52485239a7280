// SPDX-License-Identifier: Apache-2.0
//
// IngestComponent: one core's readers. Polls them while lanes and batch pools have room, gives rows their event
// time, keeps each split's watermark and idleness, groups rows by (key, pane) and sends them to the workers, and
// between two polls turns a requested epoch into a barrier in every lane and a record of each split's position.
// Where a source keeps its rows, they complete partial images before anything looks at them, and a TRUNCATE becomes
// deletes of them, before the source is polled again (ingest_truncations.cpp).
// Rows without an event time are set aside and stored with their reason. Runs on its core's thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/exchange/lane.hpp"
#include "core/exchange/lane_entry.hpp"
#include "core/ingest/reader.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/alignment_board.hpp"
#include "core/runtime/commit_entry.hpp"
#include "core/runtime/component.hpp"
#include "core/runtime/epoch_coordinator.hpp"
#include "core/runtime/job_counters.hpp"
#include "core/runtime/row_screen.hpp"
#include "core/runtime/source_reader.hpp"
#include "core/runtime/split_assignment.hpp"
#include "core/runtime/split_table.hpp"
#include "core/runtime/status_board.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

class IngestComponent final : public Component {
 public:
  struct Wiring {
    uint32_t index = 0;
    KeyGroupOwners owners{};
    std::vector<Lane<LaneEntry>*> workers{};  ///< one per worker
    Lane<CommitEntry>* output = nullptr;
    EpochCoordinator* coordinator = nullptr;
    JobCounters* counters = nullptr;
    const Clock* clock = nullptr;
    const SplitTable* splits = nullptr;
    StatusBoard* board = nullptr;
    Lane<SplitNews>* news = nullptr;  ///< null: no source finds splits while running
    AlignmentBoard* alignment = nullptr;
    EpochStore* store = nullptr;  ///< for sources that keep rows
    uint32_t discovering = 0;     ///< sources that may find more
    uint32_t late_writer = 0;     ///< number of this component's late pages
  };

  IngestComponent(const JobPlan& plan, Wiring wiring);
  ~IngestComponent() override;

  /// Adds the reader of one source on this core and hands it its splits, at their restored positions.
  /// `restored`: records of the last epoch by split number, empty optionals for new splits. `complete`: the source
  /// will have no more splits.
  Status add_reader(uint32_t source, OpenedReader opened, const std::vector<std::optional<SplitRecord>>& restored,
                    bool complete);

  /// Goes on counting from what the last epoch had. By operator; on one core alone.
  void restore_inputs(std::vector<InputCounters> inputs) { inputs_ = std::move(inputs); }

  /// Makes waits inside readers return soon (the job stops or failed). Any thread.
  void wake_readers() noexcept;

  Result<Progress> step() override;
  Micros next_wake_us() const override;
  const std::string& name() const override { return name_; }

 private:
  class Output;

  Result<SourceReader*> make_reader(uint32_t source, OpenedReader opened);
  Status add_splits(SourceReader& reader, std::span<const SplitId> splits,
                    const std::vector<std::optional<SplitRecord>>& restored);
  Status take_news();
  Status tell_no_more_splits(SourceReader& reader);
  bool has_ended() const;
  bool lanes_have_room() const;
  Result<Progress> poll_readers();
  Status take_batch(SourceReader& reader, std::unique_ptr<Batch> batch);
  Status count_batch(SourceReader& reader, SplitSlot& split, std::unique_ptr<Batch> batch);
  void begin_truncation(SourceReader& reader, SplitSlot& split, Batch& batch);
  Result<bool> go_on_truncating(SourceReader& reader);
  size_t kept_bytes() const;
  Status send_rows(SourceReader& reader, const BatchRef& batch, std::span<const uint32_t> skip, SplitSlot& split);
  void publish(SourceReader& reader, const SplitSlot& split, const std::optional<SplitChange>& change);
  Status pause_and_resume();
  Result<bool> poll(SourceReader& reader);
  Status take_failure(SourceReader& reader, const Status& error, std::optional<SplitId> failed);
  void note_success(SourceReader& reader);
  Status tick(bool blocked);
  Status generator_failure(const SplitSlot& split) const;
  void tick_split(SourceReader& reader, SplitSlot& split, bool blocked, Micros now);
  Status seal(uint64_t epoch);
  Status notify_committed();
  void answer_status();

  const JobPlan& plan_;
  Wiring wiring_;
  std::string name_;
  RowScreen screen_;
  std::mutex readers_mutex_;  // a reader that is added, against wake_readers()
  std::vector<std::unique_ptr<SourceReader>> readers_;
  size_t first_reader_ = 0;            // of the next round of polls
  std::vector<InputCounters> inputs_;  // by operator
  uint64_t last_barrier_ = 0;
  uint64_t last_notified_ = 0;
  uint64_t last_answered_ = 0;  // of the status board
  Micros next_tick_us_ = 0;
  Micros poll_again_us_ = kEndOfTime;
  Micros tick_interval_us_;
  bool keeps_rows_;        // any source does
  size_t kept_bytes_max_;  // in memory; above it an epoch comes early, and above twice that reading waits for one
  bool ended_ = false;
};

}  // namespace tidemark::core
