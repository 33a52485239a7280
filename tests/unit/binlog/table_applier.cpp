// SPDX-License-Identifier: Apache-2.0
// See the header. One thread.
#include "table_applier.hpp"

#include "binlog/json_diff.hpp"
#include "group_reading.hpp"

namespace tidemark::binlog {

namespace {

std::string cell_text(const Value& value) {
  const bool is_text = value.kind == ValueKind::text || value.kind == ValueKind::json;
  return is_text ? value.text : value_text(value);
}

void append(std::vector<uint8_t>& out, std::span<const uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

Checked TableApplier::read(const TableMap& map, const std::vector<ColumnFacts>& facts, const RowImage& image,
                           Stored& into) const {
  Value value;
  for (size_t i = 0; i < image.cells.size(); ++i) {
    const CellView& cell = image.cells[i];
    const std::string& name = facts[i].name;
    if (cell.state == CellState::absent) continue;
    const bool is_json = map.columns[i].type == WireType::json;
    const auto content = is_json && cell.state != CellState::null ? cell.bytes.subspan(map.columns[i].prefix_bytes)
                                                                  : std::span<const uint8_t>{};
    if (cell.state == CellState::json_diffs) {
      append(into.documents[name].diffs, content);  // operations run one after the other
      continue;
    }
    into.documents.erase(name);
    into.cells[name] = std::nullopt;
    if (cell.state == CellState::null) continue;
    const auto done = decode_cell(map.columns[i], facts[i], cell.bytes, value);
    if (!done && done.error().kind != ErrorKind::unsupported) return done;
    into.cells[name] = done ? cell_text(value) : "<refused>";
    if (is_json) append(into.documents[name].base, content);
  }
  return Done{};
}

Checked TableApplier::apply(const TableMap& map, const TableSchema& schema, const RowsEvent& rows) {
  const auto facts = column_facts(map, &schema);
  RowImages images(map, rows);
  RowImage image;
  std::string key;
  while (true) {
    auto more = images.next(image);
    if (!more) return std::move(more).error();
    if (!*more) return Done{};
    Stored row;
    if (image.kind == ImageKind::update_after) row = rows_.at(key);
    if (image.kind == ImageKind::update_after) rows_.erase(key);
    if (auto done = read(map, facts, image, row); !done) return done;
    key = row.cells.at(facts[0].name).value();
    switch (image.kind) {
      case ImageKind::update_before:
        break;
      case ImageKind::deleted:
        rows_.erase(key);
        break;
      case ImageKind::inserted:
        inserted_[key] = finished(row);
        [[fallthrough]];
      case ImageKind::update_after:
        rows_[key] = std::move(row);
    }
  }
}

TableApplier::Row TableApplier::finished(const Stored& row) {
  Row out = row.cells;
  for (const auto& [name, document] : row.documents) {
    std::string text;
    JsonSink sink(text);
    const bool right = write_changed_json(document.base, document.diffs, sink) == JsonResult::ok;
    out[name] = right ? text : "<corrupt>";
  }
  return out;
}

std::map<std::string, TableApplier::Row> TableApplier::rows() const {
  std::map<std::string, Row> out;
  for (const auto& [key, row] : rows_) out[key] = finished(row);
  return out;
}

}  // namespace tidemark::binlog
