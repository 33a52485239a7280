// SPDX-License-Identifier: Apache-2.0
// Finds where a group ends and how, before anything of it is handed out: looks at the headers ahead and reads only the
// events that decide (GTID, QUERY, XID, XA_PREPARE).
// Invariants: the events that decide have right checksums; a group that cannot be understood is an error here, before
// any of its rows; a scan that met the end of the file goes on from there next time.
// One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/event_rules.hpp"
#include "binlog/file_reader.hpp"
#include "binlog/gtid_event.hpp"
#include "binlog/query_event.hpp"
#include "binlog/savepoints.hpp"
#include "binlog/statement_kind.hpp"
#include "binlog/transaction_payload.hpp"
#include "binlog/xid.hpp"

namespace tidemark::binlog {

enum class GroupVerdict : uint8_t {
  committed,
  rolled_back,  ///< its rows were withheld
  standalone,   ///< one statement, as DDL
  prepared      ///< XA, first phase: its rows are withheld until XA COMMIT
};

/// What a group is in an XA transaction of two phases.
enum class XaRole : uint8_t {
  none,
  prepare,  ///< verdict `prepared`
  commit,   ///< XA COMMIT alone: the rows are those of a group before it
  rollback
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
  XaRole xa_role() const { return xa_role_; }
  /// Where there is a role.
  const Xid& xid() const { return xid_; }
  /// Of a prepared group: why its rows cannot be told if it is committed. Where a group is committed, this is an error
  /// of advance(); where it is rolled back it does not matter.
  const std::optional<DecodeError>& ambiguity() const { return ambiguity_; }

 private:
  enum class Step : uint8_t { go_on, group_ends };

  Outcome<Step> take(FileReader& file, const EventHeader& header);
  Outcome<Step> take_inner(FileReader& file, const EventView& event);
  Step take_plain(const EventHeader& header);
  Outcome<Step> take_query(FileReader& file, const EventView& event);
  Outcome<Step> take_statement(FileReader& file, const QueryEvent& query);
  Outcome<Step> take_dummy(FileReader& file, const Dummy& dummy);
  Outcome<Step> take_xa(FileReader& file, StatementKind kind, std::string_view text);
  Outcome<Step> take_xid(FileReader& file);
  Outcome<Step> take_xa_prepare(FileReader& file, const EventView& event);
  Outcome<Step> take_payload(FileReader& file);
  Outcome<Step> take_gtid(FileReader& file);
  void roll_back_to(FileReader& file, const std::string& name);
  Step ends(GroupVerdict verdict);
  Step ends_in_phase(GroupVerdict verdict, XaRole role, Xid xid);

  bool started_ = false;
  uint64_t position_ = 0;
  uint64_t at_ = 0;  // the event to look at next
  bool opened_ = false;
  GroupVerdict verdict_ = GroupVerdict::committed;
  GtidEvent gtid_;
  uint32_t last_timestamp_s_ = 0;
  uint64_t row_events_ = 0;
  XaRole xa_role_ = XaRole::none;
  Xid xid_;
  std::optional<Xid> own_xid_;  // of an XA START in this group
  std::optional<DecodeError> ambiguity_;
  Savepoints savepoints_;
  std::vector<uint8_t> scratch_;
  PayloadReader payload_;
};

}  // namespace tidemark::binlog
