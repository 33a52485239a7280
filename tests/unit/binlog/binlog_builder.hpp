// SPDX-License-Identifier: Apache-2.0
// Writes small binlogs by code, as a server would: headers, positions, checksums. For cases no corpus has.
// Invariant: what it writes is right unless a test damages it afterwards.
// One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "binlog/event.hpp"
#include "binlog/format_description.hpp"

namespace tidemark::binlog {

using Bytes = std::vector<uint8_t>;

/// "7f ff" -> bytes; blanks are ignored.
Bytes from_hex(std::string_view text);
void put_le(Bytes& out, uint64_t value, uint32_t count);
void put_text(Bytes& out, std::string_view text);
/// A whole event at `position` (header, body, CRC32 if asked for).
Bytes make_event(EventType type, const Bytes& body, uint64_t position, bool crc, uint16_t flags = 0,
                 uint32_t timestamp_s = 1'000'000'000);

struct BuilderOptions {
  std::string server_version = "8.4.3";
  bool crc = true;
  bool in_use = false;
  uint32_t created_s = 0;  ///< not 0: the first file after a server start
};

/// One file. Methods append an event and give its position.
class BinlogBuilder {
 public:
  explicit BinlogBuilder(BuilderOptions options = {});

  uint64_t event(EventType type, const Bytes& body, uint16_t flags = 0, uint32_t timestamp_s = 1'000'000'000);
  uint64_t query(std::string_view text, std::string_view schema = "db");
  uint64_t begin() { return query("BEGIN"); }
  uint64_t xid();
  /// `gtrid` of an XA transaction, format 1, no bqual.
  uint64_t xa_prepare(std::string_view gtrid, bool one_phase = false);
  uint64_t mysql_gtid(uint64_t number, int64_t immediate_commit_us = 0);
  uint64_t mariadb_gtid(uint64_t number, uint8_t flags);
  /// Table of (id INT, v VARCHAR(20)).
  uint64_t table_map(std::string_view table = "t", uint64_t id = 7);
  uint64_t insert(int32_t id, std::string_view v, uint64_t table_id = 7);
  /// The last event's header end position becomes this.
  void set_end_position(uint64_t at, uint32_t value);

  uint64_t position() const { return bytes_.size(); }
  bool crc() const { return options_.crc; }
  Bytes& bytes() { return bytes_; }
  std::filesystem::path write(const std::filesystem::path& file) const;

 private:
  BuilderOptions options_;
  Bytes bytes_;
};

/// Bodies, for events inside a payload.
Bytes xa_prepare_body(std::string_view gtrid, bool one_phase);
Bytes query_body(std::string_view text, std::string_view schema);
Bytes table_map_body(std::string_view table, uint64_t id);
Bytes insert_body(int32_t id, std::string_view v, uint64_t table_id);
/// TRANSACTION_PAYLOAD body around events; `compression` 0 = zstd, 255 = none, else written as it is.
Bytes payload_body(const Bytes& events, uint64_t compression);

}  // namespace tidemark::binlog
