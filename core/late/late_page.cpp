// SPDX-License-Identifier: Apache-2.0
//
// Writing side and headers of late pages. Layout: magic u32, version u8, codec u8, header (length-prefixed),
// CRC of all so far, body size, body, CRC of all so far.
#include "core/late/late_page.hpp"

#include <algorithm>

#include "core/base/bytes.hpp"
#include "core/base/check.hpp"
#include "core/base/compression.hpp"
#include "core/late/late_page_layout.hpp"

namespace tidemark::core {
namespace {

constexpr int kLevel = 3;  // late rows are few and stay for days
constexpr size_t kCompressFrom = 512;

void write_header(ByteWriter& writer, const LatePageHeader& header) {
  writer.text(header.source);
  writer.text(header.split);
  writer.text(header.aggregate);
  writer.fixed(header.source_number);
  writer.fixed(header.split_number);
  writer.fixed(static_cast<uint8_t>(header.reason));
  writer.fixed(header.rows);
  writer.fixed(header.min_event_time);
  writer.fixed(header.max_event_time);
  writer.fixed(header.min_arrival);
  writer.fixed(header.max_arrival);
  writer.fixed(header.min_pane_end);
  writer.fixed(header.max_pane_end);
  writer.fixed(header.max_lateness_us);
}

std::string encode_origin(const Batch& batch, const Origin& origin) {
  std::string out;
  ByteWriter writer(out);
  writer.text(batch.bytes_of(origin.gtid));
  writer.text(batch.bytes_of(origin.file));
  writer.text(batch.bytes_of(origin.database));
  writer.text(batch.bytes_of(origin.table));
  writer.fixed(origin.position);
  writer.fixed(origin.schema_version);
  writer.fixed(origin.commit_time_us);
  return out;
}

}  // namespace

Micros lateness_of(Micros watermark, Micros event_time) noexcept {
  if (watermark == kNoTime || event_time == kNoTime) return 0;
  return saturating_sub(watermark, event_time);
}

LatePageBuilder::LatePageBuilder(LatePageHeader about, std::shared_ptr<const BatchLayout> layout)
    : header_(std::move(about)), layout_(std::move(layout)), columns_(layout_->columns.size()) {
  header_.rows = 0;
}

void LatePageBuilder::add_cell(const Batch& batch, size_t column, uint32_t row) {
  const ColumnType type = layout_->columns[column].type;
  ColumnBytes& out = columns_[column];
  const bool valid = batch.column(column).is_valid(row);
  out.valid.push_back(valid ? 1 : 0);
  if (is_variable_width(type)) {
    const std::string_view bytes = valid ? batch.bytes_at(column, row) : std::string_view();
    ByteWriter(out.values).fixed(static_cast<uint32_t>(bytes.size()));
    out.heap += bytes;
    bytes_ += sizeof(uint32_t) + bytes.size();
    return;
  }
  const uint32_t width = value_width(type);
  if (valid) {
    out.values.append(batch.column(column).as<char>() + size_t{row} * width, width);
  } else {
    out.values.append(width, '\0');
  }
  bytes_ += width;
}

uint32_t LatePageBuilder::add_origin(const Batch& batch, uint32_t row) {
  const Origin* origin = batch.origin_of(row);
  if (origin == nullptr) return kNoOrigin;
  if (batch.origin[row] != last_origin_) {  // rows of one transaction and table stand together
    last_origin_ = batch.origin[row];
    const std::string encoded = encode_origin(batch, *origin);
    origins_ += encoded;
    bytes_ += encoded.size();
    ++origin_count_;
  }
  return origin_count_ - 1;
}

void LatePageBuilder::begin_run(const LateRun& run) {
  last_origin_ = kNoOrigin;
  header_.min_arrival = std::min(header_.min_arrival, run.arrival);
  header_.max_arrival = std::max(header_.max_arrival, run.arrival);
  if (run.pane_end != kNoTime) {
    header_.min_pane_end = std::min(header_.min_pane_end, run.pane_end);
    header_.max_pane_end = std::max(header_.max_pane_end, run.pane_end);
  }
  if (!runs_.empty() && runs_.back().same_arrival(run)) return;
  runs_.push_back(run);
  runs_.back().rows = 0;
  bytes_ += 32 + run.holder.size() + run.detail.size();
}

void LatePageBuilder::note_event_time(Micros time) {
  if (header_.rows == 0) first_event_time_ = time;
  if (time == kNoTime) return;
  header_.min_event_time = std::min(header_.min_event_time, time);
  header_.max_event_time = std::max(header_.max_event_time, time);
  header_.max_lateness_us = std::max(header_.max_lateness_us, lateness_of(runs_.back().watermark, time));
}

void LatePageBuilder::add(const Batch& batch, uint32_t row) {
  TIDEMARK_DCHECK(!runs_.empty());
  note_event_time(batch.event_time_us[row]);
  ++header_.rows;
  ++runs_.back().rows;
  for (size_t column = 0; column < columns_.size(); ++column) add_cell(batch, column, row);
  ByteWriter(event_times_).fixed(batch.event_time_us[row]);
  ByteWriter(ops_).fixed(batch.op[row]);
  ByteWriter(sequences_).fixed(batch.sequence[row]);
  ByteWriter(origin_numbers_).fixed(add_origin(batch, row));
  bytes_ += 21;
}

std::string LatePageBuilder::finish() const {
  std::string body;
  ByteWriter writer(body);
  writer.varint(columns_.size());
  for (const ColumnInfo& column : layout_->columns) {
    writer.text(column.name);
    writer.fixed(static_cast<uint8_t>(column.type));
    writer.fixed(column.precision);
    writer.fixed(column.scale);
  }
  writer.varint(runs_.size());
  for (const LateRun& run : runs_) {
    writer.varint(run.rows);
    writer.fixed(run.pane_end);
    writer.fixed(run.watermark);
    writer.fixed(run.arrival);
    writer.text(run.holder);
    writer.text(run.detail);
  }
  writer.varint(origin_count_);
  body += origins_;
  body += event_times_ + ops_ + sequences_ + origin_numbers_;
  for (const ColumnBytes& column : columns_) {
    std::string bitmap((header_.rows + 7) / 8, '\0');
    for (size_t row = 0; row < column.valid.size(); ++row) {
      bitmap[row >> 3] = static_cast<char>(bitmap[row >> 3] | column.valid[row] << (row & 7));
    }
    body += bitmap;
    body += column.values;
    body += column.heap;
  }

  std::string packed;
  const bool pays = body.size() >= kCompressFrom && zstd_compress(body, kLevel, packed) && packed.size() < body.size();
  std::string page;
  ByteWriter out(page);
  out.fixed(kLatePageMagic);
  out.fixed(kLatePageVersion);
  out.fixed(static_cast<uint8_t>(pays ? PageCodec::zstd : PageCodec::none));
  std::string header;
  ByteWriter header_writer(header);
  write_header(header_writer, header_);
  out.text(header);
  out.fixed(crc32(page));
  out.fixed(static_cast<uint32_t>(body.size()));
  page += pays ? packed : body;
  out.fixed(crc32(page));
  return page;
}

}  // namespace tidemark::core
