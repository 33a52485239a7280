// SPDX-License-Identifier: Apache-2.0
// Splits SQL text of MySQL and MariaDB into tokens, as far as DDL tracking needs it.
//
// Duty: words, quoted names, strings, numbers and operators; comments are dropped, the content of executable
// comments (/*!50100 ... */, /*!...*/, /*M! ... */) is SQL like any other, unless the rules say that the server does
// not execute it. (A server rewrites those that it did not execute into plain comments before it logs a statement,
// except those that are no executable comments to it at all.)
// Invariants: never throws on bad text (an unterminated string or comment gives one kBad token and the end);
// token texts are views of the statement, which must outlive them.
// Thread: any; no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::binlog {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,          ///< identifier or keyword, unquoted (also names that start with a digit)
  kQuotedName,    ///< `name`
  kDoubleQuoted,  ///< "text": a name under ANSI_QUOTES, else a string; the parser decides by place
  kString,        ///< 'text', also with introducer prefixes N, x, b removed into their own word token
  kNumber,
  kOperator,  ///< one character
  kBad        ///< unterminated string, name or comment
};

/// Whose executable comments are SQL.
enum class SqlDialect : uint8_t {
  any,     ///< all of them
  mysql,   ///< /*M! ... */ is a plain comment
  mariadb  ///< /*!50700 to /*!99999 are plain comments
};

/// How the session's sql_mode, and the server, make text read.
struct SqlRules {
  bool ansi_quotes = false;       ///< "x" is a name, in which a backslash is nothing special
  bool backslash_escapes = true;  ///< false: NO_BACKSLASH_ESCAPES
  bool real_as_float = false;     ///< REAL is FLOAT
  bool oracle = false;            ///< MariaDB's sql_mode=ORACLE has types of its own
  SqlDialect dialect = SqlDialect::any;
  /// Executable comments of a higher version are plain ones. No server has the highest version there is, with which
  /// dumps mark what clients alone read.
  uint32_t version = 999998;
};

struct SqlToken {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;    ///< as written, quotes included
  bool backslashes = true;  ///< backslashes in `text` are escapes

  /// Unquoted words only: equal without regard to ASCII case. `keyword` is upper case.
  bool is(std::string_view keyword) const;
  /// The one-character operator `c`.
  bool is(char c) const { return kind == TokenKind::kOperator && text[0] == c; }
  /// Text with quotes removed, doubled quotes and (in strings) backslash escapes resolved.
  std::string value() const;
};

/// Tokens of `sql`, closed by one kEnd.
std::vector<SqlToken> tokenize(std::string_view sql, SqlRules rules = {});

/// Where the next statement of a text begins.
struct StatementStart {
  size_t position = 0;
  uint32_t executable_depth = 0;  ///< executable comments that the statements before left open
};

/// For texts of many statements: sets `tokens` to those of the statement at `start`, up to its ';', at which the kEnd
/// stands; `start` is behind that afterwards, or at the text's end.
void tokenize_statement(std::string_view sql, StatementStart& start, std::vector<SqlToken>& tokens,
                        SqlRules rules = {});

}  // namespace tidemark::binlog
