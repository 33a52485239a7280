// SPDX-License-Identifier: Apache-2.0
//
// The words of an expression: names (bare, in backticks or double quotes), numbers, texts in single quotes, and
// symbols, each with its place. Any bytes may come in; bytes above 127 count as letters. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression/expression_error.hpp"

namespace tidemark::core {

/// Longest expression that is read, in bytes.
inline constexpr size_t kExpressionBytesMax = 16 << 10;

enum class TokenKind : uint8_t {
  end,          ///< behind the last word; its place is the last byte of the text
  name,         ///< bare: may be a keyword
  quoted_name,  ///< in backticks or double quotes: a column and nothing else
  number,       ///< digits, with a point or an exponent
  text,         ///< in single quotes
  symbol,       ///< one operator, parenthesis or comma
};

struct Token {
  TokenKind kind = TokenKind::end;
  ExpressionPlace place;
  std::string text;  ///< names and texts without quotes, the rest as written
};

/// All words of `text`, the last of them of kind end.
OrExpressionError<std::vector<Token>> tokenize_expression(std::string_view text);

/// "Select" and "SELECT" as "select": keywords and functions have no case (ASCII).
std::string lower_ascii(std::string_view text);

/// The same expression with single blanks between its words, so that spacing makes no difference; the text as it is
/// when it cannot be read.
std::string canonical_expression(std::string_view text);

}  // namespace tidemark::core
