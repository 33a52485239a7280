// SPDX-License-Identifier: Apache-2.0
//
// TimeAssigner: gives each row of a batch its event time, from a column or an expression of the job's choice or as the
// source set it. Rows without a time (NULL, zero date, none, not computable) are reported, so that they are set aside
// and never move the watermark. Runs once per batch on the ingest core.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/base/time_zone.hpp"
#include "core/batch/batch.hpp"
#include "core/expression/expression.hpp"

namespace tidemark::core {

class TimeAssigner {
 public:
  /// Keeps the source's own event times.
  TimeAssigner() = default;
  /// Takes column `column` of the batches; an error when its type is no time.
  static Result<TimeAssigner> from_column(const BatchLayout& layout, uint32_t column);
  /// Takes the value of an expression over the columns of the batches; an error when it does not compile, or gives no
  /// time.
  static Result<TimeAssigner> from_expression(const BatchLayout& layout, std::string_view expression);

  /// Writes batch.event_time_us and appends the numbers of rows without a time, ascending. `zone`: whose clocks times
  /// without a zone (DATETIME, DATE) were read from; null = UTC.
  void assign(Batch& batch, const TimeZone* zone, std::vector<uint32_t>& without_time) const;

 private:
  void copy_times(Batch& batch) const;

  int column_ = -1;
  bool is_date_ = false;
  bool is_zoneless_ = false;  // the column or expression gives local times
  std::unique_ptr<Evaluator> expression_;
};

}  // namespace tidemark::core
