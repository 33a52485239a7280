// SPDX-License-Identifier: Apache-2.0
//
// Batches, specs and groupings written in a line or two, and results as text, for the tests of windows and
// grouping. Decimals are written as text ("12.50"). One row of a grouping is one group, so that the operator's
// own merging of groups is what is tested; the grouper has its own tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/int256.hpp"
#include "core/batch/batch.hpp"
#include "core/batch/cell_text.hpp"
#include "core/window/grouped_rows.hpp"
#include "core/window/key_codec.hpp"
#include "core/window/ordered_value.hpp"
#include "core/window/output_cell.hpp"
#include "core/window/tumbling.hpp"
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
    const auto& text = std::get<std::string>(cell);
    char* out = put_text(batch, at, row, text.size());
    ASSERT_NE(out, nullptr);
    std::copy(text.begin(), text.end(), out);
  } else if (const auto* decimal = std::get_if<std::string>(&cell)) {
    Int256 value;
    ASSERT_TRUE(parse_decimal(*decimal, info.scale, value)) << *decimal;
    std::memcpy(static_cast<char*>(batch.mutable_columns()[at].values) + row * value_width(info.type),
                value.limb.data(), value_width(info.type));
    set_valid(batch, at, row);
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

/// Every row a group of its own, not pre-aggregated.
inline GroupedRows group_rows(const AggregateSpec& spec, const BatchRef& batch) {
  GroupedRows out;
  out.operator_id = spec.operator_id;
  out.batch = batch;
  std::vector<uint32_t> all(batch->rows);
  for (uint32_t row = 0; row < batch->rows; ++row) all[row] = row;
  EncodedKeys keys;
  EXPECT_TRUE(KeyCodec(spec.key_columns, batch->layout()).encode(*batch, all, keys));
  for (uint32_t row = 0; row < batch->rows; ++row) {
    RowGroup group;
    group.hash = hash_bytes(keys.at(row));
    group.pane_end = tumbling_end(batch->event_time_us[row], spec.window.size_us);
    group.key_offset = static_cast<uint32_t>(out.keys.size());
    group.key_size = static_cast<uint32_t>(keys.at(row).size());
    group.row_begin = row;
    group.row_count = 1;
    out.keys.append(keys.at(row));
    out.groups.push_back(group);
    out.rows.push_back(row);
  }
  return out;
}

/// "eu 2 28.00 [0,3000)\n..." : keys and results by spaces, NULL as "-".
inline std::string to_text(const std::vector<FiredRows>& fired) {
  std::string out;
  for (const FiredRows& rows : fired) {
    for (uint32_t row = 0; row < rows.rows->rows; ++row) {
      for (size_t at = 2; at < rows.rows->columns().size(); ++at) {
        if (rows.rows->column(at).is_valid(row)) {
          append_cell_text(*rows.rows, at, row, out);
        } else {
          out += '-';
        }
        out += ' ';
      }
      out += "[" + std::to_string(rows.window_start) + "," + std::to_string(rows.window_end) + ")\n";
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

/// An operator with its input layout, fed row by row.
class OperatorDriver {
 public:
  OperatorDriver(AggregateSpec spec, std::shared_ptr<const BatchLayout> input)
      : input_(std::move(input)), operator_(WindowOperator::create(std::move(spec), input_).value()) {}

  /// Returns the number of rows that were too late.
  size_t add(const std::vector<Row>& rows) {
    Applied applied;
    const Status status = operator_->apply(group_rows(operator_->spec(), make_batch(input_, rows)), 0, applied);
    EXPECT_TRUE(status.is_ok()) << status.message();
    size_t count = 0;
    for (const LateGroup& group : applied.late) count += group.rows.size();
    return count;
  }
  std::string advance(Micros watermark) {
    std::vector<FiredRows> fired;
    const Status status = operator_->advance(watermark, fired);
    return status ? to_text(fired) : "error: " + status.message();
  }
  WindowOperator& op() { return *operator_; }
  const std::shared_ptr<const BatchLayout>& input() const { return input_; }

 private:
  std::shared_ptr<const BatchLayout> input_;
  std::unique_ptr<WindowOperator> operator_;
};

}  // namespace tidemark::core::test
