// SPDX-License-Identifier: Apache-2.0
//
// Random expressions over random integer and boolean columns, against an evaluator that walks the tree row by row and
// knows nothing of vectors. TIDEMARK_EXPRESSION_SEEDS: how many expressions (default 2,000).
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/unit/expression/sample_rows.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kRows = 130;  // two words and a bit

struct Naive {
  enum State { value, null, failed } state = null;
  int64_t number = 0;
};
Naive known(int64_t number) {
  return {Naive::value, number};
}
bool is_true(const Naive& a) {
  return a.state == Naive::value && a.number != 0;
}
bool is_false(const Naive& a) {
  return a.state == Naive::value && a.number == 0;
}

enum class Shape {
  column,
  literal,
  null,
  sum,
  difference,
  product,
  quotient,
  remainder,
  negative,
  choice,
  coalesce,
  greatest,
  least,
  flag,
  equal,
  less,
  at_least,
  both,
  either,
  no,
  is_null,
  in,
  between
};

struct Tree {
  Shape shape = Shape::null;
  int64_t number = 0;  // of a literal or column
  std::vector<Tree> parts;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  int64_t below(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit)); }
  int64_t any_number() {
    constexpr int64_t kEdges[] = {0, 1, -1, INT64_MAX, INT64_MIN + 1, INT64_MIN, int64_t{1} << 32};
    return below(4) == 0 ? kEdges[below(7)] : below(21) - 10;
  }

  Tree number(int depth) {
    constexpr Shape kShapes[] = {Shape::sum,      Shape::difference, Shape::product,  Shape::quotient, Shape::remainder,
                                 Shape::negative, Shape::choice,     Shape::coalesce, Shape::greatest, Shape::least};
    if (depth == 0) {
      if (below(12) == 0) return {Shape::null, 0, {}};
      return below(3) == 0 ? Tree{Shape::literal, below(21) - 10, {}} : Tree{Shape::column, below(3), {}};
    }
    const Shape shape = kShapes[below(10)];
    if (shape == Shape::negative) return {shape, 0, {number(depth - 1)}};
    if (shape == Shape::choice) return {shape, 0, {condition(depth - 1), number(depth - 1), number(depth - 1)}};
    return {shape, 0, {number(depth - 1), number(depth - 1)}};
  }

  Tree condition(int depth) {
    constexpr Shape kShapes[] = {Shape::equal, Shape::less,    Shape::at_least, Shape::both,   Shape::either,
                                 Shape::no,    Shape::is_null, Shape::in,       Shape::between};
    if (depth == 0) return {Shape::flag, 0, {}};
    const Shape shape = kShapes[below(9)];
    switch (shape) {
      case Shape::both:
      case Shape::either:
        return {shape, 0, {condition(depth - 1), condition(depth - 1)}};
      case Shape::no:
        return {shape, 0, {condition(depth - 1)}};
      case Shape::is_null:
        return {shape, 0, {number(depth - 1)}};
      case Shape::in:
      case Shape::between:
        return {shape, 0, {number(depth - 1), number(depth - 1), number(depth - 1)}};
      default:
        return {shape, 0, {number(depth - 1), number(depth - 1)}};
    }
  }

 private:
  std::mt19937 random_;
};

std::string text_of(const Tree& tree) {
  const auto part = [&tree](size_t i) { return text_of(tree.parts[i]); };
  switch (tree.shape) {
    case Shape::column:
      return std::string(1, static_cast<char>('x' + tree.number));
    case Shape::literal:
      return std::to_string(tree.number);
    case Shape::null:
      return "NULL";
    case Shape::flag:
      return "flag";
    case Shape::negative:
      return "(- " + part(0) + ")";
    case Shape::no:
      return "(NOT " + part(0) + ")";
    case Shape::is_null:
      return "(" + part(0) + " IS NULL)";
    case Shape::choice:
      return "CASE WHEN " + part(0) + " THEN " + part(1) + " ELSE " + part(2) + " END";
    case Shape::coalesce:
      return "COALESCE(" + part(0) + ", " + part(1) + ")";
    case Shape::greatest:
      return "GREATEST(" + part(0) + ", " + part(1) + ")";
    case Shape::least:
      return "LEAST(" + part(0) + ", " + part(1) + ")";
    case Shape::in:
      return "(" + part(0) + " IN (" + part(1) + ", " + part(2) + "))";
    case Shape::between:
      return "(" + part(0) + " BETWEEN " + part(1) + " AND " + part(2) + ")";
    default:
      break;
  }
  const auto symbol = [&] {
    switch (tree.shape) {
      case Shape::sum:
        return " + ";
      case Shape::difference:
        return " - ";
      case Shape::product:
        return " * ";
      case Shape::quotient:
        return " DIV ";
      case Shape::remainder:
        return " % ";
      case Shape::equal:
        return " = ";
      case Shape::less:
        return " < ";
      case Shape::at_least:
        return " >= ";
      case Shape::both:
        return " AND ";
      default:
        return " OR ";
    }
  };
  return "(" + part(0) + symbol() + part(1) + ")";
}

struct Row {
  Naive columns[3];
  Naive flag;
};

Naive both(const Naive& a, const Naive& b) {
  if (is_false(a) || is_false(b)) return known(0);
  if (is_true(a) && is_true(b)) return known(1);
  return {a.state == Naive::failed || b.state == Naive::failed ? Naive::failed : Naive::null, 0};
}
Naive no(const Naive& a) {
  return a.state == Naive::value ? known(a.number == 0 ? 1 : 0) : a;
}
Naive either(const Naive& a, const Naive& b) {
  return no(both(no(a), no(b)));
}

// Of two that have values.
Naive strict(Shape shape, int64_t a, int64_t b) {
  __extension__ typedef __int128 Wide;  // NOLINT
  const auto fit = [](Wide wide) {
    return wide < INT64_MIN || wide > INT64_MAX ? Naive{Naive::failed, 0} : known(static_cast<int64_t>(wide));
  };
  switch (shape) {
    case Shape::sum:
      return fit(Wide{a} + b);
    case Shape::difference:
      return fit(Wide{a} - b);
    case Shape::product:
      return fit(Wide{a} * b);
    case Shape::quotient:
      return b == 0 ? Naive{} : fit(Wide{a} / b);
    case Shape::remainder:
      return b == 0 ? Naive{} : fit(Wide{a} % b);
    case Shape::greatest:
      return known(std::max(a, b));
    case Shape::least:
      return known(std::min(a, b));
    case Shape::equal:
      return known(a == b);
    case Shape::less:
      return known(a < b);
    default:
      return known(a >= b);
  }
}
Naive strict(Shape shape, const Naive& a, const Naive& b) {
  if (a.state == Naive::failed || b.state == Naive::failed) return {Naive::failed, 0};
  if (a.state == Naive::null || b.state == Naive::null) return {};
  return strict(shape, a.number, b.number);
}

Naive naive(const Tree& tree, const Row& row) {
  const auto part = [&](size_t i) { return naive(tree.parts[i], row); };
  switch (tree.shape) {
    case Shape::column:
      return row.columns[tree.number];
    case Shape::literal:
      return known(tree.number);
    case Shape::null:
      return {};
    case Shape::flag:
      return row.flag;
    case Shape::negative:
      return strict(Shape::difference, known(0), part(0));
    case Shape::no:
      return no(part(0));
    case Shape::both:
      return both(part(0), part(1));
    case Shape::either:
      return either(part(0), part(1));
    case Shape::is_null: {
      const Naive a = part(0);
      return a.state == Naive::failed ? a : known(a.state == Naive::null);
    }
    case Shape::choice: {
      const Naive condition = part(0);
      if (condition.state == Naive::failed) return condition;
      return is_true(condition) ? part(1) : part(2);
    }
    case Shape::coalesce:
      return part(0).state == Naive::null ? part(1) : part(0);
    case Shape::in:
      return either(strict(Shape::equal, part(0), part(1)), strict(Shape::equal, part(0), part(2)));
    case Shape::between:
      return both(strict(Shape::at_least, part(0), part(1)), strict(Shape::at_least, part(2), part(0)));
    default:
      return strict(tree.shape, part(0), part(1));
  }
}

TEST(RandomExpressions, agree_with_an_evaluator_that_goes_row_by_row) {
  const char* wanted = std::getenv("TIDEMARK_EXPRESSION_SEEDS");
  const uint32_t seeds = wanted != nullptr ? static_cast<uint32_t>(std::atoi(wanted)) : 2000;
  auto layout = std::make_shared<BatchLayout>();
  for (const char* name : {"x", "y", "z"}) layout->columns.push_back({name, ColumnType::int64, 0, 0, true, ""});
  layout->columns.push_back({"flag", ColumnType::boolean, 0, 0, true, ""});
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    Generator random(seed);
    std::vector<Row> rows(kRows);
    Batch batch(layout, kRows, 0);
    batch.rows = kRows;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (size_t column = 0; column < 4; ++column) {
        if (random.below(5) == 0) continue;
        Column& cells = batch.mutable_columns()[column];
        cells.validity[row >> 3] |= static_cast<uint8_t>(1u << (row & 7));
        if (column == 3) {
          rows[row].flag = known(random.below(2));
          static_cast<uint8_t*>(cells.values)[row] = static_cast<uint8_t>(rows[row].flag.number);
        } else {
          rows[row].columns[column] = known(random.any_number());
          static_cast<int64_t*>(cells.values)[row] = rows[row].columns[column].number;
        }
      }
    }
    const int depth = 1 + static_cast<int>(random.below(4));
    const Tree tree = random.below(2) == 0 ? random.number(depth) : random.condition(depth);
    const std::string text = text_of(tree);
    auto compiled = Expression::compile(text, layout->columns, ExpressionUse::value);
    const auto* error = std::get_if<ExpressionError>(&compiled);
    ASSERT_EQ(error, nullptr) << "seed " << seed << ": " << text << ": " << error_text(*error);
    Evaluator evaluator(std::get<Expression>(compiled));
    const ValueVector& values = evaluator.run(batch);
    const ValueKind kind = evaluator.expression().type().kind;
    for (uint32_t row = 0; row < kRows; ++row) {
      const Naive right = naive(tree, rows[row]);
      std::string shown = right.state == Naive::null ? "NULL" : "failed";
      if (right.state == Naive::value) {
        shown = kind == ValueKind::boolean ? (right.number != 0 ? "true" : "false") : std::to_string(right.number);
      }
      ASSERT_EQ(value_text(values, evaluator.expression().type(), row), shown)
          << "seed " << seed << ", row " << row << ": " << text;
    }
  }
}

}  // namespace
}  // namespace tidemark::core
