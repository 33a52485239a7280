// SPDX-License-Identifier: Apache-2.0
// Fuzz target: MariaDB's compressed rows and query bodies; the first byte says
// which. One thread.
#include <vector>

#include "binlog/format_description.hpp"
#include "binlog/query_event.hpp"
#include "binlog/rows_event.hpp"
#include "binlog/statement_kind.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const uint8_t flags = input.byte();
  const auto rest = input.rest();
  const std::vector<uint8_t> body(rest.begin(), rest.end());
  std::vector<uint8_t> scratch;
  binlog::EventView event;
  event.body = body;
  if ((flags & 3) == 0) {
    (void)binlog::inflate_mariadb(body, scratch);
  } else if ((flags & 3) == 1) {
    event.header.type = binlog::EventType::query_compressed;
    if (const auto query = binlog::parse_query_event(event, scratch)) {
      (void)binlog::classify_statement(query->text, binlog::sql_rules(*query, binlog::Flavor::mariadb));
    }
  } else {
    const uint32_t first = static_cast<uint32_t>(binlog::EventType::write_rows_compressed_v1);
    event.header.type = static_cast<binlog::EventType>(first + (flags >> 2) % 6);
    binlog::FormatDescription format;
    format.flavor = binlog::Flavor::mariadb;
    (void)binlog::parse_rows_event(event, format, scratch);
  }
  return 0;
}
