// SPDX-License-Identifier: Apache-2.0
//
// Reading side of late pages. Checksums are compared before anything else is believed; every length is checked
// all the same. What comes out is a Batch like any other.
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/base/compression.hpp"
#include "core/batch/cell_text.hpp"
#include "core/late/late_page.hpp"
#include "core/late/late_page_layout.hpp"

namespace tidemark::core {
namespace {

Status damaged(const char* what) {
  return {Code::damage, std::string("the page is damaged (") + what +
                            "); restore the state path from a copy, or remove the late rows of that hour"};
}

bool read_header(ByteReader& reader, LatePageHeader& header) {
  header.source = reader.text();
  header.split = reader.text();
  header.aggregate = reader.text();
  header.source_number = reader.fixed<uint16_t>();
  header.split_number = reader.fixed<uint32_t>();
  const auto reason = reader.fixed<uint8_t>();
  header.reason = static_cast<LateReason>(reason);
  header.rows = reader.fixed<uint32_t>();
  header.min_event_time = reader.fixed<Micros>();
  header.max_event_time = reader.fixed<Micros>();
  header.min_arrival = reader.fixed<Micros>();
  header.max_arrival = reader.fixed<Micros>();
  header.min_pane_end = reader.fixed<Micros>();
  header.max_pane_end = reader.fixed<Micros>();
  header.max_lateness_us = reader.fixed<Micros>();
  return reader.ok() && reader.at_end() && is_reason(reason) && header.rows <= kLatePageRows;
}

struct Opened {
  LatePageHeader header;
  uint8_t codec = 0;
  std::string_view rest;  // body size, body, CRC
};

Result<Opened> open_page(std::string_view page) {
  ByteReader reader(page);
  if (reader.fixed<uint32_t>() != kLatePageMagic) return damaged("not a late page");
  const auto version = reader.fixed<uint8_t>();
  Opened out;
  out.codec = reader.fixed<uint8_t>();
  const std::string_view header = reader.text();
  const size_t checked = page.size() - reader.rest().size();
  const auto sum = reader.fixed<uint32_t>();
  if (!reader.ok() || sum != crc32(page.substr(0, checked))) return damaged("checksum of the header differs");
  if (version != kLatePageVersion) {
    return Status(Code::state, "the page has version " + std::to_string(version) +
                                   ", this program reads 1; use the program that wrote it, or a newer one");
  }
  ByteReader fields(header);
  if (!read_header(fields, out.header)) return damaged("header");
  out.rest = reader.rest();
  return out;
}

std::shared_ptr<const BatchLayout> read_layout(ByteReader& reader) {
  auto layout = std::make_shared<BatchLayout>();
  const uint64_t count = reader.varint();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    ColumnInfo column;
    column.name = reader.text();
    const auto type = reader.fixed<uint8_t>();
    if (type < static_cast<uint8_t>(ColumnType::boolean) || type > static_cast<uint8_t>(ColumnType::json)) return {};
    column.type = static_cast<ColumnType>(type);
    column.precision = reader.fixed<uint8_t>();
    column.scale = reader.fixed<uint8_t>();
    layout->columns.push_back(std::move(column));
  }
  return layout;
}

bool read_runs(ByteReader& reader, uint32_t rows, std::vector<LateRun>& out) {
  const uint64_t count = reader.varint();
  uint64_t total = 0;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    LateRun run;
    const uint64_t size = reader.varint();
    total += size;
    if (size > rows || total > rows) return false;
    run.rows = static_cast<uint32_t>(size);
    run.pane_end = reader.fixed<Micros>();
    run.watermark = reader.fixed<Micros>();
    run.arrival = reader.fixed<Micros>();
    run.holder = reader.text();
    run.detail = reader.text();
    out.push_back(std::move(run));
  }
  return reader.ok() && total == rows;
}

Slice store(Batch& batch, std::string_view bytes) {
  return bytes.empty() ? Slice{} : batch.put_on_heap(bytes).value_or(Slice{});
}

bool read_origins(ByteReader& reader, Batch& batch) {
  const uint64_t count = reader.varint();
  if (!reader.ok() || count > batch.row_capacity()) return false;
  for (uint64_t i = 0; i < count; ++i) {
    Origin& origin = batch.origins[i];
    origin.gtid = store(batch, reader.text());
    origin.file = store(batch, reader.text());
    origin.database = store(batch, reader.text());
    origin.table = store(batch, reader.text());
    origin.position = reader.fixed<uint64_t>();
    origin.schema_version = reader.fixed<uint64_t>();
    origin.commit_time_us = reader.fixed<Micros>();
  }
  batch.origin_count = static_cast<uint32_t>(count);
  return reader.ok();
}

void copy(ByteReader& reader, void* into, size_t size) {
  const std::string_view from = reader.raw(size);
  if (from.size() == size && size > 0) std::memcpy(into, from.data(), size);
}

bool read_column(ByteReader& reader, Batch& batch, size_t column) {
  const size_t rows = batch.rows;
  const ColumnType type = batch.layout().columns[column].type;
  Column& out = batch.mutable_columns()[column];
  copy(reader, out.validity, (rows + 7) / 8);
  if (!is_variable_width(type)) {
    copy(reader, out.values, rows * value_width(type));
    return reader.ok();
  }
  ByteReader sizes(reader.raw(rows * sizeof(uint32_t)));
  for (size_t row = 0; row < rows && reader.ok(); ++row) {
    static_cast<Slice*>(out.values)[row] = store(batch, reader.raw(sizes.fixed<uint32_t>()));
  }
  return reader.ok();
}

Result<BatchRef> read_rows(ByteReader& reader, std::shared_ptr<const BatchLayout> layout, const Opened& opened,
                           size_t heap_bytes) {
  auto batch = std::make_shared<Batch>(std::move(layout), opened.header.rows, heap_bytes);
  const size_t rows = opened.header.rows;
  batch->rows = opened.header.rows;
  batch->split = opened.header.split_number;
  if (!read_origins(reader, *batch)) return damaged("origins");
  copy(reader, batch->event_time_us, rows * sizeof(Micros));
  copy(reader, batch->op, rows);
  copy(reader, batch->sequence, rows * sizeof(uint64_t));
  copy(reader, batch->origin, rows * sizeof(uint32_t));
  for (size_t column = 0; column < batch->columns().size(); ++column) {
    if (!read_column(reader, *batch, column)) return damaged("columns end early");
  }
  if (!reader.ok() || !reader.at_end()) return damaged("sizes do not add up");
  return BatchRef(std::move(batch));
}

}  // namespace

Result<LatePageHeader> read_late_header(std::string_view page) {
  auto opened = open_page(page);
  if (!opened) return opened.status();
  return std::move(opened->header);
}

Result<LatePage> decode_late_page(std::string_view page) {
  auto opened = open_page(page);
  if (!opened) return opened.status();
  if (opened->rest.size() < 2 * sizeof(uint32_t)) return damaged("too short");
  const std::string_view checked = page.substr(0, page.size() - sizeof(uint32_t));
  if (ByteReader(page.substr(checked.size())).fixed<uint32_t>() != crc32(checked)) return damaged("checksum differs");
  ByteReader sizes(opened->rest);
  const auto size = sizes.fixed<uint32_t>();
  std::string_view body = sizes.rest().substr(0, sizes.rest().size() - sizeof(uint32_t));
  std::string unpacked;
  if (opened->codec == static_cast<uint8_t>(PageCodec::zstd)) {
    if (!zstd_decompress(body, size, unpacked)) return damaged("does not unpack");
    body = unpacked;
  } else if (opened->codec != static_cast<uint8_t>(PageCodec::none)) {
    return damaged("unknown codec");
  }
  if (body.size() != size) return damaged("sizes do not add up");
  ByteReader reader(body);
  LatePage out;
  auto layout = read_layout(reader);
  if (!layout) return damaged("unknown column type");
  if (!read_runs(reader, opened->header.rows, out.runs)) return damaged("arrival runs");
  auto rows = read_rows(reader, std::move(layout), *opened, body.size());
  if (!rows) return rows.status();
  out.rows = std::move(*rows);
  out.header = std::move(opened->header);
  return out;
}

LateItem LatePage::item(uint32_t row) const {
  LateItem out;
  out.source = header.source;
  out.split = header.split;
  out.split_number = header.split_number;
  out.reason = header.reason;
  out.aggregate = header.aggregate;
  if (const Origin* origin = rows->origin_of(row)) {
    out.gtid = rows->bytes_of(origin->gtid);
    out.file = rows->bytes_of(origin->file);
    out.database = rows->bytes_of(origin->database);
    out.table = rows->bytes_of(origin->table);
    out.position = origin->position;
    out.schema_version = origin->schema_version;
    out.commit_time_us = origin->commit_time_us;
  }
  out.op = rows->op_at(row);
  out.sequence = rows->sequence[row];
  out.event_time = rows->event_time_us[row];
  uint32_t passed = 0;
  for (const LateRun& run : runs) {
    passed += run.rows;
    if (row >= passed) continue;
    out.arrival = run.arrival;
    out.pane_end = run.pane_end;
    out.watermark = run.watermark;
    out.holder = run.holder;
    out.detail = run.detail;
    break;
  }
  out.lateness_us = lateness_of(out.watermark, out.event_time);
  for (size_t column = 0; column < rows->columns().size(); ++column) {
    const ColumnInfo& info = rows->layout().columns[column];
    if (info.name.starts_with('$')) continue;  // computed: what it was computed from is here
    LateValue value{info.name, info.type, !rows->column(column).is_valid(row), {}};
    if (!value.is_null) append_cell_text(*rows, column, row, value.text);
    out.columns.push_back(std::move(value));
  }
  return out;
}

}  // namespace tidemark::core
