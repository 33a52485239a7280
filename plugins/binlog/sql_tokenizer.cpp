// SPDX-License-Identifier: Apache-2.0
// Scanner over one statement: a position that only moves forward, one token at a time.
//
// Invariants: every loop ends at the text's end; `executable_depth_` counts open executable comments, whose
// closing mark is dropped like the opening one.
// Thread: any; no state outlives a call.
#include "binlog/sql_tokenizer.hpp"

#include <algorithm>

#include "binlog/ascii_text.hpp"

namespace tidemark::binlog {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Scanner {
 public:
  Scanner(std::string_view sql, SqlRules rules) : sql_(sql), rules_(rules) {}

  std::vector<SqlToken> run() {
    tokens_.reserve(sql_.size() / 5 + 2);
    while (skip_space_and_comments()) scan_token();
    tokens_.push_back({TokenKind::kEnd, sql_.substr(sql_.size())});
    return std::move(tokens_);
  }

  void run_statement(StatementStart& start, std::vector<SqlToken>& tokens) {
    tokens_.swap(tokens);  // for its memory
    tokens_.clear();
    position_ = std::min(start.position, sql_.size());
    executable_depth_ = start.executable_depth;
    while (skip_space_and_comments() && sql_[position_] != ';') scan_token();
    tokens_.push_back({TokenKind::kEnd, sql_.substr(position_, 0)});
    start.position = std::min(position_ + 1, sql_.size());
    start.executable_depth = executable_depth_;
    tokens_.swap(tokens);
  }

 private:
  bool backslashes_escape(char quote) const {
    return rules_.backslash_escapes && (quote == '\'' || (quote == '"' && !rules_.ansi_quotes));
  }

  char at(size_t index) const { return index < sql_.size() ? sql_[index] : '\0'; }

  void push(TokenKind kind, size_t end) {
    end = std::min(end, sql_.size());
    tokens_.push_back({kind, sql_.substr(position_, end - position_), backslashes_escape(at(position_))});
    position_ = end;
  }

  /// False at the end of the text.
  bool skip_space_and_comments() {
    while (position_ < sql_.size()) {
      const char c = sql_[position_];
      if (is_space(c)) {
        ++position_;
      } else if (c == '#' || (c == '-' && at(position_ + 1) == '-' &&
                              (position_ + 2 >= sql_.size() || is_space(sql_[position_ + 2])))) {
        const size_t end = sql_.find('\n', position_);
        position_ = end == std::string_view::npos ? sql_.size() : end + 1;
      } else if (c == '/' && at(position_ + 1) == '*') {
        if (!skip_comment()) return false;
      } else if (c == '*' && at(position_ + 1) == '/' && executable_depth_ > 0) {
        --executable_depth_;
        position_ += 2;
      } else {
        return true;
      }
    }
    if (executable_depth_ > 0) push(TokenKind::kBad, sql_.size());
    return false;
  }

  bool is_executed(bool plain, uint32_t version) const {
    if (rules_.dialect == SqlDialect::mysql && !plain) return false;
    if (rules_.dialect == SqlDialect::mariadb && plain && version >= 50700 && version <= 99999) return false;
    return version <= rules_.version;
  }

  /// False after an unterminated comment.
  bool skip_comment() {
    const bool plain = at(position_ + 2) == '!';
    if (plain || (at(position_ + 2) == 'M' && at(position_ + 3) == '!')) {
      size_t content = position_ + (plain ? 3 : 4);
      uint32_t version = 0;
      int digits = 0;
      for (; digits < 6 && is_digit(at(content)); ++digits)
        version = version * 10 + static_cast<uint32_t>(at(content++) - '0');
      if (is_executed(plain, digits < 5 ? 0 : version)) {
        position_ = content;
        ++executable_depth_;
        return true;
      }
    }
    const size_t end = sql_.find("*/", position_ + 2);
    if (end == std::string_view::npos) {
      push(TokenKind::kBad, sql_.size());
      return false;
    }
    position_ = end + 2;
    return true;
  }

  void scan_token() {
    const char c = sql_[position_];
    if (c == '`') return scan_quoted(TokenKind::kQuotedName);
    if (c == '"') return scan_quoted(TokenKind::kDoubleQuoted);
    if (c == '\'') return scan_quoted(TokenKind::kString);
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)) && !after_name())) return scan_number();
    if (is_word(c)) return push(TokenKind::kWord, word_end(position_));
    push(TokenKind::kOperator, position_ + 1);
  }

  /// A dot after a name joins it with the next one, even if that starts with a digit.
  bool after_name() const {
    return !tokens_.empty() &&
           (tokens_.back().kind == TokenKind::kWord || tokens_.back().kind == TokenKind::kQuotedName);
  }

  size_t word_end(size_t index) const {
    while (index < sql_.size() && is_word(sql_[index])) ++index;
    return index;
  }

  void scan_quoted(TokenKind kind) {
    const char quote = sql_[position_];
    const bool escapes = backslashes_escape(quote);
    size_t index = position_ + 1;
    while (index < sql_.size()) {
      if (sql_[index] == '\\' && escapes) {
        index += 2;
      } else if (sql_[index] != quote) {
        ++index;
      } else if (at(index + 1) == quote) {
        index += 2;
      } else {
        return push(kind, index + 1);
      }
    }
    push(TokenKind::kBad, sql_.size());
  }

  /// Names may start with digits (1st_table), numbers may have a fraction and an exponent.
  void scan_number() {
    size_t index = position_;
    while (is_digit(at(index))) ++index;
    const bool joined = !tokens_.empty() && tokens_.back().is('.');
    if (index > position_ && !joined && at(index) == '.') {
      ++index;
      while (is_digit(at(index))) ++index;
    } else if (index == position_) {
      ++index;
      while (is_digit(at(index))) ++index;
    }
    if ((at(index) == 'e' || at(index) == 'E') && exponent_follows(index + 1)) {
      index += 2;
      while (is_digit(at(index))) ++index;
      return push(TokenKind::kNumber, index);
    }
    const size_t end = word_end(index);
    push(end == index ? TokenKind::kNumber : TokenKind::kWord, end);
  }

  bool exponent_follows(size_t index) const {
    if (at(index) == '+' || at(index) == '-') return is_digit(at(index + 1));
    return is_digit(at(index)) && word_end(index) == digits_end(index);
  }

  size_t digits_end(size_t index) const {
    while (is_digit(at(index))) ++index;
    return index;
  }

  std::string_view sql_;
  SqlRules rules_;
  size_t position_ = 0;
  uint32_t executable_depth_ = 0;
  std::vector<SqlToken> tokens_;
};

char unescape(char c) {
  switch (c) {
    case '0':
      return '\0';
    case 'b':
      return '\b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'Z':
      return '\x1a';
    default:
      return c;
  }
}

}  // namespace

bool SqlToken::is(std::string_view keyword) const {
  if (kind != TokenKind::kWord || text.size() != keyword.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (ascii_upper(text[i]) != keyword[i]) return false;
  }
  return true;
}

std::string SqlToken::value() const {
  if (kind != TokenKind::kQuotedName && kind != TokenKind::kDoubleQuoted && kind != TokenKind::kString) {
    return std::string(text);
  }
  const char quote = text[0];
  const std::string_view body = text.substr(1, text.size() - 2);
  std::string result;
  result.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == quote && i + 1 < body.size()) {
      ++i;  // doubled
      result.push_back(quote);
    } else if (body[i] == '\\' && backslashes && i + 1 < body.size()) {
      ++i;
      if (body[i] == '%' || body[i] == '_') result.push_back('\\');  // these two keep their backslash
      result.push_back(unescape(body[i]));
    } else {
      result.push_back(body[i]);
    }
  }
  return result;
}

std::vector<SqlToken> tokenize(std::string_view sql, SqlRules rules) {
  return Scanner(sql, rules).run();
}

void tokenize_statement(std::string_view sql, StatementStart& start, std::vector<SqlToken>& tokens, SqlRules rules) {
  Scanner(sql, rules).run_statement(start, tokens);
}

}  // namespace tidemark::binlog
