// SPDX-License-Identifier: Apache-2.0
// Walks row images by cell widths. One thread at a time.
#include "binlog/row_images.hpp"

#include "binlog/cell.hpp"
#include "binlog/row_trouble.hpp"

namespace tidemark::binlog {

namespace {

// Columns in the image; bits behind the last column mean nothing.
uint32_t present_count(const TableMap& map, std::span<const uint8_t> present) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < map.columns.size(); ++i) count += bit_set(present, i) ? 1 : 0;
  return count;
}

ImageKind image_kind(RowsKind kind, bool after) {
  if (kind == RowsKind::write) return ImageKind::inserted;
  if (kind == RowsKind::delete_) return ImageKind::deleted;
  return after ? ImageKind::update_after : ImageKind::update_before;
}

}  // namespace

Outcome<bool> RowImages::next(RowImage& image) {
  if (!map_->undecodable.empty()) {
    return DecodeError{ErrorKind::unsupported, map_->undecodable, {}, 0, "leave the table out of the job"};
  }
  if (present_count(*map_, rows_->present) == 0) return rows_without_columns(map_->full_name());
  if (offset_ == rows_->rows.size() && !after_) return false;
  image.kind = image_kind(rows_->kind, after_);
  image.cells.assign(map_->columns.size(), {});
  std::span<const uint8_t> partial;
  if (after_ && rows_->partial_json) {
    const auto head = read_partial_head(rows_->rows.subspan(offset_), json_column_count(*map_));
    if (!head) return row_cut_short(map_->full_name());
    partial = head->partial;
    offset_ += head->size;
  }
  if (auto done = read_cells(image, after_ ? rows_->present_after : rows_->present, partial); !done) {
    return std::move(done).error();
  }
  if (rows_->kind == RowsKind::update) after_ = !after_;
  return true;
}

Checked RowImages::read_cells(RowImage& image, std::span<const uint8_t> present, std::span<const uint8_t> partial) {
  const size_t null_bytes = (present_count(*map_, present) + 7) / 8;
  if (rows_->rows.size() - offset_ < null_bytes) return row_cut_short(map_->full_name());
  const auto nulls = rows_->rows.subspan(offset_, null_bytes);
  offset_ += null_bytes;
  uint32_t null_index = 0;
  uint32_t json_index = 0;
  for (uint32_t i = 0; i < map_->columns.size(); ++i) {
    const bool is_json = map_->columns[i].type == WireType::json;
    const bool is_partial = is_json && !partial.empty() && bit_set(partial, json_index);
    if (is_json) ++json_index;
    if (!bit_set(present, i)) continue;
    if (bit_set(nulls, null_index++)) {
      image.cells[i].state = CellState::null;
      continue;
    }
    const auto rest = rows_->rows.subspan(offset_);
    const auto width = cell_width(map_->columns[i], rest);
    if (!width) return row_cut_short(map_->full_name());
    image.cells[i] = {is_partial ? CellState::json_diffs : CellState::value, rest.first(*width)};
    offset_ += *width;
  }
  return Done{};
}

}  // namespace tidemark::binlog
