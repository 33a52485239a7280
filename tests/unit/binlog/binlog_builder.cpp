// SPDX-License-Identifier: Apache-2.0
// BinlogBuilder. One thread.
#include "binlog_builder.hpp"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>

#include "tests/corpora_files.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kServerId = 5;

void put_crc(Bytes& event) {
  put_le(event, libdeflate_crc32(0, event.data(), event.size()), 4);
}

}  // namespace

Bytes from_hex(std::string_view text) {
  Bytes out;
  std::string digits;
  for (const char c : text) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out.push_back(static_cast<uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

void put_le(Bytes& out, uint64_t value, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

void put_text(Bytes& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

Bytes make_event(EventType type, const Bytes& body, uint64_t position, bool crc, uint16_t flags, uint32_t timestamp_s) {
  const uint64_t size = kHeaderBytes + body.size() + (crc ? kChecksumBytes : 0);
  Bytes out;
  put_le(out, timestamp_s, 4);
  out.push_back(static_cast<uint8_t>(type));
  put_le(out, kServerId, 4);
  put_le(out, size, 4);
  put_le(out, position == 0 ? 0 : position + size, 4);
  put_le(out, flags, 2);
  out.insert(out.end(), body.begin(), body.end());
  if (crc) put_crc(out);
  return out;
}

BinlogBuilder::BinlogBuilder(BuilderOptions options) : options_(std::move(options)) {
  bytes_ = {0xfe, 'b', 'i', 'n'};
  const bool mariadb = options_.server_version.find("MariaDB") != std::string::npos;
  Bytes body;
  put_le(body, 4, 2);
  std::string version = options_.server_version;
  version.resize(50, '\0');
  put_text(body, version);
  put_le(body, options_.created_s, 4);
  body.push_back(kHeaderBytes);
  Bytes lengths(mariadb ? 171 : 42, uint8_t{0});
  lengths[static_cast<size_t>(EventType::table_map) - 1] = 8;
  body.insert(body.end(), lengths.begin(), lengths.end());
  body.push_back(options_.crc ? 1 : 0);
  // Its own checksum is always there, and is that of the event without the in-use flag.
  Bytes event = make_event(EventType::format_description, body, 4, true);
  if (!options_.crc) std::fill(event.end() - 4, event.end(), uint8_t{0});
  if (options_.in_use) event[17] |= kFlagInUse;
  bytes_.insert(bytes_.end(), event.begin(), event.end());
}

uint64_t BinlogBuilder::event(EventType type, const Bytes& body, uint16_t flags, uint32_t timestamp_s) {
  const uint64_t at = bytes_.size();
  const Bytes event = make_event(type, body, at, options_.crc, flags, timestamp_s);
  bytes_.insert(bytes_.end(), event.begin(), event.end());
  return at;
}

uint64_t BinlogBuilder::query(std::string_view text, std::string_view schema) {
  return event(EventType::query, query_body(text, schema));
}

uint64_t BinlogBuilder::xid() {
  return event(EventType::xid, Bytes(8, uint8_t{1}));
}

uint64_t BinlogBuilder::xa_prepare(std::string_view gtrid, bool one_phase) {
  return event(EventType::xa_prepare, xa_prepare_body(gtrid, one_phase));
}

uint64_t BinlogBuilder::mysql_gtid(uint64_t number, int64_t immediate_commit_us) {
  Bytes body;
  body.push_back(1);
  for (uint8_t i = 0; i < 16; ++i) body.push_back(i);
  put_le(body, number, 8);
  body.push_back(2);
  put_le(body, 0, 8);
  put_le(body, 1, 8);
  if (immediate_commit_us != 0) put_le(body, static_cast<uint64_t>(immediate_commit_us), 7);
  return event(EventType::gtid, body);
}

uint64_t BinlogBuilder::mariadb_gtid(uint64_t number, uint8_t flags) {
  Bytes body;
  put_le(body, number, 8);
  put_le(body, 0, 4);
  body.push_back(flags);
  put_le(body, 0, 6);
  return event(EventType::mariadb_gtid, body);
}

uint64_t BinlogBuilder::table_map(std::string_view table, uint64_t id) {
  return event(EventType::table_map, table_map_body(table, id));
}

uint64_t BinlogBuilder::insert(int32_t id, std::string_view v, uint64_t table_id) {
  return event(EventType::write_rows_v1, insert_body(id, v, table_id));
}

void BinlogBuilder::set_end_position(uint64_t at, uint32_t value) {
  const auto start = static_cast<size_t>(at);
  for (size_t i = 0; i < 4; ++i) bytes_[start + 13 + i] = static_cast<uint8_t>(value >> (8 * i));
  if (!options_.crc) return;
  const EventHeader header = parse_header({bytes_.data() + start, kHeaderBytes});
  const uint32_t sum = libdeflate_crc32(0, bytes_.data() + start, header.size - kChecksumBytes);
  for (size_t i = 0; i < 4; ++i) bytes_[start + header.size - 4 + i] = static_cast<uint8_t>(sum >> (8 * i));
}

std::filesystem::path BinlogBuilder::write(const std::filesystem::path& file) const {
  test::write_bytes(file, bytes_);
  return file;
}

Bytes xa_prepare_body(std::string_view gtrid, bool one_phase) {
  Bytes body{static_cast<uint8_t>(one_phase)};
  put_le(body, 1, 4);
  put_le(body, gtrid.size(), 4);
  put_le(body, 0, 4);
  put_text(body, gtrid);
  return body;
}

Bytes query_body(std::string_view text, std::string_view schema) {
  Bytes body;
  put_le(body, 1, 4);
  put_le(body, 0, 4);
  body.push_back(static_cast<uint8_t>(schema.size()));
  put_le(body, 0, 2);
  put_le(body, 0, 2);
  put_text(body, schema);
  body.push_back(0);
  put_text(body, text);
  return body;
}

Bytes table_map_body(std::string_view table, uint64_t id) {
  Bytes body;
  put_le(body, id, 6);
  put_le(body, 1, 2);
  body.push_back(2);
  put_text(body, "db");
  body.push_back(0);
  body.push_back(static_cast<uint8_t>(table.size()));
  put_text(body, table);
  body.push_back(0);
  const Bytes rest = from_hex("02 03 0f  02 50 00  02");  // INT, VARCHAR of 80 bytes; the second is nullable
  body.insert(body.end(), rest.begin(), rest.end());
  // Metadata: signedness, utf8mb4 (45), names.
  const Bytes metadata = from_hex("01 01 00  02 01 2d  04 05 02 69 64 01 76");
  body.insert(body.end(), metadata.begin(), metadata.end());
  return body;
}

Bytes insert_body(int32_t id, std::string_view v, uint64_t table_id) {
  Bytes body;
  put_le(body, table_id, 6);
  put_le(body, 1, 2);
  body.push_back(2);
  body.push_back(0x03);
  body.push_back(0x00);
  put_le(body, static_cast<uint32_t>(id), 4);
  body.push_back(static_cast<uint8_t>(v.size()));
  put_text(body, v);
  return body;
}

Bytes payload_body(const Bytes& events, uint64_t compression) {
  Bytes packed = events;
  if (compression != 255) {
    packed.resize(ZSTD_compressBound(events.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), events.data(), events.size(), 3));
  }
  Bytes body{2};
  Bytes value;
  if (compression < 251) {
    value = {static_cast<uint8_t>(compression)};
  } else {
    value = {0xfc, static_cast<uint8_t>(compression), 0};
  }
  body.push_back(static_cast<uint8_t>(value.size()));
  body.insert(body.end(), value.begin(), value.end());
  body.insert(body.end(), {1, 3, 0xfc});
  put_le(body, packed.size(), 2);
  body.push_back(0);
  body.insert(body.end(), packed.begin(), packed.end());
  return body;
}

}  // namespace tidemark::binlog
