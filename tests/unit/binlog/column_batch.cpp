// SPDX-License-Identifier: Apache-2.0
// ColumnBatch. One thread.
#include "column_batch.hpp"

#include <cstring>

#include "binlog/decimal.hpp"

namespace tidemark::binlog {

namespace {

size_t value_bytes(uint32_t type) {
  switch (type) {
    case TIDEMARK_BOOL:
    case TIDEMARK_INT8:
    case TIDEMARK_UINT8:
      return 1;
    case TIDEMARK_INT16:
    case TIDEMARK_UINT16:
      return 2;
    case TIDEMARK_INT32:
    case TIDEMARK_UINT32:
    case TIDEMARK_FLOAT32:
    case TIDEMARK_DATE:
      return 4;
    case TIDEMARK_DECIMAL128:
      return 16;
    case TIDEMARK_DECIMAL256:
      return 32;
    default:
      return 8;
  }
}

template <class T>
T load(const uint8_t* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Unscaled little-endian two's complement of any width as a decimal text.
std::string decimal_value(const uint8_t* at, size_t bytes, uint32_t scale) {
  std::vector<uint8_t> number(at, at + bytes);
  const bool negative = (number.back() & 0x80) != 0;
  if (negative) {
    uint32_t carry = 1;
    for (auto& byte : number) {
      carry += static_cast<uint8_t>(~byte);
      byte = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
  }
  std::string reversed;
  for (size_t i = 0; i < 80; ++i) {
    uint32_t rest = 0;
    for (size_t k = bytes; k-- > 0;) {
      rest = rest << 8 | number[k];
      number[k] = static_cast<uint8_t>(rest / 10);
      rest %= 10;
    }
    if (i == scale && scale > 0) reversed += '.';
    reversed += static_cast<char>('0' + rest);
  }
  const size_t shown = scale > 0 ? scale + 2 : 1;  // at least one digit before the point
  while (reversed.size() > shown && reversed.back() == '0') reversed.pop_back();
  if (negative) reversed += '-';
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace

ColumnBatch::ColumnBatch(std::vector<TargetType> types, uint32_t row_capacity, uint64_t heap_capacity)
    : types_(std::move(types)), row_capacity_(row_capacity), ops_(row_capacity), heap_(heap_capacity) {
  for (const auto& type : types_) {
    values_.emplace_back(value_bytes(type.type) * row_capacity);
    validity_.emplace_back((row_capacity + 7) / 8);
    columns_.push_back({values_.back().data(), validity_.back().data()});
  }
  clear();
}

void ColumnBatch::clear() {
  for (auto& bits : validity_) std::fill(bits.begin(), bits.end(), uint8_t{0});
  output_ = {columns_.data(), ops_.data(), 0, row_capacity_, heap_.data(), 0, heap_.size()};
}

void ColumnBatch::grow_heap(uint64_t bytes) {
  heap_.resize(output_.heap_used + bytes);
  output_.heap = heap_.data();
  output_.heap_capacity = heap_.size();
}

std::optional<std::string> ColumnBatch::text(size_t column, uint32_t row) const {
  if ((validity_[column][row >> 3] >> (row & 7) & 1) == 0) return std::nullopt;
  const TargetType& type = types_[column];
  const size_t bytes = value_bytes(type.type);
  const uint8_t* at = values_[column].data() + bytes * row;
  switch (type.type) {
    case TIDEMARK_BOOL:
    case TIDEMARK_UINT8:
      return std::to_string(*at);
    case TIDEMARK_INT8:
      return std::to_string(load<int8_t>(at));
    case TIDEMARK_INT16:
      return std::to_string(load<int16_t>(at));
    case TIDEMARK_UINT16:
      return std::to_string(load<uint16_t>(at));
    case TIDEMARK_INT32:
    case TIDEMARK_DATE:
      return std::to_string(load<int32_t>(at));
    case TIDEMARK_UINT32:
      return std::to_string(load<uint32_t>(at));
    case TIDEMARK_UINT64:
      return std::to_string(load<uint64_t>(at));
    case TIDEMARK_FLOAT32:
      return std::to_string(load<float>(at));
    case TIDEMARK_FLOAT64:
      return std::to_string(load<double>(at));
    case TIDEMARK_DECIMAL64:
    case TIDEMARK_DECIMAL128:
    case TIDEMARK_DECIMAL256:
      return decimal_value(at, bytes, type.scale);
    case TIDEMARK_TEXT:
    case TIDEMARK_BYTES:
    case TIDEMARK_JSON: {
      const auto slice = load<tidemark_slice>(at);
      return std::string(heap_.data() + slice.offset, slice.size);
    }
    default:
      return std::to_string(load<int64_t>(at));
  }
}

}  // namespace tidemark::binlog
