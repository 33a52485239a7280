// SPDX-License-Identifier: Apache-2.0
//
// A Pratt parser: parse(power) takes a prefix, then operators that bind tighter than `power`. A fault is kept in
// error_ and ends the parse: every step looks at it before it goes on.
// Behind parse_expression; used once per text, on one thread.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expression/grammar.hpp"
#include "core/expression/syntax_tree.hpp"
#include "core/expression/tokenizer.hpp"

namespace tidemark::core {

class ExpressionParser {
 public:
  /// `aggregates`: names of calls that become nodes of kind aggregate; none where an expression looks at one row.
  ExpressionParser(std::string_view text, std::vector<Token> tokens, std::span<const std::string_view> aggregates)
      : text_(text), tokens_(std::move(tokens)), aggregates_(aggregates) {}

  OrExpressionError<SyntaxTree> run();

 private:
  static constexpr uint32_t kFailed = UINT32_MAX;

  // Words.
  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() { return now().kind == TokenKind::end ? now() : tokens_[at_++]; }
  static bool is_word(const Token& token, std::string_view word) {
    return token.kind == TokenKind::name && lower_ascii(token.text) == word;
  }
  static bool is_symbol(const Token& token, std::string_view symbol) {
    return token.kind == TokenKind::symbol && token.text == symbol;
  }
  bool take_word(std::string_view word) {
    if (!is_word(now(), word)) return false;
    ++at_;
    return true;
  }
  bool take_symbol(std::string_view symbol) {
    if (!is_symbol(now(), symbol)) return false;
    ++at_;
    return true;
  }
  static bool is_reserved(const Token& token) {
    if (token.kind != TokenKind::name) return false;
    return std::find(kReserved.begin(), kReserved.end(), lower_ascii(token.text)) != kReserved.end();
  }

  // Faults.
  uint32_t fail(ExpressionErrorCode code, ExpressionPlace place, std::string text, std::string help) {
    if (!failed_) error_ = {code, place, std::move(text), std::move(help)};
    failed_ = true;
    return kFailed;
  }
  std::string_view word() const { return text_.substr(now().place.offset, std::min<size_t>(now().place.size, 40)); }
  uint32_t fail_expected(std::string_view what, std::string help);
  uint32_t fail_foreign();
  uint32_t fail_rest();
  uint32_t fail_select();
  bool expect_symbol(std::string_view symbol, ExpressionPlace opened);
  bool expect_word(std::string_view word_wanted, std::string help);

  // Nodes. The place of a node is made of its parts' and of what was given.
  uint32_t add(SyntaxNode node);
  static ExpressionPlace joined(ExpressionPlace a, ExpressionPlace b) {
    const size_t begin = std::min(a.offset, b.offset);
    return {begin, std::max(a.offset + a.size, b.offset + b.size) - begin};
  }
  // From `begin` to the end of the last word taken.
  ExpressionPlace since(ExpressionPlace begin) const {
    return at_ == 0 ? begin : joined(begin, tokens_[at_ - 1].place);
  }

  // Values and operators (parser.cpp).
  uint32_t parse(int power);
  uint32_t parse_prefix();
  uint32_t parse_column();
  uint32_t parse_sign_or_parenthesis();
  uint32_t parse_name();
  uint32_t parse_not();
  /// The operator behind `left` with its right side; `left` itself when there is none that binds tighter.
  uint32_t parse_infix(uint32_t left, int power);
  uint32_t parse_logical(uint32_t left, SyntaxKind kind, Power power);
  uint32_t parse_binary(uint32_t left, const InfixSymbol& infix);
  uint32_t parse_join(uint32_t left);
  uint32_t parse_path(uint32_t left, bool unquoted);
  uint32_t parse_is(uint32_t left);
  uint32_t parse_test(uint32_t left, const std::string& test, bool negated, ExpressionPlace begin);

  // Forms with words of their own (parser_calls.cpp).
  uint32_t parse_case();
  uint32_t parse_interval();
  uint32_t parse_cast();
  bool take_size(int* out);
  bool take_type(SyntaxNode* node);
  uint32_t parse_call();
  bool take_arguments(SyntaxNode* node);
  bool take_part(SyntaxNode* node, int power);
  bool take_trim(SyntaxNode* node);
  uint32_t parse_aggregate();
  bool take_filter(SyntaxNode* node);
  bool take_list(std::vector<uint32_t>* out);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::span<const std::string_view> aggregates_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t comparison_ = kFailed;  // the comparison made last: it cannot be the left side of another
  std::string aggregate_;          // that is being read
  bool failed_ = false;
  ExpressionError error_;
  SyntaxTree tree_;
};

}  // namespace tidemark::core
