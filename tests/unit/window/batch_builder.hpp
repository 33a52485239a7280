// SPDX-License-Identifier: Apache-2.0
//
// Batches, specs and groupings written in a line or two, and results as text, for the tests of windows and
// grouping. Decimals are written as text ("12.50"). Groupings are made row by row here; the grouper has its own tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/int256.hpp"
#include "core/batch/batch.hpp"
#include "core/batch/cell_text.hpp"
#include "core/batch/cell_writer.hpp"
#include "core/window/grouped_rows.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/window_assigner.hpp"
#include "core/window/window_operator.hpp"

namespace tidemark::core::test {

using Cell = std::variant<std::monostate, int64_t, double, std::string>;  // monostate = NULL

struct Row {
  Micros time = 0;
  std::vector<Cell> cells;
  Op op = Op::insert;
};

inline ColumnInfo column(std::string name, ColumnType type, uint8_t precision = 0, uint8_t scale = 0) {
  return ColumnInfo{std::move(name), type, precision, scale, true, ""};
}

inline std::shared_ptr<const BatchLayout> layout_of(std::vector<ColumnInfo> columns) {
  return std::make_shared<BatchLayout>(BatchLayout{std::move(columns)});
}

inline void put_cell(Batch& batch, uint32_t at, uint32_t row, const Cell& cell) {
  const ColumnInfo& info = batch.layout().columns[at];
  if (std::holds_alternative<std::monostate>(cell)) return;
  if (is_variable_width(info.type)) {
    ASSERT_TRUE(put_text(batch, at, row, std::get<std::string>(cell)));
  } else if (const auto* decimal = std::get_if<std::string>(&cell)) {
    Int256 value;
    ASSERT_TRUE(parse_decimal(*decimal, info.scale, value)) << *decimal;
    std::memcpy(static_cast<char*>(batch.mutable_columns()[at].values) + row * value_width(info.type),
                value.limb.data(), value_width(info.type));
    batch.mutable_columns()[at].set_valid(row);
  } else {
    with_narrow_type(info.type, [&]<typename T>(std::type_identity<T>) {
      const T value = std::holds_alternative<double>(cell) ? static_cast<T>(std::get<double>(cell))
                                                           : static_cast<T>(std::get<int64_t>(cell));
      put_value(batch, at, row, value);
    });
  }
}

inline BatchRef make_batch(const std::shared_ptr<const BatchLayout>& layout, const std::vector<Row>& rows) {
  auto batch = std::make_shared<Batch>(layout, static_cast<uint32_t>(rows.size()), 64);
  batch->rows = static_cast<uint32_t>(rows.size());
  for (uint32_t row = 0; row < batch->rows; ++row) {
    batch->event_time_us[row] = rows[row].time;
    batch->op[row] = static_cast<uint8_t>(rows[row].op);
    batch->origin[row] = kNoOrigin;
    for (uint32_t at = 0; at < rows[row].cells.size(); ++at) put_cell(*batch, at, row, rows[row].cells[at]);
  }
  return batch;
}

/// Groups by (key, slice) in order of first appearance, not pre-aggregated. Rows in no window are left out.
inline GroupedRows group_rows(const AggregateSpec& spec, const BatchRef& batch, Micros wall_us = 0) {
  GroupedRows out;
  out.operator_id = spec.operator_id;
  out.batch = batch;
  std::vector<uint32_t> all(batch->rows);
  for (uint32_t row = 0; row < batch->rows; ++row) all[row] = row;
  EncodedKeys keys;
  EXPECT_TRUE(KeyCodec(spec.key_columns, batch->layout()).encode(*batch, all, keys));
  const bool sessions = spec.window.kind == WindowKind::session;
  const WindowAssigner assigner = WindowAssigner::create(sessions ? WindowSpec{} : spec.window).value();
  std::vector<std::pair<std::string, Micros>> groups;
  std::vector<std::vector<uint32_t>> rows_of;
  for (uint32_t row = 0; row < batch->rows; ++row) {
    const auto slice = assigner.slice_of(spec.window.processing_time ? wall_us : batch->event_time_us[row]);
    if (!slice) continue;
    const std::pair<std::string, Micros> group(keys.at(row), sessions ? kNoTime : slice->end);
    const auto at = static_cast<size_t>(std::find(groups.begin(), groups.end(), group) - groups.begin());
    if (at == groups.size()) {
      groups.push_back(group);
      rows_of.emplace_back();
    }
    rows_of[at].push_back(row);
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto& [key, pane_end] = groups[i];
    out.groups.push_back({hash_bytes(key), pane_end, static_cast<uint32_t>(out.keys.size()),
                          static_cast<uint32_t>(key.size()), static_cast<uint32_t>(out.rows.size()),
                          static_cast<uint32_t>(rows_of[i].size())});
    out.keys.append(key);
    out.rows.insert(out.rows.end(), rows_of[i].begin(), rows_of[i].end());
  }
  return out;
}

/// "eu 2 28.00 [0,3000)\n..." : keys and results by spaces, NULL as "-"; then the window, and where there can be
/// several results the kind and revision: "eu 2 28.00 [0,3000) late 2".
inline std::string to_text(const std::vector<FiredRows>& fired) {
  std::string out;
  for (const FiredRows& rows : fired) {
    const auto cell = [&](size_t at, uint32_t row) {
      if (rows.rows->column(at).is_valid(row)) {
        append_cell_text(*rows.rows, at, row, out);
      } else {
        out += '-';
      }
    };
    const std::vector<ColumnInfo>& columns = rows.rows->layout().columns;
    const bool again = columns.back().name == "revision";
    const size_t results = columns.size() - (again ? 2 : 0);
    for (uint32_t row = 0; row < rows.rows->rows; ++row) {
      for (size_t at = 2; at < results; ++at) {
        cell(at, row);
        out += ' ';
      }
      out += "[" + std::to_string(rows.start_at(row)) + "," + std::to_string(rows.end_at(row)) + ")";
      for (size_t at = results; at < columns.size(); ++at) {
        out += ' ';
        cell(at, row);
      }
      out += '\n';
    }
  }
  return out;
}

/// All key groups had fired up to the same point.
inline FiredByGroup fired_up_to(Micros fired) {
  FiredByGroup out;
  out.fill(fired);
  return out;
}

/// All that moving the watermark, or the wall clock, gives; in portions of `rows_max` rows.
inline Status advance_all(WindowOperator& op, Micros watermark, std::vector<FiredRows>& fired,
                          size_t rows_max = SIZE_MAX) {
  Status status;
  op.move_watermark(watermark);
  while (status && op.is_firing()) status = op.fire(rows_max, fired);
  return status;
}
inline Status tick_all(WindowOperator& op, Micros wall, std::vector<FiredRows>& fired, size_t rows_max = SIZE_MAX) {
  Status status;
  op.move_clock(wall);
  while (status && op.is_firing()) status = op.fire(rows_max, fired);
  return status;
}

/// An operator with its input layout, fed row by row. Results of rules that rows make due come with the next advance().
class OperatorDriver {
 public:
  OperatorDriver(AggregateSpec spec, std::shared_ptr<const BatchLayout> input)
      : input_(std::move(input)), operator_(WindowOperator::create(std::move(spec), input_).value()) {}

  /// Returns the number of rows that were not applied.
  size_t add(const std::vector<Row>& rows) {
    Applied applied;
    status_ = operator_->apply(group_rows(operator_->spec(), make_batch(input_, rows), wall_), wall_, applied);
    size_t count = 0;
    for (const LateGroup& group : applied.late) {
      if (group.why != LateGroup::Why::partly_late) count += group.rows.size();
    }
    std::move(applied.fired.begin(), applied.fired.end(), std::back_inserter(fired_));
    std::move(applied.late.begin(), applied.late.end(), std::back_inserter(late_));
    return count;
  }
  /// What came since the last call and with this watermark.
  std::string advance(Micros watermark) {
    if (status_) status_ = advance_all(*operator_, watermark, fired_, 1);
    return take();
  }
  /// The same for the wall clock, which stands there from now on.
  std::string tick(Micros wall) {
    wall_ = wall;
    if (status_) status_ = tick_all(*operator_, wall, fired_, 1);
    return take();
  }
  /// What rows have given since the last call.
  std::string take() { return status_ ? to_text(std::exchange(fired_, {})) : "error: " + status_.message(); }
  /// The same apart: moves the watermark; the results as they are.
  bool advance_only(Micros watermark) {
    if (status_) status_ = advance_all(*operator_, watermark, fired_, 1);
    return status_.is_ok();
  }
  std::vector<FiredRows> take_fired() { return std::exchange(fired_, {}); }
  void set_wall(Micros wall) { wall_ = wall; }
  std::vector<LateGroup> take_late() { return std::exchange(late_, {}); }
  const Status& status() const { return status_; }
  WindowOperator& op() { return *operator_; }
  const std::shared_ptr<const BatchLayout>& input() const { return input_; }

 private:
  std::shared_ptr<const BatchLayout> input_;
  std::unique_ptr<WindowOperator> operator_;
  std::vector<FiredRows> fired_;
  std::vector<LateGroup> late_;
  Status status_;
  Micros wall_ = 0;
};

}  // namespace tidemark::core::test
