// SPDX-License-Identifier: Apache-2.0
// TransactionReader: scans a group, then reads it again to hand it out. Invariants are the header's.
// One thread at a time.
#include "binlog/transaction_reader.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "binlog/byte_cursor.hpp"
#include "binlog/event_rules.hpp"
#include "binlog/transaction_payload.hpp"

namespace tidemark::binlog {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

/// Where the rows of a prepared group are read again, and to which position.
struct PreparedRows {
  FileReader file;
  uint64_t end_position;
};

DecodeError changed(const PreparedTransaction& prepared, const std::string& path) {
  return {ErrorKind::corrupt,
          "the file was changed: the XA transaction " + prepared.xid.to_text() + " that was prepared here is gone",
          path, prepared.position, "put the file back as it was"};
}

/// In the directory of `log`.
Outcome<PreparedRows> open_prepared(const PreparedTransaction& prepared, const FileReader& log) {
  const std::string path = (std::filesystem::path(log.path()).parent_path() / prepared.file).string();
  auto file = FileReader::open(path, log.keyring_file());
  if (!file) return std::move(file).error();
  const EventHeader& first = file->format_header();
  const bool same = first.timestamp_s == prepared.file_timestamp_s && first.server_id == prepared.file_server_id;
  auto size = file->refresh_size();
  if (!size) return std::move(size).error();
  if (!same || prepared.position < file->first_position() || prepared.position >= *size) return changed(prepared, path);
  GroupScan scan;
  scan.start(prepared.position);
  auto state = scan.advance(*file);
  if (!state) return std::move(state).error();
  const bool whole = *state == ReadState::ready && scan.verdict() == GroupVerdict::prepared &&
                     scan.xid() == prepared.xid && scan.row_events() == prepared.row_events;
  if (!whole) return changed(prepared, path);
  if (scan.ambiguity()) return *scan.ambiguity();
  if (auto done = file->seek(prepared.position); !done) return std::move(done).error();
  return PreparedRows{std::move(file).value(), scan.end_position()};
}

PreparedTransaction prepared_by(const GroupScan& scan, const FileReader& file) {
  const EventHeader& first = file.format_header();
  return {scan.xid(),      file.name(),       scan.position(),      first.timestamp_s,
          first.server_id, scan.row_events(), scan.gtid().to_text()};
}

}  // namespace

struct TransactionReader::State {
  State(FileReader reader, PreparedTransactions* known)
      : file(std::move(reader)), prepared(known != nullptr ? known : &own_prepared) {}

  enum class Phase : uint8_t { between, inside };

  FileReader file;
  PreparedTransactions own_prepared;
  PreparedTransactions* prepared;
  GroupScan scan;
  GroupInfo group;
  TableMapCache maps;
  PayloadReader payload;
  std::optional<PreparedRows> prepared_rows;  // while those of a prepared group are handed out
  std::vector<uint8_t> rows_scratch;
  std::vector<uint8_t> query_scratch;
  std::optional<DecodeError> failure;
  Phase phase = Phase::between;
  bool payload_open = false;
  uint64_t incomplete_at = 0;

  /// The file whose events are handed out.
  FileReader& source() { return prepared_rows ? prepared_rows->file : file; }

  Outcome<ReadState> next(Item& item);
  Outcome<bool> pass_boundary(const EventHeader& header, Item& item);
  Outcome<ReadState> begin_group(Item& item);
  Outcome<bool> next_event(EventView& out);
  Outcome<bool> hand_out(const EventView& event, Item& item);
  Outcome<bool> hand_out_rows(const EventView& event, Item& item);
  Outcome<bool> hand_out_query(const EventView& event, Item& item);
  void end_group(Item& item);
  void describe_group();
  void describe_xa();
  Checked open_prepared_rows();
};

// True = `item` is filled; false = the event was passed over.
Outcome<bool> TransactionReader::State::pass_boundary(const EventHeader& header, Item& item) {
  const EventAction action = action_of(header, EventPlace::between_groups);
  if (action == EventAction::refuse) return refuse_event(file, header, file.position(), EventPlace::between_groups);
  EventView event;
  auto state = action == EventAction::pass_over ? file.pass() : file.next(event);
  if (!state) return std::move(state).error();
  if (action == EventAction::pass_over) return false;
  item.kind = action == EventAction::rotate ? ItemKind::rotate : ItemKind::stop;
  item.position = event.position;
  item.next_position = event.next_position;
  item.header = event.header;
  if (action == EventAction::rotate) {
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
  describe_xa();
}

void TransactionReader::State::describe_xa() {
  group.xa_role = scan.xa_role();
  group.xid = scan.xid();
  group.prepared.reset();
  if (group.xa_role == XaRole::none) return;
  const PreparedTransaction* known = prepared->find(group.xid);
  if (known == nullptr) return;
  const bool itself = known->file == file.name() && known->position == group.position;  // read once more
  if (group.xa_role == XaRole::prepare && itself) return;
  group.prepared = *known;
  if (group.xa_role == XaRole::rollback) group.row_events_withheld = known->row_events;
}

Checked TransactionReader::State::open_prepared_rows() {
  if (group.xa_role != XaRole::commit || !group.prepared) return Done{};
  auto opened = open_prepared(*group.prepared, file);
  if (!opened) {
    return file.error_at(opened.error().kind, group.position,
                         "XA COMMIT " + group.xid.to_text() + " of rows prepared at " + group.prepared->place() +
                             ", which cannot be read: " + opened.error().to_string(),
                         "keep the files from the oldest prepared XA transaction on");
  }
  prepared_rows = std::move(opened).value();
  return Done{};
}

Outcome<ReadState> TransactionReader::State::begin_group(Item& item) {
  if (!scan.started()) scan.start(file.position());
  auto state = scan.advance(file);
  if (!state) return state;
  if (*state != ReadState::ready) {
    incomplete_at = scan.position();
    return ReadState::incomplete;
  }
  describe_group();
  if (auto done = open_prepared_rows(); !done) return std::move(done).error();
  scan.stop();
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
    if (!more)
      return located(std::move(more).error(), source().path(),
                     prepared_rows ? group.prepared->position : group.position);
    if (*more) return true;
    payload_open = false;
  }
  if (prepared_rows) {
    if (prepared_rows->file.position() < prepared_rows->end_position) {
      auto state = prepared_rows->file.next(out);
      if (!state) return std::move(state).error();
      if (*state == ReadState::ready) return true;
      return changed(*group.prepared, prepared_rows->file.path());
    }
    prepared_rows.reset();
    maps.end_statement();
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
  auto rows = parse_rows_event(event, source().format(), rows_scratch);
  if (!rows) return located(std::move(rows).error(), source().path(), event.position);
  if (rows->table_id == kDummyTableId && rows->statement_end()) {
    maps.end_statement();
    return false;
  }
  item.table = maps.find(rows->table_id);
  if (item.table == nullptr) {
    return source().error_at(
        ErrorKind::corrupt, event.position,
        "rows of table id " + std::to_string(rows->table_id) + " without a TABLE_MAP in their statement",
        "reading must begin at a group's start");
  }
  if (item.table->undecodable.empty() && item.table->columns.size() != rows->column_count) {
    return source().error_at(ErrorKind::corrupt, event.position,
                             "rows of " + item.table->full_name() + " have " + std::to_string(rows->column_count) +
                                 " columns, their TABLE_MAP " + std::to_string(item.table->columns.size()));
  }
  if (rows->statement_end()) maps.end_statement();
  item.kind = ItemKind::rows;
  item.rows = *rows;
  return true;
}

Outcome<bool> TransactionReader::State::hand_out_query(const EventView& event, Item& item) {
  auto query = parse_query_event(event, query_scratch);
  if (!query) return located(std::move(query).error(), source().path(), event.position);
  item.statement = classify_statement(query->text, sql_rules(*query, source().format().flavor));
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
  item.position = prepared_rows ? group.position : event.position;
  item.next_position = prepared_rows ? group.end_position : event.next_position;
  item.header = event.header;
  if (is_rows_event(event.header.type)) return hand_out_rows(event, item);
  switch (event.header.type) {
    case EventType::table_map: {
      auto map = maps.add(event, source().format());
      if (!map) return located(std::move(map).error(), source().path(), event.position);
      return false;
    }
    case EventType::query:
    case EventType::query_compressed:
    case EventType::execute_load_query:
      return hand_out_query(event, item);
    case EventType::transaction_payload:
      if (auto done = payload.open(event); !done)
        return located(std::move(done).error(), source().path(), event.position);
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
  if (group.xa_role == XaRole::prepare) {
    prepared->remember(prepared_by(scan, file));
  } else if (group.xa_role != XaRole::none) {
    prepared->forget(group.xid);
  }
}

Outcome<ReadState> TransactionReader::State::next(Item& item) {
  while (phase == Phase::between) {
    EventHeader header;
    auto state = file.peek_header(file.position(), header);
    if (!state) return state;
    if (*state == ReadState::incomplete) incomplete_at = file.position();
    if (*state != ReadState::ready) return state;
    if (action_of(header, EventPlace::between_groups) == EventAction::take) return begin_group(item);
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
    // Read to check it, not handed out.
    if (group.verdict == GroupVerdict::rolled_back || group.verdict == GroupVerdict::prepared) continue;
    auto filled = hand_out(event, item);
    if (!filled) return std::move(filled).error();
    if (*filled) return ReadState::ready;
  }
}

TransactionReader::TransactionReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TransactionReader::TransactionReader(TransactionReader&&) noexcept = default;
TransactionReader& TransactionReader::operator=(TransactionReader&&) noexcept = default;
TransactionReader::~TransactionReader() = default;

Outcome<TransactionReader> TransactionReader::open(std::string path, uint64_t position, PreparedTransactions* prepared,
                                                   const std::string& keyring_file) {
  auto file = FileReader::open(std::move(path), keyring_file);
  if (!file) return std::move(file).error();
  if (auto done = file->seek(position); !done) return std::move(done).error();
  return TransactionReader(std::make_unique<State>(std::move(file).value(), prepared));
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

std::optional<std::string> TransactionReader::xa_notice() const {
  const GroupInfo& group = state_->group;
  const std::string place = state_->file.path() + ":" + std::to_string(group.position) + ": ";
  if (group.xa_role == XaRole::commit && !group.prepared) {
    return place + "XA COMMIT " + group.xid.to_text() +
           ", whose XA PREPARE is not in what was read: rows that were prepared before the first file read are not in "
           "the results";
  }
  if (group.xa_role == XaRole::prepare && group.prepared) {
    return place + "XA transaction " + group.xid.to_text() +
           " is prepared again, without XA COMMIT or XA ROLLBACK of " + "the one prepared at " +
           group.prepared->place() + ", whose " + std::to_string(group.prepared->row_events) +
           " row events are not in the results";
  }
  return std::nullopt;
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

Checked track_prepared(FileReader& file, PreparedTransactions& prepared) {
  GroupScan scan;
  EventHeader header;
  uint64_t at = file.first_position();
  while (true) {
    auto state = file.peek_header(at, header);
    if (!state) return std::move(state).error();
    if (*state != ReadState::ready) return Done{};
    const EventAction action = action_of(header, EventPlace::between_groups);
    if (action == EventAction::refuse) return refuse_event(file, header, at, EventPlace::between_groups);
    if (action != EventAction::take) {
      at += header.size;
      continue;
    }
    scan.start(at);
    state = scan.advance(file);
    if (!state) return std::move(state).error();
    if (*state != ReadState::ready) return Done{};
    if (scan.xa_role() == XaRole::prepare) {
      prepared.remember(prepared_by(scan, file));
    } else if (scan.xa_role() != XaRole::none) {
      prepared.forget(scan.xid());
    }
    at = scan.end_position();
  }
}

}  // namespace tidemark::binlog
