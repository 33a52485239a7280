// SPDX-License-Identifier: Apache-2.0
// Globs are turned into anchored regular expressions, so that both kinds are matched in linear time by RE2.
//
// Invariant: patterns are compiled with errors kept for the message, never printed.
// Thread: any.
#include "binlog/table_pattern.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace tidemark::binlog {
namespace {

using Half = std::shared_ptr<const RE2>;

DecodeError refused(std::string_view pattern, const std::string& cause, std::string remedy) {
  return {ErrorKind::unsupported, "pattern \"" + std::string(pattern) + "\" " + cause, {}, 0, std::move(remedy)};
}

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

Outcome<Half> compile(std::string_view pattern, const std::string& regex) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  Half compiled = std::make_shared<const RE2>(regex, options);
  if (compiled->ok()) return compiled;
  return refused(pattern, "is no regular expression: " + compiled->error(),
                 "see https://github.com/google/re2/wiki/Syntax");
}

/// Takes one half off the front of `rest`.
Outcome<Half> take_half(std::string_view text, std::string_view& rest) {
  std::string regex;
  if (rest.starts_with('/')) {
    size_t end = 1;
    while (end < rest.size() && !(rest[end] == '/' && (end + 1 == rest.size() || rest[end + 1] == '.'))) {
      end += rest[end] == '\\' ? 2 : 1;
    }
    if (end >= rest.size()) return refused(text, "has no closing '/'", "write /regular expression/");
    regex = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    size_t end = 0;
    while (end < rest.size() && rest[end] != '.') end += rest[end] == '\\' ? 2 : 1;
    end = std::min(end, rest.size());
    regex = regex_of_glob(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  if (regex.empty()) return refused(text, "has an empty half", "write \"table\" or \"database.table\"");
  return compile(text, regex);
}

bool is_system_database(std::string_view database) {
  return database == "mysql" || database == "sys" || database == "information_schema" ||
         database == "performance_schema";
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Outcome<NameGlob> NameGlob::parse(std::string_view glob) {
  auto regex = compile(glob, regex_of_glob(glob));
  if (!regex) return std::move(regex).error();
  return NameGlob(std::move(regex).value());
}

bool NameGlob::matches(std::string_view name) const {
  return RE2::FullMatch(piece(name), *regex_);
}

Outcome<TablePattern> TablePattern::parse(std::string_view text) {
  TablePattern pattern(text);
  std::string_view rest = text;
  auto first = take_half(text, rest);
  if (!first) return std::move(first).error();
  if (rest.empty()) {
    pattern.table_ = *first;
    return pattern;
  }
  rest.remove_prefix(1);
  auto second = take_half(text, rest);
  if (!second) return std::move(second).error();
  if (!rest.empty()) {
    return refused(text, "has more than two halves", "write \"database.table\"; a dot in a name as \\.");
  }
  pattern.database_ = *first;
  pattern.table_ = *second;
  return pattern;
}

bool TablePattern::matches_database(std::string_view database) const {
  return database_ ? RE2::FullMatch(piece(database), *database_) : !is_system_database(database);
}

bool TablePattern::matches(std::string_view database, std::string_view table) const {
  return matches_database(database) && RE2::FullMatch(piece(table), *table_);
}

}  // namespace tidemark::binlog
