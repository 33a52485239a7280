// SPDX-License-Identifier: Apache-2.0
// The table of event types. No state; any thread.
#include "binlog/event_rules.hpp"

#include <charconv>
#include <string>

namespace tidemark::binlog {

namespace {

using enum EventAction;

struct Rule {
  EventType type;
  EventAction between;
  EventAction in_group;
  EventAction in_payload;
  const char* remedy = nullptr;
};

constexpr char kLoad[] = "LOAD DATA as MySQL before 5.0.3 logged it is not read: start behind this position";
constexpr char kRowsV0[] = "rows of MySQL 5.1.0 to 5.1.15 are not read: start behind this position";

constexpr Rule kRules[] = {
    {EventType::start_v3, refuse, refuse, refuse, "binlogs of MySQL before 5.0 are not read: start with a newer file"},
    {EventType::query, take, take, take},
    {EventType::stop, stop, no_end, refuse},
    {EventType::rotate, rotate, no_end, refuse},
    {EventType::intvar, take, pass_over, pass_over},
    {EventType::load, refuse, refuse, refuse, kLoad},
    {EventType::slave, refuse, refuse, refuse, "no server writes it: the file is damaged"},
    {EventType::create_file, refuse, refuse, refuse, kLoad},
    {EventType::append_block, take, pass_over, pass_over},
    {EventType::exec_load, refuse, refuse, refuse, kLoad},
    {EventType::delete_file, take, take, pass_over},
    {EventType::new_load, refuse, refuse, refuse, kLoad},
    {EventType::rand, take, pass_over, pass_over},
    {EventType::user_var, take, pass_over, pass_over},
    {EventType::format_description, refuse, no_end, refuse,
     "two files were joined, or this is a relay log: read the source's own binlogs, one by one"},
    {EventType::xid, take, take, take},
    {EventType::begin_load_query, take, pass_over, pass_over},
    {EventType::execute_load_query, take, take, take},
    {EventType::table_map, take, take, take},
    {EventType::write_rows_v0, refuse, refuse, refuse, kRowsV0},
    {EventType::update_rows_v0, refuse, refuse, refuse, kRowsV0},
    {EventType::delete_rows_v0, refuse, refuse, refuse, kRowsV0},
    {EventType::write_rows_v1, take, take, take},
    {EventType::update_rows_v1, take, take, take},
    {EventType::delete_rows_v1, take, take, take},
    {EventType::incident, refuse, refuse, refuse,
     "the source lost events here: take a new snapshot and start after it"},
    {EventType::heartbeat, pass_over, pass_over, refuse},
    {EventType::ignorable, pass_over, pass_over, pass_over},
    {EventType::rows_query, pass_over, pass_over, pass_over},
    {EventType::write_rows_v2, take, take, take},
    {EventType::update_rows_v2, take, take, take},
    {EventType::delete_rows_v2, take, take, take},
    {EventType::gtid, take, take, refuse},
    {EventType::anonymous_gtid, take, take, refuse},
    {EventType::previous_gtids, pass_over, pass_over, refuse},
    {EventType::transaction_context, pass_over, pass_over, pass_over},
    {EventType::view_change, pass_over, pass_over, pass_over},
    {EventType::xa_prepare, take, take, take},
    {EventType::partial_update_rows, take, take, take},
    {EventType::transaction_payload, take, take, refuse},
    {EventType::heartbeat_v2, pass_over, pass_over, refuse},
    {EventType::gtid_tagged, take, take, refuse},
    {EventType::annotate_rows, pass_over, pass_over, pass_over},
    {EventType::binlog_checkpoint, pass_over, pass_over, refuse},
    {EventType::mariadb_gtid, take, take, refuse},
    {EventType::gtid_list, pass_over, pass_over, refuse},
    {EventType::start_encryption, refuse, refuse, refuse,
     "the file is encrypted by MariaDB (encrypt_binlog), whose file key management this reader has no access to: take "
     "the files with 'mariadb-binlog --read-from-remote-server --raw', which the server decrypts, or set "
     "encrypt_binlog=OFF and start with the next file"},
    {EventType::query_compressed, take, take, take},
    {EventType::write_rows_compressed_v1, take, take, take},
    {EventType::update_rows_compressed_v1, take, take, take},
    {EventType::delete_rows_compressed_v1, take, take, take},
    {EventType::write_rows_compressed_v2, take, take, take},
    {EventType::update_rows_compressed_v2, take, take, take},
    {EventType::delete_rows_compressed_v2, take, take, take},
    {EventType::partial_row_data, refuse, refuse, refuse,
     "it is part of a large rows event of MariaDB 12.3 or later: set binlog_row_event_fragment_threshold to its "
     "maximum on the source and start behind this transaction"},
};

const Rule* find_rule(EventType type) {
  for (const Rule& rule : kRules) {
    if (rule.type == type) return &rule;
  }
  return nullptr;
}

constexpr std::string_view kDummyText = "# Dummy event replacing event type ";
/// A text of so many bytes stood in an event of at most 20: too small for rows with a table id, columns and a zlib
/// stream, the only ones that a server might replace.
constexpr size_t kDummyTooSmallForRows = 6;

bool carries_no_changes(EventType type) {
  if (is_gtid_event(type)) return true;  // the group's events follow
  const Rule* rule = find_rule(type);
  return rule != nullptr && rule->between == pass_over && rule->in_group == pass_over;
}

}  // namespace

EventAction action_of(const EventHeader& header, EventPlace place) {
  const Rule* rule = find_rule(header.type);
  if (rule == nullptr) return header.ignorable() ? pass_over : refuse;
  switch (place) {
    case EventPlace::between_groups:
      return rule->between;
    case EventPlace::in_group:
      return rule->in_group;
    case EventPlace::in_payload:
      break;
  }
  return rule->in_payload;
}

DecodeError refuse_event(const FileReader& file, const EventHeader& header, uint64_t position, EventPlace place) {
  const Rule* rule = find_rule(header.type);
  std::string text =
      std::string(event_type_name(header.type)) + " event (type " + std::to_string(static_cast<int>(header.type)) + ")";
  // What is read elsewhere has no remedy of its own.
  if (place == EventPlace::in_payload && rule != nullptr && rule->remedy == nullptr) {
    return file.error_at(ErrorKind::corrupt, position, text + " inside a TRANSACTION_PAYLOAD",
                         "no server writes that: the file is damaged");
  }
  text += place == EventPlace::in_payload ? " inside a TRANSACTION_PAYLOAD is not decoded" : " is not decoded";
  return file.error_at(ErrorKind::unsupported, position, text,
                       rule != nullptr && rule->remedy != nullptr
                           ? rule->remedy
                           : "nothing may be skipped unseen: it needs a newer version of this reader");
}

std::optional<Dummy> read_dummy(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (kDummyText.starts_with(text)) return Dummy{EventType::unknown, text.size() <= kDummyTooSmallForRows};
  if (!text.starts_with(kDummyText)) return std::nullopt;
  text.remove_prefix(kDummyText.size());
  unsigned number = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  // "16" may be what is left of "166".
  const bool whole = code == std::errc() && number <= UINT8_MAX && stop != text.data() + text.size();
  if (!whole) return Dummy{};
  const auto type = static_cast<EventType>(number);
  return Dummy{type, carries_no_changes(type)};
}

}  // namespace tidemark::binlog
