// SPDX-License-Identifier: Apache-2.0
// Decodes rows events straight into columns. Compiled once per TABLE_MAP and projection: all types, widths, charsets
// and conversions are resolved then; per row no allocation, no lookup, no branch on names.
// Invariants: columns nobody asked for are skipped by width; before and after of one update stand next to each other
// and in one batch; a column that is asked for but absent from the row image, or whose cell is damaged, is an error, or
// a RowProblem by which the caller sets the row aside, or (absent ones) told by a bit, never NULL alone; each event's
// body is consumed exactly. One thread at a time (a program keeps counters and plans of its own).
#pragma once

#include <tidemark/abi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/decode_error.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/table_map.hpp"
#include "binlog/table_schema.hpp"
#include "binlog/target_type.hpp"

namespace tidemark::binlog {

/// One output column.
struct TargetColumn {
  /// Index into the row image; -1: the table has no such column in this version, so the value is NULL.
  int32_t source = -1;
  TargetType type;
};

enum class ProblemKind : uint8_t {
  missing_column,  ///< the row image does not hold a column that is wanted
  undecodable      ///< a cell is damaged, or a JSON document was changed in part and its base is not there
};

/// Consecutive rows of a batch that hold NULL in place of a value that could not be made. Both rows of an update pair
/// are in it, even if one of them is right.
struct RowProblem {
  uint32_t row = 0;  ///< index in the batch
  uint32_t rows = 0;
  ProblemKind kind = ProblemKind::missing_column;
  std::string text;  ///< names table, column and what to set; without file and position
};

/// Where rows go: the same arrays as in tidemark_batch. `row` and `heap_used` are advanced.
struct RowOutput {
  const tidemark_column* columns = nullptr;  ///< one per TargetColumn; validity bits of rows >= row are 0
  uint8_t* op = nullptr;                     ///< TIDEMARK_INSERT, ... per row; nullptr = not wanted
  uint32_t row = 0;
  uint32_t row_capacity = 0;
  char* heap = nullptr;
  uint64_t heap_used = 0;
  uint64_t heap_capacity = 0;
  /// Takes the problems of the rows written; nullptr: the first problem is an error.
  std::vector<RowProblem>* problems = nullptr;
  /// One bitmap per TargetColumn, 0 for rows >= row, or nullptr. With it a column that an image does not hold is no
  /// problem: its bit is set, and its value is left out.
  uint8_t* const* absent = nullptr;
  uint32_t problem_capacity = UINT32_MAX;  ///< problems->size() never exceeds it; at least 1
};

/// Where decoding of one event stands; start with {}.
struct RowCursor {
  size_t offset = 0;       ///< into RowsEvent::rows
  uint64_t rows_done = 0;  ///< images: an update counts 2
};

enum class FillState : uint8_t {
  event_done,  ///< the body is consumed
  rows_full,   ///< no room for the next row (or update pair), or for its problem
  heap_full    ///< the heap has no room for the next row (or pair): heap_bytes_needed() says how much it takes
};

/// What a program met that its output cannot show.
struct RowCounters {
  uint64_t rows = 0;
  uint64_t zero_dates = 0;    ///< zero or impossible dates, given out as NULL
  uint64_t invalid_text = 0;  ///< cells with bytes that belong to no character of their charset, given out as U+FFFD

  RowCounters& operator+=(const RowCounters& more) {
    rows += more.rows;
    zero_dates += more.zero_dates;
    invalid_text += more.invalid_text;
    return *this;
  }
};

class ColumnProgram {
 public:
  /// Errors (kind schema or unsupported) name the table and column, without file. `schema` may be nullptr only if no
  /// target needs signedness, charset or members that the TABLE_MAP lacks.
  static Outcome<ColumnProgram> compile(std::shared_ptr<const TableMap> map, const TableSchema* schema,
                                        std::span<const TargetColumn> targets);

  ColumnProgram(ColumnProgram&&) noexcept;
  ColumnProgram& operator=(ColumnProgram&&) noexcept;
  ~ColumnProgram();

  /// Decodes on from the cursor until the event is done or the output is full. Errors without file.
  Outcome<FillState> decode(const RowsEvent& rows, RowCursor& cursor, RowOutput& output);
  /// After heap_full: bytes the next row (or pair) needs at most.
  uint64_t heap_bytes_needed() const;

  /// Moves the cursor over up to `rows` images without decoding; gives how many there were.
  Outcome<uint64_t> skip(const RowsEvent& rows, RowCursor& cursor, uint64_t count);

  const RowCounters& counters() const;
  const TableMap& table() const;

 private:
  struct State;
  explicit ColumnProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::binlog
