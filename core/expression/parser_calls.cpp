// SPDX-License-Identifier: Apache-2.0
//
// What has words of its own inside: CASE, INTERVAL, CAST, calls of functions and of aggregates.
#include <fmt/format.h>

#include <charconv>

#include "core/expression/expression_parser.hpp"
#include "core/expression/parser.hpp"

namespace tidemark::core {

uint32_t ExpressionParser::parse_case() {
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

uint32_t ExpressionParser::parse_interval() {
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

uint32_t ExpressionParser::parse_cast() {
  SyntaxNode node;
  node.kind = SyntaxKind::cast;
  const ExpressionPlace begin = take().place;
  const ExpressionPlace opened = take().place;
  const uint32_t operand = parse(kAny);
  if (!expect_word("as", "CAST(value AS type)")) return kFailed;
  if (!take_type(&node)) return kFailed;
  if (!expect_symbol(")", opened)) return kFailed;
  node.parts = {operand};
  node.place = since(begin);
  return add(std::move(node));
}

bool ExpressionParser::take_type(SyntaxNode* node) {
  node->name_place = now().place;
  if (now().kind != TokenKind::name) {
    fail_expected("a type", "such as BIGINT or DECIMAL(18,4)");
    return false;
  }
  node->text = lower_ascii(take().text);
  if (!is_symbol(now(), "(")) return true;
  const ExpressionPlace inner = take().place;
  if (!take_size(&node->precision) || (take_symbol(",") && !take_size(&node->scale)) || !expect_symbol(")", inner)) {
    return false;
  }
  node->name_place = since(node->name_place);
  return true;
}

bool ExpressionParser::take_size(int* out) {
  const std::string& digits = now().text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  if (now().kind != TokenKind::number || error != std::errc() || end != digits.data() + digits.size()) {
    fail_expected("a number", "");
    return false;
  }
  ++at_;
  return true;
}

uint32_t ExpressionParser::parse_call() {
  SyntaxNode node;
  node.kind = SyntaxKind::call;
  node.name_place = now().place;
  node.text = lower_ascii(take().text);
  const ExpressionPlace opened = take().place;
  SyntaxNode returned;
  if (!take_symbol(")")) {
    if (is_symbol(now(), "*")) {
      return fail(ExpressionErrorCode::syntax, now().place, "`*` is no value",
                  "aggregates such as count(*) stand in an aggregate's columns");
    }
    if (!take_arguments(&node)) return kFailed;
    if (node.text == "json_value" && take_word("returning")) {
      returned.kind = SyntaxKind::cast;
      if (!take_type(&returned)) return kFailed;
    }
    if (!expect_symbol(")", opened)) return kFailed;
  }
  node.place = since(node.name_place);
  const uint32_t call = add(std::move(node));
  if (failed_ || returned.kind != SyntaxKind::cast) return call;
  returned.parts = {call};
  return add(std::move(returned));
}

bool ExpressionParser::take_part(SyntaxNode* node, int power) {
  const uint32_t part = parse(power);
  if (!failed_) node->parts.push_back(part);
  return !failed_;
}

// A list, or the words that some functions have instead of commas.
bool ExpressionParser::take_arguments(SyntaxNode* node) {
  if (node->text == "extract") {
    if (now().kind != TokenKind::name) {
      fail_expected("a unit", "EXTRACT(YEAR FROM time)");
      return false;
    }
    node->parts.push_back(parse_column());
    return expect_word("from", "EXTRACT(YEAR FROM time)") && take_part(node, kAny);
  }
  if (node->text == "position") {
    return take_part(node, kCompare) && expect_word("in", "POSITION('x' IN text)") && take_part(node, kAny);
  }
  if (node->text == "trim") return take_trim(node);
  const bool cut = node->text == "substring" || node->text == "substr" || node->text == "mid";
  if (!take_part(node, kAny)) return false;
  if (cut && take_word("from")) {
    return take_part(node, kAny) && (!take_word("for") || take_part(node, kAny));
  }
  return !take_symbol(",") || take_list(&node->parts);
}

// TRIM(text), TRIM('x' FROM text), TRIM({BOTH | LEADING | TRAILING} ['x'] FROM text): the text comes first.
bool ExpressionParser::take_trim(SyntaxNode* node) {
  std::string side;
  for (const std::string_view word : {"both", "leading", "trailing"}) {
    if (is_word(now(), word) && next().kind != TokenKind::symbol) side = word;
  }
  if (!side.empty()) ++at_;
  if (side.empty() || !is_word(now(), "from")) {
    if (!take_part(node, kAny)) return false;
  } else {
    SyntaxNode blank;
    blank.kind = SyntaxKind::text;
    blank.text = " ";
    blank.place = now().place;
    node->parts.push_back(add(std::move(blank)));
  }
  if (side.empty() && !is_word(now(), "from")) return !take_symbol(",") || take_list(&node->parts);
  node->text = "trim " + (side.empty() ? "both" : side);
  if (!expect_word("from", "TRIM(LEADING 'x' FROM text)") || !take_part(node, kAny)) return false;
  std::swap(node->parts[0], node->parts[1]);
  return true;
}

bool ExpressionParser::take_list(std::vector<uint32_t>* out) {
  do {
    const uint32_t part = parse(kAny);
    if (failed_) return false;
    out->push_back(part);
  } while (take_symbol(","));
  return true;
}

uint32_t ExpressionParser::parse_aggregate() {
  SyntaxNode node;
  node.kind = SyntaxKind::aggregate;
  node.name_place = now().place;
  node.text = lower_ascii(take().text);
  if (!aggregate_.empty()) {
    return fail(
        ExpressionErrorCode::not_supported, node.name_place,
        fmt::format("`{}` stands inside `{}`: an aggregate looks at rows, not at results", node.text, aggregate_),
        "an aggregate of results is another table of [aggregates], whose inputs name this one");
  }
  aggregate_ = node.text;
  const ExpressionPlace opened = take().place;
  if (!take_symbol(")")) {
    if (take_symbol("*")) {
      node.star = true;
    } else {
      node.distinct = !is_symbol(next(), ")") && take_word("distinct");
      if (!take_list(&node.parts)) return kFailed;
    }
    if (!expect_symbol(")", opened)) return kFailed;
  }
  if (is_word(now(), "filter") && is_symbol(next(), "(") && !take_filter(&node)) return kFailed;
  aggregate_.clear();
  node.place = since(node.name_place);
  return add(std::move(node));
}

bool ExpressionParser::take_filter(SyntaxNode* node) {
  ++at_;
  const ExpressionPlace opened = take().place;
  if (!expect_word("where", "sum(amount) FILTER (WHERE status = 'paid')")) return false;
  const uint32_t condition = parse(kAny);
  if (!expect_symbol(")", opened)) return false;
  node->has_filter = true;
  node->parts.push_back(condition);
  return true;
}

}  // namespace tidemark::core
