// SPDX-License-Identifier: Apache-2.0
//
// Rows stand in batches of full size, row i in batch i / kBatchRows. Key bytes are those of the cells, texts with their
// length, so that different keys have different bytes.
#include "core/sink/result_rows.hpp"

#include <cstring>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/batch/batch_codec.hpp"
#include "core/batch/cell_writer.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kKeyOverhead = 64;  // of a place in the map

void append_key(const Batch& rows, uint32_t row, const std::vector<uint32_t>& key, std::string& out) {
  ByteWriter writer(out);
  for (const uint32_t column : key) {
    const Column& cells = rows.column(column);
    const bool valid = cells.is_valid(row);
    writer.fixed(static_cast<uint8_t>(valid));
    if (!valid) continue;
    const ColumnType type = rows.layout().columns[column].type;
    if (is_variable_width(type)) {
      writer.text(rows.bytes_at(column, row));
    } else {
      writer.raw(cells.as<char>() + size_t{row} * value_width(type), value_width(type));
    }
  }
}

// A text that is not longer than the one before it takes its place, so that a group with many results takes no more
// room than one.
bool replace_text(Batch& out, uint32_t column, uint32_t at, std::string_view text) {
  const Column& cells = out.column(column);
  Slice slice = cells.as<Slice>()[at];
  if (!cells.is_valid(at) || slice.size < text.size()) return put_text(out, column, at, text);
  if (!text.empty()) std::memcpy(out.heap + slice.offset, text.data(), text.size());
  slice.size = static_cast<uint32_t>(text.size());
  put_value(out, column, at, slice);
  return true;
}

}  // namespace

ResultRows::ResultRows(std::shared_ptr<const BatchLayout> layout, std::vector<uint32_t> key)
    : layout_(std::move(layout)), key_(std::move(key)) {}

void ResultRows::clear() {
  batches_.clear();
  places_.clear();
  rows_ = 0;
  bytes_ = 0;
}

Status ResultRows::put(const Batch& rows, uint32_t row) {
  scratch_.clear();
  append_key(rows, row, key_, scratch_);
  const auto [place, added] = places_.try_emplace(scratch_, rows_);
  const uint32_t index = place->second;
  if (added) {
    if (index % kBatchRows == 0) {
      batches_.push_back(std::make_shared<Batch>(layout_, kBatchRows, 0));
      bytes_ += batches_.back()->memory_bytes();
    }
    ++rows_;
    bytes_ += scratch_.size() + kKeyOverhead;
  }
  Batch& out = *batches_[index / kBatchRows];
  const size_t before = out.memory_bytes();
  out.rows = std::max(out.rows, row_of(index) + 1);
  Status written = write_row(rows, row, out, row_of(index));
  bytes_ += out.memory_bytes() - before;
  return written;
}

Status ResultRows::write_row(const Batch& rows, uint32_t row, Batch& out, uint32_t at) {
  out.op[at] = rows.op[row];
  out.event_time_us[at] = rows.event_time_us[row];
  out.origin[at] = kNoOrigin;
  for (uint32_t column = 0; column < layout_->columns.size(); ++column) {
    bool fits = true;
    if (!rows.column(column).is_valid(row)) {
      clear_value(out, column, at);
    } else if (is_variable_width(layout_->columns[column].type)) {
      fits = replace_text(out, column, at, rows.bytes_at(column, row));
    } else {
      fits = copy_cell(rows, column, row, out, column, at);
    }
    if (!fits) return {Code::overflow, "texts of 4096 results exceed 4 GiB"};
  }
  return {};
}

std::string ResultRows::encode(const std::vector<uint32_t>& left_out) const {
  std::string out;
  ByteWriter writer(out);
  writer.varint(left_out.empty() ? batches_.size() : (rows_ - left_out.size() + kBatchRows - 1) / kBatchRows);
  std::string page;
  const auto append_page = [&](const Batch& batch) {
    page.clear();
    encode_batch(batch, page);
    writer.text(page);
  };
  if (left_out.empty()) {
    for (const auto& batch : batches_) append_page(*batch);
    return out;
  }
  ResultRows kept(layout_, key_);
  auto skip = left_out.begin();
  for (uint32_t i = 0; i < rows_; ++i) {
    if (skip != left_out.end() && *skip == i) {
      ++skip;
    } else if (Status put = kept.put(*batches_[i / kBatchRows], row_of(i)); !put) {
      break;  // cannot be: there are fewer texts than before
    }
  }
  for (const auto& batch : kept.batches_) append_page(*batch);
  return out;
}

Status ResultRows::restore(std::string_view bytes) {
  ByteReader reader(bytes);
  const uint64_t pages = reader.varint();
  for (uint64_t i = 0; i < pages && reader.ok(); ++i) {
    auto batch = decode_batch(reader.text(), layout_);
    if (!batch) return batch.status();
    for (uint32_t row = 0; row < (*batch)->rows; ++row) {
      if (Status added = put(**batch, row); !added) return added;
    }
  }
  return reader.ok() && reader.at_end() ? Status() : Status(Code::damage, "the results of an epoch are damaged");
}

}  // namespace tidemark::core
