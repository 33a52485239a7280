// SPDX-License-Identifier: Apache-2.0
// Turns the events of one file into groups (transactions and standalone statements): begin, rows, statements, end.
// Invariants: nothing of a group is handed out before its end is in the file and its verdict is known; rows of
// rolled-back groups are never handed out; an event that is not understood stops the reader (unless its header has
// the ignorable flag). To find a group's end the headers ahead are scanned; no rows are buffered. Rows of a prepared XA
// transaction are those of its XA COMMIT, which reads them again from the file where they stand.
// Views in an Item are valid until the next call. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "binlog/decode_error.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/group_scan.hpp"
#include "binlog/gtid_event.hpp"
#include "binlog/prepared_transactions.hpp"
#include "binlog/query_event.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/statement_kind.hpp"
#include "binlog/table_map.hpp"

namespace tidemark::binlog {

enum class ItemKind : uint8_t {
  begin,             ///< A group starts. group() describes it, its commit time included.
  rows,              ///< `table` and `rows` are set.
  statement,         ///< DDL (its text may bring rows: ParsedStatement) or what changes no rows: `query`, `statement`.
  statement_change,  ///< Data changed by a logged statement: `query`. The caller refuses or counts it.
  end,               ///< The group is over: `verdict`. Every position up to next_position is dealt with.
  rotate,            ///< Between groups: the log goes on in `next_file`.
  stop               ///< Between groups: the server stopped cleanly.
};

enum class CommitTimeSource : uint8_t { none, immediate_commit_timestamp, header_seconds };

struct GroupInfo {
  GtidEvent gtid;         ///< kind none: the server writes no GTID events
  std::string gtid_text;  ///< "" if there is none
  uint64_t position = 0;  ///< of the group's first event
  uint64_t end_position = 0;
  int64_t commit_time_us = kNoTime;
  CommitTimeSource commit_time_source = CommitTimeSource::none;
  GroupVerdict verdict = GroupVerdict::committed;
  /// Of rolled-back groups and of XA ROLLBACK; events, not rows. Those of a prepared group are not withheld yet.
  uint64_t row_events_withheld = 0;
  XaRole xa_role = XaRole::none;
  Xid xid;  ///< where there is a role
  /// commit, rollback: the group that was prepared; nullopt: not in what was read. prepare: one of the same name that
  /// has no verdict and is given up for this one.
  std::optional<PreparedTransaction> prepared;
};

struct Item {
  ItemKind kind = ItemKind::begin;
  /// Of the event; of the payload event for events inside one; of the XA COMMIT's group for those of its prepared one.
  uint64_t position = 0;
  uint64_t next_position = 0;  ///< resume here after `end`, `rotate`, `stop`
  EventHeader header;
  std::shared_ptr<const TableMap> table;
  RowsEvent rows;
  QueryEvent query;
  StatementKind statement = StatementKind::other;
  std::string_view next_file;
};

class TransactionReader {
 public:
  /// `position`: start of a group, 0 = the file's first event. `prepared`: what was prepared before it and has no
  /// verdict; kept up to date at each `end`; it must outlive the reader. nullptr: nothing was, and the reader keeps its
  /// own. `keyring_file` as for FileReader::open.
  static Outcome<TransactionReader> open(std::string path, uint64_t position = 0,
                                         PreparedTransactions* prepared = nullptr,
                                         const std::string& keyring_file = {});

  TransactionReader(TransactionReader&&) noexcept;
  TransactionReader& operator=(TransactionReader&&) noexcept;
  ~TransactionReader();

  /// The next item. `end_of_file`: all whole groups were handed out and nothing follows them (yet). `incomplete`: the
  /// file ends inside an event or group; nothing of that group was handed out; call again when the file has grown.
  /// After an error the reader stays where it is and gives the same error again.
  Outcome<ReadState> next(Item& item);

  /// The group of the items since the last `begin`.
  const GroupInfo& group() const;
  /// What a user must be told of the group: rows of an XA transaction that are in no result, as its other part is not
  /// in what was read.
  std::optional<std::string> xa_notice() const;
  /// Start of the group that is being read or comes next: the place to resume from.
  uint64_t resume_position() const;
  const FileReader& file() const;
  const FormatDescription& format() const;
  /// The error to report when `incomplete` is the end of a bounded read.
  DecodeError incomplete_error() const;

 private:
  struct State;
  explicit TransactionReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Goes through a whole file for the XA transactions that it prepares and ends, without their rows. Up to the last
/// whole group.
Checked track_prepared(FileReader& file, PreparedTransactions& prepared);

}  // namespace tidemark::binlog
