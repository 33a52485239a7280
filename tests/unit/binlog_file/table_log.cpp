// SPDX-License-Identifier: Apache-2.0
// TableLog. One thread.
#include "tests/unit/binlog_file/table_log.hpp"

namespace tidemark::test {

using binlog::Bytes;
using binlog::EventType;
using binlog::put_le;
using binlog::put_text;

namespace {

constexpr uint16_t kStatementEnd = 1;

void put_image(Bytes& out, const LogTable& table, const Cells& cells) {
  Bytes nulls((table.types.size() + 7) / 8, uint8_t{0});
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_null) nulls[i / 8] = static_cast<uint8_t>(nulls[i / 8] | 1u << i % 8);
  }
  out.insert(out.end(), nulls.begin(), nulls.end());
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].is_null) continue;
    if (cells[i].is_text) {
      put_le(out, cells[i].text.size(), table.types[i] == 't' ? 2 : 1);
      put_text(out, cells[i].text);
    } else {
      const char type = table.types[i];
      put_le(out, static_cast<uint64_t>(cells[i].number), type == 'b' ? 8 : type == 'e' ? 1 : 4);
    }
  }
}

}  // namespace

Bytes table_map_body(const LogTable& table) {
  Bytes body;
  put_le(body, table.id, 6);
  put_le(body, 1, 2);
  body.push_back(static_cast<uint8_t>(table.database.size()));
  put_text(body, table.database);
  body.push_back(0);
  body.push_back(static_cast<uint8_t>(table.name.size()));
  put_text(body, table.name);
  body.push_back(0);
  body.push_back(static_cast<uint8_t>(table.types.size()));
  Bytes metadata;
  for (const char type : table.types) {
    body.push_back(type == 'i' ? 3 : type == 'b' ? 8 : type == 't' ? 252 : type == 'e' ? 254 : 15);
    if (type == 'e') put_le(metadata, 0x01f7, 2);  // ENUM of one byte
    if (type == 's') put_le(metadata, 80, 2);
    if (type == 't') metadata.push_back(2);  // bytes of a length
  }
  body.push_back(static_cast<uint8_t>(metadata.size()));
  body.insert(body.end(), metadata.begin(), metadata.end());
  body.push_back(static_cast<uint8_t>(~table.not_null));
  body.insert(body.end(), (table.types.size() - 1) / 8, uint8_t{0xff});
  return body;
}

Bytes rows_body(const LogTable& table, const std::vector<Cells>& rows, bool update) {
  Bytes body;
  put_le(body, table.id, 6);
  put_le(body, kStatementEnd, 2);
  put_le(body, 2, 2);  // extra data: none
  body.push_back(static_cast<uint8_t>(table.types.size()));
  const Bytes present((table.types.size() + 7) / 8, uint8_t{0xff});
  for (int i = 0; i < (update ? 2 : 1); ++i) body.insert(body.end(), present.begin(), present.end());
  for (const Cells& cells : rows) put_image(body, table, cells);
  return body;
}

Bytes partial_rows_body(const LogTable& table, const std::vector<Cells>& rows, uint8_t present,
                        std::optional<uint8_t> present_after) {
  const auto held = [&table](uint8_t bits) {
    LogTable out = table;
    out.types.clear();
    for (size_t i = 0; i < table.types.size(); ++i) {
      if ((bits >> i & 1) != 0) out.types += table.types[i];
    }
    return out;
  };
  Bytes body;
  put_le(body, table.id, 6);
  put_le(body, kStatementEnd, 2);
  put_le(body, 2, 2);
  body.push_back(static_cast<uint8_t>(table.types.size()));
  body.push_back(present);
  if (present_after) body.push_back(*present_after);
  for (size_t i = 0; i < rows.size(); ++i) {
    put_image(body, held(i % 2 == 1 && present_after ? *present_after : present), rows[i]);
  }
  return body;
}

uint64_t TableLog::partial(EventType type, const LogTable& table, const std::vector<Cells>& rows, uint8_t present,
                           std::optional<uint8_t> present_after) {
  const uint64_t at = gtid();
  log.begin();
  log.event(EventType::table_map, table_map_body(table));
  log.event(type, partial_rows_body(table, rows, present, present_after));
  log.xid();
  return at;
}

uint64_t TableLog::gtid() {
  ++number_;
  return log.mysql_gtid(number_, commit_time_us());
}

uint64_t TableLog::ddl(std::string_view sql, std::string_view database) {
  const uint64_t at = gtid();
  log.query(sql, database);
  return at;
}

uint64_t TableLog::change(EventType type, const LogTable& table, const std::vector<Cells>& rows) {
  const uint64_t at = gtid();
  log.begin();
  log.event(EventType::table_map, table_map_body(table));
  log.event(type, rows_body(table, rows, type == EventType::update_rows_v2));
  log.xid();
  return at;
}

uint64_t TableLog::insert(const LogTable& table, const std::vector<Cells>& rows) {
  return change(EventType::write_rows_v2, table, rows);
}

uint64_t TableLog::update(const LogTable& table, const std::vector<Cells>& rows) {
  return change(EventType::update_rows_v2, table, rows);
}

uint64_t TableLog::remove(const LogTable& table, const std::vector<Cells>& rows) {
  return change(EventType::delete_rows_v2, table, rows);
}

uint64_t TableLog::rotate(std::string_view next) {
  Bytes body;
  put_le(body, 4, 8);
  put_text(body, next);
  return log.event(EventType::rotate, body);
}

}  // namespace tidemark::test
