// SPDX-License-Identifier: Apache-2.0
//
// Literals by type. An upsert names every column of the results, so that columns that are only the table's stay.
#include "core/sink/mysql_statements.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "core/batch/cell_text.hpp"

namespace tidemark::core {
namespace {

using Refusal = std::optional<std::string>;

constexpr size_t kDigitsMax = 65;

// A point in time, or a date with a time: 2026-03-29T00:00:00.5Z becomes '2026-03-29 00:00:00.5'.
void append_time(Micros value, std::string& sql) {
  std::string text = format_rfc3339(value);
  if (text.ends_with('Z')) text.pop_back();
  if (const size_t at = text.find('T'); at != std::string::npos) text[at] = ' ';
  sql += '\'' + text + '\'';
}

template <typename T>
Refusal append_double(T value, std::string& sql) {
  if (!std::isfinite(value)) return "it is no finite number, and the column takes no other";
  char buffer[48];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  sql.append(buffer, end);
  return std::nullopt;
}

void append_hex(std::string_view bytes, std::string& sql) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  sql += "x'";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    sql += kDigits[byte >> 4];
    sql += kDigits[byte & 15];
  }
  sql += '\'';
}

// Digits of seconds that the column lacks would be rounded away.
bool fraction_fits(Micros value, const TableColumn& target) {
  Micros unit = kMicrosPerSecond;
  for (unsigned digit = 0; digit < std::min(target.fraction.value_or(0), 6U); ++digit) unit /= 10;
  return value % unit == 0;
}

bool is_number(const TableColumn& target) {
  return target.precision.has_value();
}

Refusal refuse(const ColumnLink& link, std::string_view why) {
  return fmt::format("column {}: {}", link.target.name, why);
}

}  // namespace

void append_sql_text(std::string_view text, std::string& sql) {
  sql += '\'';
  for (const char c : text) {
    if (c == '\'' || c == '\\') sql += '\\';
    if (c == '\0') {
      sql += "\\0";
    } else {
      sql += c;
    }
  }
  sql += '\'';
}

MysqlStatements::MysqlStatements(const std::string& table, std::vector<ColumnLink> links) : links_(std::move(links)) {
  std::string columns;
  std::string updates;
  std::string first_key;
  for (const ColumnLink& link : links_) {
    const std::string name = quoted_name(link.target.name);
    columns += (columns.empty() ? "" : ", ") + name;
    if (link.is_key) {
      first_key = name;
    } else {
      updates += fmt::format("{1}{0} = VALUES({0})", name, updates.empty() ? "" : ", ");
    }
  }
  if (updates.empty()) updates = fmt::format("{0} = {0}", first_key);
  upsert_head_ = fmt::format("INSERT INTO {} ({}) VALUES ", quoted_name(table), columns);
  upsert_tail_ = " ON DUPLICATE KEY UPDATE " + updates;
  delete_head_ = fmt::format("DELETE FROM {} WHERE ", quoted_name(table));
}

Refusal MysqlStatements::append(const ResultRows& rows, std::span<const uint32_t> indexes, std::string& sql) const {
  const bool removal = rows.is_removal(indexes.front());
  sql += removal ? delete_head_ : upsert_head_;
  bool first = true;
  for (const uint32_t index : indexes) {
    if (!std::exchange(first, false)) sql += removal ? " OR " : ",";
    if (Refusal refusal = append_cells(rows, index, removal, sql)) return refusal;
  }
  if (!removal) sql += upsert_tail_;
  return std::nullopt;
}

// (a = 1 AND b = 2) rather than (a, b) IN ((1, 2)): MariaDB finds rows of the former alone by an index.
Refusal MysqlStatements::append_cells(const ResultRows& rows, uint32_t index, bool removal, std::string& sql) const {
  const BatchRef batch = rows.batch_of(index);
  sql += '(';
  bool first = true;
  for (const ColumnLink& link : links_) {
    if (removal && !link.is_key) continue;
    if (!std::exchange(first, false)) sql += removal ? " AND " : ",";
    if (removal) sql += quoted_name(link.target.name) + " = ";
    if (Refusal refusal = append_cell(*batch, rows.row_of(index), link, sql)) return refusal;
  }
  sql += ')';
  return std::nullopt;
}

Refusal MysqlStatements::append_cell(const Batch& rows, uint32_t row, const ColumnLink& link, std::string& sql) const {
  const Column& cells = rows.column(link.column);
  if (!cells.is_valid(row)) {
    if (link.is_key) return refuse(link, "NULL is no key; give it a value in key_by, such as coalesce(region, '')");
    sql += "NULL";
    return std::nullopt;
  }
  switch (rows.layout().columns[link.column].type) {
    case ColumnType::boolean:
      sql += cells.as<uint8_t>()[row] != 0 ? '1' : '0';
      return std::nullopt;
    case ColumnType::float32:
      if (Refusal refusal = append_double(cells.as<float>()[row], sql)) return refuse(link, *refusal);
      return std::nullopt;
    case ColumnType::float64:
      if (Refusal refusal = append_double(cells.as<double>()[row], sql)) return refuse(link, *refusal);
      return std::nullopt;
    case ColumnType::timestamp:
    case ColumnType::datetime:
    case ColumnType::time: {
      const Micros value = cells.as<int64_t>()[row];
      if (!fraction_fits(value, link.target)) return refuse(link, "it would round the fraction of the second away");
      if (rows.layout().columns[link.column].type != ColumnType::time) {
        append_time(value, sql);
        return std::nullopt;
      }
      break;
    }
    case ColumnType::text:
    case ColumnType::json: {
      const std::string_view text = rows.bytes_at(link.column, row);
      if (link.is_key && link.target.pads && text.ends_with(' ')) {
        return refuse(link, "the key ends with a space, which the column's collation takes for nothing");
      }
      append_sql_text(text, sql);
      return std::nullopt;
    }
    case ColumnType::bytes:
      append_hex(rows.bytes_at(link.column, row), sql);
      return std::nullopt;
    default:
      break;
  }
  const ColumnType type = rows.layout().columns[link.column].type;
  const size_t begin = sql.size();
  append_cell_text(rows, link.column, row, sql);
  const bool number = is_number(link.target) && (is_integer(type) || is_decimal(type));
  // Beside a number a quoted text is compared as a double, and an unquoted one of more digits is read as one.
  if (number && sql.size() - begin <= kDigitsMax) return std::nullopt;
  sql.insert(begin, 1, '\'');
  sql += '\'';
  return std::nullopt;
}

}  // namespace tidemark::core
