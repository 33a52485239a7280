// SPDX-License-Identifier: Apache-2.0
// Fuzz target: flavour, rows event type, optional CREATE TABLE, TABLE_MAP body, rows event body. One thread.
#include <string>
#include <vector>

#include "binlog/event.hpp"
#include "binlog/format_description.hpp"
#include "binlog/table_resolver.hpp"
#include "tests/fuzz/binlog_drive.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace tidemark::fuzz {
namespace {

binlog::EventView event_of(binlog::EventType type, std::span<const uint8_t> body) {
  binlog::EventView event;
  event.header.type = type;
  event.body = body;
  return event;
}

void run(Input& input) {
  const uint8_t flags = input.byte();
  const auto type = static_cast<binlog::EventType>(input.byte());
  const auto create = text_of(input.part());
  // Copies of their own size, so that a read past the end is seen.
  const auto map_part = input.part();
  const std::vector<uint8_t> map_body(map_part.begin(), map_part.end());
  const auto rows_part = input.rest();
  const std::vector<uint8_t> rows_body(rows_part.begin(), rows_part.end());
  binlog::FormatDescription format;
  format.flavor = (flags & 1) != 0 ? binlog::Flavor::mariadb : binlog::Flavor::mysql;

  binlog::TableMapCache maps;
  const auto map = maps.add(event_of(binlog::EventType::table_map, map_body), format);
  if (!map) return;
  if (!binlog::is_rows_event(type)) return;
  std::vector<uint8_t> scratch;
  const auto rows = binlog::parse_rows_event(event_of(type, rows_body), format, scratch);
  if (!rows) return;
  binlog::SchemaTracker tracker;
  tracker.on_statement((*map)->database, create, "fuzz", 4);
  const auto schema = binlog::resolve_schema(**map, tracker);
  RowsReader(*map, schema ? *schema : nullptr).read(*rows);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemark::fuzz::Input input(data, size);
  tidemark::fuzz::run(input);
  return 0;
}
