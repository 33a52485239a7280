// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog_file/table_filter.hpp"

#include <algorithm>
#include <tidemark/source.hpp>

#include "binlog/ascii_text.hpp"

namespace tidemark::binlog_file {
namespace {

TablePattern pattern_of(std::string_view option, const std::string& text) {
  auto pattern = TablePattern::parse(text);
  if (!pattern) {
    fail(SourceError("option '" + std::string(option) + "': " + pattern.error().text, {}, pattern.error().remedy)
             .kind(ErrorKind::config));
  }
  return std::move(pattern).value();
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// Letters, digits and underscores of the table half, lower case.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const char lower = binlog::ascii_lower(c);
    if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_') letters += lower;
  }
  return letters;
}

}  // namespace

TableFilter::TableFilter(const std::vector<std::string>& tables, const std::vector<std::string>& exclude_tables) {
  for (const std::string& text : tables) tables_.push_back(pattern_of("tables", text));
  for (const std::string& text : exclude_tables) exclude_tables_.push_back(pattern_of("exclude_tables", text));
}

bool TableFilter::matches(std::string_view database, std::string_view table) const {
  const auto hit = [&](const TablePattern& pattern) { return pattern.matches(database, table); };
  return std::any_of(tables_.begin(), tables_.end(), hit) &&
         std::none_of(exclude_tables_.begin(), exclude_tables_.end(), hit);
}

bool TableFilter::matches_database(std::string_view database) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](const TablePattern& pattern) { return pattern.matches_database(database); });
}

std::vector<TableName> near_names(const TablePattern& pattern, const std::vector<TableName>& names) {
  const std::string_view text = pattern.text();
  const bool regex = text.ends_with('/');
  const size_t dot = regex ? std::string_view::npos : text.rfind('.');
  const std::string wanted = letters_of(dot == std::string_view::npos ? text : text.substr(dot + 1));
  std::vector<std::pair<size_t, TableName>> ranked;
  for (const TableName& name : names) {
    const std::string letters = letters_of(name.table);
    const size_t distance = edit_distance(wanted, letters);
    const size_t shared = static_cast<size_t>(
        std::mismatch(wanted.begin(), wanted.end(), letters.begin(), letters.end()).first - wanted.begin());
    if (distance <= 2 || shared >= 3 || letters.find(wanted) != std::string::npos) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<TableName> nearest;
  for (const auto& [distance, name] : ranked) {
    if (nearest.size() < 8) nearest.push_back(name);
  }
  return nearest;
}

}  // namespace tidemark::binlog_file
