// SPDX-License-Identifier: Apache-2.0
// Reads one split: the binlogs of a shard one after the other, from a position, into batches.
//
// Invariants: rows are written only once their transaction's end has been seen; the position names exactly what was
// submitted; the tracker holds the schemas as of the transaction that is being read, and so are the prepared XA
// transactions; nothing is passed over in silence: what is not read is an error, or a logged and counted notice.
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tidemark/source.hpp>
#include <vector>

#include "binlog/prepared_transactions.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/transaction_reader.hpp"
#include "binlog_file/batch_fill.hpp"
#include "binlog_file/read_limit.hpp"
#include "binlog_file/shard_files.hpp"
#include "binlog_file/split_position.hpp"
#include "binlog_file/table_programs.hpp"

namespace tidemark::binlog_file {

struct ReadOptions {
  bool follow = false;
  std::string read_limit;
  std::string keyring_file;                               ///< for encrypted files; may be empty
  std::shared_ptr<const binlog::SchemaTracker> declared;  ///< the tables of the schema files as its base
  bool header_time = false;                               ///< event times are those of the rows' own event headers
  bool truncates = false;                                 ///< the job takes rows of truncated tables out
  std::vector<std::string> key{};                         ///< of all tables, where the job keeps rows; else empty
};

class ShardReader {
 public:
  /// Opens nothing yet. A position that is not one is a SourceError of kind state.
  ShardReader(const Split& split, const ReadOptions& options, const TableFilter& filter,
              const std::vector<WantedColumn>& wanted, Host host);

  /// Writes up to one batch. Status::end: the split has no more rows, ever.
  Status read(ReaderOutput& output, SteadyTime now);
  /// After the last row submitted.
  std::string position();
  /// Bytes of the shard's files up to where reading stands, and of all its files as they were at the start.
  uint64_t bytes_read() const;
  uint64_t bytes_total() const { return bytes_total_; }

 private:
  enum class Step : uint8_t { go_on, wait, end };

  /// False: the file's head is not written yet.
  bool open_file();
  /// What was seen at its end is forgotten.
  void close_file();
  void check_identity();
  /// The next item, or what to do at the file's end.
  std::optional<Step> next_item();
  Step at_file_end(bool incomplete);
  /// False: the path names another file now, and reading goes on in that.
  bool file_is_still_there(bool has_next);
  /// What is passed over when `next` is gone to: an error unless a server's end explains it. False: not to be told yet.
  bool pass_over_end(const std::string& next, bool incomplete);
  /// ROTATE names the file that comes next; another one there is an error, as is waiting for one that cannot come.
  void check_next_name(const std::optional<std::string>& next);
  std::string tail_text() const;
  Step go_to(std::string file);
  RowContext row_context() const;
  int64_t event_time_us() const;
  /// Header times that are no good as event times: 0, or before one that was read.
  void note_header_time();
  void take_item(BatchFill& fill);
  void end_group();
  void start_rows();
  void take_statement();
  bool captures(const binlog::TableRef& table) const;
  void note_statement_elsewhere();
  void warn_of_renames(const binlog::ParsedStatement& statement);
  void warn_of_removed_rows(const binlog::ParsedStatement& statement);
  void set_aside_empty_images();
  /// Data of captured tables changed without rows: hands on why, for the job to decide.
  void set_aside_statement(const binlog::ParsedStatement& statement, uint64_t number);
  std::optional<binlog::TableRef> captured_name(const binlog::TableRef& table) const;
  void take_removals(const binlog::ParsedStatement& statement);
  std::string moved_rows(const binlog::ParsedStatement& statement) const;
  void set_aside_removal(const binlog::ParsedStatement& statement, const std::string& what);
  bool hand_on(UnreadChange change);
  [[noreturn]] void raise_here(const binlog::DecodeError& error);
  /// Logs a notice and counts it under `metric`.
  void notice(const std::string& metric, const std::string& message);
  /// Counts one more under `metric`; gives how many there are.
  uint64_t count(const std::string& metric);
  void report_counters();
  const std::string& schema_bytes();

  Shard shard_;
  uint32_t number_;
  ReadOptions options_;
  ReadLimit limit_;
  const TableFilter& filter_;
  Host host_;

  SplitPosition at_;  ///< all but `schemas` and `prepared`, which are in tracker_ and prepared_
  binlog::SchemaTracker tracker_;
  binlog::PreparedTransactions prepared_;  ///< outlives reader_, which uses it
  TablePrograms programs_;
  std::optional<binlog::TransactionReader> reader_;
  binlog::Item item_;
  TableProgram* table_ = nullptr;    ///< of the rows that are being decoded; nullptr: none are
  std::deque<UnreadChange> unread_;  ///< to be handed on next
  binlog::RowCursor cursor_;
  uint64_t next_row_event_ = 0;  ///< index in the transaction of the rows event that comes next
  /// The tracker before the first DDL of the transaction that is being read, if it had one.
  std::optional<std::string> schemas_at_start_;
  std::string schema_bytes_;  ///< of the tracker at schema_revision_
  std::optional<uint64_t> schema_revision_;
  bool next_file_seen_ = false;
  bool closed_ = false;        ///< a ROTATE or STOP was read
  std::string rotates_to_;     ///< the file that ROTATE names
  uint64_t bytes_before_ = 0;  ///< of the files before the one that is being read
  uint64_t bytes_total_ = 0;
  SteadyTime look_again_{};
  std::map<std::string, uint64_t> notices_;
  binlog::RowCounters reported_;
  uint64_t row_events_rolled_back_ = 0;
  uint32_t latest_header_s_ = 0;  ///< of the row events read here
};

}  // namespace tidemark::binlog_file
