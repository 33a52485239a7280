// SPDX-License-Identifier: Apache-2.0
// Classifies statements by their leading words. What is not known to be harmless counts as a data change.
// No state; any thread.
#include "binlog/statement_kind.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "binlog/ddl_parser.hpp"
#include "binlog/sql_cursor.hpp"
#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

namespace {

using Tokens = std::vector<SqlToken>;

// Statements that leave rows of tables alone, or whose row changes are logged as rows.
constexpr std::array<std::string_view, 19> kHarmless{
    "GRANT", "REVOKE", "SET",   "FLUSH", "ANALYZE", "OPTIMIZE", "REPAIR", "CHECK",  "INSTALL", "UNINSTALL",
    "CACHE", "RESET",  "PURGE", "KILL",  "USE",     "LOCK",     "UNLOCK", "CHANGE", "BINLOG"};
constexpr std::array<std::string_view, 5> kDdl{"CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE"};

template <size_t N>
bool any_of(const SqlToken& token, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

StatementKind xa_kind(const SqlToken& word) {
  if (word.is("START") || word.is("BEGIN")) return StatementKind::xa_start;
  if (word.is("END")) return StatementKind::xa_end;
  if (word.is("PREPARE")) return StatementKind::xa_prepare;
  if (word.is("COMMIT")) return StatementKind::xa_commit;
  if (word.is("ROLLBACK")) return StatementKind::xa_rollback;
  return StatementKind::other;
}

StatementKind classify(SqlCursor cursor) {
  if (!skip_set_statement(cursor)) return StatementKind::data_change;
  const SqlToken& word = cursor.peek();
  if (word.kind == TokenKind::kEnd) return StatementKind::empty;
  const SqlToken& next = cursor.peek(1);
  if (word.is("BEGIN")) return StatementKind::begin;
  if (word.is("START")) return next.is("TRANSACTION") ? StatementKind::begin : StatementKind::other;
  if (word.is("COMMIT")) return StatementKind::commit;
  if (word.is("ROLLBACK")) {
    const bool to = next.is("TO") || (next.is("WORK") && cursor.peek(2).is("TO"));
    return to ? StatementKind::rollback_to_savepoint : StatementKind::rollback;
  }
  if (word.is("SAVEPOINT")) return StatementKind::savepoint;
  if (word.is("RELEASE")) return StatementKind::release_savepoint;
  if (word.is("XA")) return xa_kind(next);
  if (changes_no_rows(word, next)) return StatementKind::other;
  return any_of(word, kDdl) ? StatementKind::ddl : StatementKind::data_change;
}

bool is_name(const SqlToken& token) {
  return token.kind == TokenKind::kWord || token.kind == TokenKind::kQuotedName ||
         token.kind == TokenKind::kDoubleQuoted;
}

}  // namespace

bool changes_no_rows(const SqlToken& first, const SqlToken& second) {
  constexpr std::array<std::string_view, 4> kOfTables{"TABLE", "TABLES", "LOCAL", "NO_WRITE_TO_BINLOG"};
  // MariaDB's ANALYZE UPDATE ... changes rows; SET STATEMENT ... FOR is looked through before.
  if (first.is("ANALYZE")) return any_of(second, kOfTables);
  return any_of(first, kHarmless);
}

StatementKind classify_statement(std::string_view text, const SqlRules& rules) {
  if (text == "BEGIN") return StatementKind::begin;
  if (text == "COMMIT") return StatementKind::commit;
  if (text == "ROLLBACK") return StatementKind::rollback;
  const Tokens tokens = tokenize(text, rules);
  return classify(SqlCursor(tokens));
}

std::string savepoint_name(std::string_view text, const SqlRules& rules) {
  const Tokens tokens = tokenize(text, rules);
  // The name is the last word: SAVEPOINT x, RELEASE SAVEPOINT x, ROLLBACK [WORK] TO [SAVEPOINT] x.
  for (size_t i = tokens.size(); i-- > 0;) {
    if (is_name(tokens[i])) return tokens[i].value();
  }
  return {};
}

bool opens_transaction(std::string_view text, SqlDialect dialect) {
  constexpr std::string_view kTail = "START TRANSACTION";
  if (text.size() < kTail.size()) return false;
  const Tokens tokens = tokenize(text, {.dialect = dialect});
  const size_t count = tokens.size();  // kEnd included
  return count >= 4 && tokens[0].is("CREATE") && tokens[count - 3].is("START") && tokens[count - 2].is("TRANSACTION");
}

}  // namespace tidemark::binlog
