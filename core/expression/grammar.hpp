// SPDX-License-Identifier: Apache-2.0
//
// The words and operators of expressions as tables: how tight operators bind, which words are no names, and what of
// SQL is not there. Constants.
#pragma once

#include <array>
#include <string_view>

#include "core/expression/syntax_tree.hpp"

namespace tidemark::core {

// `||` joins texts (in MySQL it may be OR) and binds looser than +, so that no reading of a || b + c is silent: texts
// and numbers do not mix.
enum Power : int {
  kAny = 0,
  kOr = 1,
  kAnd = 2,
  kNot = 3,
  kCompare = 4,
  kJoin = 5,
  kSum = 6,
  kProduct = 7,
  kSign = 8,
  kPath = 9
};

// Words that are no column names unless quoted.
inline constexpr std::array<std::string_view, 26> kReserved = {
    "and",      "or",     "not",  "is",   "null",   "true", "false",  "in",   "between",
    "like",     "escape", "case", "when", "then",   "else", "end",    "cast", "as",
    "interval", "div",    "mod",  "xor",  "select", "from", "regexp", "rlike"};

struct InfixSymbol {
  std::string_view symbol;
  SyntaxKind kind;
  SyntaxOperator operation;
  Power power;
};
inline constexpr std::array<InfixSymbol, 14> kInfix = {{
    {"=", SyntaxKind::comparison, SyntaxOperator::equal, kCompare},
    {"<>", SyntaxKind::comparison, SyntaxOperator::not_equal, kCompare},
    {"!=", SyntaxKind::comparison, SyntaxOperator::not_equal, kCompare},
    {"<", SyntaxKind::comparison, SyntaxOperator::less, kCompare},
    {"<=", SyntaxKind::comparison, SyntaxOperator::less_equal, kCompare},
    {">", SyntaxKind::comparison, SyntaxOperator::greater, kCompare},
    {">=", SyntaxKind::comparison, SyntaxOperator::greater_equal, kCompare},
    {"+", SyntaxKind::arithmetic, SyntaxOperator::add, kSum},
    {"-", SyntaxKind::arithmetic, SyntaxOperator::subtract, kSum},
    {"*", SyntaxKind::arithmetic, SyntaxOperator::multiply, kProduct},
    {"/", SyntaxKind::arithmetic, SyntaxOperator::divide, kProduct},
    {"%", SyntaxKind::arithmetic, SyntaxOperator::modulo, kProduct},
    {"div", SyntaxKind::arithmetic, SyntaxOperator::integer_divide, kProduct},
    {"mod", SyntaxKind::arithmetic, SyntaxOperator::modulo, kProduct},
}};

// Operators of SQL and MySQL that are not there, and what to write.
struct Foreign {
  std::string_view symbol;
  std::string_view help;
};
inline constexpr std::array<Foreign, 10> kForeign = {{
    {"&&", "write AND"},
    {"!", "write NOT"},
    {"<=>", "write a = b OR (a IS NULL AND b IS NULL)"},
    {":=", "write = to compare"},
    {"&", "bit operations are not supported"},
    {"|", "bit operations are not supported"},
    {"^", "bit operations are not supported"},
    {"~", "bit operations are not supported"},
    {";", "one expression, without an end mark"},
    {".", "write the column's name alone; each source has one table's columns"},
}};

}  // namespace tidemark::core
