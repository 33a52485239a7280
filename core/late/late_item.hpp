// SPDX-License-Identifier: Apache-2.0
//
// LateItem: one row that could not be counted (too late, or set aside for another reason), with where it came
// from, why it is here, and its columns, as lists and exports show it. A value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/batch.hpp"

namespace tidemark::core {

/// Why a row is in the late store. Numbers are part of the stored format.
enum class LateReason : uint8_t {
  too_late = 1,     ///< its window was closed when it arrived
  no_event_time,    ///< the event time is NULL or cannot be computed
  future,           ///< the event time is further ahead of the wall clock than max_future
  no_base,          ///< takes away from a group that has nothing to take from
  undecodable,      ///< the source could not make a row of it
  refused_by_sink,  ///< a result's target refused it
  missing_column,   ///< the row's image in the log lacks a column that the job needs
  statement,        ///< data changed by a logged statement, without rows
  partly_late,      ///< some of its windows were closed when it arrived; it counts in the others
  not_computable,   ///< an expression of the aggregate has no value for it: a number outgrew its type
};
inline constexpr size_t kLateReasons = 10;

/// "too_late", "no_event_time", ...; "?" for a number that is none.
std::string_view reason_name(LateReason reason) noexcept;
bool is_reason(uint8_t number) noexcept;

/// One column of a late row.
struct LateValue {
  std::string name;
  ColumnType type = ColumnType::text;
  bool is_null = true;
  std::string text;  ///< as append_cell_text() writes it; empty when NULL
};

struct LateItem {
  std::string source;
  std::string split;
  uint32_t split_number = 0;
  std::string gtid, file, database, table;
  uint64_t position = 0;
  uint64_t schema_version = 0;
  Micros commit_time_us = kNoTime;
  Op op = Op::insert;
  uint64_t sequence = 0;
  Micros event_time = kNoTime;
  Micros arrival = kNoTime;  ///< wall time

  LateReason reason = LateReason::too_late;
  std::string aggregate;       ///< empty: set aside before any aggregate
  Micros pane_end = kNoTime;   ///< of the (last) window it missed
  Micros watermark = kNoTime;  ///< at arrival
  Micros lateness_us = 0;      ///< watermark - event time: how far the row was behind; 0 where either is missing
  std::string holder;          ///< the split that was ahead, where known
  std::string detail;          ///< more about the reason, for people
  std::vector<LateValue> columns;
};

}  // namespace tidemark::core
