// SPDX-License-Identifier: Apache-2.0
// Walks over the tokens of one statement for the parsers of this folder.
//
// Invariants: never goes past the closing kEnd token; after the first failure the reason is kept, and callers
// stop as soon as they see failed().
// Thread: one; borrows the tokens.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "binlog/sql_tokenizer.hpp"

namespace tidemark::binlog {

class SqlCursor {
 public:
  explicit SqlCursor(std::span<const SqlToken> tokens, SqlRules rules = {}) : tokens_(tokens), rules_(rules) {}

  const SqlRules& rules() const { return rules_; }

  const SqlToken& peek(size_t ahead = 0) const { return tokens_[std::min(index_ + ahead, tokens_.size() - 1)]; }
  bool at_end() const { return peek().kind == TokenKind::kEnd || peek().is(';'); }
  void next() {
    if (index_ + 1 < tokens_.size()) ++index_;
  }

  bool at(std::string_view word) const { return peek().is(word); }
  bool at(char c) const { return peek().is(c); }
  bool at_any(std::initializer_list<std::string_view> words) const { return is_any(peek(), words); }
  static bool is_any(const SqlToken& token, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
      if (token.is(word)) return true;
    }
    return false;
  }

  bool accept(std::string_view word) { return take(at(word)); }
  bool accept(char c) { return take(at(c)); }
  bool accept(std::string_view first, std::string_view second) {
    if (!at(first) || !peek(1).is(second)) return false;
    next();
    next();
    return true;
  }
  bool accept_any(std::initializer_list<std::string_view> words) { return take(at_any(words)); }
  bool expect(char c) { return accept(c) || fail(std::string("'") + c + "' expected"); }
  bool expect(std::string_view word) { return accept(word) || fail(std::string(word) + " expected"); }

  /// A name: word, `name` or "name"; digits alone only where `after_dot`.
  std::optional<std::string> name(bool after_dot = false) {
    const TokenKind kind = peek().kind;
    const bool good = kind == TokenKind::kWord || kind == TokenKind::kQuotedName || kind == TokenKind::kDoubleQuoted ||
                      (after_dot && kind == TokenKind::kNumber);
    if (!good) {
      fail("a name expected");
      return std::nullopt;
    }
    std::string value = peek().value();
    next();
    return value;
  }

  /// At '(': goes behind the matching ')'.
  bool skip_parentheses() {
    if (!expect('(')) return false;
    for (int depth = 1; depth > 0; next()) {
      if (peek().kind == TokenKind::kEnd || peek().kind == TokenKind::kBad) return fail("')' missing");
      if (at('(')) ++depth;
      if (at(')')) --depth;
    }
    return true;
  }

  /// Goes to the next ',' or ')' of this level, or to the end.
  bool skip_item() {
    while (!at_end() && !at(',') && !at(')')) {
      if (peek().kind == TokenKind::kBad) return fail("unterminated text");
      if (at('(')) {
        if (!skip_parentheses()) return false;
      } else {
        next();
      }
    }
    return true;
  }

  /// Keeps the first reason, with the text it is about; always false.
  bool fail(std::string reason) {
    if (failure_.empty()) {
      const std::string_view near = peek().text.substr(0, 40);
      failure_ = std::move(reason) + (near.empty() ? " at the end" : " near '" + std::string(near) + "'");
      failed_at_ = peek().text;
    }
    return false;
  }
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  /// The token at the first failure, a view of the statement.
  std::string_view failed_at() const { return failed_at_; }

 private:
  bool take(bool matched) {
    if (matched) next();
    return matched;
  }

  std::span<const SqlToken> tokens_;
  SqlRules rules_;
  size_t index_ = 0;
  std::string failure_;
  std::string_view failed_at_;
};

}  // namespace tidemark::binlog
