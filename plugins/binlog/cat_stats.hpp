// SPDX-License-Identifier: Apache-2.0
// What is in binlogs, counted (`tidemark binlog cat --stats`): changes, bytes, transactions and time gaps per table,
// and the largest transactions.
//
// Invariants: counts what `binlog cat` with the same filters would print, each change once; a gap is the time between
// the commits of two transactions of a table that follow each other in one series of files.
// Thread: one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binlog/rows_event.hpp"
#include "binlog/transaction_reader.hpp"

namespace tidemark::binlog {

struct TableStats {
  uint64_t inserts = 0;
  uint64_t updates = 0;
  uint64_t deletes = 0;
  uint64_t image_bytes = 0;  ///< of row images, decompressed; an update has two
  uint64_t transactions = 0;
  int64_t first_commit_us = kNoTime;
  int64_t last_commit_us = kNoTime;
  int64_t largest_gap_us = 0;
  int64_t gap_after_us = kNoTime;  ///< the commit that the largest gap follows
};

struct TransactionStats {
  std::string file;
  uint64_t position = 0;
  std::string gtid;
  int64_t commit_us = kNoTime;
  uint64_t rows = 0;
  uint64_t bytes = 0;  ///< in the file, compressed if it is
};

class CatStats {
 public:
  static constexpr size_t kLargestKept = 5;

  /// A file is begun; `continues` = of the series that the one before is of.
  void begin_file(bool continues);
  /// Changes of one rows event of the transaction that is being read.
  void add_changes(const TableMap& table, RowsKind kind, uint64_t changes, uint64_t image_bytes);
  void add_statement_change() { ++statement_changes_; }
  /// The transaction is over.
  void end_transaction(std::string_view file, const GroupInfo& group);

  const std::map<std::string, TableStats>& tables() const { return tables_; }
  const std::vector<TransactionStats>& most_rows() const { return most_rows_; }
  const std::vector<TransactionStats>& most_bytes() const { return most_bytes_; }

  /// For people: aligned columns.
  std::string text() const;
  /// One JSON document in one line.
  std::string json() const;

 private:
  std::map<std::string, TableStats> tables_;
  std::map<std::string, int64_t> previous_commit_us_;  ///< by table, in this series of files
  std::map<std::string, uint64_t> changed_;            ///< changes by table in this transaction
  std::vector<TransactionStats> most_rows_;
  std::vector<TransactionStats> most_bytes_;
  uint64_t files_ = 0;
  uint64_t transactions_ = 0;
  uint64_t statement_changes_ = 0;
};

}  // namespace tidemark::binlog
