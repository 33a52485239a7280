// SPDX-License-Identifier: Apache-2.0
//
// Batch rows to bytes and back: a header with version and counts, then each array as it stands in memory, then
// the heap, then a CRC over all of it. Decoding checks every size before it copies.
#include "core/batch/batch_codec.hpp"

#include <cstring>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr uint8_t kVersion = 1;

Status damaged(const char* what) {
  return {Code::damage, std::string("stored rows are damaged: ") + what};
}

bool slices_fit(const Column& column, uint32_t rows, uint64_t heap_size) {
  for (uint32_t row = 0; row < rows; ++row) {
    const Slice slice = column.as<Slice>()[row];
    if (column.is_valid(row) && uint64_t{slice.offset} + slice.size > heap_size) return false;
  }
  return true;
}

}  // namespace

void encode_batch(const Batch& batch, std::string& out) {
  const size_t begin = out.size();
  ByteWriter writer(out);
  writer.fixed(kVersion);
  writer.fixed(batch.split);
  writer.fixed(batch.rows);
  writer.fixed(static_cast<uint32_t>(batch.columns().size()));
  writer.fixed(batch.heap_used);
  writer.raw(batch.event_time_us, batch.rows * sizeof(Micros));
  writer.raw(batch.op, batch.rows);
  writer.raw(batch.sequence, batch.rows * sizeof(uint64_t));
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    writer.raw(batch.column(i).values, size_t{batch.rows} * value_width(batch.layout().columns[i].type));
    writer.raw(batch.column(i).validity, (batch.rows + 7) / 8);
  }
  writer.raw(batch.heap, batch.heap_used);
  writer.fixed(crc32(std::string_view(out).substr(begin)));
}

Result<BatchRef> decode_batch(std::string_view bytes, const std::shared_ptr<const BatchLayout>& layout) {
  if (bytes.size() < sizeof(uint32_t)) return damaged("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof(uint32_t));
  ByteReader tail(bytes.substr(body.size()));
  if (tail.fixed<uint32_t>() != crc32(body)) return damaged("checksum differs");
  ByteReader reader(body);
  if (reader.fixed<uint8_t>() != kVersion) return damaged("unknown version");
  const auto split = reader.fixed<uint32_t>();
  const auto rows = reader.fixed<uint32_t>();
  const auto columns = reader.fixed<uint32_t>();
  const auto heap_size = reader.fixed<uint64_t>();
  if (columns != layout->columns.size() || rows > kBatchRows) return damaged("another layout");
  if (heap_size > reader.rest().size()) return damaged("sizes do not add up");
  auto batch = std::make_shared<Batch>(layout, rows, heap_size);
  const auto copy = [&reader](void* into, size_t size) {
    const std::string_view from = reader.raw(size);
    if (from.size() == size && size > 0) std::memcpy(into, from.data(), size);
  };
  batch->split = split;
  batch->rows = rows;
  copy(batch->event_time_us, rows * sizeof(Micros));
  copy(batch->op, rows);
  copy(batch->sequence, rows * sizeof(uint64_t));
  for (uint32_t row = 0; row < rows; ++row) batch->origin[row] = kNoOrigin;
  for (size_t i = 0; i < columns; ++i) {
    copy(batch->mutable_columns()[i].values, size_t{rows} * value_width(layout->columns[i].type));
    copy(batch->mutable_columns()[i].validity, (rows + 7) / 8);
  }
  copy(batch->heap, heap_size);
  batch->heap_used = heap_size;
  if (!reader.ok() || !reader.at_end()) return damaged("sizes do not add up");
  for (size_t i = 0; i < columns; ++i) {
    if (is_variable_width(layout->columns[i].type) && !slices_fit(batch->column(i), rows, heap_size)) {
      return damaged("text beyond its end");
    }
  }
  return BatchRef(std::move(batch));
}

}  // namespace tidemark::core
