// SPDX-License-Identifier: Apache-2.0
//
// Faults, values and operators.
#include "core/expression/parser.hpp"

#include <fmt/format.h>

#include "core/expression/expression_parser.hpp"

namespace tidemark::core {

OrExpressionError<SyntaxTree> ExpressionParser::run() {
  const uint32_t root = parse(kAny);
  if (!failed_ && now().kind != TokenKind::end) fail_rest();
  if (failed_) return std::move(error_);
  tree_.root = root;
  return std::move(tree_);
}
uint32_t ExpressionParser::fail_expected(std::string_view what, std::string help) {
  const Token& token = now();
  const std::string found = token.kind == TokenKind::end ? "the expression ends" : fmt::format("`{}` stands", word());
  return fail(ExpressionErrorCode::syntax, token.place, fmt::format("{} where {} is expected", found, what),
              std::move(help));
}
uint32_t ExpressionParser::fail_foreign() {
  for (const Foreign& foreign : kForeign) {
    if (is_symbol(now(), foreign.symbol)) {
      return fail(ExpressionErrorCode::not_supported, now().place, fmt::format("`{}` is not supported", now().text),
                  std::string(foreign.help));
    }
  }
  return kFailed;
}
uint32_t ExpressionParser::fail_rest() {
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
bool ExpressionParser::expect_symbol(std::string_view symbol, ExpressionPlace opened) {
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
bool ExpressionParser::expect_word(std::string_view word_wanted, std::string help) {
  if (failed_) return false;
  if (take_word(word_wanted)) return true;
  std::string upper(word_wanted);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return static_cast<char>(c - 32); });
  fail_expected(upper, std::move(help));
  return false;
}

uint32_t ExpressionParser::add(SyntaxNode node) {
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
uint32_t ExpressionParser::parse(int power) {
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

uint32_t ExpressionParser::parse_prefix() {
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

uint32_t ExpressionParser::parse_column() {
  SyntaxNode node;
  node.kind = SyntaxKind::column;
  node.place = now().place;
  node.text = now().text;
  ++at_;
  return add(std::move(node));
}

uint32_t ExpressionParser::parse_sign_or_parenthesis() {
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

uint32_t ExpressionParser::fail_select() {
  return fail(ExpressionErrorCode::not_supported, now().place, "subqueries are not supported",
              "an expression looks at one row");
}

uint32_t ExpressionParser::parse_name() {
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
    if (std::find(aggregates_.begin(), aggregates_.end(), name) != aggregates_.end()) return parse_aggregate();
    if (!is_reserved(token) || name == "mod") return parse_call();
  }
  if (is_reserved(token)) {
    return fail_expected("a value", fmt::format("a column of that name stands in backticks: `{}`", token.text));
  }
  return parse_column();
}

uint32_t ExpressionParser::parse_not() {
  SyntaxNode node;
  node.kind = SyntaxKind::logical_not;
  node.place = node.name_place = take().place;
  const uint32_t operand = parse(kNot);
  if (failed_) return kFailed;
  node.parts = {operand};
  return add(std::move(node));
}

uint32_t ExpressionParser::parse_infix(uint32_t left, int power) {
  const Token& token = now();
  if (token.kind != TokenKind::symbol && token.kind != TokenKind::name) return left;
  const std::string word_now = lower_ascii(token.text);
  if (power < kOr && word_now == "or") return parse_logical(left, SyntaxKind::logical_or, kOr);
  if (power < kAnd && word_now == "and") return parse_logical(left, SyntaxKind::logical_and, kAnd);
  if (power < kCompare && token.kind == TokenKind::name) {
    if (word_now == "is") return parse_is(left);
    const bool negated = word_now == "not";
    const std::string test = negated ? lower_ascii(next().text) : word_now;
    if (test == "in" || test == "between" || test == "like" || test == "regexp" || test == "rlike") {
      at_ += negated ? 2u : 1u;
      return parse_test(left, test, negated, token.place);
    }
    if (word_now == "xor") {
      return fail(ExpressionErrorCode::not_supported, token.place, fmt::format("{} is not supported", word()),
                  "write <> between conditions");
    }
  }
  if (power < kJoin && word_now == "||") return parse_join(left);
  if (power < kPath && (word_now == "->" || word_now == "->>")) return parse_path(left, word_now == "->>");
  for (const InfixSymbol& infix : kInfix) {
    if (infix.symbol == word_now && power < infix.power) return parse_binary(left, infix);
  }
  return left;
}

uint32_t ExpressionParser::parse_logical(uint32_t left, SyntaxKind kind, Power power) {
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

uint32_t ExpressionParser::parse_binary(uint32_t left, const InfixSymbol& infix) {
  SyntaxNode node;
  node.kind = infix.kind;
  node.operation = infix.operation;
  node.name_place = now().place;
  if (infix.kind == SyntaxKind::comparison && left == comparison_) {
    return fail(ExpressionErrorCode::syntax, node.name_place, "comparisons cannot be chained", "write a < b AND b < c");
  }
  ++at_;
  const uint32_t right = parse(infix.power);
  if (failed_) return kFailed;
  node.parts = {left, right};
  const uint32_t out = add(std::move(node));
  if (infix.kind == SyntaxKind::comparison) comparison_ = out;
  return out;
}

uint32_t ExpressionParser::parse_join(uint32_t left) {
  SyntaxNode node;
  node.kind = SyntaxKind::call;
  node.text = "concat";
  node.name_place = now().place;
  node.parts = {left};
  while (take_symbol("||")) {
    const uint32_t right = parse(kJoin);
    if (failed_) return kFailed;
    node.parts.push_back(right);
  }
  return add(std::move(node));
}

uint32_t ExpressionParser::parse_path(uint32_t left, bool unquoted) {
  SyntaxNode node;
  node.kind = SyntaxKind::call;
  node.text = "json_extract";
  node.name_place = take().place;
  if (now().kind != TokenKind::text) return fail_expected("a path in quotes", "such as details->>'$.items[0].price'");
  node.parts = {left, parse_prefix()};
  const ExpressionPlace arrow = node.name_place;
  const uint32_t value = add(std::move(node));
  if (!unquoted || failed_) return value;
  SyntaxNode text;
  text.kind = SyntaxKind::call;
  text.text = "json_unquote";
  text.name_place = arrow;
  text.parts = {value};
  return add(std::move(text));
}

uint32_t ExpressionParser::parse_is(uint32_t left) {
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

uint32_t ExpressionParser::parse_test(uint32_t left, const std::string& test, bool negated, ExpressionPlace begin) {
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
  node.kind = test == "between" ? SyntaxKind::between : test == "like" ? SyntaxKind::like : SyntaxKind::regexp;
  node.parts.push_back(parse(kCompare));
  if (test == "between") {
    if (!expect_word("and", "BETWEEN low AND high")) return kFailed;
    node.parts.push_back(parse(kCompare));
  } else if (!failed_ && test == "like" && take_word("escape")) {
    node.parts.push_back(parse(kCompare));
  }
  return add(std::move(node));
}

OrExpressionError<SyntaxTree> parse_expression(std::string_view text, std::span<const std::string_view> aggregates) {
  auto tokens = tokenize_expression(text);
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  return ExpressionParser(text, std::move(std::get<std::vector<Token>>(tokens)), aggregates).run();
}

}  // namespace tidemark::core
