// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "tests/unit/expression/expression_cases.hpp"

#include <gtest/gtest.h>

namespace tidemark::core {

std::string constant(std::string_view text) {
  const std::string all = evaluate(text);
  const std::string one = all.substr(0, all.find(" | "));
  EXPECT_EQ(all, one + " | " + one + " | " + one + " | " + one) << text;
  return one;
}

void expect_all(std::initializer_list<Case> cases, ExpressionUse use) {
  for (const Case& one : cases) EXPECT_EQ(evaluate(one.text, use), one.expected) << one.text;
}

}  // namespace tidemark::core
