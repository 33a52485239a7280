// SPDX-License-Identifier: Apache-2.0
//
// ScriptedSource: a core Source whose splits follow scripts. Positions are step numbers, so resuming is exact and
// a position that falls back shows. Readers serve their splits in turn, with batches of random sizes (an update's
// two images stay together), stop where credit is refused, and say at once again what they said before a restart
// (a split's end). Waits by virtual time: whoever moves the clock calls notify_due().
// A reader is used by one thread at a time; notify_due() by the simulator alone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/ingest/reader.hpp"
#include "tests/sim/sim_clock.hpp"
#include "tests/sim/sim_job.hpp"

namespace tidemark::test {

struct ScriptOptions {
  uint64_t seed = 1;
  uint32_t batch_rows_max = 16;
  bool one_batch_per_poll = false;  ///< else at most one per split
  /// Rows handed on by one reader before its poll fails; 0 = never.
  uint64_t fails_after_rows = 0;
};

/// How far a split was read in this process. Virtual times; none: not yet.
struct ReadingFacts {
  size_t steps = 0;  ///< handed on or carried out
  bool finished = false;
  /// Since when that could be read which waited when the split's reader was last polled.
  std::optional<core::Micros> unread_since_us{};
  std::optional<core::Micros> active_us{};  ///< when rows or a mark "active" were last handed on
};

class ScriptedReader;

class ScriptedSource final : public core::Source {
 public:
  /// `script` and `clock` outlive the source, the source its readers.
  ScriptedSource(const SourceScript& script, const SimClock& clock, ScriptOptions options)
      : script_(script), clock_(clock), options_(options) {}

  core::Result<core::Schema> schema() override;
  core::Result<core::Discovery> discover() override;
  core::Result<std::unique_ptr<core::Reader>> open_reader(const core::Projection& projection,
                                                          core::ReaderHost host) override;
  bool can_pause_splits() const noexcept override { return script_.can_pause; }
  bool gives_truncates() const noexcept override { return true; }
  bool gives_partial_images() const noexcept override { return true; }
  /// Splits that appear later make it unbounded, until they have all been found.
  bool is_bounded() const noexcept override;

  /// Wakes readers for which something became readable since the last call.
  void notify_due();
  /// The next virtual time at which something becomes readable; kEndOfTime = never.
  core::Micros next_due_us() const;
  /// For messages: how far each split was read.
  std::string describe() const;
  /// Of the split that one of the readers has.
  ReadingFacts facts(const std::string& split) const;
  /// Epochs that readers were told of, the newest.
  uint64_t newest_epoch() const noexcept { return newest_epoch_; }

 private:
  friend class ScriptedReader;

  const SourceScript& script_;
  const SimClock& clock_;
  ScriptOptions options_;
  std::mutex mutex_;  // readers register on the threads of their cores
  std::vector<ScriptedReader*> readers_;
  core::Micros notified_us_ = -1;
  uint64_t readers_opened_ = 0;
  uint64_t newest_epoch_ = 0;
};

}  // namespace tidemark::test
