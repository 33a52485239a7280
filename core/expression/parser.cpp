// SPDX-License-Identifier: Apache-2.0
//
// A Pratt parser: parse(power) takes a prefix, then operators that bind tighter than `power`. A fault is kept in
// error_ and ends the parse: every step looks at it before it goes on.
#include "core/expression/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/expression/grammar.hpp"
#include "core/expression/tokenizer.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kFailed = UINT32_MAX;

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  OrExpressionError<SyntaxTree> run() {
    const uint32_t root = parse(kAny);
    if (!failed_ && now().kind != TokenKind::end) fail_rest();
    if (failed_) return std::move(error_);
    tree_.root = root;
    return std::move(tree_);
  }

 private:
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
  uint32_t fail_expected(std::string_view what, std::string help) {
    const Token& token = now();
    const std::string found = token.kind == TokenKind::end ? "the expression ends" : fmt::format("`{}` stands", word());
    return fail(ExpressionErrorCode::syntax, token.place, fmt::format("{} where {} is expected", found, what),
                std::move(help));
  }
  std::string_view word() const { return text_.substr(now().place.offset, std::min<size_t>(now().place.size, 40)); }
  uint32_t fail_foreign() {
    for (const Foreign& foreign : kForeign) {
      if (is_symbol(now(), foreign.symbol)) {
        return fail(ExpressionErrorCode::not_supported, now().place, fmt::format("`{}` is not supported", now().text),
                    std::string(foreign.help));
      }
    }
    return kFailed;
  }
  uint32_t fail_rest() {
    if (now().kind == TokenKind::symbol) fail_foreign();
    if (failed_) return kFailed;
    std::string help;
    if (is_symbol(now(), ")")) help = "there is no `(` for it";
    if (is_symbol(now(), ",")) help = "lists stand in parentheses, behind IN or a function";
    if (now().kind == TokenKind::name || now().kind == TokenKind::quoted_name) {
      help = "an operator is missing before it; a name with blanks stands in backticks";
    }
    return fail(ExpressionErrorCode::syntax, now().place, fmt::format("`{}` is not expected here", word()), help);
  }
  bool expect_symbol(std::string_view symbol, ExpressionPlace opened) {
    if (failed_) return false;
    if (take_symbol(symbol)) return true;
    if (fail_foreign(); failed_) return false;
    if (symbol == ")" && now().kind == TokenKind::end) {
      fail(ExpressionErrorCode::syntax, opened, "the closing `)` is missing", "close this parenthesis");
    } else {
      fail_expected(fmt::format("`{}`", symbol), "");
    }
    return false;
  }
  bool expect_word(std::string_view word_wanted, std::string help) {
    if (failed_) return false;
    if (take_word(word_wanted)) return true;
    std::string upper(word_wanted);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return static_cast<char>(c - 32); });
    fail_expected(upper, std::move(help));
    return false;
  }

  // Nodes. The place of a node is made of its parts' and of what was given.
  uint32_t add(SyntaxNode node) {
    if (failed_) return kFailed;
    for (const uint32_t part : node.parts) {
      const SyntaxNode& one = tree_.nodes[part];
      node.height = std::max<uint16_t>(node.height, static_cast<uint16_t>(one.height + 1));
      node.place = node.place.size == 0 ? one.place : joined(node.place, one.place);
    }
    if (node.height > kExpressionHeightMax || tree_.nodes.size() >= kExpressionNodesMax) {
      return fail(ExpressionErrorCode::syntax, node.place, "the expression is too large",
                  "make it shorter, or write a long OR as IN (…)");
    }
    tree_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(tree_.nodes.size() - 1);
  }
  static ExpressionPlace joined(ExpressionPlace a, ExpressionPlace b) {
    const size_t begin = std::min(a.offset, b.offset);
    return {begin, std::max(a.offset + a.size, b.offset + b.size) - begin};
  }
  // From `begin` to the end of the last word taken.
  ExpressionPlace since(ExpressionPlace begin) const {
    return at_ == 0 ? begin : joined(begin, tokens_[at_ - 1].place);
  }

  uint32_t parse(int power) {
    if (failed_) return kFailed;
    if (++depth_ > kExpressionDepthMax) {
      return fail(ExpressionErrorCode::syntax, now().place, "the expression is nested too deeply",
                  fmt::format("at most {} levels", kExpressionDepthMax));
    }
    uint32_t left = parse_prefix();
    while (!failed_) {
      const uint32_t more = parse_infix(left, power);
      if (failed_ || more == left) break;
      left = more;
    }
    --depth_;
    return failed_ ? kFailed : left;
  }

  uint32_t parse_prefix() {
    const Token& token = now();
    switch (token.kind) {
      case TokenKind::end:
        return fail_expected("a value", text_.empty() ? "a column, or an expression of columns" : "");
      case TokenKind::number:
      case TokenKind::text: {
        SyntaxNode node;
        node.kind = token.kind == TokenKind::number ? SyntaxKind::number : SyntaxKind::text;
        node.place = token.place;
        node.text = token.text;
        ++at_;
        return add(std::move(node));
      }
      case TokenKind::quoted_name:
        return parse_column();
      case TokenKind::symbol:
        return parse_sign_or_parenthesis();
      case TokenKind::name:
        return parse_name();
    }
    return kFailed;
  }

  uint32_t parse_column() {
    SyntaxNode node;
    node.kind = SyntaxKind::column;
    node.place = now().place;
    node.text = now().text;
    ++at_;
    return add(std::move(node));
  }

  uint32_t parse_sign_or_parenthesis() {
    const Token token = now();
    if (take_symbol("(")) {
      if (is_word(now(), "select")) return fail_select();
      const uint32_t inside = parse(kAny);
      if (!expect_symbol(")", token.place)) return kFailed;
      tree_.nodes[inside].place = since(token.place);  // so that messages show what is marked
      comparison_ = kFailed;
      return inside;
    }
    if (take_symbol("+")) return parse(kSign);
    if (take_symbol("-")) {
      const uint32_t operand = parse(kSign);
      if (failed_) return kFailed;
      SyntaxNode node;
      node.kind = SyntaxKind::negate;
      node.place = node.name_place = token.place;
      node.parts = {operand};
      return add(std::move(node));
    }
    if (fail_foreign(); failed_) return kFailed;
    return fail_expected("a value", "");
  }

  uint32_t fail_select() {
    return fail(ExpressionErrorCode::not_supported, now().place, "subqueries are not supported",
                "an expression looks at one row");
  }

  uint32_t parse_name() {
    const Token token = now();
    const std::string name = lower_ascii(token.text);
    if (name == "not") return parse_not();
    if (name == "null" || name == "true" || name == "false") {
      SyntaxNode node;
      node.kind = name == "null" ? SyntaxKind::null : SyntaxKind::boolean;
      node.place = token.place;
      node.text = name;
      ++at_;
      return add(std::move(node));
    }
    if (name == "case") return parse_case();
    if (name == "interval") return parse_interval();
    if (name == "select") return fail_select();
    if ((name == "timestamp" || name == "date" || name == "datetime") && next().kind == TokenKind::text) {
      SyntaxNode node;
      node.kind = SyntaxKind::temporal;
      node.text = name;
      node.place = node.name_place = token.place;
      ++at_;
      node.parts = {parse_prefix()};
      return add(std::move(node));
    }
    if (is_symbol(next(), "(")) {
      if (name == "cast") return parse_cast();
      if (!is_reserved(token) || name == "mod") return parse_call();
    }
    if (is_reserved(token)) {
      return fail_expected("a value", fmt::format("a column of that name stands in backticks: `{}`", token.text));
    }
    return parse_column();
  }

  uint32_t parse_not() {
    SyntaxNode node;
    node.kind = SyntaxKind::logical_not;
    node.place = node.name_place = take().place;
    const uint32_t operand = parse(kNot);
    if (failed_) return kFailed;
    node.parts = {operand};
    return add(std::move(node));
  }

  uint32_t parse_case() {
    SyntaxNode node;
    node.kind = SyntaxKind::case_when;
    const ExpressionPlace begin = take().place;
    const auto part = [&] {
      const uint32_t index = parse(kAny);
      if (!failed_) node.parts.push_back(index);
    };
    if (!is_word(now(), "when")) {
      node.has_operand = true;
      part();
    }
    while (!failed_ && (node.parts.size() <= (node.has_operand ? 1u : 0u) || is_word(now(), "when"))) {
      if (!expect_word("when", "CASE WHEN condition THEN value ELSE value END")) return kFailed;
      part();
      if (!expect_word("then", "CASE WHEN condition THEN value ELSE value END")) return kFailed;
      part();
    }
    if (!failed_ && take_word("else")) {
      node.has_else = true;
      part();
    }
    if (!expect_word("end", "a CASE ends with END")) return kFailed;
    node.place = since(begin);
    return add(std::move(node));
  }

  uint32_t parse_interval() {
    SyntaxNode node;
    node.kind = SyntaxKind::interval;
    const ExpressionPlace begin = take().place;
    const uint32_t amount = parse(kSign);
    if (failed_) return kFailed;
    if (now().kind != TokenKind::name || is_reserved(now())) {
      return fail_expected("a unit", "such as INTERVAL '10' SECOND");
    }
    node.name_place = now().place;
    node.text = lower_ascii(take().text);
    node.parts = {amount};
    node.place = since(begin);
    return add(std::move(node));
  }

  uint32_t parse_cast() {
    SyntaxNode node;
    node.kind = SyntaxKind::cast;
    const ExpressionPlace begin = take().place;
    const ExpressionPlace opened = take().place;
    const uint32_t operand = parse(kAny);
    if (!expect_word("as", "CAST(value AS type)")) return kFailed;
    node.name_place = now().place;
    if (now().kind != TokenKind::name) return fail_expected("a type", "such as BIGINT or DECIMAL(18,4)");
    node.text = lower_ascii(take().text);
    if (is_symbol(now(), "(")) {
      const ExpressionPlace inner = take().place;
      if (!take_size(&node.precision) || (take_symbol(",") && !take_size(&node.scale)) || !expect_symbol(")", inner)) {
        return kFailed;
      }
      node.name_place = since(node.name_place);
    }
    if (!expect_symbol(")", opened)) return kFailed;
    node.parts = {operand};
    node.place = since(begin);
    return add(std::move(node));
  }

  bool take_size(int* out) {
    const std::string& digits = now().text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
    if (now().kind != TokenKind::number || error != std::errc() || end != digits.data() + digits.size()) {
      fail_expected("a number", "");
      return false;
    }
    ++at_;
    return true;
  }

  uint32_t parse_call() {
    SyntaxNode node;
    node.kind = SyntaxKind::call;
    node.name_place = now().place;
    node.text = lower_ascii(take().text);
    const ExpressionPlace opened = take().place;
    if (!take_symbol(")")) {
      if (is_symbol(now(), "*")) {
        return fail(ExpressionErrorCode::syntax, now().place, "`*` is no value",
                    "aggregates such as count(*) stand in an aggregate's columns");
      }
      if (!take_list(&node.parts) || !expect_symbol(")", opened)) return kFailed;
    }
    node.place = since(node.name_place);
    return add(std::move(node));
  }

  bool take_list(std::vector<uint32_t>* out) {
    do {
      const uint32_t part = parse(kAny);
      if (failed_) return false;
      out->push_back(part);
    } while (take_symbol(","));
    return true;
  }

  // The operator behind `left` with its right side; `left` itself when there is none that binds tighter.
  uint32_t parse_infix(uint32_t left, int power) {
    const Token& token = now();
    if (token.kind != TokenKind::symbol && token.kind != TokenKind::name) return left;
    const std::string word_now = lower_ascii(token.text);
    if (power < kOr && word_now == "or") return parse_logical(left, SyntaxKind::logical_or, kOr);
    if (power < kAnd && word_now == "and") return parse_logical(left, SyntaxKind::logical_and, kAnd);
    if (power < kCompare && token.kind == TokenKind::name) {
      if (word_now == "is") return parse_is(left);
      const bool negated = word_now == "not";
      const std::string test = negated ? lower_ascii(next().text) : word_now;
      if (test == "in" || test == "between" || test == "like") {
        at_ += negated ? 2u : 1u;
        return parse_test(left, test, negated, token.place);
      }
      if (test == "regexp" || test == "rlike" || word_now == "xor") {
        return fail(ExpressionErrorCode::not_supported, token.place, fmt::format("{} is not supported yet", word()),
                    word_now == "xor" ? "write <> between conditions" : "LIKE knows % and _");
      }
    }
    for (const InfixSymbol& infix : kInfix) {
      if (infix.symbol == word_now && power < infix.power) return parse_binary(left, infix);
    }
    return left;
  }

  uint32_t parse_logical(uint32_t left, SyntaxKind kind, Power power) {
    SyntaxNode node;
    node.kind = kind;
    node.name_place = now().place;
    node.parts = {left};
    const std::string_view own = kind == SyntaxKind::logical_or ? "or" : "and";
    while (take_word(own)) {
      const uint32_t right = parse(power);
      if (failed_) return kFailed;
      node.parts.push_back(right);
    }
    return add(std::move(node));
  }

  uint32_t parse_binary(uint32_t left, const InfixSymbol& infix) {
    SyntaxNode node;
    node.kind = infix.kind;
    node.operation = infix.operation;
    node.name_place = now().place;
    if (infix.kind == SyntaxKind::comparison && left == comparison_) {
      return fail(ExpressionErrorCode::syntax, node.name_place, "comparisons cannot be chained",
                  "write a < b AND b < c");
    }
    ++at_;
    const uint32_t right = parse(infix.power);
    if (failed_) return kFailed;
    node.parts = {left, right};
    const uint32_t out = add(std::move(node));
    if (infix.kind == SyntaxKind::comparison) comparison_ = out;
    return out;
  }

  uint32_t parse_is(uint32_t left) {
    SyntaxNode node;
    node.name_place = take().place;
    node.negated = take_word("not");
    if (take_word("null")) {
      node.kind = SyntaxKind::is_null;
    } else if (take_word("true")) {
      node.kind = SyntaxKind::is_true;
    } else if (take_word("false")) {
      node.kind = SyntaxKind::is_false;
    } else {
      return fail_expected("NULL", "IS NULL, IS NOT NULL, IS TRUE or IS FALSE; write = to compare");
    }
    node.parts = {left};
    node.place = since(node.name_place);
    return add(std::move(node));
  }

  uint32_t parse_test(uint32_t left, const std::string& test, bool negated, ExpressionPlace begin) {
    SyntaxNode node;
    node.negated = negated;
    node.name_place = since(begin);
    node.parts = {left};
    if (test == "in") {
      node.kind = SyntaxKind::in_list;
      const ExpressionPlace opened = now().place;
      if (!expect_symbol("(", opened)) return kFailed;
      if (is_word(now(), "select")) return fail_select();
      if (!take_list(&node.parts) || !expect_symbol(")", opened)) return kFailed;
      node.place = since(begin);
      return add(std::move(node));
    }
    node.kind = test == "like" ? SyntaxKind::like : SyntaxKind::between;
    node.parts.push_back(parse(kCompare));
    if (test == "between") {
      if (!expect_word("and", "BETWEEN low AND high")) return kFailed;
      node.parts.push_back(parse(kCompare));
    } else if (!failed_ && take_word("escape")) {
      node.parts.push_back(parse(kCompare));
    }
    return add(std::move(node));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t comparison_ = kFailed;  // the comparison made last: it cannot be the left side of another
  bool failed_ = false;
  ExpressionError error_;
  SyntaxTree tree_;
};

}  // namespace

OrExpressionError<SyntaxTree> parse_expression(std::string_view text) {
  auto tokens = tokenize_expression(text);
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  return Parser(text, std::move(std::get<std::vector<Token>>(tokens))).run();
}

}  // namespace tidemark::core
