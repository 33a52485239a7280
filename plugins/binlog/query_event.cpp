// SPDX-License-Identifier: Apache-2.0
// Parses QUERY events. Status variables are read in order up to the first unknown code: the rest of the block is
// skipped by its length, so a newer server's variables do no harm.
// No state; any thread.
#include "binlog/query_event.hpp"

#include "binlog/byte_cursor.hpp"
#include "binlog/inflate.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kExecuteLoadExtraBytes = 13;  // file id, start, end, duplicate handling
constexpr uint8_t kUpdatedDatabasesOverMax = 254;

DecodeError corrupt(std::string text) {
  return {ErrorKind::corrupt, std::move(text), {}, 0, {}};
}

// Skips the value of a status variable that is not kept; false for unknown codes.
bool skip_status_variable(uint8_t code, ByteCursor& cursor) {
  switch (code) {
    case 0:   // flags2
    case 3:   // auto_increment
    case 10:  // master_data_written
      cursor.skip(4);
      return true;
    case 2:  // catalog with NUL
      cursor.skip(static_cast<uint64_t>(cursor.u8()) + 1);
      return true;
    case 5:  // time zone
    case 6:  // catalog
      cursor.skip(cursor.u8());
      return true;
    case 7:  // lc_time_names
      cursor.skip(2);
      return true;
    case 9:    // table_map_for_update
    case 17:   // ddl xid
    case 129:  // MariaDB xid
      cursor.skip(8);
      return true;
    case 11:  // invoker: user, host
      cursor.skip(cursor.u8());
      cursor.skip(cursor.u8());
      return true;
    case 12: {  // updated databases, NUL-terminated
      const uint8_t count = cursor.u8();
      for (uint8_t i = 0; count != kUpdatedDatabasesOverMax && i < count && cursor.ok(); ++i) {
        while (cursor.ok() && cursor.u8() != 0) {
        }
      }
      return true;
    }
    case 13:   // microseconds
    case 128:  // MariaDB microseconds
      cursor.skip(3);
      return true;
    case 16:  // explicit_defaults_for_timestamp
    case 19:  // sql_require_primary_key
    case 20:  // default_table_encryption
      cursor.skip(1);
      return true;
    case 18:  // default collation for utf8mb4
      cursor.skip(2);
      return true;
    default:
      return false;
  }
}

void parse_status_variables(std::span<const uint8_t> block, QueryEvent& query) {
  ByteCursor cursor(block);
  while (cursor.ok() && !cursor.at_end()) {
    const uint8_t code = cursor.u8();
    if (code == 1) {
      query.sql_mode = cursor.u64();
      query.has_sql_mode = cursor.ok();
    } else if (code == 4) {
      query.collation_client = cursor.u16();
      cursor.skip(2);  // of the connection
      query.collation_server = cursor.u16();
    } else if (code == 8) {
      query.collation_database = cursor.u16();
    } else if (!skip_status_variable(code, cursor)) {
      return;
    }
  }
}

}  // namespace

Checked inflate_mariadb(std::span<const uint8_t> bytes, std::vector<uint8_t>& out) {
  ByteCursor cursor(bytes);
  const uint8_t head = cursor.u8();
  const uint32_t length_bytes = head & 0x07;
  const uint32_t algorithm = head >> 4 & 0x07;
  if ((head & 0x80) == 0 || length_bytes < 1 || length_bytes > 4) {
    return corrupt("compressed part has a damaged header");
  }
  if (algorithm != 0) {
    return DecodeError{ErrorKind::unsupported,
                       "compression algorithm " + std::to_string(algorithm) + " of MariaDB",
                       {},
                       0,
                       "only zlib (0) is known"};
  }
  const uint64_t size = cursor.be(length_bytes);
  const auto stream = cursor.rest();
  if (!cursor.ok()) return corrupt("compressed part is cut short");
  if (size > kEventBytesMax) return corrupt("compressed part claims to be more than 1 GiB");
  if (size > stream.size() * kInflateFactorMax) return corrupt("compressed part claims to be larger than it can be");
  out.resize(static_cast<size_t>(size));
  if (!inflate_exactly(stream, DeflateFraming::zlib, out)) {
    return corrupt("compressed part does not inflate to its stated size");
  }
  return Done{};
}

SqlDialect dialect_of(Flavor flavor) {
  return flavor == Flavor::mariadb ? SqlDialect::mariadb : SqlDialect::mysql;
}

SqlRules sql_rules(uint64_t sql_mode, SqlDialect dialect) {
  SqlRules rules;
  rules.ansi_quotes = (sql_mode & kSqlModeAnsiQuotes) != 0;
  rules.backslash_escapes = (sql_mode & kSqlModeNoBackslashEscapes) == 0;
  rules.real_as_float = (sql_mode & kSqlModeRealAsFloat) != 0;
  rules.oracle = (sql_mode & kSqlModeOracle) != 0;
  rules.dialect = dialect;
  return rules;
}

SqlRules sql_rules(const QueryEvent& query, Flavor flavor) {
  return sql_rules(query.has_sql_mode ? query.sql_mode : 0, dialect_of(flavor));
}

Outcome<QueryEvent> parse_query_event(const EventView& event, std::vector<uint8_t>& scratch) {
  QueryEvent query;
  ByteCursor cursor(event.body);
  query.thread_id = cursor.u32();
  cursor.skip(4);  // execution seconds
  const uint8_t schema_bytes = cursor.u8();
  query.error_code = cursor.u16();
  const uint16_t status_bytes = cursor.u16();
  if (event.header.type == EventType::execute_load_query) cursor.skip(kExecuteLoadExtraBytes);
  const auto status = cursor.bytes(status_bytes);
  query.schema = cursor.text(schema_bytes);
  cursor.skip(1);
  if (!cursor.ok()) return corrupt("QUERY event is cut short");
  parse_status_variables(status, query);
  if (event.header.type != EventType::query_compressed) {
    query.text = cursor.rest_text();
    return query;
  }
  if (auto done = inflate_mariadb(cursor.rest(), scratch); !done) return std::move(done).error();
  query.text = {reinterpret_cast<const char*>(scratch.data()), scratch.size()};
  return query;
}

}  // namespace tidemark::binlog
