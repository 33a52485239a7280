// SPDX-License-Identifier: Apache-2.0
// QUERY events (also MariaDB's QUERY_COMPRESSED and the text of EXECUTE_LOAD_QUERY): schema, SQL text and those
// status variables that tell how the text is to be read.
// Invariant: text and schema are views into the event, or into `scratch` for compressed text.
// Any thread. Source: MySQL "Query_event"; MariaDB KB "QUERY_EVENT", "QUERY_COMPRESSED_EVENT".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"
#include "binlog/format_description.hpp"
#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

struct QueryEvent {
  uint32_t thread_id = 0;
  uint16_t error_code = 0;
  std::string_view schema;
  std::string_view text;
  bool has_sql_mode = false;
  uint64_t sql_mode = 0;
  /// Collation ids; 0 = not written. The database's is written only where it differs from the server's.
  uint16_t collation_client = 0;
  uint16_t collation_server = 0;
  uint16_t collation_database = 0;
};

/// Bits of sql_mode that change how the text reads.
inline constexpr uint64_t kSqlModeAnsiQuotes = 4;
inline constexpr uint64_t kSqlModeNoBackslashEscapes = 0x100000;
inline constexpr uint64_t kSqlModeRealAsFloat = 1;
inline constexpr uint64_t kSqlModeOracle = 0x200;

SqlDialect dialect_of(Flavor flavor);
/// How a text reads: whoever looks at statements must take these rules, so that all see the same statement.
SqlRules sql_rules(uint64_t sql_mode, SqlDialect dialect);
SqlRules sql_rules(const QueryEvent& query, Flavor flavor);

/// `event`: query, query_compressed or execute_load_query. `scratch` takes the text of compressed ones.
Outcome<QueryEvent> parse_query_event(const EventView& event, std::vector<uint8_t>& scratch);

/// For MariaDB's compressed parts: header byte 0x80 | length bytes, big-endian length, zlib stream. Appends nothing:
/// `out` is set to the uncompressed bytes.
Checked inflate_mariadb(std::span<const uint8_t> bytes, std::vector<uint8_t>& out);

}  // namespace tidemark::binlog
