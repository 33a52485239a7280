// SPDX-License-Identifier: Apache-2.0
// Walks row images by cell widths. One thread at a time.
#include "binlog/row_images.hpp"

#include "binlog/cell.hpp"

namespace tidemark::binlog {

namespace {

DecodeError cut_short(const TableMap& map) {
  return {ErrorKind::corrupt,
          "a row of " + map.database + "." + map.table + " does not add up to its event's body",
          {},
          0,
          "TIME, DATETIME or TIMESTAMP columns with fractions in MariaDB's old format cause this: "
          "ALTER TABLE ... FORCE with mysql56_temporal_format=ON"};
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
  if (offset_ == rows_->rows.size()) {
    if (after_) return cut_short(*map_);
    return false;
  }
  image.kind = image_kind(rows_->kind, after_);
  image.cells.assign(map_->columns.size(), {});
  const auto present = after_ ? rows_->present_after : rows_->present;
  uint32_t present_count = 0;
  for (uint32_t i = 0; i < map_->columns.size(); ++i) present_count += bit_set(present, i) ? 1 : 0;
  const size_t null_bytes = (present_count + 7) / 8;
  if (rows_->rows.size() - offset_ < null_bytes || present_count == 0) return cut_short(*map_);
  const auto nulls = rows_->rows.subspan(offset_, null_bytes);
  offset_ += null_bytes;
  uint32_t null_index = 0;
  for (uint32_t i = 0; i < map_->columns.size(); ++i) {
    if (!bit_set(present, i)) continue;
    if (bit_set(nulls, null_index++)) {
      image.cells[i].state = CellState::null;
      continue;
    }
    const auto rest = rows_->rows.subspan(offset_);
    const auto width = cell_width(map_->columns[i], rest);
    if (!width) return cut_short(*map_);
    image.cells[i] = {CellState::value, rest.first(*width)};
    offset_ += *width;
  }
  if (rows_->kind == RowsKind::update) after_ = !after_;
  return true;
}

}  // namespace tidemark::binlog
