// SPDX-License-Identifier: Apache-2.0
// Globs are turned into anchored regular expressions, so that both kinds are matched in linear time by RE2.
//
// Invariant: patterns are compiled with errors kept for the message, never printed.
// Thread: any.
#include "binlog_file/table_filter.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <tidemark/source.hpp>

namespace tidemark::binlog_file {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view pattern, const std::string& cause,
                         std::string_view remedy) {
  fail(
      SourceError("option '" + std::string(option) + "': pattern \"" + std::string(pattern) + "\" " + cause, {}, remedy)
          .kind(ErrorKind::config));
  __builtin_unreachable();
}

/// * any run, ? one character, [a-z] and [!a-z] sets, \ takes the next character as it is.
std::string regex_of_glob(std::string_view glob) {
  std::string regex;
  for (size_t i = 0; i < glob.size(); ++i) {
    const char c = glob[i];
    const size_t close = c == '[' ? glob.find(']', i + 2) : std::string_view::npos;
    if (c == '*') {
      regex += ".*";
    } else if (c == '?') {
      regex += '.';
    } else if (close != std::string_view::npos) {
      std::string set(glob.substr(i + 1, close - i - 1));
      if (set[0] == '!') set[0] = '^';
      regex += '[' + set + ']';
      i = close;
    } else {
      if (c == '\\' && i + 1 < glob.size()) ++i;
      regex += RE2::QuoteMeta(glob.substr(i, 1));
    }
  }
  return regex;
}

/// Takes one half off the front of `rest`, together with the dot behind it.
std::shared_ptr<const RE2> take_half(std::string_view option, std::string_view text, std::string_view& rest) {
  std::string regex;
  if (rest.starts_with('/')) {
    size_t end = 1;
    while (end < rest.size() && !(rest[end] == '/' && (end + 1 == rest.size() || rest[end + 1] == '.'))) {
      end += rest[end] == '\\' ? 2 : 1;
    }
    if (end >= rest.size()) refuse(option, text, "has no closing '/'", "write /regular expression/");
    regex = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    size_t end = 0;
    while (end < rest.size() && rest[end] != '.') end += rest[end] == '\\' ? 2 : 1;
    end = std::min(end, rest.size());
    regex = regex_of_glob(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  if (regex.empty()) refuse(option, text, "has an empty half", "write \"table\" or \"database.table\"");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  auto compiled = std::make_shared<const RE2>(regex, options);
  if (!compiled->ok()) {
    refuse(option, text, "is no regular expression: " + compiled->error(),
           "see https://github.com/google/re2/wiki/Syntax");
  }
  return compiled;
}

bool is_system_database(std::string_view database) {
  return database == "mysql" || database == "sys" || database == "information_schema" ||
         database == "performance_schema";
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
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
    if (c >= 'A' && c <= 'Z') {
      letters += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') {
      letters += c;
    }
  }
  return letters;
}

}  // namespace

TablePattern::TablePattern(std::string_view option, std::string_view text) : text_(text) {
  std::string_view rest = text_;
  std::shared_ptr<const RE2> first = take_half(option, text_, rest);
  if (rest.empty()) {
    table_ = std::move(first);
    return;
  }
  rest.remove_prefix(1);
  database_ = std::move(first);
  table_ = take_half(option, text_, rest);
  if (!rest.empty()) {
    refuse(option, text_, "has more than two halves", "write \"database.table\"; a dot in a name as \\.");
  }
}

bool TablePattern::matches_database(std::string_view database) const {
  return database_ ? RE2::FullMatch(piece(database), *database_) : !is_system_database(database);
}

bool TablePattern::matches(std::string_view database, std::string_view table) const {
  return matches_database(database) && RE2::FullMatch(piece(table), *table_);
}

TableFilter::TableFilter(const std::vector<std::string>& tables, const std::vector<std::string>& exclude_tables) {
  for (const std::string& text : tables) tables_.emplace_back("tables", text);
  for (const std::string& text : exclude_tables) exclude_tables_.emplace_back("exclude_tables", text);
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
