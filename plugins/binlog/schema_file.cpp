// SPDX-License-Identifier: Apache-2.0
// Splits the text at ';' with the tokenizer, then gives each statement to a tracker that starts empty. Executable
// comments are SQL, as the client that loads a dump would take them. Time is linear in the text.
// Thread: any; no state.
#include "binlog/schema_file.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include "binlog/ddl_parser.hpp"
#include "binlog/sql_cursor.hpp"
#include "binlog/table_pattern.hpp"

namespace tidemark::binlog {
namespace {

constexpr const char* kRemedy =
    "the file may hold USE, CREATE DATABASE and CREATE TABLE, as `mysqldump --no-data --skip-triggers` writes them";
constexpr size_t kBytesMax = size_t{256} << 20;

class Declarations {
 public:
  Declarations(std::string_view text, std::string_view path, SchemaTracker& declared)
      : text_(text), path_(path), declared_(declared) {}

  Checked run() {
    StatementStart next;
    std::vector<SqlToken> tokens;
    while (next.position < text_.size()) {
      const size_t begin = next.position;
      tokenize_statement(text_, next, tokens);
      const size_t last = tokens.size() - 1;  // kEnd
      if (last > 0 && tokens[last - 1].kind == TokenKind::kBad) {
        return error_at(offset_of(tokens[last - 1]), "a text, name or comment that begins here has no end", {});
      }
      if (last == 0) continue;
      const std::string_view sql = text_.substr(begin, offset_of(tokens[last]) - begin);
      if (auto done = take(std::span(tokens).first(last), begin, sql); !done) return done;
    }
    return Done{};
  }

 private:
  size_t offset_of(const SqlToken& token) const { return static_cast<size_t>(token.text.data() - text_.data()); }

  /// Counts on from the offset of the call before, as long as offsets grow.
  size_t line_of(size_t offset) {
    if (offset < counted_) {
      counted_ = 0;
      line_ = 1;
    }
    const std::string_view ahead = text_.substr(counted_, offset - counted_);
    line_ += static_cast<size_t>(std::count(ahead.begin(), ahead.end(), '\n'));
    counted_ = offset;
    return line_;
  }

  DecodeError error_at(size_t offset, std::string cause, std::string remedy) {
    const size_t line_begin = text_.substr(0, offset).rfind('\n') + 1;  // npos + 1 = 0
    return {ErrorKind::schema, std::move(cause), std::string(path_) + ":" + std::to_string(line_of(offset)),
            offset - line_begin + 1, std::move(remedy)};
  }

  Checked take(std::span<const SqlToken> words, size_t begin, std::string_view sql) {
    const size_t at = offset_of(words.front());
    if (words.front().is("USE")) return use(words);
    const ParsedStatement statement = parse_statement(database_, sql);
    if (!statement.failure.empty()) {
      return error_at(std::min(begin + statement.failure_offset, text_.size()),
                      statement.verb + " was not understood: " + statement.failure, {});
    }
    if (statement.statement_class != StatementClass::kDdl) return pass_over(words);
    const auto* create = std::get_if<CreateTable>(&statement.ddl);
    if (create != nullptr && create->temporary) return error_at(at, "temporary tables are in no binlog", kRemedy);
    const bool creates = create != nullptr && !create->if_not_exists && !statement.removes_rows;
    if (creates && schema_of(statement.targets.front()).schema != nullptr) {
      return error_at(at, name_of(statement.targets.front()) + " is declared already", "keep one of the declarations");
    }
    for (const TableRef& table : statement.targets) {
      for (const std::string* name : {&table.database, &table.table}) {
        if (!NameGlob::has_wildcards(*name)) continue;
        if (auto glob = NameGlob::parse(*name); !glob) return error_at(at, glob.error().text, glob.error().remedy);
      }
    }
    const std::string source = std::string(path_);
    declared_.on_declaration({database_, sql, source, line_of(at)});
    if (create == nullptr && !std::holds_alternative<AlterTable>(statement.ddl)) return Done{};
    const SchemaTracker::Found found = schema_of(statement.targets.front());
    if (found.schema) return Done{};
    return error_at(at, "the columns of " + name_of(statement.targets.front()) + " are unknown: " + found.reason, {});
  }

  Checked use(std::span<const SqlToken> words) {
    std::vector<SqlToken> tokens(words.begin() + 1, words.end());
    tokens.push_back({TokenKind::kEnd, {}});
    SqlCursor cursor(tokens);
    const std::optional<std::string> name = cursor.name();
    if (!name || !cursor.at_end()) return error_at(offset_of(words.front()), "USE is followed by no database", {});
    database_ = *name;
    return Done{};
  }

  /// What dumps hold besides, and what does not make or change tables.
  Checked pass_over(std::span<const SqlToken> words) {
    const SqlToken& verb = words.front();
    if (SqlCursor::is_any(verb, {"SET", "LOCK", "UNLOCK", "DO"})) return Done{};
    if (SqlCursor::is_any(verb, {"CREATE", "DROP"})) {
      constexpr size_t kWordsBeforeObject = 20;  // ALGORITHM = x DEFINER = `a`@`b` SQL SECURITY x
      for (const SqlToken& word : words.first(std::min(words.size(), kWordsBeforeObject))) {
        if (SqlCursor::is_any(word, {"VIEW", "INDEX"})) return Done{};
        if (SqlCursor::is_any(word, {"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE"})) break;
      }
    }
    return error_at(offset_of(verb), "'" + std::string(verb.text) + "' declares no table", kRemedy);
  }

  SchemaTracker::Found schema_of(const TableRef& table) const { return declared_.find(table.database, table.table); }
  static std::string name_of(const TableRef& table) { return table.database == "*" ? table.table : table.full_name(); }

  std::string_view text_;
  std::string_view path_;
  SchemaTracker& declared_;
  std::string database_ = "*";
  size_t counted_ = 0;
  size_t line_ = 1;  ///< of the byte at `counted_`
};

Outcome<std::string> text_of(const std::string& path) {
  constexpr size_t kChunkBytes = size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file && text.size() <= kBytesMax) {
    const size_t before = text.size();
    const size_t wanted = std::min(kChunkBytes, kBytesMax + 1 - before);
    text.resize(before + wanted);
    file.read(text.data() + before, static_cast<std::streamsize>(wanted));
    text.resize(before + static_cast<size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) {
    return DecodeError{ErrorKind::io, "the schema file '" + path + "' cannot be read", {}, 0, "check path and rights"};
  }
  if (text.size() > kBytesMax) {
    return DecodeError{ErrorKind::schema, "the schema file '" + path + "' is larger than 256 MiB", {}, 0, kRemedy};
  }
  return text;
}

}  // namespace

Checked declare_tables(std::string_view text, std::string_view path, SchemaTracker& declared) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Declarations(text, path, declared).run();
}

Checked load_schema_files(std::span<const std::string> paths, SchemaTracker& tracker) {
  if (paths.empty()) return Done{};
  SchemaTracker declared;
  for (const std::string& path : paths) {
    auto text = text_of(path);
    if (!text) return std::move(text).error();
    if (auto done = declare_tables(*text, path, declared); !done) return done;
  }
  tracker.set_base(declared);
  return Done{};
}

}  // namespace tidemark::binlog
