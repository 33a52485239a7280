// SPDX-License-Identifier: Apache-2.0
// Looks through the files of all shards at start for the tables that match and their columns: headers of all events,
// bodies of TABLE_MAPs, of statements, and of compressed transactions.
//
// Invariants: reads in log order with a tracker of its own per shard; a matched table whose columns are unknown at some
// place is remembered with the reason (reading stops there, with position), and is an error here only if no matched
// table is known at all.
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "binlog/event.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/table_map.hpp"
#include "binlog/transaction_payload.hpp"
#include "binlog_file/column_union.hpp"
#include "binlog_file/shard_files.hpp"
#include "binlog_file/shard_reader.hpp"
#include "binlog_file/table_filter.hpp"

namespace tidemark::binlog_file {

class SchemaScan {
 public:
  /// `options`: of the source; must outlive this, as `filter` must. Where it follows, a shard whose only file has no
  /// head yet is waited for, and has no tables so far.
  SchemaScan(const TableFilter& filter, const ReadOptions& options)
      : filter_(filter), declared_(*options.declared), follow_(options.follow), keyring_file_(options.keyring_file) {}

  /// Files that cannot be read, or hold what is refused, are a SourceError.
  void scan(const Shard& shard);

  const ColumnUnion& columns() const { return columns_; }
  /// By shard id, in order of names.
  const std::map<std::string, std::set<TableName>>& matched() const { return matched_; }
  /// All tables met, matched or not.
  const std::set<TableName>& seen() const { return seen_; }
  /// Reasons why matched tables are unknown at some place, with file and position; at most one per table.
  const std::vector<std::string>& unknown() const { return unknown_; }

  /// Files that a server has not written the head of yet.
  const std::vector<std::string>& headless() const { return headless_; }

  /// Columns whose character set is the server's default without the log saying so, by table and character set.
  using Assumed = std::map<TableName, std::map<std::string, std::set<std::string>>>;
  const Assumed& assumed() const { return assumed_; }

 private:
  void scan_file(binlog::FileReader& file);
  void take_event(const binlog::FileReader& file, const binlog::EventView& event);
  void take_payload(const binlog::FileReader& file, const binlog::EventView& event);
  void take_query(const binlog::FileReader& file, const binlog::EventView& event);
  void take_table_map(const binlog::FileReader& file, const binlog::EventView& event);
  void note_assumptions(const TableName& name, const binlog::TableSchema& schema);
  void take_known_tables(const Shard& shard);

  const TableFilter& filter_;
  const binlog::SchemaTracker& declared_;
  bool follow_;
  std::string keyring_file_;
  ColumnUnion columns_;
  std::map<std::string, std::set<TableName>> matched_;
  std::set<TableName> seen_;
  std::set<TableName> unknown_tables_;
  std::vector<std::string> unknown_;
  std::vector<std::string> headless_;
  Assumed assumed_;

  // Of the shard being scanned.
  std::set<TableName>* shard_matched_ = nullptr;
  binlog::SchemaTracker tracker_;
  binlog::Flavor flavor_ = binlog::Flavor::mysql;
  bool stands_alone_ = true;    ///< GtidEvent::stands_alone() of the group
  bool alter_pending_ = false;  ///< MariaDB's two-phase ALTER: the statement counts only in its COMMIT group
  // Of the file being scanned.
  binlog::TableMapCache maps_;
  /// Maps dealt with, at which revision of the tracker; held, so that their addresses stay theirs.
  std::unordered_map<const binlog::TableMap*, std::pair<std::shared_ptr<const binlog::TableMap>, uint64_t>> done_;
  binlog::PayloadReader payload_;
  std::vector<uint8_t> scratch_;
};

}  // namespace tidemark::binlog_file
