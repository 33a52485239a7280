// SPDX-License-Identifier: Apache-2.0
//
// From a syntax tree to a typed one, against the columns of an input: finds columns and functions, settles the type
// of every node, and says what does not fit, at its place. Stricter than MySQL where MySQL guesses: texts are no
// numbers without a CAST, and times no numbers at all.
// Used once per compilation, on one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/column_type.hpp"
#include "core/expression/expression_error.hpp"
#include "core/expression/syntax_tree.hpp"
#include "core/expression/typed_tree.hpp"

namespace tidemark::core {

/// What an expression is for: which type its value must have.
enum class ExpressionUse : uint8_t {
  value,       ///< any
  condition,   ///< a boolean; numbers are true where they are not 0
  event_time,  ///< a timestamp, datetime or date
};

struct CheckedExpression {
  TypedTree tree;
  uint32_t root = 0;
  std::vector<uint32_t> columns;  ///< that it reads, ascending
};

class TypeChecker {
 public:
  /// `text` and `syntax` as they were parsed; they and `columns` must outlive the checker.
  /// call_columns: the columns that the aggregate calls stand for, in the order of the text.
  TypeChecker(std::string_view text, const SyntaxTree& syntax, std::span<const ColumnInfo> columns,
              std::span<const uint32_t> call_columns = {})
      : text_(text), syntax_(syntax), columns_(columns), call_columns_(call_columns) {}

  OrExpressionError<CheckedExpression> run(ExpressionUse use);

 private:
  static constexpr uint32_t kFailed = UINT32_MAX;
  struct Operand {
    uint32_t node = kFailed;
    ExpressionPlace place;
  };
  enum class Unit : uint8_t { micros, months };
  struct IntervalUnit {
    Unit unit = Unit::micros;
    int64_t factor = 0;
    int64_t origin = 0;  ///< of date_trunc: the Monday of weeks
  };

  // Faults; all return kFailed, and the first one stays.
  uint32_t fail(ExpressionErrorCode code, ExpressionPlace place, std::string text, std::string help);
  uint32_t fail_type(ExpressionPlace place, std::string text, std::string help) {
    return fail(ExpressionErrorCode::wrong_argument, place, std::move(text), std::move(help));
  }
  uint32_t fail_unknown(ExpressionErrorCode code, ExpressionPlace place, std::string text, std::string_view name,
                        const std::vector<std::string>& names);
  /// Of the names that are not known, those that the fault at hand is not about.
  std::vector<ExpressionError> other_unknown_names();
  struct Function;
  static std::span<const Function> functions();
  static bool is_known_function(std::string_view name);
  uint32_t fail_mixed(const Operand& one, const Operand& other);
  std::string snippet(ExpressionPlace place) const;
  std::string type_text(uint32_t node) const { return describe(tree_.type_of(node)); }

  // Nodes of the syntax.
  uint32_t check(uint32_t index);
  Operand operand(uint32_t index) { return {check(index), syntax_.nodes[index].place}; }
  std::vector<Operand> operands(const SyntaxNode& node, size_t first = 0);
  uint32_t check_column(const SyntaxNode& node);
  uint32_t check_aggregate(uint32_t index);
  uint32_t read_column(size_t column, ExpressionPlace place);
  uint32_t load_column(size_t column, ValueType type);
  uint32_t check_number(const SyntaxNode& node);
  uint32_t check_temporal(const SyntaxNode& node);
  uint32_t check_negate(const SyntaxNode& node);
  uint32_t check_arithmetic(const SyntaxNode& node);
  uint32_t check_divide(Operand left, Operand right);
  uint32_t check_multiply(Operand left, Operand right);
  uint32_t check_comparison(const SyntaxNode& node);
  uint32_t check_logic(const SyntaxNode& node);
  uint32_t check_in(const SyntaxNode& node);
  uint32_t check_between(const SyntaxNode& node);
  uint32_t check_like(const SyntaxNode& node);
  uint32_t check_regexp(const SyntaxNode& node);
  uint32_t check_case(const SyntaxNode& node);
  uint32_t check_cast(const SyntaxNode& node);
  uint32_t cast_to_integer(Operand in, const SyntaxNode& node);
  uint32_t cast_to_decimal(Operand in, const SyntaxNode& node);
  uint32_t cast_to_double(Operand in, const SyntaxNode& node);
  uint32_t cast_to_text(Operand in, const SyntaxNode& node);
  uint32_t as_text(uint32_t node);
  uint32_t cast_to_time(Operand in, const SyntaxNode& node);

  // Arguments of functions (type_checker_arguments.cpp): as what a function takes, or a fault that names it.
  uint32_t text_argument(Operand in, std::string_view who);
  uint32_t integer_argument(Operand in, std::string_view who);
  uint32_t double_argument(Operand in, std::string_view who);
  uint32_t number_argument(Operand in, std::string_view who);
  /// What stands in quotes; `out` is empty where it is NULL. False after a fault.
  bool constant_text(Operand in, std::string_view what, std::string help, std::optional<std::string>& out);
  bool constant_integer(Operand in, std::string_view what, std::optional<int64_t>& out);
  std::string_view name_of(const SyntaxNode& call) const {
    return text_.substr(call.name_place.offset, call.name_place.size);
  }

  // Functions of texts, JSON and patterns (type_checker_texts.cpp).
  uint32_t check_plain(const SyntaxNode& node);
  uint32_t check_concat(const SyntaxNode& node);
  uint32_t check_concat_ws(const SyntaxNode& node);
  uint32_t check_nullif(const SyntaxNode& node);
  uint32_t check_if(const SyntaxNode& node);
  uint32_t check_isnull(const SyntaxNode& node);
  uint32_t check_json_path(const SyntaxNode& node);
  uint32_t check_json(const SyntaxNode& node);
  uint32_t find_in_json(const SyntaxNode& node, Kernel kernel);
  uint32_t check_regexp_call(const SyntaxNode& node);
  uint32_t check_regexp_replace(const SyntaxNode& node);
  uint32_t match(Operand subject, Operand pattern, std::string_view flags, Kernel kernel, ValueType type,
                 std::string_view who);
  ExpressionPlace inside(ExpressionPlace literal, std::string_view value, size_t offset) const;

  // Functions of numbers and dates (type_checker_numbers.cpp, type_checker_dates.cpp).
  uint32_t check_abs(const SyntaxNode& node);
  uint32_t check_sign(const SyntaxNode& node);
  uint32_t check_round(const SyntaxNode& node);
  uint32_t check_floor(const SyntaxNode& node);
  uint32_t check_week(const SyntaxNode& node);
  uint32_t check_extract(const SyntaxNode& node);
  uint32_t check_timestampdiff(const SyntaxNode& node);
  uint32_t check_date_format(const SyntaxNode& node);
  uint32_t check_date_add(const SyntaxNode& node);
  uint32_t check_time_to_sec(const SyntaxNode& node);
  uint32_t check_convert_tz(const SyntaxNode& node);

  // Functions and intervals (type_checker_functions.cpp).
  uint32_t check_call(const SyntaxNode& node);
  uint32_t fail_arguments(const SyntaxNode& call, std::string_view usage);
  uint32_t check_fold(const SyntaxNode& node, Kernel (*kernel)(ValueKind));
  uint32_t check_from_unixtime(const SyntaxNode& node);
  uint32_t check_unix_timestamp(const SyntaxNode& node);
  uint32_t check_date_trunc(const SyntaxNode& node);
  uint32_t check_date(const SyntaxNode& node);
  uint32_t check_mod(const SyntaxNode& node);
  uint32_t check_shift(const SyntaxNode& time, const SyntaxNode& interval, bool minus);
  uint32_t interval_amount(const SyntaxNode& interval, const IntervalUnit& unit);
  std::optional<IntervalUnit> find_unit(std::string_view name, ExpressionPlace place, bool interval);
  uint32_t truncate(uint32_t node, const IntervalUnit& unit, ValueType type);

  // Types.
  uint32_t remainder_or_sum(SyntaxOperator operation, Operand left, Operand right);
  /// Gives all of them one type; texts that stand as literals become times where the others are times.
  bool unify(std::vector<Operand>& all, ValueType& type);
  bool same_texts(const std::vector<Operand>& all);
  /// A choice between JSON values is one.
  uint32_t chosen_of(uint32_t out, const std::vector<Operand>& values);
  uint32_t to_condition(Operand in);
  /// As a time; literals are read. kFailed after a fault.
  uint32_t to_time(Operand in, std::string_view who);
  bool needs_number(Operand in, std::string_view who);
  uint32_t negated(uint32_t node, bool negate);
  uint32_t finish(uint32_t root, ExpressionUse use);

  std::string_view text_;
  const SyntaxTree& syntax_;
  std::span<const ColumnInfo> columns_;
  std::span<const uint32_t> call_columns_;
  TypedTree tree_;
  std::vector<uint32_t> used_;
  bool failed_ = false;
  ExpressionError error_;
};

}  // namespace tidemark::core
