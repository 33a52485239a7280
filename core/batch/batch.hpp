// SPDX-License-Identifier: Apache-2.0
//
// Batch: up to kBatchRows rows of ONE split, column by column, in memory that the host owns. A reader fills it
// once; after that it is immutable and shared by reference until the last user lets go, when it returns to its
// pool and its bytes to the reader's credit. -U and +U of one update stand next to each other, never in two
// batches. The arrays are those of the C ABI (plugin_host lends them to plugins without a copy).
// Filled on one thread, then read on several; the reference count is the only shared mutable state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"
#include "core/batch/column_type.hpp"

namespace tidemark::core {

inline constexpr uint32_t kBatchRows = 4096;
inline constexpr uint32_t kNoOrigin = UINT32_MAX;
/// Batch::split from here on: results of the aggregate of number split - kFirstResultSplit.
inline constexpr uint32_t kFirstResultSplit = uint32_t{1} << 31;

/// Row kinds, with the C ABI's numbers. unread: a change of which no row could be made.
/// truncate: all rows of the table of its origin are gone; the last row of its batch, and taken off it before anything
/// else looks at the rows.
enum class Op : uint8_t { insert = 1, remove = 2, update_before = 3, update_after = 4, unread = 5, truncate = 6 };

/// +1 for rows that add to an aggregate, -1 for those that take away.
constexpr int weight_of(Op op) noexcept {
  return op == Op::insert || op == Op::update_after ? 1 : -1;
}

/// Bytes in the batch's heap.
struct Slice {
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// One (transaction, table) that rows of a batch come from; same layout as tidemark_origin.
struct Origin {
  Slice gtid, file, database, table;
  uint64_t position = 0;
  uint64_t schema_version = 0;
  Micros commit_time_us = kNoTime;
};

/// Why rows are not to be counted; the first three with the C ABI's numbers, of sources.
enum class ProblemReason : uint32_t {
  missing_column = 1,
  undecodable = 2,
  statement = 3,
  no_base = 100,  ///< the host's: they change a row that was never counted
};

/// A run of rows that are not to be counted; same layout as tidemark_problem.
struct RowProblem {
  uint32_t row = 0;
  uint32_t rows = 0;
  ProblemReason reason = ProblemReason::undecodable;
  uint32_t reserved = 0;
  Slice text;
};

/// Runs of problems that a batch has room for at most.
inline constexpr uint32_t kProblemsPerBatch = 256;

/// One projected column: values and validity (bit set = value, clear = NULL).
struct Column {
  void* values = nullptr;
  uint8_t* validity = nullptr;

  bool is_valid(uint32_t row) const noexcept { return (validity[row >> 3] >> (row & 7) & 1) != 0; }
  void set_valid(uint32_t row) noexcept {
    validity[row >> 3] = static_cast<uint8_t>(validity[row >> 3] | 1U << (row & 7));
  }
  template <typename T>
  const T* as() const noexcept {
    return static_cast<const T*>(values);
  }
};

/// The types of a batch's columns, shared by all batches of one reader.
struct BatchLayout {
  std::vector<ColumnInfo> columns;
  uint32_t computed = 0;  ///< of the columns, the last ones: not the reader's to fill
  bool partial = false;   ///< rows may lack columns: batches have absent bits

  uint32_t delivered() const noexcept { return static_cast<uint32_t>(columns.size()) - computed; }
};

class BatchPool;

class Batch {
 public:
  /// Allocates room for `row_capacity` rows (<= kBatchRows) and `heap_capacity` bytes.
  Batch(std::shared_ptr<const BatchLayout> layout, uint32_t row_capacity, size_t heap_capacity);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() = default;

  const BatchLayout& layout() const noexcept { return *layout_; }
  const std::shared_ptr<const BatchLayout>& layout_ptr() const noexcept { return layout_; }
  uint32_t row_capacity() const noexcept { return row_capacity_; }
  /// A run of problems covers a row at least, so that small batches (of results, mostly) have room for few.
  uint32_t problem_capacity() const noexcept { return std::min(kProblemsPerBatch, row_capacity_); }
  std::span<const Column> columns() const noexcept { return columns_; }
  const Column& column(size_t index) const noexcept { return columns_[index]; }

  std::span<const Micros> event_times() const noexcept { return {event_time_us, rows}; }
  std::span<const uint8_t> ops() const noexcept { return {op, rows}; }
  std::span<const RowProblem> row_problems() const noexcept { return {problems, problem_count}; }
  Op op_at(uint32_t row) const noexcept { return static_cast<Op>(op[row]); }
  std::string_view bytes_of(Slice slice) const noexcept { return {heap + slice.offset, slice.size}; }
  std::string_view bytes_at(size_t column, uint32_t row) const noexcept {
    return bytes_of(columns_[column].as<Slice>()[row]);
  }
  const Origin* origin_of(uint32_t row) const noexcept {
    return origin[row] == kNoOrigin || origin[row] >= origin_count ? nullptr : origins + origin[row];
  }

  /// Makes room for `more` bytes in the heap; false past 4 GiB. Only the filler calls it.
  bool grow_heap(uint64_t more);
  /// Copies bytes that do not lie in this heap behind what is in it; nothing past 4 GiB. Only the filler calls it.
  std::optional<Slice> put_on_heap(std::string_view bytes);
  /// Takes over runs of problems, ascending, in place of those that there are.
  void set_problems(std::vector<RowProblem> runs);
  /// Empties it for reuse: no rows, all NULL, no origins, empty heap.
  void clear() noexcept;
  /// Bytes that it holds on to, for credit.
  size_t memory_bytes() const noexcept;

  // Filled by the reader, then constant. Arrays have row_capacity() entries.
  uint32_t split = 0;
  uint32_t rows = 0;
  Micros* event_time_us = nullptr;
  uint8_t* op = nullptr;
  uint64_t* sequence = nullptr;
  uint32_t* origin = nullptr;
  Origin* origins = nullptr;
  uint32_t origin_count = 0;
  RowProblem* problems = nullptr;  // problem_capacity() entries, until set_problems()
  uint32_t problem_count = 0;
  char* heap = nullptr;
  uint64_t heap_used = 0;
  size_t charged_bytes = 0;  // the pool's: what this batch counts against the credit

  uint64_t heap_capacity() const noexcept { return heap_capacity_; }
  std::span<Column> mutable_columns() noexcept { return columns_; }
  /// One bitmap per delivered column of a partial layout, else none: bit set = the row's image does not hold the
  /// column.
  std::span<uint8_t* const> absent() const noexcept { return absent_; }
  bool is_absent(size_t column, uint32_t row) const noexcept {
    return (absent_[column][row >> 3] >> (row & 7) & 1) != 0;
  }

 private:
  std::shared_ptr<const BatchLayout> layout_;
  uint32_t row_capacity_;
  std::unique_ptr<std::byte[]> arena_;  // all fixed arrays
  size_t arena_bytes_ = 0;
  size_t validity_offset_ = 0;  // validity bitmaps stand together, so that clear() is one memset
  std::unique_ptr<char[]> heap_memory_;
  uint64_t heap_capacity_ = 0;
  std::vector<Column> columns_;
  std::vector<uint8_t*> absent_;
  RowProblem* own_problems_ = nullptr;      // in the arena
  std::vector<RowProblem> given_problems_;  // set_problems()
};

/// A filled batch, shared and immutable. Goes back to its pool when the last reference goes.
using BatchRef = std::shared_ptr<const Batch>;

}  // namespace tidemark::core
