// SPDX-License-Identifier: Apache-2.0
// Writes decoded rows into the batches of one split: columns through the table's program, and beside them event time,
// sequence and origin.
//
// Invariants: rows of one update pair are in one batch; rows count as written only after their event part decoded
// whole; an origin is written once per (transaction, table) of a batch; texts that origins share are written once per
// batch; what cannot be read in full carries a problem that says why, with file and position.
// Thread: one at a time; lives for one poll.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tidemark/source.hpp>
#include <vector>

#include "binlog/transaction_reader.hpp"
#include "binlog_file/table_programs.hpp"

namespace tidemark::binlog_file {

/// What the rows of one event share.
struct RowContext {
  const binlog::GroupInfo* group = nullptr;
  std::string_view file;
  std::string_view path;        ///< of the file, and ...
  uint64_t event_position = 0;  ///< ... where in it the event is: for problems
  int64_t event_time_us = TIDEMARK_NO_TIME;
};

/// A change that left no rows in the log, or none that can be told apart: a problem, or a table that lost all its rows.
struct UnreadChange {
  uint32_t reason = TIDEMARK_STATEMENT;
  std::string database;
  std::string table;
  std::string text;        ///< why, with file and position
  bool truncates = false;  ///< the table (none: the database) has no rows any more; without reason and text
  uint64_t number = 0;     ///< among the changes of its transaction
};

class BatchFill {
 public:
  enum class Result : uint8_t {
    event_done,
    batch_full,  ///< submitted; call again with a new BatchFill
    turn_over,   ///< the event is done, and nothing more may be said in this poll
    no_credit
  };

  /// `rows_max`: at most so many rows (a throttle). `sequence`: of the last row; counted on.
  BatchFill(ReaderOutput& output, uint32_t split, uint32_t rows_max, uint64_t& sequence)
      : output_(output.create_output_for_split(split)), rows_left_(rows_max), sequence_(&sequence) {}

  /// Decodes on from `cursor`. Errors without file.
  binlog::Outcome<Result> fill(TableProgram& table, const binlog::RowsEvent& rows, binlog::RowCursor& cursor,
                               const RowContext& context);
  /// Writes the change as one row without columns, with its problem; a truncate ends the split's turn.
  binlog::Outcome<Result> fill_unread(const UnreadChange& change, const RowContext& context);
  /// Origins written so far belong to a transaction that is over.
  void end_group();
  /// Rows written through this object.
  uint32_t rows() const { return rows_written_; }

 private:
  struct TableTexts {
    std::shared_ptr<const binlog::TableMap> map;  ///< kept, so that no other map gets its address
    tidemark_slice database;
    tidemark_slice table;
    uint64_t schema_version;
    uint32_t origin;
  };

  /// Index of the origin for (group, table) in the open batch; false = the batch has no room for another.
  bool find_origin(const TableProgram& table, const RowContext& context, uint32_t& origin);
  bool take_origin(TableTexts& texts, const RowContext& context, uint32_t& origin);
  /// Writes an origin with the group's and file's texts; nullopt = no room.
  std::optional<uint32_t> write_origin(const TableTexts& texts, const RowContext& context);
  /// Makes room after a full heap; false = the batch was submitted.
  bool make_heap_room(tidemark_batch& batch, uint64_t bytes);
  /// Hands on what the program met; false = no room for the texts.
  bool write_problems(const RowContext& context);
  void submit();

  SplitOutput output_;
  uint32_t rows_left_;
  uint32_t rows_written_ = 0;
  uint64_t* sequence_;
  std::vector<binlog::RowProblem> problems_;  ///< of one call of the program
  std::vector<TableTexts> texts_;             ///< of the open batch
  tidemark_slice file_{0, 0};
  std::string file_name_;  ///< what file_ holds; a batch may go on into the next file
  bool file_written_ = false;
  tidemark_slice gtid_{0, 0};
  bool gtid_written_ = false;
};

}  // namespace tidemark::binlog_file
