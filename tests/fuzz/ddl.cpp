// SPDX-License-Identifier: Apache-2.0
// Fuzz target: SQL statements, separated by zero bytes, through the DDL parser into a schema tracker; the first two
// bytes choose sql_mode and charsets. The tracker's state must survive its bytes. One thread.
#include <string>

#include "binlog/ddl_parser.hpp"
#include "binlog/schema_file.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/statement_kind.hpp"
#include "binlog/target_type.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

void use_schemas(const binlog::SchemaTracker& tracker) {
  for (const binlog::TableRef& name : tracker.known_tables()) {
    const auto found = tracker.find(name.database, name.table);
    require(found.schema != nullptr, "a known table has a schema");
    for (const uint32_t index : found.schema->primary_key) {
      require(index < found.schema->columns.size(), "a key is made of columns");
    }
    for (const auto& column : found.schema->columns) {
      if (const auto target = binlog::natural_target(column)) (void)binlog::target_name(*target);
    }
  }
}

void check_state(const binlog::SchemaTracker& tracker) {
  std::string bytes;
  tracker.serialise(bytes);
  binlog::SchemaTracker copy;
  require(copy.deserialise(bytes), "a tracker reads what it wrote");
  std::string again;
  copy.serialise(again);
  require(again == bytes, "a tracker's bytes survive");
}

/// The whole text as a schema file, whose tables are then the base of a tracker.
void run_file(std::string_view text) {
  binlog::SchemaTracker declared;
  if (const auto done = binlog::declare_tables(text, "tables.sql", declared); !done) {
    require(!done.error().text.empty() && done.error().position > 0, "an error has a cause and a column");
  }
  binlog::SchemaTracker tracker;
  tracker.set_base(declared);
  tracker.on_statement("shop", "ALTER TABLE orders ADD added INT FIRST", "binlog.000001", 4);
  use_schemas(tracker);
  tracker.adopt_base(tracker);
  check_state(tracker);
}

void run(Input& input) {
  constexpr uint64_t kModes[] = {0, binlog::kSqlModeAnsiQuotes, binlog::kSqlModeNoBackslashEscapes,
                                 binlog::kSqlModeAnsiQuotes | binlog::kSqlModeNoBackslashEscapes};
  const uint64_t mode = kModes[input.byte() & 3];
  const uint8_t collation = input.byte();
  binlog::SchemaTracker tracker;
  std::string_view statements = text_of(input.rest());
  run_file(statements);
  uint64_t position = 4;
  while (!statements.empty()) {
    const std::string sql(statements.substr(0, statements.find('\0')));
    statements.remove_prefix(std::min(sql.size() + 1, statements.size()));
    binlog::StatementAt at{"shop", sql, "binlog.000001", position++, mode, collation, collation};
    const auto parsed = tracker.on_statement(at);
    const auto rules = binlog::sql_rules(mode, binlog::SqlDialect::any);
    const auto kind = binlog::classify_statement(sql, rules);
    if (kind == binlog::StatementKind::savepoint) (void)binlog::savepoint_name(sql, rules);
    (void)binlog::opens_transaction(sql, binlog::SqlDialect::any);
    const bool handed_out = kind == binlog::StatementKind::data_change || kind == binlog::StatementKind::ddl;
    require(collation != 0 || !parsed.changes_rows() || handed_out, "a change of rows is handed out");
    require(parsed.statement_class != binlog::StatementClass::kDdl || !parsed.verb.empty(), "DDL has a verb");
    use_schemas(tracker);
  }
  check_state(tracker);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemark::fuzz::Input input(data, size);
  tidemark::fuzz::run(input);
  return 0;
}
