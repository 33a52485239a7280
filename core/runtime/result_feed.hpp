// SPDX-License-Identifier: Apache-2.0
//
// ResultFeed: makes rows of one aggregate's results at one worker and sends them to the workers of the aggregates that
// read them. A result that replaces an earlier one goes as an update, one that is taken back as a delete, so that
// readers count each (window, key) once. A row's event time is the last instant of its window; its columns are those
// of the results, without kind and revision. Owned and used by its worker.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/status.hpp"
#include "core/late/late_page_writer.hpp"
#include "core/plan/job_plan.hpp"
#include "core/runtime/row_router.hpp"
#include "core/window/fired_rows.hpp"
#include "core/window/key_codec.hpp"

namespace tidemark::core {

class ResultFeed {
 public:
  /// For create() alone.
  ResultFeed(const JobPlan& plan, uint32_t aggregate, RowRouter router, LatePageWriter& late_pages);
  /// `output`: the layout of the results of aggregate number `aggregate`. `plan` and `late_pages` outlive it.
  static Result<std::unique_ptr<ResultFeed>> create(const JobPlan& plan, uint32_t aggregate,
                                                    const std::shared_ptr<const BatchLayout>& output,
                                                    const KeyGroupOwners& owners, uint32_t workers,
                                                    LatePageWriter& late_pages);

  /// Sends the rows of one firing. `counters`: by operator.
  Status send(const FiredRows& fired, Micros wall_us, std::span<Lane<LaneEntry>* const> workers,
              std::span<InputCounters> counters);

 private:
  struct Target {
    Micros wall_us;
    std::span<Lane<LaneEntry>* const> workers;
    std::span<InputCounters> counters;
  };
  std::shared_ptr<Batch> empty_batch(size_t rows) const;
  bool copy_row(const Batch& from, uint32_t row, Batch& out, Op op, Micros time) const;
  Status send_batch(std::shared_ptr<Batch> batch, const Target& target);

  const JobPlan& plan_;
  const uint32_t aggregate_;
  const RowsPlan& rows_;
  std::shared_ptr<const BatchLayout> layout_;           // of the rows
  std::shared_ptr<const BatchLayout> replaced_layout_;  // of results that were replaced
  KeyCodec replaced_codec_;
  RowRouter router_;
  LatePageWriter& late_pages_;
};

}  // namespace tidemark::core
