// SPDX-License-Identifier: Apache-2.0
//
// Where the parts of an accumulator row stand: descriptors that the kernels of each family are driven by. A row
// begins with the group's weight (int64: rows in minus rows out); then per argument column a count of non-NULL
// values, sums, extremes; then pointers to values of variable size, which the row owns. All parts are
// multiples of 8 bytes. Aggregates over the same column share parts. Values, made once by AccumulatorLayout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/batch/batch.hpp"

namespace tidemark::core {

inline constexpr int32_t kAbsent = -1;

/// Parts of fixed size for one argument column. Offsets in bytes from the row's begin, or kAbsent.
struct ArgumentSlots {
  uint32_t column = 0;
  ColumnType type = ColumnType::int64;
  uint8_t scale = 0;
  int32_t count_at = kAbsent;    ///< int64, signed by weight
  int32_t sum_at = kAbsent;      ///< narrow: Int128; wide: WideSum; floating: CommonSum
  int32_t squares_at = kAbsent;  ///< narrow: NarrowSquares; wide: WideSquares; floating: CommonSquares
  int32_t min_at = kAbsent;      ///< narrow: ordered uint64; wide: Int256; neutral = the largest value
  int32_t max_at = kAbsent;      ///< as min_at; neutral = the smallest value
  int32_t trues_at = kAbsent;    ///< int64: values that are not 0, signed by weight
};

/// What a value slot's pointer points to.
enum class SlotKind : uint8_t {
  numbers,      ///< NumberMultiset of ordered values
  bytes,        ///< ByteMultiset of texts or ordered wide values
  min_text,     ///< std::string
  max_text,     ///< std::string
  timed,        ///< ByteMultiset of event time and value (ordered_cell.hpp)
  first_timed,  ///< std::string: the smallest event time and value
  last_timed,   ///< std::string: the largest
  rare,         ///< RareDoubles
  registers,    ///< HyperLogLog
  buckets,      ///< NumberMultiset of bucket numbers (quantile_bucket.hpp)
};

/// A pointer to values of variable size. Null = none.
struct ValueSlot {
  uint32_t at = 0;
  uint32_t column = 0;
  ColumnType type = ColumnType::int64;
  SlotKind kind = SlotKind::numbers;
  uint8_t scale = 0;     ///< of decimals
  bool counted = false;  ///< multisets: how often a value is there matters; else each is kept once
};

/// The rows of a batch that go into one accumulator row.
struct UpdateTarget {
  std::byte* accumulators = nullptr;
  uint32_t row_begin = 0;  ///< into UpdateInput::rows
  uint32_t row_count = 0;
};

struct UpdateInput {
  const Batch* batch = nullptr;
  std::span<const UpdateTarget> targets;
  const uint32_t* rows = nullptr;  ///< row numbers of the batch
  bool changelog = false;          ///< rows weigh +1 or -1 by their kind
};

// Parts are read and written by memcpy: compilers make single moves of it, and no aliasing rule is bent.
template <typename T>
T load_part(const std::byte* row, int32_t at) noexcept {
  T out;
  std::memcpy(&out, row + at, sizeof out);  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  return out;
}
template <typename T>
void store_part(std::byte* row, int32_t at, const T& value) noexcept {
  std::memcpy(row + at, &value, sizeof value);  // NOLINT(bugprone-sizeof-expression): T may be a pointer
}

template <typename T>
void keep_min(std::byte* row, int32_t at, const T& value) noexcept {
  if (at != kAbsent && value < load_part<T>(row, at)) store_part(row, at, value);
}
template <typename T>
void keep_max(std::byte* row, int32_t at, const T& value) noexcept {
  if (at != kAbsent && value > load_part<T>(row, at)) store_part(row, at, value);
}

/// True when the first `rows` values of a column are all there.
inline bool all_valid(const Column& column, uint32_t rows) noexcept {
  const uint32_t whole = rows / 8;
  uint8_t all = 0xff;
  for (uint32_t i = 0; i < whole; ++i) all &= column.validity[i];
  const uint32_t rest = rows % 8;
  if (rest != 0) all &= static_cast<uint8_t>(column.validity[whole] | 0xffU << rest);
  return all == 0xff;
}

}  // namespace tidemark::core
