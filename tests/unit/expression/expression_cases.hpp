// SPDX-License-Identifier: Apache-2.0
//
// Expressions over the sample rows and what is expected of them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/unit/expression/sample_rows.hpp"

namespace tidemark::core {

/// The value of an expression that is the same in all rows, which is expected here.
std::string constant(std::string_view text);

/// An expression and what it is expected to give.
struct Case {
  const char* text;
  const char* expected;
};

/// Expects evaluate() of each to give what is said.
void expect_all(std::initializer_list<Case> cases, ExpressionUse use = ExpressionUse::value);

}  // namespace tidemark::core
