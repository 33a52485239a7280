// SPDX-License-Identifier: Apache-2.0
// GroupScan: a group's grammar. Invariants are the header's. One thread at a time.
#include "binlog/group_scan.hpp"

#include <algorithm>
#include <utility>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

DecodeError located(DecodeError error, const FileReader& file, uint64_t position) {
  error.file = file.path();
  error.position = position;
  return error;
}

struct Refusal {
  EventType type;
  const char* remedy;
};

constexpr Refusal kRefusals[] = {
    {EventType::incident, "the source lost events here: take a new snapshot and start after it"},
    {EventType::start_encryption,
     "the file is encrypted: read it from the server over the network, or write it without"},
    {EventType::write_rows_v0, "rows of MySQL 5.1.0 to 5.1.15 are not read"},
    {EventType::update_rows_v0, "rows of MySQL 5.1.0 to 5.1.15 are not read"},
    {EventType::delete_rows_v0, "rows of MySQL 5.1.0 to 5.1.15 are not read"},
};

}  // namespace

DecodeError refuse_event(const FileReader& file, const EventHeader& header, uint64_t position) {
  std::string text = std::string(event_type_name(header.type)) + " event (type " +
                     std::to_string(static_cast<int>(header.type)) + ") is not decoded";
  for (const auto& refusal : kRefusals) {
    if (refusal.type == header.type) return file.error_at(ErrorKind::unsupported, position, text, refusal.remedy);
  }
  return file.error_at(ErrorKind::unsupported, position, text,
                       "nothing may be skipped unseen: it needs a newer version of this reader");
}

void GroupScan::start(uint64_t position) {
  started_ = true;
  position_ = position;
  at_ = position;
  opened_ = false;
  verdict_ = GroupVerdict::committed;
  gtid_ = {};
  last_timestamp_s_ = 0;
  row_events_ = 0;
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
    if (*step == Step::group_ends) return ReadState::ready;
  }
}

GroupScan::Step GroupScan::ends(GroupVerdict verdict) {
  verdict_ = verdict;
  return Step::group_ends;
}

Outcome<GroupScan::Step> GroupScan::take(FileReader& file, const EventHeader& header) {
  if (is_rows_event(header.type) || header.type == EventType::table_map) return take_plain(file, header);
  if (is_gtid_event(header.type)) return take_gtid(file);
  switch (header.type) {
    case EventType::query:
    case EventType::query_compressed:
    case EventType::execute_load_query:
    case EventType::xa_prepare: {
      EventView event;
      auto state = file.peek_event(at_, event);
      if (!state) return std::move(state).error();
      return header.type == EventType::xa_prepare ? take_xa_prepare(file, event) : take_query(file, event);
    }
    case EventType::xid: {
      if (at_ == position_) {
        return file.error_at(ErrorKind::corrupt, at_, "XID event outside of a group",
                             "reading began inside a group: begin at a group's start");
      }
      EventView event;
      auto state = file.peek_event(at_, event);  // its checksum must be right: it decides
      if (!state) return std::move(state).error();
      return ends(GroupVerdict::committed);
    }
    case EventType::transaction_payload:
      return take_payload(file);
    case EventType::rotate:
    case EventType::stop:
    case EventType::format_description:
      return file.error_at(ErrorKind::corrupt, position_,
                           std::string("the group that starts here has no end before the ") +
                               event_type_name(header.type) + " event at " + std::to_string(at_),
                           "the file is damaged, or reading began inside a group");
    default:
      return take_plain(file, header);
  }
}

// Events that have no say in where the group ends; also those inside a payload.
Outcome<GroupScan::Step> GroupScan::take_plain(FileReader& file, const EventHeader& header) {
  if (is_rows_event(header.type)) {
    ++row_events_;
    return Step::go_on;
  }
  switch (header.type) {
    case EventType::table_map:
      opened_ = true;
      return Step::go_on;
    case EventType::intvar:
    case EventType::rand:
    case EventType::user_var:
    case EventType::begin_load_query:
    case EventType::append_block:
    case EventType::delete_file:
    case EventType::ignorable:
    case EventType::rows_query:
    case EventType::annotate_rows:
    case EventType::transaction_context:
    case EventType::view_change:
    case EventType::binlog_checkpoint:
    case EventType::gtid_list:
    case EventType::previous_gtids:
      return Step::go_on;
    default:
      if (header.ignorable() && event_type_name(header.type) == std::string_view("UNKNOWN")) return Step::go_on;
      return refuse_event(file, header, at_);
  }
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
  if (!gtid) return located(std::move(gtid).error(), file, at_);
  gtid_ = std::move(gtid).value();
  return Step::go_on;
}

Outcome<GroupScan::Step> GroupScan::take_query(FileReader& file, const EventView& event) {
  auto query = parse_query_event(event, scratch_);
  if (!query) return located(std::move(query).error(), file, at_);
  return take_statement(file, classify_statement(query->text), query->text);
}

Outcome<GroupScan::Step> GroupScan::take_statement(FileReader& file, StatementKind kind, std::string_view text) {
  switch (kind) {
    case StatementKind::release_savepoint:
      return Step::go_on;
    case StatementKind::begin:
    case StatementKind::xa_start:
      opened_ = true;
      return Step::go_on;
    case StatementKind::commit:
      return ends(GroupVerdict::committed);
    case StatementKind::rollback:
      return ends(GroupVerdict::rolled_back);
    case StatementKind::savepoint:
      savepoints_.push_back({savepoint_name(text), row_events_});
      return Step::go_on;
    case StatementKind::rollback_to_savepoint:
      return roll_back_to(file, text);
    case StatementKind::xa_end:
      return Step::go_on;
    case StatementKind::xa_prepare:
    case StatementKind::xa_commit:
    case StatementKind::xa_rollback:
      return refuse_xa(file);
    case StatementKind::empty:
    case StatementKind::data_change:
    case StatementKind::ddl:
    case StatementKind::other:
      break;
  }
  if (opened_) return Step::go_on;
  // MariaDB says which groups are one statement; MySQL writes BEGIN (or START TRANSACTION at the text's end) if not.
  const bool standalone =
      gtid_.kind == GtidKind::mariadb ? (gtid_.flags & kMariadbStandalone) != 0 : !opens_transaction(text);
  if (standalone) return ends(GroupVerdict::standalone);
  opened_ = true;
  return Step::go_on;
}

Outcome<GroupScan::Step> GroupScan::roll_back_to(FileReader& file, std::string_view text) {
  const std::string name = savepoint_name(text);
  const auto found =
      std::find_if(savepoints_.rbegin(), savepoints_.rend(), [&](const Savepoint& s) { return s.name == name; });
  if (found != savepoints_.rend() && found->row_events == row_events_) {
    savepoints_.erase(found.base(), savepoints_.end());
    return Step::go_on;
  }
  // The server cuts undone rows out of its cache; where rows stay, some are of engines that cannot roll back, and the
  // log does not say which.
  return file.error_at(
      ErrorKind::unsupported, at_,
      "ROLLBACK TO SAVEPOINT `" + name + "` after rows that were logged: which of them stay is not in the log",
      "do not mix transactional and other engines in one transaction with savepoints");
}

DecodeError GroupScan::refuse_xa(FileReader& file) const {
  return file.error_at(ErrorKind::unsupported, at_, "XA transactions in two phases are not decoded yet",
                       "use XA COMMIT ... ONE PHASE or plain transactions on captured tables");
}

Outcome<GroupScan::Step> GroupScan::take_xa_prepare(FileReader& file, const EventView& event) {
  ByteCursor cursor(event.body);
  const uint8_t one_phase = cursor.u8();
  if (!cursor.ok()) return file.error_at(ErrorKind::corrupt, at_, "XA_PREPARE event is cut short");
  if (one_phase != 0) return ends(GroupVerdict::committed);
  return refuse_xa(file);
}

// A payload is a whole transaction: its end is looked for inside.
Outcome<GroupScan::Step> GroupScan::take_payload(FileReader& file) {
  EventView outer;
  auto state = file.peek_event(at_, outer);
  if (!state) return std::move(state).error();
  if (auto done = payload_.open(outer); !done) return located(std::move(done).error(), file, at_);
  EventView inner;
  while (true) {
    auto more = payload_.next(inner);
    if (!more) return located(std::move(more).error(), file, at_);
    if (!*more) {
      return file.error_at(ErrorKind::corrupt, at_, "TRANSACTION_PAYLOAD ends without the end of its transaction");
    }
    if (inner.header.timestamp_s != 0) last_timestamp_s_ = inner.header.timestamp_s;
    Outcome<Step> step = Step::go_on;
    switch (inner.header.type) {
      case EventType::query:
        step = take_query(file, inner);
        break;
      case EventType::xid:
        step = ends(GroupVerdict::committed);
        break;
      case EventType::xa_prepare:
        step = take_xa_prepare(file, inner);
        break;
      default:
        step = take_plain(file, inner.header);
    }
    if (!step) return step;
    if (*step != Step::group_ends) continue;
    more = payload_.next(inner);
    if (!more) return located(std::move(more).error(), file, at_);
    if (*more)
      return file.error_at(ErrorKind::corrupt, at_, "TRANSACTION_PAYLOAD goes on after the end of its transaction");
    return step;
  }
}

}  // namespace tidemark::binlog
