// SPDX-License-Identifier: Apache-2.0
//
// TimeAssigner: gives each row of a batch its event time, from a column of the job's choice or as the source set
// it. Rows without a time (NULL, zero date, none) are reported, so that they are set aside and never move the
// watermark. Runs once per batch on the ingest core.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

class TimeAssigner {
 public:
  /// Keeps the source's own event times.
  TimeAssigner() = default;
  /// Takes column `column` of the batches; an error when its type is no time.
  static Result<TimeAssigner> from_column(const BatchLayout& layout, uint32_t column);

  /// Writes batch.event_time_us and appends the numbers of rows without a time, ascending.
  void assign(Batch& batch, std::vector<uint32_t>& without_time) const;

 private:
  int column_ = -1;
  bool is_date_ = false;
};

}  // namespace tidemark::core
