// SPDX-License-Identifier: Apache-2.0
//
// Event times out of columns: datetimes and timestamps are microseconds already and are copied as a block, as are
// the values of expressions.
// A time without a zone is of the clocks of its shard; an hour that they show twice is the earlier one, and a time that
// they skip is the clock change.
#include "core/ingest/time_assigner.hpp"

#include <cstring>
#include <span>
#include <utility>

namespace tidemark::core {

Result<TimeAssigner> TimeAssigner::from_column(const BatchLayout& layout, uint32_t column) {
  const ColumnInfo& info = layout.columns.at(column);
  if (info.type != ColumnType::timestamp && info.type != ColumnType::datetime && info.type != ColumnType::date) {
    return Status(Code::config, "event time cannot come from column " + info.name + " of type " +
                                    std::string(type_name(info.type)) + "; take a datetime, timestamp or date column");
  }
  TimeAssigner out;
  out.column_ = static_cast<int>(column);
  out.is_date_ = info.type == ColumnType::date;
  out.is_zoneless_ = info.type != ColumnType::timestamp;
  return out;
}

Result<TimeAssigner> TimeAssigner::from_expression(const BatchLayout& layout, std::string_view expression) {
  auto compiled = Expression::compile(expression, layout.columns, ExpressionUse::event_time);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) return expression_status(*error, expression);
  TimeAssigner out;
  out.is_zoneless_ = std::get<Expression>(compiled).type().kind != ValueKind::timestamp;
  out.expression_ = std::make_unique<Evaluator>(std::move(std::get<Expression>(compiled)));
  return out;
}

void TimeAssigner::copy_times(Batch& batch) const {
  if (column_ >= 0) {
    const Column& column = batch.column(static_cast<size_t>(column_));
    if (is_date_) {
      const auto* days = column.as<int32_t>();
      for (uint32_t row = 0; row < batch.rows; ++row) batch.event_time_us[row] = start_of_day(days[row]);
    } else if (batch.rows > 0) {
      std::memcpy(batch.event_time_us, column.values, batch.rows * sizeof(Micros));
    }
    for (uint32_t row = 0; row < batch.rows; ++row) {
      if (!column.is_valid(row)) batch.event_time_us[row] = kNoTime;
    }
  }
  if (expression_ != nullptr && batch.rows > 0) {
    const ValueVector& times = expression_->run(batch);
    std::memcpy(batch.event_time_us, times.values<Micros>(), batch.rows * sizeof(Micros));
    for (uint32_t row = 0; row < batch.rows; ++row) {
      if (!times.is_valid(row)) batch.event_time_us[row] = kNoTime;
    }
  }
}

void TimeAssigner::assign(Batch& batch, const TimeZone* zone, std::vector<uint32_t>& without_time) const {
  copy_times(batch);
  if (zone != nullptr && is_zoneless_) {
    for (Micros& time : std::span(batch.event_time_us, batch.rows)) {
      if (time != kNoTime) time = zone->from_local(time);
    }
  }
  for (uint32_t row = 0; row < batch.rows; ++row) {
    if (batch.event_time_us[row] == kNoTime) without_time.push_back(row);
  }
}

}  // namespace tidemark::core
