// SPDX-License-Identifier: Apache-2.0
// GroupScan: a group's grammar. Invariants are the header's. One thread at a time.
#include "binlog/group_scan.hpp"

#include <utility>

namespace tidemark::binlog {

namespace {

bool is_statement(EventType type) {
  return type == EventType::query || type == EventType::query_compressed || type == EventType::execute_load_query;
}

}  // namespace

void GroupScan::start(uint64_t position) {
  started_ = true;
  position_ = position;
  at_ = position;
  opened_ = false;
  verdict_ = GroupVerdict::committed;
  gtid_ = {};
  last_timestamp_s_ = 0;
  row_events_ = 0;
  xa_role_ = XaRole::none;
  xid_ = {};
  own_xid_.reset();
  ambiguity_.reset();
  savepoints_.clear();
}

Outcome<ReadState> GroupScan::advance(FileReader& file) {
  while (true) {
    EventHeader header;
    auto state = file.peek_header(at_, header);
    if (!state) return state;
    if (*state != ReadState::ready) return ReadState::incomplete;
    if (at_ == position_) {
      // The first event tells what the group is called and when it was committed: its checksum must be right.
      EventView first;
      if (auto checked = file.peek_event(at_, first); !checked) return checked;
    }
    auto step = take(file, header);
    if (!step) return std::move(step).error();
    if (header.timestamp_s != 0) last_timestamp_s_ = header.timestamp_s;
    at_ += header.size;
    if (*step == Step::go_on) continue;
    const bool takes_effect = verdict_ == GroupVerdict::committed || verdict_ == GroupVerdict::standalone;
    if (ambiguity_ && takes_effect) {
      ambiguity_->remedy += "; the transaction ends at " + std::to_string(at_);
      return *std::exchange(ambiguity_, std::nullopt);
    }
    return ReadState::ready;
  }
}

GroupScan::Step GroupScan::ends(GroupVerdict verdict) {
  verdict_ = verdict;
  return Step::group_ends;
}

GroupScan::Step GroupScan::ends_in_phase(GroupVerdict verdict, XaRole role, Xid xid) {
  xa_role_ = role;
  xid_ = std::move(xid);
  return ends(verdict);
}

Outcome<GroupScan::Step> GroupScan::take(FileReader& file, const EventHeader& header) {
  switch (action_of(header, EventPlace::in_group)) {
    case EventAction::pass_over:
      return Step::go_on;
    case EventAction::take:
      break;
    case EventAction::refuse:
      return refuse_event(file, header, at_);
    case EventAction::rotate:
    case EventAction::stop:
    case EventAction::no_end:
      return file.error_at(ErrorKind::corrupt, position_,
                           std::string("the group that starts here has no end before the ") +
                               event_type_name(header.type) + " event at " + std::to_string(at_),
                           "the file is damaged, or reading began inside a group");
  }
  if (is_gtid_event(header.type)) return take_gtid(file);
  if (header.type == EventType::xid) return take_xid(file);
  if (header.type == EventType::transaction_payload) return take_payload(file);
  if (!is_statement(header.type) && header.type != EventType::xa_prepare) return take_plain(header);
  EventView event;
  auto state = file.peek_event(at_, event);
  if (!state) return std::move(state).error();
  return header.type == EventType::xa_prepare ? take_xa_prepare(file, event) : take_query(file, event);
}

// Events whose bodies have no say in where the group ends; also those inside a payload.
GroupScan::Step GroupScan::take_plain(const EventHeader& header) {
  if (is_rows_event(header.type)) ++row_events_;
  if (header.type == EventType::table_map) opened_ = true;
  // A LOAD DATA that failed, outside of a transaction: the parts of its file are taken back.
  if (header.type == EventType::delete_file && !opened_) return ends(GroupVerdict::standalone);
  return Step::go_on;
}

Outcome<GroupScan::Step> GroupScan::take_gtid(FileReader& file) {
  if (at_ != position_) {
    return file.error_at(ErrorKind::corrupt, position_,
                         "the group that starts here has no end before the next one at " + std::to_string(at_),
                         "the file is damaged here");
  }
  EventView event;
  auto state = file.peek_event(at_, event);
  if (!state) return std::move(state).error();
  auto gtid = parse_gtid_event(event);
  if (!gtid) return located(std::move(gtid).error(), file.path(), at_);
  gtid_ = std::move(gtid).value();
  return Step::go_on;
}

Outcome<GroupScan::Step> GroupScan::take_xid(FileReader& file) {
  if (at_ == position_) {
    return file.error_at(ErrorKind::corrupt, at_, "XID event outside of a group",
                         "reading began inside a group: begin at a group's start");
  }
  EventView event;
  auto state = file.peek_event(at_, event);  // its checksum must be right: it decides
  if (!state) return std::move(state).error();
  return ends(GroupVerdict::committed);
}

Outcome<GroupScan::Step> GroupScan::take_query(FileReader& file, const EventView& event) {
  auto query = parse_query_event(event, scratch_);
  if (!query) return located(std::move(query).error(), file.path(), at_);
  if (const auto dummy = read_dummy(query->text)) return take_dummy(file, *dummy);
  return take_statement(file, *query);
}

// A dummy between groups is a group of its own, so that nothing waits for an end that does not come.
Outcome<GroupScan::Step> GroupScan::take_dummy(FileReader& file, const Dummy& dummy) {
  if (dummy.harmless) return at_ == position_ ? ends(GroupVerdict::standalone) : Step::go_on;
  const int number = static_cast<int>(dummy.replaced);
  return file.error_at(
      ErrorKind::unsupported, at_,
      "the server replaced an event by a dummy, " +
          (number != 0 ? std::string(event_type_name(dummy.replaced)) + " (type " + std::to_string(number) + ")"
                       : std::string("whose number is cut off")) +
          ": its changes are not in this file",
      "the file was written by an old replica, or fetched by a client that the server took for one: "
      "read the source's own binlogs");
}

Outcome<GroupScan::Step> GroupScan::take_statement(FileReader& file, const QueryEvent& query) {
  const std::string_view text = query.text;
  const SqlRules rules = sql_rules(query, file.format().flavor);
  const StatementKind kind = classify_statement(text, rules);
  switch (kind) {
    case StatementKind::begin:
      opened_ = true;
      return Step::go_on;
    case StatementKind::commit:
      return ends(GroupVerdict::committed);
    case StatementKind::rollback:
      return ends(GroupVerdict::rolled_back);
    case StatementKind::savepoint:
      savepoints_.declare(savepoint_name(text, rules), row_events_);
      return Step::go_on;
    case StatementKind::release_savepoint:
      savepoints_.release(savepoint_name(text, rules));
      return Step::go_on;
    case StatementKind::rollback_to_savepoint:
      roll_back_to(file, savepoint_name(text, rules));
      return Step::go_on;
    case StatementKind::xa_start:
    case StatementKind::xa_end:
    case StatementKind::xa_prepare:
    case StatementKind::xa_commit:
    case StatementKind::xa_rollback:
      return take_xa(file, kind, text);
    case StatementKind::empty:
    case StatementKind::data_change:
    case StatementKind::ddl:
    case StatementKind::other:
      break;
  }
  if (opened_) return Step::go_on;
  // MariaDB says which groups are one statement; MySQL writes BEGIN (or START TRANSACTION at the text's end) if not.
  const bool standalone = gtid_.kind == GtidKind::mariadb ? (gtid_.flags & kMariadbStandalone) != 0
                                                          : !opens_transaction(text, rules.dialect);
  if (standalone) return ends(GroupVerdict::standalone);
  opened_ = true;
  return Step::go_on;
}

// The server cuts undone rows out of its cache and logs no ROLLBACK TO. It logs one where the transaction did what
// cannot be undone: changed a table of an engine without transactions, or made or dropped a temporary table. Of the
// rows since, those of engines with transactions are gone, and the log does not tell engines.
void GroupScan::roll_back_to(FileReader& file, const std::string& name) {
  if (savepoints_.roll_back_to(name, row_events_) || ambiguity_) return;
  ambiguity_ = file.error_at(
      ErrorKind::unsupported, at_,
      "ROLLBACK TO SAVEPOINT `" + name + "` after rows that were logged: which of them stay is not in the log",
      "do not use savepoints in transactions that change tables of engines without transactions, or temporary tables; "
      "leave this transaction out by starting behind it");
}

Outcome<GroupScan::Step> GroupScan::take_xa(FileReader& file, StatementKind kind, std::string_view text) {
  auto xid = read_xid(text);
  if (!xid) {
    return file.error_at(ErrorKind::unsupported, at_,
                         "an XA statement without a name that can be read: " + std::string(text.substr(0, 60)),
                         "report the statement's text");
  }
  if (kind == StatementKind::xa_start) {
    opened_ = true;
    own_xid_ = std::move(xid);
    return Step::go_on;
  }
  if (kind == StatementKind::xa_end) {
    own_xid_ = std::move(xid);  // MariaDB logs no XA START
    return Step::go_on;
  }
  if (own_xid_ && *own_xid_ != *xid) {
    return file.error_at(ErrorKind::corrupt, at_,
                         "XA transaction " + own_xid_->to_text() + " ends with the name " + xid->to_text());
  }
  if (kind == StatementKind::xa_prepare) return ends_in_phase(GroupVerdict::prepared, XaRole::prepare, *std::move(xid));
  const bool commits = kind == StatementKind::xa_commit;
  const GroupVerdict verdict = commits ? GroupVerdict::committed : GroupVerdict::rolled_back;
  if (opened_ || own_xid_) return ends(verdict);  // in one phase: the rows are this group's
  return ends_in_phase(verdict, commits ? XaRole::commit : XaRole::rollback, *std::move(xid));
}

Outcome<GroupScan::Step> GroupScan::take_xa_prepare(FileReader& file, const EventView& event) {
  if (at_ == position_ && !event.inside_payload) {
    return file.error_at(ErrorKind::corrupt, at_, "XA_PREPARE event outside of a group",
                         "reading began inside a group: begin at a group's start");
  }
  auto prepare = parse_xa_prepare(event.body);
  if (!prepare) return file.error_at(ErrorKind::corrupt, at_, "XA_PREPARE event is damaged");
  if (own_xid_ && *own_xid_ != prepare->xid) {
    return file.error_at(ErrorKind::corrupt, at_,
                         "XA transaction " + own_xid_->to_text() + " is prepared as " + prepare->xid.to_text());
  }
  if (prepare->one_phase) return ends(GroupVerdict::committed);
  return ends_in_phase(GroupVerdict::prepared, XaRole::prepare, std::move(prepare->xid));
}

Outcome<GroupScan::Step> GroupScan::take_inner(FileReader& file, const EventView& event) {
  switch (action_of(event.header, EventPlace::in_payload)) {
    case EventAction::pass_over:
      return Step::go_on;
    case EventAction::take:
      break;
    default:
      return refuse_event(file, event.header, at_, EventPlace::in_payload);
  }
  if (is_statement(event.header.type)) return take_query(file, event);
  if (event.header.type == EventType::xid) return ends(GroupVerdict::committed);
  if (event.header.type == EventType::xa_prepare) return take_xa_prepare(file, event);
  return take_plain(event.header);
}

// A payload is a whole transaction: its end is looked for inside.
Outcome<GroupScan::Step> GroupScan::take_payload(FileReader& file) {
  EventView outer;
  auto state = file.peek_event(at_, outer);
  if (!state) return std::move(state).error();
  if (auto done = payload_.open(outer); !done) return located(std::move(done).error(), file.path(), at_);
  EventView inner;
  while (true) {
    auto more = payload_.next(inner);
    if (!more) return located(std::move(more).error(), file.path(), at_);
    if (!*more) {
      return file.error_at(ErrorKind::corrupt, at_, "TRANSACTION_PAYLOAD ends without the end of its transaction");
    }
    if (inner.header.timestamp_s != 0) last_timestamp_s_ = inner.header.timestamp_s;
    auto step = take_inner(file, inner);
    if (!step) return step;
    if (*step != Step::group_ends) continue;
    more = payload_.next(inner);
    if (!more) return located(std::move(more).error(), file.path(), at_);
    if (*more)
      return file.error_at(ErrorKind::corrupt, at_, "TRANSACTION_PAYLOAD goes on after the end of its transaction");
    return step;
  }
}

}  // namespace tidemark::binlog
