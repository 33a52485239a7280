// SPDX-License-Identifier: Apache-2.0
//
// Values are written for every row, also where they mean nothing; the bits say which count.
#include "core/expression/column_writer.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/int128.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {
namespace {

constexpr uint8_t kNarrowDigits = 18;

ColumnType column_type_of(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::null:
    case ValueKind::boolean:
      return ColumnType::boolean;
    case ValueKind::integer:
      return ColumnType::int64;
    case ValueKind::decimal:
      return type.precision <= kNarrowDigits ? ColumnType::decimal64 : ColumnType::decimal128;
    case ValueKind::floating:
      return ColumnType::float64;
    case ValueKind::text:
      return ColumnType::text;
    case ValueKind::date:
      return ColumnType::date;
    case ValueKind::datetime:
      return ColumnType::datetime;
    case ValueKind::timestamp:
      return ColumnType::timestamp;
  }
  return ColumnType::text;
}

// Texts may lie in the batch's own heap, which moves as it grows: room is made before any is looked at.
bool write_texts(const ValueVector& values, Batch& batch, void* cells) {
  const auto* texts = values.values<std::string_view>();
  std::string joined;
  auto* slices = static_cast<Slice*>(cells);
  for (uint32_t row = 0; row < batch.rows; ++row) {
    slices[row] = {};
    if (!values.is_valid(row)) continue;
    if (batch.heap_used + joined.size() + texts[row].size() > UINT32_MAX) return false;
    slices[row] = {static_cast<uint32_t>(batch.heap_used + joined.size()), static_cast<uint32_t>(texts[row].size())};
    joined.append(texts[row]);
  }
  if (!batch.grow_heap(joined.size())) return false;
  std::memcpy(batch.heap + batch.heap_used, joined.data(), joined.size());
  batch.heap_used += joined.size();
  return true;
}

bool write_values(const ValueVector& values, const ValueType& type, Batch& batch, void* cells) {
  const uint32_t rows = batch.rows;
  switch (type.kind) {
    case ValueKind::null:
    case ValueKind::boolean: {
      const auto* bits = values.values<uint64_t>();
      auto* out = static_cast<uint8_t*>(cells);
      for (uint32_t row = 0; row < rows; ++row) out[row] = static_cast<uint8_t>(bits[row >> 6] >> (row & 63) & 1);
      return true;
    }
    case ValueKind::decimal: {
      const auto* from = values.values<Int128>();
      if (type.precision > kNarrowDigits) {
        std::memcpy(cells, from, rows * sizeof(Int128));
        return true;
      }
      auto* out = static_cast<int64_t*>(cells);
      for (uint32_t row = 0; row < rows; ++row) out[row] = static_cast<int64_t>(from[row]);
      return true;
    }
    case ValueKind::text:
      return write_texts(values, batch, cells);
    case ValueKind::date: {
      const auto* from = values.values<int64_t>();
      auto* out = static_cast<int32_t*>(cells);
      for (uint32_t row = 0; row < rows; ++row) {
        out[row] = static_cast<int32_t>(split_day(from[row]).days);
      }
      return true;
    }
    case ValueKind::integer:
    case ValueKind::floating:
    case ValueKind::datetime:
    case ValueKind::timestamp:
      std::memcpy(cells, values.values<int64_t>(), rows * sizeof(int64_t));
      return true;
  }
  return false;
}

}  // namespace

ColumnInfo column_for(const ValueType& type, std::string name) {
  ColumnInfo out;
  out.name = std::move(name);
  out.type = column_type_of(type);
  if (type.kind == ValueKind::decimal) {
    out.precision = type.precision;
    out.scale = type.scale;
  }
  return out;
}

bool write_column(const ValueVector& values, const ValueType& type, Batch& batch, uint32_t column) {
  if (batch.rows == 0) return true;
  const Column& out = batch.mutable_columns()[column];
  if (!write_values(values, type, batch, out.values)) return false;
  std::memcpy(out.validity, values.valid(), (batch.rows + 7) / 8);
  if (type.kind == ValueKind::null) std::memset(out.validity, 0, (batch.rows + 7) / 8);
  return true;
}

}  // namespace tidemark::core
