// SPDX-License-Identifier: Apache-2.0
//
// CheckpointKeeper: makes retained checkpoints out of epochs that have become durable: when one is due or somebody
// asked for one, and then lets the oldest of those made by schedule go. One that fails costs no row: the job goes on,
// says so once until one succeeds again, and counts it. Used on the committer's thread; ask(), has_answered() and
// failures() from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/clock.hpp"
#include "core/plan/job_plan.hpp"
#include "core/state/checkpoints.hpp"

namespace tidemark::core {

class CheckpointKeeper {
 public:
  /// `clock` outlives it.
  CheckpointKeeper(const JobPlan& plan, const Clock& clock);

  /// The store has just committed `epoch`, and the sinks have heard of it.
  void on_epoch(EpochStore& store, const EpochRecord& epoch);
  /// The next epoch is to be retained, whatever the interval says.
  void ask() noexcept { asked_.store(true); }
  /// Nobody asked, or it was tried.
  bool has_answered() const noexcept { return !asked_.load(); }
  /// Checkpoints that could not be made, since the process began.
  uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }

 private:
  Status keep(EpochStore& store, const EpochRecord& epoch, MadeBy made_by) const;

  Checkpoints checkpoints_;
  RetainedPlan retained_;
  const Clock& clock_;
  Micros last_us_;  // monotonic; of the newest by schedule, also of an earlier process
  std::atomic<bool> asked_{false};
  std::atomic<uint64_t> failures_{0};
  bool has_failed_ = false;  // the last one, and that was said
};

}  // namespace tidemark::core
