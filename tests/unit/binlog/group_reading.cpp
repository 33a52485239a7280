// SPDX-License-Identifier: Apache-2.0
// Reading of binlogs into lines. One thread.
#include "group_reading.hpp"

#include <algorithm>
#include <charconv>

#include "binlog/row_images.hpp"
#include "binlog/schema_tracker.hpp"
#include "binlog/transaction_reader.hpp"

namespace tidemark::binlog {

namespace {

template <class T>
std::string number_text(T number) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

const char* verdict_text(GroupVerdict verdict) {
  switch (verdict) {
    case GroupVerdict::committed:
      return "committed";
    case GroupVerdict::rolled_back:
      return "rolled back";
    case GroupVerdict::standalone:
      return "standalone";
    case GroupVerdict::prepared:
      return "prepared";
  }
  return "?";
}

// Image signs as in diffs: + inserted, - deleted, < before, > after.
Checked append_rows(const Item& item, Reading& out) {
  constexpr char kSigns[] = {'+', '-', '<', '>'};
  const auto schema = schema_from_metadata(*item.table);
  const auto facts = column_facts(*item.table, schema ? &*schema : nullptr);
  RowImages images(*item.table, item.rows);
  RowImage image;
  Value value;
  while (true) {
    auto more = images.next(image);
    if (!more) return std::move(more).error();
    if (!*more) return Done{};
    std::string line = "rows " + item.table->table + " " + kSigns[static_cast<size_t>(image.kind)];
    for (size_t i = 0; i < image.cells.size(); ++i) {
      const CellView& cell = image.cells[i];
      if (cell.state == CellState::absent) continue;
      line += " " + facts[i].name + "=";
      if (cell.state == CellState::null) {
        line += "NULL";
        continue;
      }
      if (auto done = decode_cell(item.table->columns[i], facts[i], cell.bytes, value); !done) {
        return std::move(done).error();
      }
      line += value_text(value);
    }
    out.items.push_back(std::move(line));
  }
}

Checked append_item(const TransactionReader& reader, const Item& item, bool with_cells, Reading& out) {
  std::string line;
  switch (item.kind) {
    case ItemKind::begin:
      line = "begin " + reader.group().gtid_text + " " + std::to_string(reader.group().commit_time_us);
      break;
    case ItemKind::rows:
      if (with_cells) return append_rows(item, out);
      line = "rows " + item.table->table;
      break;
    case ItemKind::statement:
    case ItemKind::statement_change: {
      const ParsedStatement statement =
          SchemaTracker().on_statement(statement_at(item.query, "f", 4, reader.format().flavor));
      if (item.kind == ItemKind::statement && !statement.changes_rows()) {
        line = "statement " + std::string(item.query.text);
        break;
      }
      line = "change";
      for (const auto& table : statement.targets) line += " " + table.database + "." + table.table;
      break;
    }
    case ItemKind::end:
      line = std::string("end ") + verdict_text(reader.group().verdict);
      if (const auto notice = reader.xa_notice()) out.notices.push_back(*notice);
      out.withheld += reader.group().row_events_withheld;
      break;
    case ItemKind::rotate:
      line = "rotate " + std::string(item.next_file);
      break;
    case ItemKind::stop:
      line = "stop";
      break;
  }
  out.items.push_back(std::move(line));
  return Done{};
}

}  // namespace

std::vector<std::string> Reading::rows() const {
  std::vector<std::string> out;
  std::copy_if(items.begin(), items.end(), std::back_inserter(out),
               [](const std::string& line) { return line.starts_with("rows "); });
  return out;
}

Reading read_binlog(const std::string& path, uint64_t position, bool with_cells, PreparedTransactions* prepared,
                    const std::string& keyring_file) {
  Reading out;
  auto reader = TransactionReader::open(path, position, prepared, keyring_file);
  if (!reader) {
    out.error = reader.error();
    return out;
  }
  Item item;
  while (true) {
    auto state = reader->next(item);
    out.resume_position = reader->resume_position();
    if (!state) {
      out.error = state.error();
      return out;
    }
    if (*state != ReadState::ready) {
      out.incomplete = *state == ReadState::incomplete;
      return out;
    }
    if (auto done = append_item(*reader, item, with_cells, out); !done) {
      out.error = done.error();
      return out;
    }
  }
}

std::string value_text(const Value& value) {
  switch (value.kind) {
    case ValueKind::absent:
      return "absent";
    case ValueKind::null:
      return "NULL";
    case ValueKind::integer:
      return std::to_string(value.integer);
    case ValueKind::year: {
      const std::string year = std::to_string(value.integer);
      return std::string(4 - std::min<size_t>(4, year.size()), '0') + year;
    }
    case ValueKind::unsigned_:
    case ValueKind::bit:
      return std::to_string(value.bits);
    case ValueKind::float32:
      return number_text(static_cast<float>(value.number));
    case ValueKind::float64:
      return number_text(value.number);
    case ValueKind::decimal:
    case ValueKind::date:
    case ValueKind::time:
    case ValueKind::datetime:
    case ValueKind::timestamp:
      return value.text;
    case ValueKind::text:
      return "'" + value.text + "'";
    case ValueKind::enum_:
    case ValueKind::set_:
      return value.has_text ? "'" + value.text + "'" : "#" + std::to_string(value.bits);
    case ValueKind::bytes: {
      constexpr char kDigits[] = "0123456789ABCDEF";
      std::string hex;
      for (const char c : value.text) {
        hex += kDigits[static_cast<uint8_t>(c) >> 4];
        hex += kDigits[static_cast<uint8_t>(c) & 15];
      }
      return hex;
    }
    case ValueKind::json:
      return value.text;
  }
  return "?";
}

}  // namespace tidemark::binlog
