// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread.
#include "tests/fuzz/stored_rows.hpp"

#include <cstring>

#include "core/base/bytes.hpp"
#include "core/batch/cell_text.hpp"
#include "core/window/accumulator_layout.hpp"

namespace tidemark::fuzz {

using core::AggregateFunction;
using core::ColumnType;

namespace {

core::Slice put_text(core::Batch& batch, std::string_view text) {
  return batch.put_on_heap(text).value_or(core::Slice{});
}

void fill_cell(core::Batch& batch, uint32_t column, uint32_t row) {
  if ((column + row) % 4 == 3) return;
  const ColumnType type = batch.layout().columns[column].type;
  core::Column& cells = batch.mutable_columns()[column];
  cells.validity[row >> 3] = static_cast<uint8_t>(cells.validity[row >> 3] | 1u << (row & 7));
  if (core::is_variable_width(type)) {
    static_cast<core::Slice*>(cells.values)[row] =
        put_text(batch, std::string(row % 9, static_cast<char>('a' + row % 26)));
    return;
  }
  const uint32_t width = core::value_width(type);
  const char sign = row % 2 == 0 ? '\0' : '\xff';
  char* at = static_cast<char*>(cells.values) + size_t{row} * width;
  std::memset(at, sign, width);
  at[0] = type == ColumnType::boolean ? static_cast<char>(row % 2) : static_cast<char>(row * 7);
}

}  // namespace

std::shared_ptr<const core::BatchLayout> all_types() {
  auto layout = std::make_shared<core::BatchLayout>();
  for (auto type = static_cast<uint8_t>(ColumnType::boolean); type <= static_cast<uint8_t>(ColumnType::json); ++type) {
    core::ColumnInfo column;
    column.name = "c" + std::to_string(type);
    column.type = static_cast<ColumnType>(type);
    if (core::is_decimal(column.type)) {
      column.precision = 18;
      column.scale = 2;
    }
    layout->columns.push_back(column);
  }
  return layout;
}

core::AggregateSpec all_functions(const core::BatchLayout& layout, bool changelog) {
  core::AggregateSpec spec;
  spec.id = "all";
  spec.changelog = changelog;
  spec.columns.push_back({"rows", AggregateFunction::count_all, -1});
  for (size_t column = 0; column < layout.columns.size(); ++column) {
    for (auto at = static_cast<uint8_t>(AggregateFunction::count);
         at <= static_cast<uint8_t>(AggregateFunction::string_agg); ++at) {
      core::AggregateSpec one;
      one.changelog = changelog;
      one.columns.push_back({"x", static_cast<AggregateFunction>(at), static_cast<int>(column), 0.9, 3, ","});
      if (core::AccumulatorLayout::compile(one, layout)) spec.columns.push_back(one.columns.front());
    }
  }
  return spec;
}

core::BatchRef sample_batch(const std::shared_ptr<const core::BatchLayout>& layout, uint32_t rows) {
  auto batch = std::make_shared<core::Batch>(layout, rows, 64);
  batch->rows = rows;
  batch->split = 3;
  batch->origins[0] = {put_text(*batch, "0-1-7"),
                       put_text(*batch, "binlog.000001"),
                       put_text(*batch, "shop"),
                       put_text(*batch, "orders"),
                       4,
                       1,
                       1'774'742'340'000'000};
  batch->origin_count = 1;
  for (uint32_t row = 0; row < rows; ++row) {
    batch->event_time_us[row] = row % 5 == 4 ? core::kNoTime : core::Micros{row} * core::kMicrosPerSecond;
    batch->op[row] = static_cast<uint8_t>(1 + row % 4);
    batch->sequence[row] = row;
    batch->origin[row] = row % 3 == 2 ? core::kNoOrigin : 0;
    for (uint32_t column = 0; column < layout->columns.size(); ++column) fill_cell(*batch, column, row);
  }
  return batch;
}

void read_cells(const core::Batch& batch) {
  std::string text;
  for (uint32_t row = 0; row < batch.rows; ++row) {
    for (size_t column = 0; column < batch.columns().size(); ++column) {
      text.clear();
      if (batch.column(column).is_valid(row)) core::append_cell_text(batch, column, row, text);
    }
  }
}

void put_checksum(std::string& bytes) {
  if (bytes.size() < sizeof(uint32_t)) return;
  bytes.resize(bytes.size() - sizeof(uint32_t));
  core::ByteWriter(bytes).fixed(core::crc32(bytes));
}

}  // namespace tidemark::fuzz
