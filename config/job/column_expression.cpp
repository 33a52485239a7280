// SPDX-License-Identifier: Apache-2.0
//
// A parser of one function call: name, "(", one column or nothing, ")".
#include "config/job/column_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "config/job/choices.hpp"
#include "config/job/codes.hpp"
#include "config/job/nearest_name.hpp"

namespace tidemark::config {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9') || c == '$';
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ColumnExpression parse() {
    skip_spaces();
    const TextPlace name = take_name();
    if (name.size == 0)
      return fail(code::kExpression, rest(), "an aggregate is expected", R"x(such as "sum(amount)")x");
    out_.function_place = name;
    skip_spaces();
    if (!take('(')) {
      if (at_ < text_.size()) return fail_operation(name.offset);
      return fail(
          code::kExpression, name, fmt::format("`{}` is not an aggregate", text_of(name)),
          fmt::format("write \"sum({0})\", \"max({0})\", …; columns to group by stand in key_by", text_of(name)));
    }
    if (!find_function(name)) return out_;
    skip_spaces();
    const size_t inside = at_;
    if (take(')')) return finish_without_argument(name);
    if (take('*')) {
      skip_spaces();
      if (!take(')')) return fail_argument(inside);
      return finish_star(name, inside);
    }
    if (!take_column()) return fail_argument(inside);
    skip_spaces();
    if (lower_case(text_of(out_.argument_place)) == "distinct" && at_ < text_.size() && text_[at_] != ')') {
      return fail(code::kExpression, out_.argument_place, "DISTINCT is written as a function of its own",
                  R"x(write "count_distinct(column)")x");
    }
    if (!take(')')) return fail_argument(inside);
    return finish();
  }

 private:
  ColumnExpression fail(const char* code, TextPlace place, std::string text, std::string help) {
    out_.problem = ExpressionProblem{code, place, std::move(text), std::move(help)};
    return out_;
  }

  // Something longer than one column between the parentheses, or no end.
  ColumnExpression fail_argument(size_t inside) {
    const size_t close = text_.find_last_of(')');
    if (close == std::string_view::npos || close < inside) {
      return fail(code::kExpression, {text_.empty() ? 0 : text_.size() - 1, 1}, "`)` is missing",
                  "close the parenthesis");
    }
    const TextPlace place{inside, std::max<size_t>(1, close - inside)};
    if (text_.substr(inside, close - inside).find(',') != std::string_view::npos) {
      return fail(code::kWrongArgument, place, fmt::format("`{}` takes one column", text_of(out_.function_place)),
                  "one column per aggregate; write another output column for the other");
    }
    return fail(code::kNotSupportedYet, place, "an expression in an aggregate is not supported yet",
                "one column of the input, such as sum(amount)");
  }

  ColumnExpression fail_operation(size_t begin) {
    return fail(code::kNotSupportedYet, {begin, text_.size() - begin},
                "an expression around aggregates is not supported yet",
                "one aggregate of one column, such as sum(amount)");
  }

  bool find_function(TextPlace place) {
    const std::string name = lower_case(text_of(place));
    std::vector<std::string> names;
    for (const auto& choice : kFunctions) {
      if (name == choice.name) {
        out_.function = choice.value;
        return true;
      }
      names.emplace_back(choice.name);
    }
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    if (std::find(kPlannedFunctions.begin(), kPlannedFunctions.end(), name) != kPlannedFunctions.end()) {
      fail(code::kNotSupportedYet, place, fmt::format("the function `{}` is not supported yet", name),
           "supported: " + list);
      return false;
    }
    std::optional<std::string> near = name == "average" || name == "mean" ? "avg" : nearest_name(name, names);
    if (name == "total") near = "sum";
    fail(code::kUnknownFunction, place, fmt::format("no function `{}`", text_of(place)),
         near ? fmt::format("did you mean `{}`?", *near) : "there are: " + list);
    return false;
  }

  ColumnExpression finish_without_argument(TextPlace name) {
    if (out_.function == AggregateFunction::count) {
      out_.function = AggregateFunction::count_all;
      return finish();
    }
    return fail(code::kWrongArgument, name, fmt::format("`{}` needs a column", text_of(name)),
                fmt::format("write \"{}(column)\"", text_of(name)));
  }

  ColumnExpression finish_star(TextPlace name, size_t star) {
    if (out_.function == AggregateFunction::count) {
      out_.function = AggregateFunction::count_all;
      return finish();
    }
    return fail(code::kWrongArgument, {star, 1}, fmt::format("`{}` needs a column, not `*`", text_of(name)),
                "only count(*) counts rows");
  }

  ColumnExpression finish() {
    skip_spaces();
    if (at_ < text_.size()) return fail_operation(out_.function_place.offset);
    return out_;
  }

  bool take_column() {
    if (at_ < text_.size() && (text_[at_] == '`' || text_[at_] == '"')) {
      const size_t close = text_.find(text_[at_], at_ + 1);
      if (close == std::string_view::npos || close == at_ + 1) return false;
      out_.argument_place = {at_ + 1, close - at_ - 1};
      at_ = close + 1;
    } else {
      out_.argument_place = take_name();
    }
    out_.argument = text_of(out_.argument_place);
    return !out_.argument.empty();
  }

  TextPlace take_name() {
    const size_t begin = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    }
    return {begin, at_ - begin};
  }

  void skip_spaces() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_of(TextPlace place) const { return text_.substr(place.offset, place.size); }
  TextPlace rest() const { return {at_, std::max<size_t>(1, text_.size() - at_)}; }

  std::string_view text_;
  size_t at_ = 0;
  ColumnExpression out_;
};

}  // namespace

ColumnExpression parse_column_expression(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace tidemark::config
