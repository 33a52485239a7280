// SPDX-License-Identifier: Apache-2.0
//
// Names, literals, operators and casts. Result types follow MySQL: a sum has the larger scale, a product the sum of
// both, a quotient the dividend's plus 4.
#include "core/expression/type_checker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/base/similar_name.hpp"
#include "core/expression/decimal_math.hpp"
#include "core/expression/kernels.hpp"
#include "core/expression/like_pattern.hpp"
#include "core/expression/temporal_text.hpp"
#include "core/expression/tokenizer.hpp"

namespace tidemark::core {
namespace {

constexpr ValueType kBoolean{ValueKind::boolean};
constexpr ValueType kInteger{ValueKind::integer};
constexpr ValueType kFloating{ValueKind::floating};
constexpr ValueType kText{ValueKind::text};
constexpr unsigned kQuotientScaleMore = 4;  // MySQL's div_precision_increment
constexpr size_t kSnippetMax = 40;
constexpr size_t kNamesListedMax = 12;

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < kNamesListedMax; ++i) out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kNamesListedMax ? out + ", …" : out;
}

// k where the constant is 10^k, else 0: such a divisor moves the point, and nothing need be rounded.
unsigned shift_of(const TypedNode& node) {
  if (!node.constant) return 0;
  Int128 value = node.type.kind == ValueKind::decimal ? node.parameter.decimal : Int128{node.parameter.integer};
  unsigned zeros = 0;
  for (; value > 0 && value % 10 == 0; value /= 10) ++zeros;
  return value == 1 && zeros > node.type.scale ? zeros - node.type.scale : 0;
}

std::string_view symbol_of(SyntaxOperator operation) {
  switch (operation) {
    case SyntaxOperator::add:
      return "+";
    case SyntaxOperator::subtract:
      return "-";
    case SyntaxOperator::multiply:
      return "*";
    case SyntaxOperator::divide:
      return "/";
    case SyntaxOperator::integer_divide:
      return "DIV";
    default:
      return "%";
  }
}

}  // namespace

OrExpressionError<CheckedExpression> TypeChecker::run(ExpressionUse use) {
  const uint32_t root = finish(check(syntax_.root), use);
  if (failed_) {
    ExpressionError error = std::move(error_);
    error.more = other_unknown_names();
    std::erase_if(error.more, [&](const ExpressionError& other) { return other.place == error.place; });
    return error;
  }
  std::sort(used_.begin(), used_.end());
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  return CheckedExpression{std::move(tree_), root, std::move(used_)};
}

uint32_t TypeChecker::finish(uint32_t root, ExpressionUse use) {
  if (failed_) return kFailed;
  const ExpressionPlace place = syntax_.nodes[syntax_.root].place;
  if (use == ExpressionUse::condition) return to_condition({root, place});
  const ValueKind kind = tree_.type_of(root).kind;
  if (use == ExpressionUse::value || is_temporal(kind)) return root;
  const std::string shown = snippet(place);
  std::string help = "an expression that gives a timestamp, datetime or date";
  if (kind == ValueKind::text) help = fmt::format("CAST({} AS DATETIME)", shown);
  if (is_numeric(kind) && kind != ValueKind::boolean) {
    help = fmt::format("FROM_UNIXTIME({0}) if it counts seconds, FROM_UNIXTIME({0} / 1000) if milliseconds", shown);
  }
  return fail_type(
      place, fmt::format("`{}` is {}: an event time must be a DATETIME or TIMESTAMP", shown, type_text(root)), help);
}

uint32_t TypeChecker::fail(ExpressionErrorCode code, ExpressionPlace place, std::string text, std::string help) {
  if (!failed_) error_ = {code, place, std::move(text), std::move(help)};
  failed_ = true;
  return kFailed;
}

// Units of times are read as columns: they are the first part of these calls.
std::vector<ExpressionError> TypeChecker::other_unknown_names() {
  std::vector<bool> is_unit(syntax_.nodes.size());
  for (const SyntaxNode& node : syntax_.nodes) {
    const bool has_unit = node.text == "extract" || node.text == "timestampdiff";
    if (node.kind == SyntaxKind::call && has_unit && !node.parts.empty()) is_unit[node.parts[0]] = true;
  }
  std::vector<ExpressionError> out;
  for (size_t i = 0; i < syntax_.nodes.size(); ++i) {
    const SyntaxNode& node = syntax_.nodes[i];
    const bool is_name = node.kind == SyntaxKind::column && !is_unit[i];
    if (!is_name && !(node.kind == SyntaxKind::call && !is_known_function(node.text))) continue;
    failed_ = false;
    if (is_name ? check_column(node) != kFailed : check_call(node) != kFailed) continue;
    const bool is_unknown =
        error_.code == ExpressionErrorCode::unknown_column || error_.code == ExpressionErrorCode::unknown_function;
    if (is_unknown) out.push_back(std::move(error_));
  }
  failed_ = true;
  return out;
}

uint32_t TypeChecker::fail_unknown(ExpressionErrorCode code, ExpressionPlace place, std::string text,
                                   std::string_view name, const std::vector<std::string>& names) {
  const auto near = similar_name(name, names);
  return fail(code, place, std::move(text),
              near ? fmt::format("did you mean `{}`?", *near) : fmt::format("there are: {}", listed(names)));
}

uint32_t TypeChecker::fail_mixed(const Operand& one, const Operand& other) {
  const ValueKind a = tree_.type_of(one.node).kind;
  const ValueKind b = tree_.type_of(other.node).kind;
  std::string help;
  if ((a == ValueKind::text && is_numeric(b)) || (b == ValueKind::text && is_numeric(a))) {
    help = fmt::format("CAST({} AS DECIMAL(18,4)), or a number without quotes",
                       snippet(a == ValueKind::text ? one.place : other.place));
  } else if (a == ValueKind::text || b == ValueKind::text) {
    help = fmt::format("CAST({} AS DATETIME)", snippet(a == ValueKind::text ? one.place : other.place));
  } else {
    help = "FROM_UNIXTIME(seconds) makes a time of a number, UNIX_TIMESTAMP(time) a number of a time";
  }
  return fail_type(other.place,
                   fmt::format("`{}` is {}, but `{}` is {}", snippet(other.place), type_text(other.node),
                               snippet(one.place), type_text(one.node)),
                   help);
}

std::string TypeChecker::snippet(ExpressionPlace place) const {
  std::string out(text_.substr(place.offset, place.size));
  if (out.size() > kSnippetMax) {
    size_t end = kSnippetMax;
    while (end > 0 && (static_cast<uint8_t>(out[end]) & 0xc0) == 0x80) --end;
    out = out.substr(0, end) + "…";
  }
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<uint8_t>(c) < 0x20; }, ' ');
  return out;
}

std::vector<TypeChecker::Operand> TypeChecker::operands(const SyntaxNode& node, size_t first) {
  std::vector<Operand> out;
  for (size_t i = first; i < node.parts.size() && !failed_; ++i) out.push_back(operand(node.parts[i]));
  return out;
}

uint32_t TypeChecker::check(uint32_t index) {
  if (failed_) return kFailed;
  const SyntaxNode& node = syntax_.nodes[index];
  switch (node.kind) {
    case SyntaxKind::column:
      return check_column(node);
    case SyntaxKind::number:
      return check_number(node);
    case SyntaxKind::text: {
      Parameter parameter;
      parameter.text = node.text;
      return tree_.add_constant(kText, parameter);
    }
    case SyntaxKind::boolean: {
      Parameter parameter;
      parameter.integer = node.text == "true" ? 1 : 0;
      return tree_.add_constant(kBoolean, parameter);
    }
    case SyntaxKind::null:
      return tree_.add_null({ValueKind::null});
    case SyntaxKind::temporal:
      return check_temporal(node);
    case SyntaxKind::interval:
      return fail(ExpressionErrorCode::syntax, node.place, "an INTERVAL stands behind + or - of a time",
                  "such as created_at + INTERVAL '10' SECOND");
    case SyntaxKind::negate:
      return check_negate(node);
    case SyntaxKind::arithmetic:
      return check_arithmetic(node);
    case SyntaxKind::comparison:
      return check_comparison(node);
    case SyntaxKind::logical_not:
    case SyntaxKind::logical_and:
    case SyntaxKind::logical_or:
    case SyntaxKind::is_null:
    case SyntaxKind::is_true:
    case SyntaxKind::is_false:
      return check_logic(node);
    case SyntaxKind::in_list:
      return check_in(node);
    case SyntaxKind::between:
      return check_between(node);
    case SyntaxKind::like:
      return check_like(node);
    case SyntaxKind::regexp:
      return check_regexp(node);
    case SyntaxKind::case_when:
      return check_case(node);
    case SyntaxKind::cast:
      return check_cast(node);
    case SyntaxKind::call:
      return check_call(node);
    case SyntaxKind::aggregate:
      return check_aggregate(index);
  }
  return kFailed;
}

bool TypeChecker::needs_number(Operand in, std::string_view who) {
  const ValueType type = tree_.type_of(in.node);
  if (type.kind == ValueKind::null || is_numeric(type.kind)) return true;
  std::string help = fmt::format("CAST({} AS DECIMAL(18,4))", snippet(in.place));
  if (is_temporal(type.kind)) {
    help = fmt::format("{0} + INTERVAL '10' SECOND moves a time; UNIX_TIMESTAMP({0}) gives its seconds",
                       snippet(in.place));
  }
  fail_type(in.place, fmt::format("`{}` needs numbers, `{}` is {}", who, snippet(in.place), describe(type)), help);
  return false;
}

uint32_t TypeChecker::check_arithmetic(const SyntaxNode& node) {
  const SyntaxNode& first = syntax_.nodes[node.parts[0]];
  const SyntaxNode& second = syntax_.nodes[node.parts[1]];
  const bool sum = node.operation == SyntaxOperator::add;
  if (second.kind == SyntaxKind::interval && (sum || node.operation == SyntaxOperator::subtract)) {
    return check_shift(first, second, !sum);
  }
  if (first.kind == SyntaxKind::interval && sum) return check_shift(second, first, false);
  Operand left = operand(node.parts[0]);
  Operand right = operand(node.parts[1]);
  if (failed_) return kFailed;
  const std::string_view symbol = symbol_of(node.operation);
  if (!needs_number(left, symbol) || !needs_number(right, symbol)) return kFailed;
  // A NULL or boolean is an integer here.
  for (Operand* side : {&left, &right}) {
    const ValueKind kind = tree_.type_of(side->node).kind;
    if (kind == ValueKind::null || kind == ValueKind::boolean) side->node = tree_.widen(side->node, kInteger);
  }
  if (node.operation == SyntaxOperator::divide) return check_divide(left, right);
  if (node.operation == SyntaxOperator::multiply) return check_multiply(left, right);
  return remainder_or_sum(node.operation, left, right);
}

uint32_t TypeChecker::remainder_or_sum(SyntaxOperator operation, Operand left, Operand right) {
  ValueType type = common_type(tree_.type_of(left.node), tree_.type_of(right.node)).value_or(kFloating);
  const bool whole = operation == SyntaxOperator::integer_divide;
  if (whole && type.kind == ValueKind::floating) {
    return fail(ExpressionErrorCode::not_supported,
                tree_.type_of(left.node).kind == ValueKind::floating ? left.place : right.place,
                "DIV of a double is not supported", "CAST(a / b AS BIGINT) rounds; CAST it to DECIMAL before");
  }
  const uint32_t a = tree_.widen(left.node, type);
  const uint32_t b = tree_.widen(right.node, type);
  const Kernel kernel = arithmetic_kernel(operation, type.kind);
  if (whole) return tree_.add(kernel, kInteger, {a, b});
  const bool sum = operation == SyntaxOperator::add || operation == SyntaxOperator::subtract;
  if (type.kind == ValueKind::decimal && sum) type = decimal_type(type.precision + 1u, type.scale);
  return tree_.add(kernel, type, {a, b});
}

uint32_t TypeChecker::check_multiply(Operand left, Operand right) {
  const ValueType a = tree_.type_of(left.node);
  const ValueType b = tree_.type_of(right.node);
  const ValueType type = common_type(a, b).value_or(kFloating);
  const Kernel kernel = arithmetic_kernel(SyntaxOperator::multiply, type.kind);
  if (type.kind != ValueKind::decimal) {
    return tree_.add(kernel, type, {tree_.widen(left.node, type), tree_.widen(right.node, type)});
  }
  const ValueType x = as_decimal(a);
  const ValueType y = as_decimal(b);
  const unsigned scale = x.scale + y.scale;
  const ValueType result = decimal_type(x.precision + y.precision, scale);
  Parameter parameter;
  parameter.integer = scale - result.scale;
  return tree_.add(kernel, result, {tree_.widen(left.node, x), tree_.widen(right.node, y)}, parameter);
}

uint32_t TypeChecker::check_divide(Operand left, Operand right) {
  const ValueType a = tree_.type_of(left.node);
  const ValueType b = tree_.type_of(right.node);
  if (a.kind == ValueKind::floating || b.kind == ValueKind::floating) {
    return tree_.add(arithmetic_kernel(SyntaxOperator::divide, ValueKind::floating), kFloating,
                     {tree_.widen(left.node, kFloating), tree_.widen(right.node, kFloating)});
  }
  const ValueType x = as_decimal(a);
  const ValueType y = as_decimal(b);
  const unsigned more = std::max(kQuotientScaleMore, shift_of(tree_[right.node]));
  const unsigned scale = std::min<unsigned>(x.scale + more, kDecimalScaleMax);
  Parameter parameter;
  parameter.integer = scale - x.scale + y.scale;
  return tree_.add(arithmetic_kernel(SyntaxOperator::divide, ValueKind::decimal),
                   decimal_type(x.whole_digits() + y.scale + scale, scale),
                   {tree_.widen(left.node, x), tree_.widen(right.node, y)}, parameter);
}

bool TypeChecker::unify(std::vector<Operand>& all, ValueType& type) {
  if (failed_) return false;
  const auto is_literal = [this](const Operand& one) {
    return tree_[one.node].constant && tree_.type_of(one.node).kind == ValueKind::text;
  };
  type = {ValueKind::null};
  const Operand* first = nullptr;
  for (const bool literals : {false, true}) {
    for (const Operand& one : all) {
      if (is_literal(one) != literals || (literals && is_temporal(type.kind))) continue;
      const auto both = common_type(type, tree_.type_of(one.node));
      if (!both) {
        fail_mixed(*first, one);
        return false;
      }
      if (first == nullptr && both->kind != ValueKind::null) first = &one;
      type = *both;
    }
  }
  if (type.kind == ValueKind::text && !same_texts(all)) return false;
  for (Operand& one : all) {
    one.node = is_temporal(type.kind) ? to_time(one, "the comparison") : tree_.widen(one.node, type);
    if (failed_) return false;
  }
  return true;
}

// A JSON string has quotes: it equals no text that is none.
bool TypeChecker::same_texts(const std::vector<Operand>& all) {
  const Operand* json = nullptr;
  const Operand* plain = nullptr;
  for (const Operand& one : all) {
    if (tree_.type_of(one.node).kind == ValueKind::text && !tree_[one.node].null) {
      (tree_[one.node].json ? json : plain) = &one;
    }
  }
  if (json == nullptr || plain == nullptr) return true;
  fail_type(json->place,
            fmt::format("`{}` is a JSON value, `{}` is a text", snippet(json->place), snippet(plain->place)),
            "->> and JSON_VALUE give the text in a JSON string, CAST(… AS CHAR) the JSON as it is");
  return false;
}

uint32_t TypeChecker::chosen_of(uint32_t out, const std::vector<Operand>& values) {
  const bool json =
      std::any_of(values.begin(), values.end(), [this](const Operand& one) { return tree_[one.node].json; });
  return json ? tree_.mark_json(out) : out;
}

uint32_t TypeChecker::to_time(Operand in, std::string_view who) {
  if (failed_) return kFailed;
  const TypedNode& node = tree_[in.node];
  if (is_temporal(node.type.kind)) return in.node;
  if (node.type.kind == ValueKind::null) return tree_.add_null({ValueKind::timestamp});
  if (node.constant && node.type.kind == ValueKind::text) {
    const auto time = parse_temporal(node.parameter.text);
    if (!time) {
      return fail_type(in.place, fmt::format("{} is no point in time", snippet(in.place)),
                       "write '2026-01-31 23:59:59', in UTC or with an offset: +01:00");
    }
    Parameter parameter;
    parameter.integer = time->micros;
    const ValueKind kind = time->has_zone   ? ValueKind::timestamp
                           : time->has_time ? ValueKind::datetime
                                            : ValueKind::date;
    return tree_.add_constant({kind}, parameter);
  }
  const bool text = node.type.kind == ValueKind::text;
  return fail_type(
      in.place, fmt::format("{} needs a time, `{}` is {}", who, snippet(in.place), describe(node.type)),
      fmt::format("{0}({1}{2})", text ? "CAST" : "FROM_UNIXTIME", snippet(in.place), text ? " AS DATETIME" : ""));
}

uint32_t TypeChecker::to_condition(Operand in) {
  if (failed_) return kFailed;
  const ValueKind kind = tree_.type_of(in.node).kind;
  if (kind == ValueKind::null || is_numeric(kind)) return tree_.to_condition(in.node);
  return fail_type(in.place, fmt::format("a condition is expected, `{}` is {}", snippet(in.place), type_text(in.node)),
                   fmt::format("compare it: {} = …, or {} IS NOT NULL", snippet(in.place), snippet(in.place)));
}

uint32_t TypeChecker::negated(uint32_t node, bool negate) {
  return negate && !failed_ ? tree_.add(not_kernel(), kBoolean, {node}) : node;
}

uint32_t TypeChecker::check_comparison(const SyntaxNode& node) {
  std::vector<Operand> sides = operands(node);
  ValueType type;
  if (!unify(sides, type)) return kFailed;
  return tree_.add(comparison_kernel(node.operation, type.kind), kBoolean, {sides[0].node, sides[1].node});
}

uint32_t TypeChecker::check_logic(const SyntaxNode& node) {
  std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  if (node.kind == SyntaxKind::is_null) {
    return negated(tree_.add(is_null_kernel(), kBoolean, {parts[0].node}), node.negated);
  }
  uint32_t out = to_condition(parts[0]);
  if (failed_) return kFailed;
  if (node.kind == SyntaxKind::logical_not) return negated(out, true);
  if (node.kind == SyntaxKind::is_true) {
    return negated(tree_.add(is_true_kernel(), kBoolean, {out}), node.negated);
  }
  if (node.kind == SyntaxKind::is_false) {
    return negated(tree_.add(is_false_kernel(), kBoolean, {out}), node.negated);
  }
  const Kernel kernel = node.kind == SyntaxKind::logical_and ? and_kernel() : or_kernel();
  for (size_t i = 1; i < parts.size(); ++i) {
    const uint32_t next = to_condition(parts[i]);
    if (failed_) return kFailed;
    out = tree_.add(kernel, kBoolean, {out, next});
  }
  return out;
}

uint32_t TypeChecker::check_in(const SyntaxNode& node) {
  std::vector<Operand> all = operands(node);
  ValueType type;
  if (!unify(all, type)) return kFailed;
  uint32_t out = kFailed;
  for (size_t i = 1; i < all.size(); ++i) {
    const uint32_t equal =
        tree_.add(comparison_kernel(SyntaxOperator::equal, type.kind), kBoolean, {all[0].node, all[i].node});
    out = i == 1 ? equal : tree_.add(or_kernel(), kBoolean, {out, equal});
  }
  return negated(out, node.negated);
}

uint32_t TypeChecker::check_between(const SyntaxNode& node) {
  std::vector<Operand> all = operands(node);
  ValueType type;
  if (!unify(all, type)) return kFailed;
  const uint32_t low =
      tree_.add(comparison_kernel(SyntaxOperator::greater_equal, type.kind), kBoolean, {all[0].node, all[1].node});
  const uint32_t high =
      tree_.add(comparison_kernel(SyntaxOperator::less_equal, type.kind), kBoolean, {all[0].node, all[2].node});
  return negated(tree_.add(and_kernel(), kBoolean, {low, high}), node.negated);
}

uint32_t TypeChecker::check_like(const SyntaxNode& node) {
  std::vector<Operand> parts = operands(node);
  if (failed_) return kFailed;
  for (const Operand& part : parts) {
    const ValueKind kind = tree_.type_of(part.node).kind;
    if (kind == ValueKind::text || kind == ValueKind::null) continue;
    return fail_type(part.place, fmt::format("LIKE needs texts, `{}` is {}", snippet(part.place), type_text(part.node)),
                     fmt::format("CAST({} AS CHAR)", snippet(part.place)));
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    if (tree_[parts[i].node].null) return tree_.add_null(kBoolean);
    if (tree_[parts[i].node].constant) continue;
    return fail(ExpressionErrorCode::not_supported, parts[i].place, "LIKE takes a pattern in quotes",
                "a pattern out of a column is not supported");
  }
  const std::string& pattern = tree_[parts[1].node].parameter.text;
  const std::string escape = parts.size() > 2 ? tree_[parts[2].node].parameter.text : "\\";
  if (escape.size() > 1) {
    return fail(ExpressionErrorCode::syntax, parts[2].place, "ESCAPE takes one character below 128",
                "such as ESCAPE '!'");
  }
  if (pattern.size() > kLikePatternBytesMax) {
    return fail(ExpressionErrorCode::not_supported, parts[1].place,
                fmt::format("a pattern has at most {} bytes", kLikePatternBytesMax), "");
  }
  auto normal = normalize_like(pattern, escape.empty() ? '\0' : escape.front());
  if (!normal) {
    return fail(ExpressionErrorCode::syntax, parts[1].place, "the pattern ends with its escape character",
                "double it, or choose another: ESCAPE '!'");
  }
  Parameter parameter;
  parameter.text = std::move(*normal);
  const uint32_t subject = tree_.widen(parts[0].node, kText);
  return negated(tree_.add(like_kernel(), kBoolean, {subject}, parameter), node.negated);
}

uint32_t TypeChecker::check_case(const SyntaxNode& node) {
  std::vector<Operand> conditions;
  std::vector<Operand> values;
  size_t at = node.has_operand ? 1 : 0;
  std::vector<Operand> compared;
  if (node.has_operand) compared.push_back(operand(node.parts[0]));
  for (; at + 1 < node.parts.size(); at += 2) {
    (node.has_operand ? compared : conditions).push_back(operand(node.parts[at]));
    values.push_back(operand(node.parts[at + 1]));
  }
  if (node.has_else) values.push_back(operand(node.parts[at]));
  if (failed_) return kFailed;
  if (node.has_operand) {
    ValueType type;
    if (!unify(compared, type)) return kFailed;
    for (size_t i = 1; i < compared.size(); ++i) {
      conditions.push_back({tree_.add(comparison_kernel(SyntaxOperator::equal, type.kind), kBoolean,
                                      {compared[0].node, compared[i].node}),
                            compared[i].place});
    }
  } else {
    for (Operand& condition : conditions) condition.node = to_condition(condition);
  }
  ValueType type;
  if (!unify(values, type)) return kFailed;
  uint32_t out = node.has_else ? values.back().node : tree_.add_null(type);
  for (size_t i = conditions.size(); i > 0; --i) {
    out = tree_.add(choose_kernel(type.kind), type, {out, conditions[i - 1].node, values[i - 1].node});
  }
  return chosen_of(out, values);
}

}  // namespace tidemark::core
