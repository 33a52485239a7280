// SPDX-License-Identifier: Apache-2.0
// For each TABLE_MAP a split meets: whether its table matches, the schema it is read with, and the compiled column
// program that fills the job's columns.
//
// Invariants: a program is used only with the TABLE_MAP and the schema version it was compiled for; what cannot be
// compiled is an error with file and position, never a column of NULLs.
// Thread: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binlog/column_program.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog_file/column_union.hpp"
#include "binlog_file/table_filter.hpp"

namespace tidemark::binlog_file {

/// A column of the job's batches.
struct WantedColumn {
  std::string name;
  binlog::TargetType type;
  std::string place;  ///< where the type comes from, for messages
};

struct TableProgram {
  std::shared_ptr<const binlog::TableMap> map;
  uint64_t revision = 0;                               ///< of the tracker, when last checked
  std::shared_ptr<const binlog::TableSchema> tracked;  ///< what the tracker had then
  std::shared_ptr<const binlog::TableSchema> schema;
  std::optional<binlog::ColumnProgram> program;  ///< none: the table does not match
};

class TablePrograms {
 public:
  /// `key`: names of the columns that every table's primary key must be made of; empty: of any.
  TablePrograms(const TableFilter& filter, std::vector<WantedColumn> wanted, std::vector<std::string> key = {})
      : filter_(filter), wanted_(std::move(wanted)), key_(std::move(key)) {}

  /// The program for rows under `map`; program is empty if the table does not match. Errors without file.
  binlog::Outcome<TableProgram*> find(const std::shared_ptr<const binlog::TableMap>& map,
                                      const binlog::SchemaTracker& tracker);
  /// What the last find() met for the first time: "shop_3.orders has no column 'region'"; empty: nothing new. Said once
  /// for each set of columns, for the first table that lacks it.
  std::string take_missing() { return std::exchange(missing_, {}); }
  /// At a file's end: its TABLE_MAPs come no more.
  void clear();
  /// What the programs counted so far.
  binlog::RowCounters counters() const;

 private:
  binlog::Outcome<TableProgram*> prepare(TableProgram& entry, const binlog::SchemaTracker& tracker);
  binlog::Outcome<std::vector<binlog::TargetColumn>> targets(const binlog::TableSchema& schema) const;
  binlog::Checked check_key(const binlog::TableSchema& schema) const;
  void note_missing(const binlog::TableSchema& schema, const std::vector<binlog::TargetColumn>& columns);

  const TableFilter& filter_;
  std::vector<WantedColumn> wanted_;
  std::vector<std::string> key_;
  std::unordered_map<const binlog::TableMap*, std::unique_ptr<TableProgram>> entries_;
  TableProgram* last_ = nullptr;
  binlog::RowCounters gone_;          ///< of programs that are gone
  std::set<std::string> known_gaps_;  ///< sets of missing columns that were told
  std::string missing_;
};

}  // namespace tidemark::binlog_file
