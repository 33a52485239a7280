// SPDX-License-Identifier: Apache-2.0
//
// RowScreen: decides which rows of a batch are not aggregated (no event time, not read in full, too far in the
// future) and keeps those for the late store with their reason; and which event times the watermark may see. One
// batch at a time: look() at it, then store(). What the source's mode filters anyway is not set aside. Owned and used
// by its ingest component.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/ingest/time_assigner.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"

namespace tidemark::core {

class RowScreen {
 public:
  /// `late_writer`: number of its late pages. `plan` and `clock` outlive it.
  RowScreen(const JobPlan& plan, const Clock& clock, uint32_t late_writer);

  /// Gives the rows their event times (`zone`: of their shard) and finds those to set aside; fails where the job wants
  /// that.
  Status look(uint32_t source, const TimeAssigner& assigner, const TimeZone* zone, Batch& batch);
  /// Rows to set aside, ascending. Valid until the next look().
  std::span<const uint32_t> set_aside() const noexcept { return set_aside_; }
  /// Rows further ahead of the wall clock than max_future, whatever becomes of them.
  size_t ahead_count() const noexcept { return ahead_.size(); }
  /// What the batch says about time: kNoTime for rows that say nothing. Valid until the next look().
  std::span<const Micros> times(const Batch& batch);
  /// Keeps the rows that are set aside.
  void store(uint32_t source, std::string_view split, const Batch& batch);

  /// Keeps rows of the batch that one aggregate takes and cannot compute.
  void store_not_computable(uint32_t source, std::string_view split, std::string_view aggregate, const Batch& batch,
                            std::span<const uint32_t> rows);

  /// Late pages since the last call.
  std::vector<LateRecord> seal(uint64_t epoch) { return pages_.seal(epoch); }
  /// True when so much waits that an epoch should not wait.
  bool is_full() const noexcept { return pages_.bytes_waiting() > kLateBytesMax; }

 private:
  struct Run {  // of problem_rows_
    LateReason reason;
    Slice detail;
    uint32_t first = 0;
    uint32_t count = 0;
  };

  Status find_problems(const SourcePlan& source, const Batch& batch);
  Status find_future(const SourcePlan& source, const Batch& batch);
  bool is_counted(const SourcePlan& source, const Batch& batch, uint32_t row) const;

  const JobPlan& plan_;
  const Clock& clock_;
  LatePageWriter pages_;
  std::vector<uint32_t> without_time_;
  std::vector<uint32_t> problem_rows_;
  std::vector<Run> problem_runs_;
  std::vector<uint32_t> ahead_;         // beyond max_future
  std::vector<uint32_t> future_aside_;  // those of them that are set aside
  std::vector<uint32_t> set_aside_;     // all that are
  std::vector<Micros> times_;
};

}  // namespace tidemark::core
