// SPDX-License-Identifier: Apache-2.0
// Fuzz target: one cell of any wire type, declared type and character set, as a value and through a column program.
// The two must agree on what can be decoded and on the text; text is valid UTF-8; the heap that a program asks for is
// enough. One thread.
#include <algorithm>
#include <string>
#include <vector>

#include "binlog/cell.hpp"
#include "binlog/charset.hpp"
#include "binlog/charset_decoder.hpp"
#include "binlog/column_program.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/binlog/column_batch.hpp"

namespace tidemark::fuzz {
namespace {

using binlog::CharsetDecoder;
using binlog::SqlType;
using binlog::ValueKind;

constexpr uint32_t kSmallHeap = 16;

struct Column {
  binlog::ColumnType type;
  binlog::ColumnSchema schema;
};

Column column_of(Input& input) {
  const uint8_t code = input.byte();
  const uint8_t meta_first = input.byte();
  const uint8_t meta_second = input.byte();
  Column column{binlog::describe_column(code, meta_first, meta_second, true), {}};
  const uint8_t flags = input.byte();
  column.schema.name = "c";
  column.schema.type = static_cast<SqlType>(input.byte() % (static_cast<uint8_t>(SqlType::unknown) + 1));
  column.schema.charset = binlog::charset_of_collation(static_cast<uint32_t>(input.number(2)));
  column.schema.is_unsigned = (flags & 1) != 0;
  column.schema.length = input.byte();
  column.schema.scale = input.byte();
  for (uint32_t i = 0; i < (flags >> 1 & 0x0f); ++i) column.schema.members.push_back(std::string(i * 3, 'm'));
  return column;
}

/// The cell: its length prefix, if it has one, is right, as other targets try wrong ones.
std::vector<uint8_t> cell_of(const binlog::ColumnType& type, std::span<const uint8_t> content) {
  std::vector<uint8_t> cell;
  if (type.prefix_bytes == 0) {
    cell.assign(content.begin(),
                content.begin() + static_cast<ptrdiff_t>(std::min<size_t>(content.size(), type.fixed_width)));
    cell.resize(type.fixed_width);
    return cell;
  }
  const size_t most = type.prefix_bytes >= 4 ? content.size() : (size_t{1} << 8 * type.prefix_bytes) - 1;
  content = content.first(std::min(content.size(), most));
  for (uint32_t i = 0; i < type.prefix_bytes; ++i) cell.push_back(static_cast<uint8_t>(content.size() >> 8 * i));
  cell.insert(cell.end(), content.begin(), content.end());
  return cell;
}

bool has_text(const binlog::Value& value) {
  return value.kind == ValueKind::text || value.kind == ValueKind::json ||
         ((value.kind == ValueKind::enum_ || value.kind == ValueKind::set_) && value.has_text);
}

void through_columns(const Column& column, const std::vector<uint8_t>& cell, const binlog::Value* value) {
  const auto target = binlog::natural_target(column.schema);
  if (!target) return;
  auto map = std::make_shared<binlog::TableMap>();
  map->database = "d";
  map->table = "t";
  map->columns = {column.type};
  map->metadata.resize(1);
  binlog::TableSchema schema;
  schema.columns = {column.schema};
  if (!binlog::check_against_table_map(schema, *map).empty()) return;  // such a schema is never used
  const binlog::TargetColumn wanted{0, *target};
  auto program = binlog::ColumnProgram::compile(map, &schema, {&wanted, 1});
  if (!program) return;
  std::vector<uint8_t> row(cell.size() + 1);  // behind its null bits
  std::copy(cell.begin(), cell.end(), row.begin() + 1);
  const uint8_t present = 1;
  binlog::RowsEvent rows;
  rows.column_count = 1;
  rows.present = {&present, 1};
  rows.rows = row;
  binlog::ColumnBatch batch({*target}, 1, kSmallHeap);
  binlog::RowCursor cursor;
  auto state = program->decode(rows, cursor, batch.output());
  if (state && *state == binlog::FillState::heap_full) {
    batch.grow_heap(program->heap_bytes_needed());
    state = program->decode(rows, cursor, batch.output());
    require(!state || *state == binlog::FillState::event_done, "the heap that was asked for is enough");
  }
  if (!state) return;
  require(*state == binlog::FillState::event_done, "one row fits");
  const auto text = batch.text(0, 0);
  require(value != nullptr, "what a column takes, a cell gives");
  if (target->type != TIDEMARK_TEXT && target->type != TIDEMARK_JSON) return;
  require(text && has_text(*value) && *text == value->text, "both forms have the same text");
  require(program->counters().invalid_text == (value->raw.empty() ? 0u : 1u), "invalid text is counted");
}

void run(Input& input) {
  const Column column = column_of(input);
  if (!column.type.width_known()) return;
  const std::vector<uint8_t> cell = cell_of(column.type, input.rest());
  binlog::TableMap map;
  map.columns = {column.type};
  map.metadata.resize(1);
  binlog::TableSchema schema;
  schema.columns = {column.schema};
  const auto facts = binlog::column_facts(map, &schema);
  binlog::Value value;
  const bool decoded = binlog::decode_cell(column.type, facts[0], cell, value).ok();
  if (decoded && value.kind == ValueKind::text) {
    require(CharsetDecoder::find("utf8mb4")->is_valid_utf8(reinterpret_cast<const uint8_t*>(value.text.data()),
                                                           value.text.size()),
            "text is valid UTF-8");
  }
  through_columns(column, cell, decoded ? &value : nullptr);
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemark::fuzz::Input input(data, size);
  tidemark::fuzz::run(input);
  return 0;
}
