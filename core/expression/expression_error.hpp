// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with an expression, and where: a place is a run of bytes of the expression's text, so that callers
// can point into the file that it stands in. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/status.hpp"

namespace tidemark::core {

/// Bytes of an expression's text.
struct ExpressionPlace {
  size_t offset = 0;
  size_t size = 0;

  friend bool operator==(const ExpressionPlace&, const ExpressionPlace&) = default;
};

enum class ExpressionErrorCode : uint8_t {
  syntax,            ///< the text cannot be read
  unknown_column,    ///< a name that the input does not have
  unknown_function,  ///< no such function, unit or type
  wrong_argument,    ///< too many or too few arguments, or one of the wrong type
  not_supported,     ///< SQL that this version does not have
};

/// text: what is wrong, in one line. help: what to do; may be empty. more: other names in the expression that are not
/// known, which would else come to light one by one.
struct ExpressionError {
  ExpressionErrorCode code = ExpressionErrorCode::syntax;
  ExpressionPlace place;
  std::string text;
  std::string help;
  std::vector<ExpressionError> more{};
};

/// The error for messages that have no place of their own: names the expression and the words that are wrong.
Status expression_status(const ExpressionError& error, std::string_view expression);

/// What was asked for, or why there is none.
template <typename T>
using OrExpressionError = std::variant<T, ExpressionError>;

}  // namespace tidemark::core
