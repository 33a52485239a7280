// SPDX-License-Identifier: Apache-2.0
//
// Grouper: the ingest side of one aggregate. Groups a batch by (key, pane), hashing each key once, and makes one
// GroupedRows per worker that owns any of the groups; pre-aggregates where that pays (few groups per row, fixed
// size accumulators), else the worker applies the rows. A pane is a slice of time; sessions have none, so their rows
// are grouped by key alone. One per aggregate and ingest core; no threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/status.hpp"
#include "core/window/aggregate_spec.hpp"
#include "core/window/grouped_rows.hpp"

namespace tidemark::core {

/// Which worker owns each key group.
using KeyGroupOwners = std::array<uint16_t, kKeyGroups>;

/// Owners for `workers` workers: contiguous ranges of nearly equal size.
KeyGroupOwners even_owners(uint32_t workers);

/// Rows of a batch that were not sent on.
struct GroupingCounts {
  uint64_t grouped = 0;
  uint64_t filtered = 0;   ///< not inserts, in append mode; and the next
  uint64_t no_window = 0;  ///< between the windows, where the slide is longer than they are
};

class Grouper {
 public:
  static Result<std::unique_ptr<Grouper>> create(AggregateSpec spec, const std::shared_ptr<const BatchLayout>& input,
                                                 KeyGroupOwners owners, uint32_t workers);
  virtual ~Grouper() = default;

  /// Groups the rows of `batch` by their event time (batch->event_time_us; kNoTime rows must not be there) and
  /// appends one GroupedRows per concerned worker: `out[worker]`. `skip`: row numbers (ascending) to leave out.
  /// `wall_us`: the wall clock now, which is the rows' time where windows go by processing time.
  virtual Status group(const BatchRef& batch, std::span<const uint32_t> skip, Micros wall_us,
                       std::vector<std::vector<GroupedRows>>& out, GroupingCounts& counts) = 0;
};

}  // namespace tidemark::core
