// SPDX-License-Identifier: Apache-2.0
// GTID events: MySQL's GTID, ANONYMOUS_GTID and GTID_TAGGED, and MariaDB's. Each starts a group.
// Invariant: fields that the server did not write are "none", never 0 by accident.
// Plain values; any thread. Source: MySQL "Gtid_event" and "serialization" library; MariaDB KB "GTID_EVENT".
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"

namespace tidemark::binlog {

inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

enum class GtidKind : uint8_t { none, mysql, mysql_anonymous, mysql_tagged, mariadb };

/// MariaDB GTID flags.
inline constexpr uint8_t kMariadbStandalone = 1;
inline constexpr uint8_t kMariadbGroupCommitId = 2;
inline constexpr uint8_t kMariadbTransactional = 4;
inline constexpr uint8_t kMariadbDdl = 32;
inline constexpr uint8_t kMariadbPreparedXa = 64;
inline constexpr uint8_t kMariadbCompletedXa = 128;
/// MariaDB extra flags (two-phase ALTER: apply at commit only).
inline constexpr uint8_t kMariadbStartAlter = 2;
inline constexpr uint8_t kMariadbCommitAlter = 4;
inline constexpr uint8_t kMariadbRollbackAlter = 8;

struct GtidEvent {
  GtidKind kind = GtidKind::none;
  std::array<uint8_t, 16> uuid{};
  std::string tag;
  uint64_t number = 0;  ///< MySQL: transaction number; MariaDB: sequence.
  uint32_t domain = 0;
  uint32_t server_id = 0;
  uint8_t flags = 0;
  uint8_t extra_flags = 0;
  int64_t last_committed = -1;
  int64_t sequence_number = -1;
  int64_t immediate_commit_us = kNoTime;
  int64_t original_commit_us = kNoTime;
  uint64_t transaction_bytes = 0;  ///< 0 = not written.
  uint32_t immediate_server_version = 0;

  /// False: the first part of MariaDB's two-phase ALTER, or its rollback. The statement counts in the group that
  /// commits it, which has its text again.
  bool statement_takes_effect() const { return (extra_flags & (kMariadbStartAlter | kMariadbRollbackAlter)) == 0; }
  /// False: MariaDB says that more follows a statement in its group, as rows follow a CREATE TABLE ... SELECT.
  bool stands_alone() const { return kind != GtidKind::mariadb || (flags & kMariadbStandalone) != 0; }

  /// "uuid:number", "uuid:tag:number", "domain-server-sequence"; "" for anonymous groups.
  std::string to_text() const;
  /// Sets `out` to the same text, without allocation once `out` is large enough.
  void write_text(std::string& out) const;
};

/// `event` is of one of the GTID types. Errors without file: the caller adds it.
Outcome<GtidEvent> parse_gtid_event(const EventView& event);

}  // namespace tidemark::binlog
