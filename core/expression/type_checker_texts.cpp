// SPDX-License-Identifier: Apache-2.0
//
// Functions of texts, of JSON texts, and patterns; choices that go by a value (IF, NULLIF).
#include <fmt/format.h>

#include "core/expression/json_kernels.hpp"
#include "core/expression/json_text.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/plain_functions.hpp"
#include "core/expression/regex_kernels.hpp"
#include "core/expression/string_kernels.hpp"
#include "core/expression/type_checker.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kBoolean{ValueKind::boolean};
constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kText{ValueKind::text};
constexpr std::string_view kRegexHelp =
    "patterns are RE2's: matched in linear time, so without look-around and back references";

}  // namespace

uint32_t TypeChecker::check_plain(const SyntaxNode& node) {
  const PlainFunction* named = nullptr;
  const PlainFunction* found = nullptr;
  for (const PlainFunction& function : plain_functions()) {
    if (function.name != node.text) continue;
    named = &function;
    if (function.parameters.size() == node.parts.size()) found = &function;
  }
  if (found == nullptr) return fail_arguments(node, named->usage);
  std::vector<uint32_t> inputs;
  for (size_t i = 0; i < node.parts.size() && !failed_; ++i) {
    const Operand in = operand(node.parts[i]);
    switch (found->parameters[i]) {
      case 't':
        inputs.push_back(text_argument(in, name_of(node)));
        break;
      case 'i':
        inputs.push_back(integer_argument(in, name_of(node)));
        break;
      case 'f':
        inputs.push_back(double_argument(in, name_of(node)));
        break;
      default:
        inputs.push_back(to_time(in, name_of(node)));
        break;
    }
  }
  if (failed_) return kFailed;
  Parameter parameter;
  parameter.integer = found->parameter;
  return tree_.add(found->kernel, {found->result}, std::move(inputs), parameter);
}

uint32_t TypeChecker::check_concat(const SyntaxNode& node) {
  std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  for (Operand& part : parts) part.node = as_text(part.node);
  uint32_t out = parts[0].node;
  if (parts.size() == 1) return out;
  for (size_t i = 1; i < parts.size(); i += 2) {
    if (i + 1 == parts.size()) {
      out = tree_.add(join_two_kernel, kText, {out, parts[i].node});
    } else {
      out = tree_.add(join_three_kernel, kText, {out, parts[i].node, parts[i + 1].node});
    }
  }
  return out;
}

uint32_t TypeChecker::check_concat_ws(const SyntaxNode& node) {
  std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  for (Operand& part : parts) part.node = as_text(part.node);
  const uint32_t separator = parts[0].node;
  uint32_t out = tree_.add_null(kText);
  for (size_t i = 1; i < parts.size(); ++i) {
    out = tree_.add(join_separated_kernel, kText, {out, parts[i].node, separator});
  }
  // All of them NULL make an empty text; a separator that is NULL makes NULL.
  const uint32_t nothing = tree_.add_constant(kText, {});
  out = tree_.add(coalesce_kernel(ValueKind::text), kText, {out, nothing});
  const uint32_t no_separator = tree_.add(is_null_kernel(), kBoolean, {separator});
  return tree_.add(choose_kernel(ValueKind::text), kText, {out, no_separator, tree_.add_null(kText)});
}

uint32_t TypeChecker::check_nullif(const SyntaxNode& node) {
  std::vector<Operand> sides = operands(node);
  if (failed_) return kFailed;
  const uint32_t value = sides[0].node;
  ValueType type;
  if (!unify(sides, type)) return kFailed;
  const uint32_t equal =
      tree_.add(comparison_kernel(SyntaxOperator::equal, type.kind), kBoolean, {sides[0].node, sides[1].node});
  const ValueType result = tree_.type_of(value);
  const uint32_t out = tree_.add(choose_kernel(result.kind), result, {value, equal, tree_.add_null(result)});
  return chosen_of(out, {{value, node.place}});
}

uint32_t TypeChecker::check_if(const SyntaxNode& node) {
  const uint32_t condition = to_condition(operand(node.parts[0]));
  std::vector<Operand> values = operands(node, 1);
  ValueType type;
  if (!unify(values, type)) return kFailed;
  return chosen_of(tree_.add(choose_kernel(type.kind), type, {values[1].node, condition, values[0].node}), values);
}

uint32_t TypeChecker::check_isnull(const SyntaxNode& node) {
  const Operand in = operand(node.parts[0]);
  return failed_ ? kFailed : tree_.add(is_null_kernel(), kBoolean, {in.node});
}

// Where byte `offset` of a literal's value stands in the text; the whole literal where it is not written as it is.
ExpressionPlace TypeChecker::inside(ExpressionPlace literal, std::string_view value, size_t offset) const {
  if (offset >= value.size() || text_.substr(literal.offset + 1, value.size()) != value) return literal;
  return {literal.offset + 1 + offset, 1};
}

// parts: the document and a path.
uint32_t TypeChecker::find_in_json(const SyntaxNode& node, Kernel kernel) {
  const Operand document = operand(node.parts[0]);
  const uint32_t json = text_argument(document, name_of(node));
  const Operand path = failed_ ? Operand{} : operand(node.parts[1]);
  std::optional<std::string> text;
  if (!constant_text(path, "a path", "such as '$.items[0].price'; one path, not out of a column", text)) return kFailed;
  if (!text) return tree_.add_null(kText);
  auto parsed = parse_json_path(*text);
  if (const auto* error = std::get_if<JsonPathError>(&parsed)) {
    return fail(ExpressionErrorCode::syntax, inside(path.place, *text, error->offset), error->text, error->help);
  }
  Parameter parameter;
  parameter.object = std::make_shared<const JsonPath>(std::move(std::get<JsonPath>(parsed)));
  parameter.integer = tree_[json].json ? 1 : 0;
  return tree_.add(kernel, kText, {json}, parameter);
}

uint32_t TypeChecker::check_json_path(const SyntaxNode& node) {
  if (node.text == "json_value") return find_in_json(node, json_value_kernel);
  const uint32_t found = find_in_json(node, json_extract_kernel);
  return failed_ ? kFailed : tree_.mark_json(found);
}

uint32_t TypeChecker::check_json(const SyntaxNode& node) {
  uint32_t json = kFailed;
  if (node.parts.size() == 2) {
    json = find_in_json(node, json_extract_kernel);
    if (!failed_) tree_.mark_json(json);
  } else {
    json = text_argument(operand(node.parts[0]), name_of(node));
  }
  if (failed_) return kFailed;
  Parameter parameter;
  parameter.integer = tree_[json].json ? 1 : 0;
  if (node.text == "json_length") return tree_.add(json_length_kernel, kInteger, {json}, parameter);
  if (node.text == "json_valid") return tree_.add(json_valid_kernel, kBoolean, {json}, parameter);
  return tree_.add(node.text == "json_type" ? json_type_kernel : json_unquote_kernel, kText, {json}, parameter);
}

uint32_t TypeChecker::match(Operand subject, Operand pattern, std::string_view flags, Kernel kernel, ValueType type,
                            std::string_view who) {
  const uint32_t text = text_argument(subject, who);
  std::optional<std::string> source;
  if (!constant_text(pattern, "a pattern", "a pattern out of a column is not supported", source)) return kFailed;
  if (!source) return tree_.add_null(type);
  auto compiled = compile_regex(*source, flags);
  if (const auto* error = std::get_if<std::string>(&compiled)) {
    return fail(ExpressionErrorCode::syntax, pattern.place, fmt::format("the pattern does not read: {}", *error),
                std::string(kRegexHelp));
  }
  Parameter parameter;
  parameter.object = std::get<std::shared_ptr<const void>>(compiled);
  return tree_.add(kernel, type, {text}, parameter);
}

uint32_t TypeChecker::check_regexp(const SyntaxNode& node) {
  const std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  return negated(match(parts[0], parts[1], "", regex_test_kernel, kBoolean, "REGEXP"), node.negated);
}

uint32_t TypeChecker::check_regexp_call(const SyntaxNode& node) {
  const std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  if (node.text == "regexp_substr") return match(parts[0], parts[1], "", regex_find_kernel, kText, name_of(node));
  std::optional<std::string> flags = "";
  if (parts.size() > 2) {
    if (!constant_text(parts[2], "a match type", "letters of 'cimn'", flags)) return kFailed;
    if (!flags) return tree_.add_null(kBoolean);
  }
  std::string wanted;
  for (const char c : *flags) {  // the last of c and i counts
    if (c == 'c' || c == 'i') std::erase(wanted, 'i');
    if (c == 'i' || c == 'm') wanted += c;
    if (c == 'n') wanted += 's';
    if (std::string_view("cimn").find(c) != std::string_view::npos) continue;
    return fail(ExpressionErrorCode::not_supported, parts[2].place, fmt::format("there is no match type `{}`", c),
                "c: case matters, i: it does not, m: ^ and $ are ends of lines, n: . is any character");
  }
  return match(parts[0], parts[1], wanted, regex_test_kernel, kBoolean, name_of(node));
}

uint32_t TypeChecker::check_regexp_replace(const SyntaxNode& node) {
  const std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  const uint32_t text = text_argument(parts[0], name_of(node));
  std::optional<std::string> pattern;
  std::optional<std::string> replacement;
  if (!constant_text(parts[1], "a pattern", "a pattern out of a column is not supported", pattern) ||
      !constant_text(parts[2], "a replacement", "such as '$1-$2'", replacement)) {
    return kFailed;
  }
  if (!pattern || !replacement) return tree_.add_null(kText);
  auto compiled = compile_regex(*pattern, "");
  if (const auto* error = std::get_if<std::string>(&compiled)) {
    return fail(ExpressionErrorCode::syntax, parts[1].place, fmt::format("the pattern does not read: {}", *error),
                std::string(kRegexHelp));
  }
  compiled = compile_regex_replacement(*pattern, *replacement);
  if (const auto* error = std::get_if<std::string>(&compiled)) {
    return fail(ExpressionErrorCode::syntax, parts[2].place, *error, "$1 is the first group, $0 the whole match");
  }
  Parameter parameter;
  parameter.object = std::get<std::shared_ptr<const void>>(compiled);
  return tree_.add(regex_replace_kernel, kText, {text}, parameter);
}

}  // namespace tidemark::core
