// SPDX-License-Identifier: Apache-2.0
// Finds where a group ends and how, before anything of it is handed out: looks at the headers ahead and reads only the
// events that decide (GTID, QUERY, XID, XA_PREPARE).
// Invariants: the events that decide have right checksums; a group that cannot be understood is an error here, before
// any of its rows; a scan that met the end of the file goes on from there next time.
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/gtid_event.hpp"
#include "binlog/query_event.hpp"
#include "binlog/statement_kind.hpp"
#include "binlog/transaction_payload.hpp"

namespace tidemark::binlog {

enum class GroupVerdict : uint8_t {
  committed,
  rolled_back,  ///< its rows were withheld
  standalone    ///< one statement, as DDL
};

class GroupScan {
 public:
  /// Starts at a group's first event.
  void start(uint64_t position);
  bool started() const { return started_; }
  void stop() { started_ = false; }

  /// Looks on. `ready`: the group is whole and the accessors below tell about it.
  Outcome<ReadState> advance(FileReader& file);

  uint64_t position() const { return position_; }
  uint64_t end_position() const { return at_; }
  GroupVerdict verdict() const { return verdict_; }
  const GtidEvent& gtid() const { return gtid_; }
  uint32_t last_timestamp_s() const { return last_timestamp_s_; }
  uint64_t row_events() const { return row_events_; }

 private:
  enum class Step : uint8_t { go_on, group_ends };
  struct Savepoint {
    std::string name;
    uint64_t row_events;
  };

  Outcome<Step> take(FileReader& file, const EventHeader& header);
  Outcome<Step> take_plain(FileReader& file, const EventHeader& header);
  Outcome<Step> take_query(FileReader& file, const EventView& event);
  Outcome<Step> take_statement(FileReader& file, StatementKind kind, std::string_view text);
  Outcome<Step> take_xa_prepare(FileReader& file, const EventView& event);
  Outcome<Step> take_payload(FileReader& file);
  Outcome<Step> take_gtid(FileReader& file);
  Outcome<Step> roll_back_to(FileReader& file, std::string_view text);
  Step ends(GroupVerdict verdict);
  DecodeError refuse_xa(FileReader& file) const;

  bool started_ = false;
  uint64_t position_ = 0;
  uint64_t at_ = 0;  // the event to look at next
  bool opened_ = false;
  GroupVerdict verdict_ = GroupVerdict::committed;
  GtidEvent gtid_;
  uint32_t last_timestamp_s_ = 0;
  uint64_t row_events_ = 0;
  std::vector<Savepoint> savepoints_;
  std::vector<uint8_t> scratch_;
  PayloadReader payload_;
};

/// Default-deny: the error that refuses an event of a type this decoder does not read.
DecodeError refuse_event(const FileReader& file, const EventHeader& header, uint64_t position);

}  // namespace tidemark::binlog
