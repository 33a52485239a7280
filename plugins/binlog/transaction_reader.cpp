// SPDX-License-Identifier: Apache-2.0
// TransactionReader: scans a group, then reads it again to hand it out. Invariants are the header's.
// One thread at a time.
#include "binlog/transaction_reader.hpp"

#include <optional>
#include <utility>

#include "binlog/byte_cursor.hpp"
#include "binlog/transaction_payload.hpp"

namespace tidemark::binlog {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

enum class Boundary : uint8_t { group, skip, rotate, stop, refuse };

// What an event means between groups.
Boundary boundary_of(const EventHeader& header) {
  switch (header.type) {
    case EventType::previous_gtids:
    case EventType::gtid_list:
    case EventType::binlog_checkpoint:
    case EventType::ignorable:
    case EventType::rows_query:
    case EventType::annotate_rows:
    case EventType::transaction_context:
    case EventType::view_change:
      return Boundary::skip;
    case EventType::rotate:
      return Boundary::rotate;
    case EventType::stop:
      return Boundary::stop;
    case EventType::format_description:
    case EventType::incident:
    case EventType::heartbeat:
    case EventType::heartbeat_v2:
      return Boundary::refuse;
    default:
      return header.ignorable() && event_type_name(header.type) == std::string_view("UNKNOWN") ? Boundary::skip
                                                                                               : Boundary::group;
  }
}

}  // namespace

struct TransactionReader::State {
  explicit State(FileReader reader) : file(std::move(reader)) {}

  enum class Phase : uint8_t { between, inside };

  FileReader file;
  GroupScan scan;
  GroupInfo group;
  TableMapCache maps;
  PayloadReader payload;
  std::vector<uint8_t> rows_scratch;
  std::vector<uint8_t> query_scratch;
  std::optional<DecodeError> failure;
  Phase phase = Phase::between;
  bool payload_open = false;
  uint64_t incomplete_at = 0;

  DecodeError located(DecodeError error, uint64_t position) const {
    error.file = file.path();
    error.position = position;
    return error;
  }

  Outcome<ReadState> next(Item& item);
  Outcome<bool> pass_boundary(const EventHeader& header, Item& item);
  Outcome<ReadState> begin_group(Item& item);
  Outcome<bool> next_event(EventView& out);
  Outcome<bool> hand_out(const EventView& event, Item& item);
  Outcome<bool> hand_out_rows(const EventView& event, Item& item);
  Outcome<bool> hand_out_query(const EventView& event, Item& item);
  void end_group(Item& item);
  void describe_group();
};

// True = `item` is filled; false = the event was passed over.
Outcome<bool> TransactionReader::State::pass_boundary(const EventHeader& header, Item& item) {
  const Boundary boundary = boundary_of(header);
  if (boundary == Boundary::refuse) return refuse_event(file, header, file.position());
  EventView event;
  auto state = file.next(event);
  if (!state) return std::move(state).error();
  if (boundary == Boundary::skip) return false;
  item.kind = boundary == Boundary::rotate ? ItemKind::rotate : ItemKind::stop;
  item.position = event.position;
  item.next_position = event.next_position;
  item.header = event.header;
  if (boundary == Boundary::rotate) {
    ByteCursor cursor(event.body);
    cursor.skip(8);  // position in the next file: always its first event
    item.next_file = cursor.rest_text();
    if (!cursor.ok()) return file.error_at(ErrorKind::corrupt, event.position, "ROTATE event is cut short");
  }
  maps.end_statement();
  return true;
}

void TransactionReader::State::describe_group() {
  group.gtid = scan.gtid();
  group.gtid.write_text(group.gtid_text);
  group.position = scan.position();
  group.end_position = scan.end_position();
  group.verdict = scan.verdict();
  group.row_events_withheld = scan.verdict() == GroupVerdict::rolled_back ? scan.row_events() : 0;
  if (group.gtid.immediate_commit_us != kNoTime) {
    group.commit_time_us = group.gtid.immediate_commit_us;
    group.commit_time_source = CommitTimeSource::immediate_commit_timestamp;
  } else if (scan.last_timestamp_s() != 0) {
    group.commit_time_us = static_cast<int64_t>(scan.last_timestamp_s()) * kMicrosPerSecond;
    group.commit_time_source = CommitTimeSource::header_seconds;
  } else {
    group.commit_time_us = kNoTime;
    group.commit_time_source = CommitTimeSource::none;
  }
}

Outcome<ReadState> TransactionReader::State::begin_group(Item& item) {
  if (!scan.started()) scan.start(file.position());
  auto state = scan.advance(file);
  if (!state) return state;
  if (*state != ReadState::ready) {
    incomplete_at = scan.position();
    return ReadState::incomplete;
  }
  scan.stop();
  describe_group();
  phase = Phase::inside;
  payload_open = false;
  item.kind = ItemKind::begin;
  item.position = group.position;
  item.next_position = group.end_position;
  return ReadState::ready;
}

// The group's next event, from the payload if one is open; false = the group is over.
Outcome<bool> TransactionReader::State::next_event(EventView& out) {
  if (payload_open) {
    auto more = payload.next(out);
    if (!more) return located(std::move(more).error(), group.position);
    if (*more) return true;
    payload_open = false;
  }
  if (file.position() >= group.end_position) return false;
  auto state = file.next(out);
  if (!state) return std::move(state).error();
  if (*state != ReadState::ready) {
    return file.error_at(ErrorKind::io, file.position(), "the file changed while a group was read");
  }
  return true;
}

Outcome<bool> TransactionReader::State::hand_out_rows(const EventView& event, Item& item) {
  auto rows = parse_rows_event(event, file.format(), rows_scratch);
  if (!rows) return located(std::move(rows).error(), event.position);
  if (rows->table_id == kDummyTableId && rows->statement_end()) {
    maps.end_statement();
    return false;
  }
  item.table = maps.find(rows->table_id);
  if (item.table == nullptr) {
    return file.error_at(
        ErrorKind::corrupt, event.position,
        "rows of table id " + std::to_string(rows->table_id) + " without a TABLE_MAP in their statement",
        "reading must begin at a group's start");
  }
  if (item.table->undecodable.empty() && item.table->columns.size() != rows->column_count) {
    return file.error_at(ErrorKind::corrupt, event.position,
                         "rows of " + item.table->database + "." + item.table->table + " have " +
                             std::to_string(rows->column_count) + " columns, their TABLE_MAP " +
                             std::to_string(item.table->columns.size()));
  }
  if (rows->statement_end()) maps.end_statement();
  item.kind = ItemKind::rows;
  item.rows = *rows;
  return true;
}

Outcome<bool> TransactionReader::State::hand_out_query(const EventView& event, Item& item) {
  auto query = parse_query_event(event, query_scratch);
  if (!query) return located(std::move(query).error(), event.position);
  item.statement = classify_statement(query->text);
  switch (item.statement) {
    case StatementKind::data_change:
      item.kind = ItemKind::statement_change;
      item.query = *query;
      return true;
    case StatementKind::ddl:
    case StatementKind::other:
      if (!group.gtid.statement_takes_effect()) return false;
      item.kind = ItemKind::statement;
      item.query = *query;
      return true;
    default:
      return false;
  }
}

// True = `item` is filled.
Outcome<bool> TransactionReader::State::hand_out(const EventView& event, Item& item) {
  item.position = event.position;
  item.next_position = event.next_position;
  item.header = event.header;
  if (is_rows_event(event.header.type)) return hand_out_rows(event, item);
  switch (event.header.type) {
    case EventType::table_map: {
      auto map = maps.add(event, file.format());
      if (!map) return located(std::move(map).error(), event.position);
      return false;
    }
    case EventType::query:
    case EventType::query_compressed:
    case EventType::execute_load_query:
      return hand_out_query(event, item);
    case EventType::transaction_payload:
      if (auto done = payload.open(event); !done) return located(std::move(done).error(), event.position);
      payload_open = true;
      return false;
    default:
      return false;
  }
}

void TransactionReader::State::end_group(Item& item) {
  item.kind = ItemKind::end;
  item.position = group.position;
  item.next_position = group.end_position;
  maps.end_statement();
  phase = Phase::between;
}

Outcome<ReadState> TransactionReader::State::next(Item& item) {
  while (phase == Phase::between) {
    EventHeader header;
    auto state = file.peek_header(file.position(), header);
    if (!state) return state;
    if (*state == ReadState::incomplete) incomplete_at = file.position();
    if (*state != ReadState::ready) return state;
    if (boundary_of(header) == Boundary::group) return begin_group(item);
    auto filled = pass_boundary(header, item);
    if (!filled) return std::move(filled).error();
    if (*filled) return ReadState::ready;
  }
  while (true) {
    EventView event;
    auto more = next_event(event);
    if (!more) return std::move(more).error();
    if (!*more) {
      end_group(item);
      return ReadState::ready;
    }
    if (group.verdict == GroupVerdict::rolled_back) continue;  // read to check it, never handed out
    auto filled = hand_out(event, item);
    if (!filled) return std::move(filled).error();
    if (*filled) return ReadState::ready;
  }
}

TransactionReader::TransactionReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TransactionReader::TransactionReader(TransactionReader&&) noexcept = default;
TransactionReader& TransactionReader::operator=(TransactionReader&&) noexcept = default;
TransactionReader::~TransactionReader() = default;

Outcome<TransactionReader> TransactionReader::open(std::string path, uint64_t position) {
  auto file = FileReader::open(std::move(path));
  if (!file) return std::move(file).error();
  if (auto done = file->seek(position); !done) return std::move(done).error();
  return TransactionReader(std::make_unique<State>(std::move(file).value()));
}

Outcome<ReadState> TransactionReader::next(Item& item) {
  if (state_->failure) return *state_->failure;
  auto state = state_->next(item);
  if (!state) state_->failure = state.error();
  return state;
}

const GroupInfo& TransactionReader::group() const {
  return state_->group;
}

uint64_t TransactionReader::resume_position() const {
  return state_->phase == State::Phase::inside ? state_->group.position : state_->file.position();
}

const FileReader& TransactionReader::file() const {
  return state_->file;
}
const FormatDescription& TransactionReader::format() const {
  return state_->file.format();
}
DecodeError TransactionReader::incomplete_error() const {
  return state_->file.torn_tail_error(state_->incomplete_at);
}

}  // namespace tidemark::binlog
